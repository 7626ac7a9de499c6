"""Attention in blocks of keys is the ordinary attention, and never needs a whole row of weights."""

from __future__ import annotations

import numpy as np
import pytest
import yaml

from tests.examples import slow
from walkthrough.recording.trace import Trace
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.sizes.parts import multiplications
from walkthrough.transformer.loading.load import parse_scenario
from walkthrough.transformer.runs.run import trace

HEAD = {"q": [[1, 0], [0, 2], [3, 1]], "k": [[2, 0], [-1, 1], [0, 1]], "v": [[1], [2], [4]]}


def attended(head: dict[str, object], **attention: object) -> Trace:
    data = {"title": "blocks", "tokens": ["a", "b", "c"], "attention": {"heads": [head], **attention}}
    return trace(parse_scenario(yaml.safe_dump(data)))


MASKS: list[dict[str, object]] = [
    {},
    {"mask": "causal"},
    {"window": 1},
    {"mask": [[0, 0, 1], [1, 0, 0], [0, 1, 0]]},
    {"mask": "causal", "mask_value": -1e9},
    {"score_cap": 2.0, "alibi": True},
]


@pytest.mark.parametrize("mask", MASKS, ids=str)
@pytest.mark.parametrize("size", [slow(1), 2, slow(3), 7])
def test_the_output_is_the_ordinary_one(mask: dict[str, object], size: int) -> None:
    ordinary, in_blocks = attended(HEAD, **mask), attended(HEAD, **mask, block_size=size)
    path = "attention.head.1.output"
    np.testing.assert_allclose(in_blocks[path].array, ordinary[path].array, rtol=0, atol=1e-12)
    steps = {value.path.split(".online.")[1] for value in in_blocks if ".online." in value.path}
    count = -(-3 // size)
    names = ("maximum", "exp", "sum", "output")
    assert steps == {f"{j}.{name}" for j in range(1, count + 1) for name in names} | {
        f"{j}.factor" for j in range(2, count + 1)
    }
    assert not any("softmax" in value.path or value.path.endswith("weights") for value in in_blocks)


def test_a_block_in_which_all_is_hidden_adds_nothing() -> None:
    found = attended(HEAD, mask=[[0, 0, 1], [1, 1, 1], [1, 1, 1]], block_size=2)
    under = "attention.head.1.online"
    assert found[f"{under}.1.maximum"].array[0, 0] == -np.inf
    assert found[f"{under}.1.exp"].array[0].tolist() == [0, 0]
    assert found[f"{under}.2.factor"].array[0, 0] == 0
    assert found["attention.head.1.output"].array[0, 0] == 4


@pytest.mark.parametrize(
    ("head", "more", "message"),
    [
        (
            {"weights": [[1]], "v": [[1]]},
            {},
            "block_size leaves no whole rows of weights, and they are given as numbers",
        ),
        ({"q": [[1]], "k": [[1]]}, {}, "block_size needs values"),
        ({"q": [[1]], "k": [[1]], "v": [[1]]}, {"block_size": 0}, "expected a whole number from 1 to 1000000"),
    ],
)
def test_what_needs_whole_rows_is_refused(head: dict[str, object], more: dict[str, object], message: str) -> None:
    data = {"title": "blocks", "tokens": ["a"], "attention": {"heads": [head], "block_size": 2, **more}}
    with pytest.raises(ScenarioError, match=message):
        parse_scenario(yaml.safe_dump(data))


def test_as_many_numbers_are_multiplied_as_in_one_go() -> None:
    counts = []
    for more in ({}, {"block_size": 2}):
        data = {"title": "blocks", "tokens": ["a", "b", "c"], "attention": {"heads": [HEAD], **more}}
        counts.append(multiplications(trace(parse_scenario(yaml.safe_dump(data)))))
    assert counts == [3 * 2 * 3 + 3 * 3 * 1] * 2
