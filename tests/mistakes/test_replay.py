"""Somebody else's calculation: theirs where they gave numbers, and between them what comes of these."""

from __future__ import annotations

import numpy as np

import walkthrough as wt
from walkthrough.mistakes.replay import Replay

TRACE = wt.trace(wt.load_scenario("chai"))
HEAD = "encoder.1.attention.head.1."
QUERY, KEY, SCORES, SCALED = (TRACE[HEAD + name] for name in ("query", "key", "scores", "scaled_scores"))


def test_a_step_that_they_did_not_give_comes_of_what_they_gave() -> None:
    theirs = Replay({QUERY: QUERY.array * 2, KEY: KEY.array * 3})
    np.testing.assert_allclose(theirs.compute(SCALED), SCALED.array * 6)


def test_a_mistake_is_made_in_one_step_and_goes_on() -> None:
    theirs = Replay({QUERY: QUERY.array * 2}, may_break=True)
    changed = theirs.with_changes({SCORES: SCORES.array})
    assert changed.may_break
    np.testing.assert_allclose(changed.compute(SCALED), SCALED.array)
    np.testing.assert_allclose(theirs.compute(SCALED), SCALED.array * 2)


def test_a_step_may_be_left_out_of_what_they_gave() -> None:
    theirs = Replay({QUERY: QUERY.array * 2, SCORES: SCORES.array * 5})
    np.testing.assert_allclose(theirs.without({SCORES}).compute(SCALED), SCALED.array * 2)


def test_steps_that_they_did_not_give_come_the_nearest_first() -> None:
    theirs = Replay({KEY: KEY.array})
    assert [step.path for step in theirs.steps_not_given(SCALED)][:3] == [SCALED.path, SCORES.path, QUERY.path]
    assert KEY not in theirs.steps_not_given(SCALED)
    assert len(list(theirs.steps_not_given(SCALED, 2))) == 2
