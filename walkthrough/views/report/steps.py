"""The report on what can be selected: path, shape and title of each value, and its further names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.views.report.blocks import Block, Code, Report, Table


def report(trace: Trace, values: Sequence[Value]) -> Report:
    """The list."""

    def blocks() -> Iterator[Block]:
        rows = tuple(row for value in values for row in _rows(value))
        yield Table(("step", "shape", "title"), rows, right=(1,), headless=True, whole=True)

    return Report(f"Steps of {trace.title}", blocks, brief="")


def _rows(value: Value) -> Iterator[tuple[str, ...]]:
    title = value.kind.title if value.operation else f"{value.kind.title} (given)"
    yield Code(value.path), shape_text(value.shape), title
    yield from ((f"  = {other}",) for other in value.also)
