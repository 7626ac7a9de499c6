"""Attention in blocks of keys is the ordinary attention, and never needs a whole row of weights."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import slow, some
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


@given(st.data())
def test_drawn_numbers_agree_with_numpy(data: st.DataObject) -> None:
    keys = data.draw(st.integers(1, some(5, 9)))
    numbers = st.floats(-30, 30).map(lambda number: round(number, 3))
    scores = [data.draw(st.lists(numbers, min_size=keys, max_size=keys)) for _ in range(2)]
    values = [[number] for number in data.draw(st.lists(numbers, min_size=keys, max_size=keys))]
    head = {"scores": scores, "v": values}
    content = {
        "title": "drawn",
        "attention": {"scale": "none", "heads": [head], "block_size": data.draw(st.integers(1, 4))},
    }
    found = trace(parse_scenario(yaml.safe_dump(content)))["attention.head.1.output"].array
    powers = np.exp(np.array(scores) - np.max(scores, axis=1, keepdims=True))
    right = powers / powers.sum(axis=1, keepdims=True) @ np.array(values)
    np.testing.assert_allclose(found, right, rtol=1e-12, atol=1e-12)


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
