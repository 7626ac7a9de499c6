"""What stands beside what on a page."""

from __future__ import annotations

import pytest

from tests.examples import all_in_a_thorough_run
from tests.teaching.students import handed_out
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.teaching.sheets.write.layout import rows_of, side_by_side


def rows(name: str) -> list[list[str]]:
    return [[step.value.path for step in row] for row in side_by_side(handed_out(name).steps)]


def test_heads_stand_side_by_side() -> None:
    head = "encoder.1.attention.head."
    found = rows("cooking-multihead")
    assert found[1:5] == [
        [f"{head}1.query", f"{head}2.query"],
        [f"{head}1.key", f"{head}2.key"],
        [f"{head}1.scores", f"{head}2.scores"],
        [f"{head}1.scaled_scores"],  # head 2 has none
    ]
    assert ["encoder.1.norm_1.mean"] in found


@pytest.mark.parametrize("name", all_in_a_thorough_run(sorted(bundled_scenarios().keys() - {"transformer-base"})))
def test_every_step_stands_once_behind_all_that_it_is_computed_from(name: str) -> None:
    one = handed_out(name)
    groups = [group for row in rows_of(one) for group in row]
    shown = [value for group in groups for value in (*group.given, *([group.step.value] if group.step else []))]
    assert len(shown) == len(set(shown)) == len(one.given) + len(one.steps)
    for at, value in enumerate(shown):
        assert set(value.inputs) & set(shown) <= set(shown[:at]), value.path


def test_a_given_matrix_stands_beside_the_step_that_first_needs_it() -> None:
    groups = {group.step.value.path: group for row in rows_of(handed_out("chai")) for group in row if group.step}
    home = "encoder.1.attention.head.1."
    assert [value.path for value in groups[f"{home}query"].given] == [f"{home}w_q"]
    assert [value.path for value in groups["encoder.1.feed_forward.hidden"].given] == [
        "encoder.1.feed_forward.w_1",
        "encoder.1.feed_forward.b_1",
    ]
