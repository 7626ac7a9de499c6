"""Which picture explains the numbers of a step: its operation's own, or that of a composite that it is inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from walkthrough.recording.graph import steps_within
from walkthrough.recording.values import Value
from walkthrough.records import Record


class Drawing(Record, eq=False):
    """The picture of one or of several steps.

    name:  its name, as operations say it
    line:  of a composite the steps from what goes in to what comes out, each the first input of the next one
    marks: of a composite what its rows are marked with, such as their mean, by name
    """

    name: str
    line: tuple[Value, ...] = ()
    marks: Mapping[str, Value] = {}

    def data(self, places: Mapping[Value, int]) -> dict[str, Any]:
        """It as data: its steps by their places."""
        if not self.line:
            return {"as": self.name}
        marks = {name: places[value] for name, value in self.marks.items()}
        return {"as": self.name, "line": [places[value] for value in self.line], **marks}


def drawings_of(values: Sequence[Value]) -> dict[Value, Drawing]:
    """The pictures of those of these steps that have one; of a composite only where all of its steps are there."""
    found: dict[Value, Drawing] = {}
    there = set(values)
    for value in values:
        if value.operation is not None and value.operation.drawn_as in ("product", "sum"):
            found[value] = Drawing(value.operation.drawn_as)
    for value in values:
        if value.composite is not None and value.composite[0].drawn_as:
            line = _line(value, value.composite[1])
            inside = dict.fromkeys(steps_within(line[1:], value.composite[1]))
            if {line[0], *inside} <= there:
                marks = {one.operation.drawn_as: one for one in inside if one.operation and one.operation.drawn_as}
                found |= dict.fromkeys(inside, Drawing(value.composite[0].drawn_as, line, marks))
    return found


def _line(value: Value, given: Sequence[Value]) -> tuple[Value, ...]:
    """From what a composite reads to what it gives."""
    line = [value]
    while line[0] not in given:
        line.insert(0, line[0].inputs[0])
    return tuple(line)
