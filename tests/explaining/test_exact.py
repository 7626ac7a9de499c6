"""Numbers without rounding: what is written is the number, and rational where it can be."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.calculator import calculated
from tests.examples import slow, some
from tests.views.samples import bundled_trace
from walkthrough.explaining.exact import exact_text
from walkthrough.operations.softmax import divide_rows, exponential, row_sum
from walkthrough.recording import Kind, Recorder, Trace
from walkthrough.recording.cells import CellAt


@pytest.mark.parametrize(
    "name", ["masked-scores", "help-me", "sandwich", *map(slow, ("chai", "cooking", "cooking-multihead", "fuchs"))]
)
def test_what_is_written_is_the_number(name: str) -> None:
    trace = bundled_trace(name)
    chooser = random.Random(name)
    checked = 0
    for value in trace:
        if value.operation is None or value.names is not None:
            continue
        for _ in range(some(1, 3)):
            row, column = chooser.randrange(value.shape[0]), chooser.randrange(value.shape[1])
            text = exact_text(CellAt(value, row, column))
            if "[" in text:  # a number that is too long to write is named
                continue
            np.testing.assert_allclose(calculated(text), value.array[row, column], rtol=1e-9, atol=1e-12, err_msg=text)
            checked += 1
    assert checked > some(1, 5)


def test_fractions_and_roots() -> None:
    trace = bundled_trace("cooking")
    assert exact_text(trace.cell("norm_1.mean[learned]")).count("/") <= 1
    assert "√3" in exact_text(trace.cell("scaled_scores[I, I]"))


def test_a_softmax_is_left_as_powers_of_e() -> None:
    recorder = Recorder(Trace())
    x = recorder.record_given(Kind("x", "X", "X"), np.array([[1.0, 2.0, 2.0]]))
    u = recorder.record(Kind("u", "U", "U"), exponential, (x,))
    total = recorder.record(Kind("sum", "s", "Sum"), row_sum, (u,))
    y = recorder.record(Kind("y", "Y", "Y"), divide_rows, (u, total))
    text = exact_text(CellAt(y, 0, 0))
    assert "e^" in text
    assert calculated(text) == pytest.approx(float(y.array[0, 0]))
