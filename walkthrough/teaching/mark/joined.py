"""One mistake that shows in two steps is charged in the first: what it explains exactly in the second follows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from walkthrough.mistakes.mistake import Mistake, change, transpose
from walkthrough.operations.definition import Array
from walkthrough.operations.softmax import divide_rows, row_sum
from walkthrough.recording.values import Value
from walkthrough.teaching.mark.marked import MarkedCell
from walkthrough.teaching.mark.own import Own
from walkthrough.teaching.sheet import Place

Joined = dict[Place, Value]
"""For a cell of the second step the first one."""


def join(cells: Sequence[MarkedCell], causes: Mapping[Place, Mistake], own: Own) -> Joined:
    """The wrong cells that are charged with those of an earlier step."""
    steps = list(dict.fromkeys(cell.value for cell in cells if cell.place in causes))
    found: Joined = {}
    for first, second, word, array in (*_softmaxes(steps, own), *_exchanges(steps, causes, own)):
        if not any(made.word == word and place[0] == first.path for place, made in causes.items()):
            continue
        for cell in cells:
            made = causes.get(cell.place) if cell.value is second else None
            if made is not None and made.word == word and _is_exact(cell, array):
                found[cell.place] = first
    return found


def _is_exact(cell: MarkedCell, array: Array) -> bool:
    number, given = cell.answer.number, float(array[cell.row, cell.column])
    assert number is not None
    unit = 10.0 ** -cell.step.decimals(number, cell.row, cell.column)
    return bool(abs(number - given) <= 0.5 * unit * (1 + 1e-6) + 1e-9 * abs(given))


def _softmaxes(steps: Sequence[Value], own: Own) -> Iterator[tuple[Value, Value, str, Array]]:
    """A softmax over the columns: the sums, and the exponentials divided by them."""
    for value in steps:
        if value.operation is divide_rows and value.inputs[1].operation is row_sum and value.inputs[1] in steps:
            x, divisor = value.inputs
            if value.shape[0] == value.shape[1]:
                with np.errstate(all="ignore"):
                    array = transpose(change(value, transpose(x), divisor)).array(own.array)
                yield divisor, value, "softmax_columns", array


def _exchanges(
    steps: Sequence[Value], causes: Mapping[Place, Mistake], own: Own
) -> Iterator[tuple[Value, Value, str, Array]]:
    """Two products of a head, each computed with the weights of the other."""
    taken = {(path, str(dict(made.facts)["other"])) for (path, *_), made in causes.items() if made.key == "exchanged"}
    by_path = {value.path: value for value in steps}
    for first in steps:
        parent, _, name = first.path.rpartition(".")
        for path, other in taken:
            second = by_path.get(f"{parent}.{other}")
            if path != first.path or second is None or (second.path, name) not in taken:
                continue
            if steps.index(first) < steps.index(second):
                yield first, second, "exchanged", own.compute(first)
