"""The recorded graph, gone through from a step or a cell to what it is computed from."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Container, Iterable, Iterator, Sequence

from walkthrough.expressions.tree.walk import cells
from walkthrough.recording.cells import CellAt
from walkthrough.recording.values import Value

_TOKEN = re.compile(r"\.token\.\d+\.")
_MOST_STEPS = 40
"""So far back a step is looked for that somebody did not give."""
FAR_BACK = 5000
"""The same for what may have been done alike in many steps, or long before."""


def steps_before(*values: Value) -> Iterator[Value]:
    """Every step that some are computed from, each once, the nearest first."""
    waiting, seen = deque(values), set(values)
    while waiting:
        for one in waiting.popleft().inputs:
            if one not in seen:
                seen.add(one)
                waiting.append(one)
                yield one


def steps_not_given(value: Value, given: Container[Value], most: int = _MOST_STEPS) -> Iterator[Value]:
    """The step itself, and computed ones before it that are not given, the nearest first.

    most: how many; a step that comes again for each token counts once
    """
    waiting, seen = deque([value]), {value}
    kinds: set[str] = set()
    while waiting:
        step = waiting.popleft()
        kinds.add(_TOKEN.sub(".token.", step.path))
        if len(kinds) > most:
            return
        yield step
        fresh = [one for one in step.inputs if one not in seen and one not in given]
        seen.update(fresh)
        waiting += [one for one in fresh if one.operation is not None]


def details_of(values: Iterable[Value]) -> set[Value]:
    """What stands within composites, such as the exponentials of a softmax; not the composites themselves."""
    wholes = ((value.inputs, value.composite[1]) for value in values if value.composite is not None)
    return {detail for inputs, given in wholes for detail in steps_within(inputs, given)}


def steps_within(values: Iterable[Value], given: Sequence[Value]) -> Iterator[Value]:
    """These steps of a composite, and all within it that they are computed from."""
    for value in values:
        if value not in given:
            yield value
            yield from steps_within(value.inputs, given)


def cells_read(value: Value, row: int, column: int) -> list[CellAt]:
    """The cells that one of a computed step reads, each once, in the order written."""
    read = dict.fromkeys(cells(value.cell(row, column)))
    return [CellAt(value.inputs[one.operand], one.row, one.column) for one in read]


MOST_CELLS = 2_000
"""This many cells are looked at one by one; of more, every number of an input counts."""

At = tuple[int, int]


def given_sources(cell: CellAt) -> dict[Value, list[At]]:
    """The cells that can be changed and from which a cell is calculated, by their value; never ids or masks."""
    seen: dict[Value, dict[At, None]] = {cell.value: {(cell.row, cell.column): None}}
    waiting = [cell]
    for value, row, column in waiting:  # which becomes longer meanwhile
        if value.operation is None:
            continue
        if len(waiting) > MOST_CELLS:
            return _given_values(cell.value)
        for read in cells_read(value, row, column):
            places = seen.setdefault(read.value, {})
            if read[1:] not in places:
                places[read.row, read.column] = None
                waiting.append(read)
    return {value: sorted(found) for value, found in seen.items() if value.can_change}


def _given_values(value: Value) -> dict[Value, list[At]]:
    """Every number of the given values from which one is calculated."""
    return {
        one: [(row, column) for row in range(one.shape[0]) for column in range(one.shape[1])]
        for one in (value, *steps_before(value))
        if one.can_change
    }
