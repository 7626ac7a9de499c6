"""A calculation done again: what is given stands, what follows from it moves, and nothing else does."""

from __future__ import annotations

import numpy as np

import walkthrough as wt
from walkthrough.recording.recalculation import Recalculation

TRACE = wt.trace(wt.load_scenario("chai"))
HEAD = "encoder.1.attention.head.1."
SCORES, SCALED, QUERY, OUTPUT = (TRACE[HEAD + name] for name in ("scores", "scaled_scores", "query", "output"))


def test_without_other_numbers_it_is_the_trace() -> None:
    again = Recalculation()
    assert all(again.array(value) is value.array and again.compute(value) is value.array for value in TRACE)


def test_what_is_given_stands_and_the_rest_follows() -> None:
    again = Recalculation({SCORES: SCORES.array * 2})
    assert np.array_equal(again.array(SCORES), SCORES.array * 2)
    assert again.compute(SCORES) is SCORES.array
    np.testing.assert_allclose(again.array(SCALED), SCALED.array * 2)
    assert again.array(QUERY) is QUERY.array
    assert not np.allclose(again.array(OUTPUT), OUTPUT.array)


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


def test_what_is_computed_is_rounded_and_what_is_given_is_not() -> None:
    again = Recalculation({QUERY: QUERY.array + 0.12345}, lambda value, array: np.round(array, 1))
    assert np.array_equal(again.array(QUERY), QUERY.array + 0.12345)
    key = TRACE[HEAD + "key"].array
    np.testing.assert_allclose(again.array(SCORES), np.round((QUERY.array + 0.12345) @ np.round(key, 1).T, 1))
    embeddings = TRACE["embeddings"]
    assert again.array(embeddings) is embeddings.array


def test_a_copy_goes_its_own_way() -> None:
    first = Recalculation({QUERY: QUERY.array + 1})
    second = first.copy()
    second.give(SCORES, SCORES.array)
    assert np.array_equal(second.array(SCALED), SCALED.array)
    assert not np.allclose(first.array(SCALED), SCALED.array)


def test_a_change_leaves_alone_what_it_does_not_go_into() -> None:
    before = Recalculation({SCORES: SCORES.array * 2})
    weights = TRACE[HEAD + "weights"]
    after = Recalculation({**before.given, weights: weights.array * 0}, before=before)
    assert after.array(SCALED) is before.array(SCALED)
    assert not after.array(OUTPUT).any()


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
