"""The first step whose numbers are none says so; hidden and unknown numbers are in order."""

from __future__ import annotations

import walkthrough as wt
from walkthrough.explaining.breakdown import breakdown


def test_the_first_step_only() -> None:
    trace = wt.trace(wt.load_scenario("chai"), by_hand=True, decimals=0)
    said = [value.path for value in trace if breakdown(value)]
    assert said == ["encoder.1.norm_1.output"]
    assert breakdown(trace[said[0]]).startswith("The calculation breaks down here (division by zero or overflow)")


def test_hidden_scores_and_unknown_numbers_are_in_order() -> None:
    for name in ("fuchs", "masked-scores", "chai"):
        assert not [value.path for value in wt.trace(wt.load_scenario(name)) if breakdown(value)]
