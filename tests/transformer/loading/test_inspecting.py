"""Scenarios that ask to be looked into, and cannot be: where it stands, what is wrong, what to do."""

from __future__ import annotations

import json

import pytest

import walkthrough as wt
from tests.transformer.model.inspection.small import Choices, Small
from walkthrough.scenario.schema.keys import ScenarioSpec
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.transformer.loading.inspecting import inspect_scenario

BARE = """title: t
tokens: [a, b]
attention:
  heads: [{q: [[1], [2]], k: [[1], [2]]}]
"""


def problems(text: str) -> list[tuple[int, int, str]]:
    with pytest.raises(ScenarioError) as caught:
        wt.parse_scenario(text)
    return [(one.line, one.column, one.message) for one in caught.value.problems]


@pytest.mark.parametrize(
    ("written", "column", "message"),
    [
        ("lens", 10, "expected a list of lens, attribution, found text 'lens'"),
        ("[lenz]", 11, "expected lens or attribution, found text 'lenz'"),
        ("[rollout]", 11, "expected lens or attribution, found text 'rollout'"),
        ("[lens, lens]", 17, "lens is named twice"),
        ("[{attribution: }]", 11, "expected {attribution: LABEL}, found a mapping"),
        ("[{lens: a}]", 11, "expected {attribution: LABEL}, found a mapping"),
        ("[lens]", 11, "lens does not apply: there is no output_head, which makes the logits"),
        ("[attribution]", 11, "attribution does not apply: there is no output_head, which makes the logits"),
    ],
)
def test_what_cannot_be_looked_at_has_its_place(written: str, column: int, message: str) -> None:
    assert problems(f"{BARE}inspect: {written}\n") == [(5, column, message)]


def small(**more: object) -> str:
    return json.dumps({**Small(Choices()).spec(), **more}, indent=0)


def test_a_position_that_is_no_token_names_near_ones() -> None:
    with pytest.raises(ScenarioError) as caught:
        wt.parse_scenario(small(tokens=["a", "b", "a"], inspect=[{"attribution": "a"}]))
    (one,) = caught.value.problems
    assert "'a' is none of the tokens" in one.message
    assert one.help == "it stands more than once: a@1, a@3"


def test_nothing_is_looked_into_that_trains() -> None:
    (found,) = problems(small(inspect=["lens"], training={"targets": ["a", "b", "c", "d"]}))
    assert found[2] == "inspect cannot be combined with training: it looks into passes of a model that stays as it is"
    with pytest.raises(ScenarioError, match="a training cannot be inspected"):
        inspect_scenario(wt.load_scenario("first-step"))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"norm": "dyt"}, "the last norm is dyt, a tanh"),
        ({"residual": False}, "without residuals there is no state"),
    ],
)
def test_a_reason_says_what_is_in_the_way(change: dict[str, object], reason: str) -> None:
    spec = Small(Choices(is_plain=True)).spec()
    spec["decoder"] |= change
    name = "attribution" if "norm" in change else "lens"
    (found,) = problems(json.dumps(spec | {"inspect": [name]}))
    assert f"{name} does not apply: {reason}" in found[2]
    trace = wt.trace(inspect_scenario(wt.parse_scenario(json.dumps(spec))))
    assert not any(path.startswith(name) for path in trace.values)


def test_where_nothing_applies_each_says_why() -> None:
    text = "title: t\ntokens: [a, b]\nattention:\n  heads: [{weights: [[1, 0], [0.5, 0.5]]}]\n"
    with pytest.raises(ScenarioError) as caught:
        inspect_scenario(wt.parse_scenario(text))
    assert {one.message.split()[0] for one in caught.value.problems} == {"lens", "attribution"}


def test_what_is_asked_for_takes_the_place_of_what_the_file_asks_for() -> None:
    scenario = wt.parse_scenario(small(inspect=["lens"]))
    assert isinstance(scenario.spec, ScenarioSpec)
    trace = wt.trace(inspect_scenario(scenario, ["attribution"]))
    assert {path.split(".")[0] for path in trace.values} & {"lens", "attribution"} == {"attribution"}
