"""The report on what can be selected: the map, and path, shape and title of each value, and its further names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from walkthrough.explaining.formulas import formula_text
from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.languages.catalogue import ENGLISH
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.views.data import document
from walkthrough.views.report.blocks import Block, Code, Report, Table
from walkthrough.views.report.outline import outline


def report(trace: Trace, values: Sequence[Value]) -> Report:
    """The list."""

    numbers = {value: number for number, value in enumerate(trace, 1)}

    def blocks() -> Iterator[Block]:
        rows = tuple(row for value in values for row in _rows(value, numbers[value]))
        yield outline(trace, values)
        yield Table(("", "step", "shape", "title"), rows, right=(0, 2), headless=True, whole=True)

    def data() -> dict[str, Any]:
        steps = [{"number": numbers[value], **_step(value)} for value in values]
        return document("steps", {"scenario": trace.scenario, "title": trace.title, "steps": steps})

    return Report(f"Steps of {trace.title}", blocks, data, brief="")


def _step(value: Value) -> dict[str, Any]:
    """All that people are told of a step but its numbers."""
    return {
        "path": value.path,
        "also": list(value.also),
        "title": value.kind.title,
        "purpose": ENGLISH.purpose(value.kind),
        "symbol": value.kind.symbol,
        "formula": formula_text(value),
        "op": value.operation.name if value.operation else "given",
        "shape": list(value.shape),
        "inputs": [given.path for given in value.inputs],
        "rows": list(value.rows),
        "columns": list(value.columns),
    }


def _rows(value: Value, number: int) -> Iterator[tuple[str, ...]]:
    title = value.kind.title if value.operation else f"{value.kind.title} (given)"
    yield str(number), Code(value.path), shape_text(value.shape), title
    yield from (("", f"  = {other}", "", "") for other in value.also)
