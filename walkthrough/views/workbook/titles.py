"""The lines above the numbers of a block: title, path, formula, purpose."""

from __future__ import annotations

from walkthrough.explaining.formulas import formula_text
from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.languages.catalogue import Catalogue
from walkthrough.text import escape_label, escape_text
from walkthrough.views.workbook.plan import PlacedValue

LOOKS = ("heading", "quiet", "formula", "quiet")


def titles_of(block: PlacedValue, words: Catalogue) -> tuple[str, ...]:
    """As many lines as there are looks."""
    value = block.value
    number = f"{block.number}. " if block.number else ""
    names = "  =  ".join((value.path, *value.also))
    shape = shape_text(value.shape)
    formula = f"{formula_text(value, words) or value.kind.symbol}   {shape}"
    if value.operation is None or block.is_given:
        formula = f"{value.kind.symbol}   {shape}   {_origin(block, words)}"
    exchanged = f" ({words('exchanged')})" if block.place.is_transposed else ""
    purpose = words.purpose(value.kind) + exchanged
    return tuple(escape_text(text) for text in (f"{number}{words.title(value.kind)}", names, formula, purpose))


def _origin(block: PlacedValue, words: Catalogue) -> str:
    if block.value.operation is not None:
        return words("taken_as_given")
    origin = block.value.origin
    return words("given_path", path=escape_label(words.origin(origin))) if origin else words("is_given")
