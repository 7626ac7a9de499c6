"""What an author concludes from printed numbers, and whether it survives: words, order of a row, rows that add up."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from walkthrough.judging.digits import Printed
from walkthrough.judging.prints import BoundPrint, PrintedCell
from walkthrough.number_formats import OF_FLOAT64
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.text import escape_label


class Conclusion(Record):
    """One conclusion: what it is about, whether it holds, and why not.

    before, behind: the words around the place
    """

    place: str
    holds: bool
    said: str
    before: str = ""
    behind: str = ""

    @property
    def subject(self) -> str:
        """What it is about, as one text."""
        return f"{self.before}{self.place}{self.behind}"


def conclusions(prints: Sequence[BoundPrint]) -> Iterator[Conclusion]:
    """The conclusions that the prints allow to check."""
    for one in prints:
        if one.value.names is not None:
            yield from _words(one)
        elif one.value.kind.is_distribution:
            for row in sorted({cell.row for cell in one.cells}):
                yield from _row(one.value, row, [cell for cell in one.cells if cell.row == row])


def _words(one: BoundPrint) -> Iterator[Conclusion]:
    names = one.value.names or {}
    for cell in one.cells:
        number = float(one.value.array[cell.row, cell.column])
        if not isinstance(cell.printed, str) or math.isnan(number):
            continue
        right = names[int(number)]
        label = escape_label(one.value.rows[cell.row])
        said = f"printed {_quote(cell.printed)}"
        said += "" if right == cell.printed else f", right is {_quote(right)}"
        yield Conclusion(f"{one.value.path}[{label}]", right == cell.printed, said)


def _row(value: Value, row: int, cells: Sequence[PrintedCell]) -> Iterator[Conclusion]:
    """The shares of one row: their sum and their order, where the whole row is printed."""
    printed = [cell.printed for cell in cells if isinstance(cell.printed, Printed)]
    if len(printed) != value.shape[1] or value.shape[1] < 2:
        return
    name = f"{value.path}[{escape_label(value.rows[row])}]"
    total = math.fsum(one.value for one in printed)
    decimals = max(one.decimals for one in printed)
    adds_up = abs(total - 1) <= math.fsum(one.half_unit for one in printed) + OF_FLOAT64
    said = f"the printed numbers add up to {total:.{max(decimals, 0)}f}"
    yield Conclusion(name, adds_up, said, behind=" adds up to 1")
    right = [float(value.array[row, cell.column]) for cell in cells]
    swapped = _swapped_places([one.value for one in printed], right)
    said = "as printed"
    if swapped is not None:
        first, second = (_quote(value.columns[cells[at].column]) for at in swapped)
        said = f"printed {first} before {second}, right is {second} before {first}"
    yield Conclusion(name, swapped is None, said, before="order of ")


def _quote(word: str) -> str:
    """A word of the scenario, harmless, within a sentence."""
    return f"“{escape_label(word)}”"


def _swapped_places(printed: Sequence[float], right: Sequence[float]) -> tuple[int, int] | None:
    """Two places whose order is not the right one: the first printed larger, and right smaller."""
    places = range(len(printed))
    order = sorted(places, key=lambda at: -printed[at])
    pairs = ((one, other) for one in order for other in order if printed[one] > printed[other])
    return next(((one, other) for one, other in pairs if right[one] < right[other] - OF_FLOAT64), None)
