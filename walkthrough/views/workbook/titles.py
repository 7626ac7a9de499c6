"""The lines above the numbers of a block: title, path, formula, purpose."""

from __future__ import annotations

from walkthrough.explaining.formulas import formula_text
from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.text import escape_label, escape_text
from walkthrough.views.workbook.plan import PlacedValue

LOOKS = ("heading", "quiet", "formula", "quiet")


def titles_of(block: PlacedValue) -> tuple[str, ...]:
    """As many lines as there are looks."""
    value = block.value
    number = f"{block.number}. " if block.number else ""
    names = "  =  ".join((value.path, *value.also))
    shape = shape_text(value.shape)
    formula = f"{formula_text(value) or value.kind.symbol}   {shape}"
    if value.operation is None or block.is_given:
        formula = f"{value.kind.symbol}   {shape}   {_origin(block)}"
    purpose = value.kind.purpose + (" (rows and columns exchanged)" if block.place.is_transposed else "")
    return tuple(escape_text(text) for text in (f"{number}{value.kind.title}", names, formula, purpose))


def _origin(block: PlacedValue) -> str:
    if block.value.operation is not None:
        return "taken as given"
    return f"given: {escape_label(block.value.origin)}" if block.value.origin else "given"
