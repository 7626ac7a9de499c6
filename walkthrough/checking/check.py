"""Judges every published number of a scenario."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from walkthrough.checking.conclusions import Conclusion, conclusions
from walkthrough.checking.digits import Printed
from walkthrough.checking.margins import half_units
from walkthrough.checking.prints import BoundPrint, PrintedCell, bind
from walkthrough.checking.ranges import Ranges
from walkthrough.expressions.intervals import FLOAT32, FLOAT64, Interval
from walkthrough.recording.trace import Trace
from walkthrough.scenario.problems import Problems, ScenarioError
from walkthrough.scenario.scenario import Scenario

VERDICTS = ("exact", "rounding", "inherited", "wrong")


@dataclass(frozen=True, slots=True)
class Judged:
    """A published number and its verdict; `computed` is the right number, or the right word."""

    cell: PrintedCell
    computed: float | str
    verdict: str

    @property
    def row(self) -> str:
        """The label of its row."""
        return self.cell.value.rows[self.cell.row]

    @property
    def column(self) -> str:
        """The label of its column."""
        return self.cell.value.columns[self.cell.column]


@dataclass(frozen=True, slots=True)
class Report:
    """The verdicts of a scenario, in the order of the file; in `order_of_calculation`, in that of the steps."""

    name: str
    trace: Trace
    cells: tuple[Judged, ...]
    conclusions: tuple[Conclusion, ...] = field(default=())

    @property
    def summary(self) -> dict[str, int]:
        """How many numbers have each verdict."""
        counts = Counter(judged.verdict for judged in self.cells)
        return {verdict: counts[verdict] for verdict in VERDICTS}

    def with_verdict(self, verdict: str) -> list[Judged]:
        """The numbers with a verdict, in the order of the calculation."""
        place = {id(value): number for number, value in enumerate(self.trace)}
        found = [judged for judged in self.cells if judged.verdict == verdict]
        return sorted(found, key=lambda judged: (place[id(judged.cell.value)], judged.cell.row, judged.cell.column))


def check(scenario: Scenario, trace: Trace, name: str = "") -> Report:
    """Judges the published numbers of a scenario against its trace (exact, not by hand).

    Raises ScenarioError where a published step, row or word does not exist.
    """
    problems = Problems()
    prints = bind(scenario.spec.published or [], trace, problems)
    if problems:
        raise ScenarioError(scenario.source.name, problems.found, scenario.source.text)
    judge = _Judge(scenario, trace)
    verdicts = judge.all(prints)
    cells = tuple(Judged(cell, *verdicts[id(cell)]) for one in prints for cell in one.cells)
    return Report(name or scenario.source.name, trace, cells, tuple(conclusions(prints)))


class _Judge:
    """Goes through the prints in the order of the calculation, with two calculations beside it."""

    def __init__(self, scenario: Scenario, trace: Trace) -> None:
        roundoff = FLOAT32 if scenario.spec.source_arithmetic == "float32" else FLOAT64
        margins = half_units(scenario.spec, trace) if scenario.spec.inputs_are == "rounded" else {}
        self.place = {id(value): number for number, value in enumerate(trace)}
        self.right, self.published = (_Calculation(margins, roundoff) for _ in range(2))

    def all(self, prints: Sequence[BoundPrint]) -> dict[int, tuple[float | str, str]]:
        """The right number and the verdict of every cell, by identity."""
        verdicts: dict[int, tuple[float | str, str]] = {}
        by_step: dict[int, list[PrintedCell]] = {}
        for one in prints:
            by_step.setdefault(id(one.value), []).extend(one.cells)
        for step in sorted(by_step, key=self.place.__getitem__):
            for cell in by_step[step]:  # all are judged by what is before the step, so none is carried on yet
                is_word = isinstance(cell.printed, str)
                verdicts[id(cell)] = self._word(cell) if is_word else self._number(cell)
            first = {(cell.row, cell.column): cell for cell in reversed(by_step[step])}
            for cell in first.values():
                if not isinstance(cell.printed, str):
                    self._carry(cell, cell.printed, verdicts[id(cell)][1])
        return verdicts

    def _carry(self, cell: PrintedCell, printed: Printed, verdict: str) -> None:
        exact = float(cell.value.array[cell.row, cell.column])
        self.published.carry(cell, printed, exact, right=False)
        self.right.carry(cell, printed, exact, right=verdict in ("wrong", "inherited"))

    def _number(self, cell: PrintedCell) -> tuple[float, str]:
        assert not isinstance(cell.printed, str)
        exact = float(cell.value.array[cell.row, cell.column])
        if cell.printed.is_rounded(exact):
            return exact, "exact"
        if math.isnan(exact):
            return exact, "rounding"  # it depends on unknown numbers: anything may be right
        wanted = cell.printed.interval
        for calculation, verdict in ((self.right, "rounding"), (self.published, "inherited")):
            if calculation.reaches(cell, wanted):
                return exact, verdict
        return exact, "wrong"

    def _word(self, cell: PrintedCell) -> tuple[str, str]:
        value = cell.value
        names = value.names or {}
        number = float(value.array[cell.row, 0])
        computed = names.get(int(number), "?") if not math.isnan(number) else "?"
        if cell.printed == computed:
            return computed, "exact"
        for calculation, verdict in ((self.right, "rounding"), (self.published, "inherited")):
            if all(_could_be_largest(ranges, cell) for ranges in (calculation.wide, calculation.tight)):
                return computed, verdict
        return computed, "wrong"


class _Calculation:
    """One calculation with wide intervals, which come cheaply and often decide, and with narrow ones."""

    def __init__(self, margins: dict[str, float], roundoff: float) -> None:
        self.wide, self.tight = Ranges(margins, roundoff, tight=False), Ranges(margins, roundoff)

    def carry(self, cell: PrintedCell, printed: Printed, exact: float, right: bool) -> None:
        """Goes on with a printed number, or with the right one in its place."""
        for ranges in (self.wide, self.tight):
            ranges.carry(cell.value, cell.row, cell.column, printed, exact, right)

    def reaches(self, cell: PrintedCell, wanted: Interval) -> bool:
        """Whether the cell could come out within the wanted interval; looks closer only while it seems so."""
        place = cell.value, cell.row, cell.column
        if not all(_meet(wanted, ranges.computed(*place, cell.operands)) for ranges in (self.wide, self.tight)):
            return False
        if cell.operands is not None or cell.value.operation is None:
            return True
        return self.tight.reaches(*place, wanted)


def _could_be_largest(ranges: Ranges, cell: PrintedCell) -> bool:
    """Whether the printed word's number may be the largest of the row that the arg-max is taken of."""
    value = cell.value
    source, ids = value.inputs[0], list(value.settings.get("ids", ()))
    names = value.names or {}
    place = next((at for at, number in enumerate(ids) if names.get(number) == cell.printed), None)
    if place is None:
        return False
    bounds = [ranges.cell(source, cell.row, column) for column in range(source.shape[1])]
    return bounds[place][1] >= max(low for low, _ in bounds)


def _meet(first: Interval, second: Interval) -> bool:
    return first[0] <= second[1] and second[0] <= first[1]
