"""A student's own numbers: handed in where they were, worked out by hand from these where not."""

from __future__ import annotations

import numpy as np

from tests.teaching.students import handed_out
from walkthrough.teaching.marking.student import StudentCalculation

SHEET = handed_out("cooking", decimals=2)
STEPS = [step.value for step in SHEET.blank_steps]
FIRST = STEPS[0]
NEXT = next(value for value in STEPS if FIRST in value.inputs)


def test_what_was_handed_in_stands_and_the_rest_follows_by_hand() -> None:
    own = StudentCalculation(SHEET, {(FIRST.path, 0, 0): 7.123})
    assert own.array(FIRST)[0, 0] == 7.123
    assert np.array_equal(own.array(FIRST)[1:], FIRST.array[1:])
    assert NEXT.digits is not None
    assert np.array_equal(own.array(NEXT), NEXT.digits.round(own.compute(NEXT)))
    assert not np.array_equal(own.array(NEXT), NEXT.array)


def test_a_line_with_own_numbers_remembers_nothing_of_the_right_ones() -> None:
    own = StudentCalculation(SHEET, {(FIRST.path, 0, 0): 7_000.0})
    assert FIRST.largest < 100  # and is remembered
    NEXT.residue = object()
    own_step = own.with_own_inputs(NEXT)
    assert next(one for one in own_step.inputs if one.path == FIRST.path).largest == 7_000.0
    assert own_step.residue is None
    NEXT.residue = None
