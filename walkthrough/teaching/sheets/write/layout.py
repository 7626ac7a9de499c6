"""What stands beside what on a page: given numbers beside the step that first needs them, heads side by side."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.teaching.sheets.sheet import Sheet, Step

_NUMBERED = re.compile(r"(?P<counted>(?:.*\.)?[^.]*[^.\d][^.]*)\.(?P<number>\d+)\.(?P<rest>\D.*)")
"""A path within one of several parts, the innermost: `encoder.1.attention.head` `2` `softmax.exp`."""


class Group(Record, eq=False):
    """What stays together: given matrices, and the step that is the first to need them; None: no step does."""

    given: tuple[Value, ...]
    step: Step | None


def rows_of(sheet: Sheet) -> list[list[Group]]:
    """The groups of a sheet in order; those in one list are side by side."""
    new = dict.fromkeys(sheet.given)

    def group(step: Step) -> Group:
        needed = [value for value in dict.fromkeys(step.value.inputs) if value in new]
        for value in needed:
            del new[value]
        return Group(tuple(needed), step)

    rows = [[group(step) for step in row] for row in side_by_side(sheet.steps)]
    return [[Group(tuple(new), None)], *rows] if new else rows


def side_by_side(steps: Sequence[Step]) -> list[list[Step]]:
    """The steps in an order in which they can be worked out; those in one list are the same step of several parts."""
    rows: list[list[Step]] = []
    at = 0
    while at < len(steps):
        run = _run(steps[at:])
        interleaved = _interleave(run)
        rows += interleaved if _can_be_worked_out(interleaved) else [[step] for step in run.values()]
        at += len(run)
    return rows


def _run(steps: Sequence[Step]) -> dict[tuple[str, str], Step]:
    """The first steps that are in the same counted parts, by the number of the part and the path in it."""
    found: dict[tuple[str, str], Step] = {}
    counted = None
    for step in steps:
        match = _NUMBERED.fullmatch(step.value.path)
        if match is None or (found and match["counted"] != counted):
            return found or {("", ""): step}
        counted = match["counted"]
        found[match["number"], match["rest"]] = step
    return found


def _interleave(run: Mapping[tuple[str, str], Step]) -> list[list[Step]]:
    """A row for each path in the parts; what only some parts have stands behind what comes before it there."""
    order: list[str] = []
    before: dict[str, str] = {}
    for number, rest in run:
        if rest not in order:
            order.insert(order.index(before[number]) + 1 if number in before else len(order), rest)
        before[number] = rest
    return [[step for (_, inside), step in run.items() if inside == rest] for rest in order]


def _can_be_worked_out(rows: Sequence[Sequence[Step]]) -> bool:
    """Whether no step comes before one that it is computed from: layers cannot stand side by side, heads can."""
    waiting = {step.value for row in rows for step in row}
    for row in rows:
        if any(given in waiting for step in row for given in step.value.inputs):
            return False
        waiting -= {step.value for step in row}
    return True
