"""What some steps of a trace are computed from: a hand-out of them begins with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from walkthrough.explaining.shown import Shown, decimals_of
from walkthrough.explaining.users import rows_read
from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.views.options import Options
from walkthrough.views.report.blocks import Block, Formula, Heading, Matrix
from walkthrough.views.report.grid import grid_of
from walkthrough.views.report.trace.headings import Headings


def operand_sections(
    trace: Trace, chosen: Sequence[tuple[Value, Sequence[int]]], options: Options, headings: Headings
) -> Iterator[Block]:
    """The values that rows of chosen ones are computed from and that are not chosen too, in the calculation's order.

    Each with its number and the rows that are needed; how it came about is not shown. First those, without a number,
    that a long training has let go of.
    """
    rows = _needed_rows(chosen)
    numbers = {value: number for number, value in enumerate(trace, 1)}
    for value in sorted(rows, key=lambda value: numbers.get(value, 0)):
        yield from headings.open(headings.words("computed_from"))
        yield from _section(value, sorted(rows[value]), numbers.get(value, 0), trace, options)


def _needed_rows(chosen: Sequence[tuple[Value, Sequence[int]]]) -> dict[Value, set[int]]:
    """The rows of each value that is needed and not chosen."""
    shown = {value for value, _ in chosen}
    found: dict[Value, set[int]] = {}
    for value, rows in chosen:
        is_whole = len(rows) == value.shape[0]
        for given in value.inputs:
            if given not in shown:
                needed = range(given.shape[0]) if is_whole else rows_read(value, given, rows)
                found.setdefault(given, set()).update(needed)
    return found


def _section(value: Value, rows: Sequence[int], number: int, trace: Trace, options: Options) -> Iterator[Block]:
    kind, words = value.kind, catalogue(trace.language)
    yield Heading(f"{words.title(kind)} {kind.symbol}", value.path, number, depth=1)
    yield Formula(
        kind.symbol, str, value.path, shape_text(value.shape), words.origin(value.origin) if value.origin else ""
    )
    shown = Shown(value, decimals_of(value, trace, options.decimals))
    yield Matrix(grid_of(value, shown, rows, options.full, words=words), options.columns)
