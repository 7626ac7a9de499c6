"""What uses a number is exactly what is computed from it."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from tests.examples import slow
from tests.views.samples import bundled_trace
from walkthrough.explaining import users
from walkthrough.explaining.users import users_of
from walkthrough.expressions.tree.walk import cells
from walkthrough.operations import matrix
from walkthrough.recording import Kind, Recorder, Trace
from walkthrough.recording.cells import CellAt

Place = tuple[str, int, int]


def readers(trace: Trace) -> dict[Place, list[Place]]:
    """For every cell the cells whose expressions read it."""
    found: dict[Place, list[Place]] = {}
    for value in trace:
        if value.operation is None:
            continue
        for row, column in np.ndindex(value.shape):
            for at in dict.fromkeys(cells(value.cell(row, column))):
                read = value.inputs[at.operand].path, at.row, at.column
                place = value.path, row, column
                if place not in found.setdefault(read, []):
                    found[read].append(place)
    return found


@pytest.mark.parametrize("name", ["chai", "masked-scores", "help-me", slow("cooking-multihead"), slow("cat-sat")])
def test_users_are_the_cells_that_read_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(users, "MOST_USERS", 10_000)
    trace = bundled_trace(name)
    wanted = readers(trace)
    for value in trace:
        for row, column in np.ndindex(value.shape):
            found, more = users_of(trace, CellAt(value, row, column))
            assert more == 0
            places = [(one.value.path, one.row, one.column) for one in found]
            assert places == wanted.get((value.path, row, column), [])


def test_of_many_users_the_first_are_listed() -> None:
    recorder = Recorder(Trace())
    x = recorder.record_given(Kind("x", "X", "X"), np.ones((2, 3)))
    w = recorder.record_given(Kind("w", "W", "W"), np.ones((3, 40)))
    recorder.record(Kind("y", "Y", "Y"), matrix.linear, (x, w))
    found, more = users_of(recorder.trace, CellAt(x, 1, 2))
    assert [(one.row, one.column) for one in found] == [(1, column) for column in range(users.MOST_USERS)]
    assert more == 40 - users.MOST_USERS


def test_what_long_sums_read_is_not_held_at_once() -> None:
    """Of a table of 128,000 words it would be a quarter of a gigabyte."""
    recorder = Recorder(Trace())
    x = recorder.record_given(Kind("x", "X", "X"), np.ones((1, 1000)))
    w = recorder.record_given(Kind("w", "W", "W"), np.ones((1000, 1000)))
    recorder.record(Kind("y", "Y", "Y"), matrix.linear, (x, w))
    tracemalloc.start()
    found, more = users_of(recorder.trace, CellAt(w, 7, 5))
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert ([(one.row, one.column) for one in found], more) == ([(0, 5)], 0)
    assert held < w.array.size / 4
