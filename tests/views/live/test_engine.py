"""The page's engine calculates, shows and works out what the trace does, before and after changes."""

from __future__ import annotations

import pytest

import walkthrough as wt
from tests.views.live.engine import assert_near, called, lines_of, needs_node, texts_of

pytestmark = needs_node


@pytest.mark.parametrize(
    ("name", "by_hand", "decimals"),
    [("chai", False, None), ("cooking", True, None), ("chai", True, 2), ("masked-scores", False, 4)],
)
def test_numbers_texts_and_lines_are_those_of_the_trace(name: str, by_hand: bool, decimals: int | None) -> None:
    trace = wt.trace(wt.load_scenario(name), by_hand=by_hand, decimals=decimals)
    every = ["every"], ["everyText"], ["everyLine"]
    first, texts, lines, _, again, texts_again, lines_again = called(
        trace, *every, ["again"], *every, decimals=decimals
    )
    assert_near(first, trace)
    assert_near(again, trace)
    assert texts == texts_again == [texts_of(value, trace, decimals) for value in trace]
    assert lines == lines_again == [lines_of(value, trace, decimals) for value in trace]
