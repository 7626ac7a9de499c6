"""What the documents promise of bundled scenarios that they begin with."""

from __future__ import annotations

import re
import shlex

import numpy as np
import pytest

import walkthrough as wt
from tests.cli.program import invoke
from walkthrough.scenario.gallery import gallery

COMMANDS = [found for one in gallery() for found in re.findall(r"`walkthrough ([^`]*)`", one.description)]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_in_a_description_does_what_it_is_named_for(command: str) -> None:
    done = invoke(*shlex.split(command))
    assert done.exit_code in ((0, 1) if command.startswith("check") else (0,)), done.output


def test_one_head_is_whole_numbers_that_anybody_can_follow() -> None:
    scenario = wt.load_scenario("one-head")
    trace = wt.trace(scenario)
    assert scenario.spec.published is None
    assert trace["token_embedding"].shape == (4, 4)
    for value in trace:
        if value.operation is None:
            assert (value.array == value.array.round()).all(), value.path
            assert np.abs(value.array).max() < 100, value.path
    head = "attention.head.1."
    assert (trace[head + "scores"].array % 1 == 0).all()
    scaled = trace[head + "scaled_scores"].array
    assert (scaled * 2 % 1 == 0).all()
    assert (scaled % 1 != 0).any()
    weights = trace[head + "weights"].array
    assert all(len(set(np.round(row, 3))) == 4 for row in weights)
    assert weights.argmax(axis=1).tolist() == [1, 1, 3, 3]


def test_in_one_head_the_longer_key_wins_over_the_nearer() -> None:
    trace = wt.trace(wt.load_scenario("one-head"))
    query, key = trace["attention.head.1.query"].array[2], trace["attention.head.1.key"].array
    angles = key @ query / np.linalg.norm(key, axis=1)
    assert (angles.argmax(), (key @ query).argmax()) == (0, 3)
