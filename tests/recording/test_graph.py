"""The graph behind a step: all that it is computed from, and how far back nobody has given numbers."""

from __future__ import annotations

import walkthrough as wt
from walkthrough.recording.graph import steps_before, steps_not_given

TRACE = wt.trace(wt.load_scenario("chai"))
HEAD = "encoder.1.attention.head.1."
QUERY, KEY, SCORES, SCALED = (TRACE[HEAD + name] for name in ("query", "key", "scores", "scaled_scores"))


def test_all_that_a_step_is_computed_from_comes_the_nearest_first() -> None:
    found = list(steps_before(SCALED))
    assert found[:3] == [SCORES, QUERY, KEY]
    assert len(found) == len(set(found))
    assert TRACE["embeddings"] in found
    assert SCALED not in found


def test_steps_that_nobody_gave_come_the_nearest_first() -> None:
    found = list(steps_not_given(SCALED, {KEY: KEY.array}))
    assert found[:3] == [SCALED, SCORES, QUERY]
    assert KEY not in found
    assert all(step.operation is not None for step in found)
    assert len(list(steps_not_given(SCALED, {}, 2))) == 2
