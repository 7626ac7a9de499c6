"""A calculation done again: what is given stands, what follows from it moves, and nothing else does."""

from __future__ import annotations

import numpy as np

import walkthrough as wt
from walkthrough.recording.recalculation import Recalculation

TRACE = wt.trace(wt.load_scenario("chai"))
HEAD = "encoder.1.attention.head.1."
SCORES, SCALED, QUERY, OUTPUT = (TRACE[HEAD + name] for name in ("scores", "scaled_scores", "query", "output"))


def test_some_numbers_of_a_step_may_be_given_one_after_the_other() -> None:
    again, cells = Recalculation(), np.zeros(SCORES.shape, dtype=bool)
    cells[0, 0] = True
    again.give(SCORES, np.full(SCORES.shape, 7.0), cells)
    again.give(SCORES, np.full(SCORES.shape, 9.0), cells[::-1])
    expected = SCORES.array.copy()
    expected[0, 0], expected[-1, 0] = 7.0, 9.0
    assert np.array_equal(again.array(SCORES), expected)
    again.give(SCORES, SCORES.array + 1)
    assert np.array_equal(again.array(SCORES), SCORES.array + 1)


def test_a_changed_step_is_gone_on_with_and_what_was_given_in_part_follows_it() -> None:
    theirs, cells = Recalculation({QUERY: QUERY.array * 2}), np.zeros(SCALED.shape, dtype=bool)
    cells[0, 0] = True
    theirs.give(SCALED, np.full(SCALED.shape, 7.0), cells)
    changed = theirs.with_changes({SCORES: SCORES.array})
    expected = SCALED.array.copy()
    expected[0, 0] = 7.0
    np.testing.assert_allclose(changed.array(SCALED), expected)
    np.testing.assert_allclose(theirs.compute(SCALED), SCALED.array * 2)


def test_a_change_is_rounded_as_the_calculation_rounds() -> None:
    theirs = Recalculation(rounding=lambda value, array: np.round(array, 1))
    changed = theirs.with_changes({SCORES: SCORES.array + 0.26})
    assert np.array_equal(changed.array(SCORES), np.round(SCORES.array + 0.26, 1))
