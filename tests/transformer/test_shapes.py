"""One description of the model: walked over shapes it says of every step what the calculation makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import walkthrough as wt
from tests.examples import all_in_a_thorough_run, slow
from tests.transformer.test_agreement import STORED_CASES
from walkthrough.library import calculate
from walkthrough.recording.values import Value
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.scenario.yaml.problems import Problem
from walkthrough.transformer.shapes import shape_trace

ROOT = Path(__file__).parents[2]
SCENARIOS = [
    *all_in_a_thorough_run(bundled_scenarios()),
    *STORED_CASES,
]
START: dict[str, Any] = {"title": "t", "tokens": ["a", "b"], "embeddings": {"a": [1, 2], "b": [3, 5]}}


def _is_conditional(value: Value) -> bool:
    """Whether numbers decide that there is such a step: the shifted scores of a softmax that would overflow."""
    return value.path.endswith("softmax.shifted")


LATER = {
    *("loss", "gradient", "clip", "clipped", "learning_rate", "velocity", "direction", "decayed", "update"),
    *(f"{order}_moment{form}" for order in ("first", "second") for form in ("", "_corrected")),
    *("train", "training", "trained", "example", "generate", "generated", "sample"),
}
"""How the paths begin of steps that one walk over shapes does not meet."""


@pytest.mark.parametrize("source", SCENARIOS)
def test_shapes_are_known_before_a_number_is(source: str | Path) -> None:
    """Every step of one pass, in the same order, with its labels and further names."""
    scenario = wt.load_scenario(source)
    first = "train.1." if scenario.spec.training is not None and scenario.spec.training.steps > 1 else ""
    recorded = {value.path.removeprefix(first): value for value in calculate(scenario, most_steps=1)}
    calculated = {path.removeprefix("example.1."): value for path, value in recorded.items()}
    walked = [value for value in shape_trace(scenario) if not _is_conditional(value)]
    assert [value.path for value in walked if value.path not in calculated] == []
    missing = [
        path
        for path, value in calculated.items()
        if path.split(".")[0] not in LATER and ".dropout" not in path
        if not _is_conditional(value)
    ]
    assert [value.path for value in walked] == missing
    for value in walked:
        other = calculated[value.path]
        assert (value.shape, value.rows, value.columns) == (other.shape, other.rows, other.columns), value.path


def warnings(**keys: Any) -> list[Problem]:
    scenario = wt.parse_scenario(json.dumps(START | keys))
    wt.trace(scenario)
    return list(scenario.warnings)


FORWARD = {"w_1": [[1, 0], [0, 1]], "w_2": [[1, 0], [0, 1]]}
WEIGHTS = {"w_q": [[1], [0]], "w_k": [[1], [0]], "w_v": [[1], [0]]}
OUTPUT = [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"encoder": {"layers": [{"norm_1": {}, "feed_forward": FORWARD}]}}, "norm_1 has no effect"),
        ({"encoder": {"layers": [{"attention": {"output": OUTPUT}, "norm_2": {}}]}}, "norm_2 has no effect"),
        (
            {"encoder": {"norm_order": "none", "layers": [{"feed_forward": FORWARD, "norm_2": {}}]}},
            "norm_2 has no effect: norm_order: none",
        ),
        ({"encoder": {"layers": [{"feed_forward": FORWARD}, {}]}}, "the layer is empty"),
        ({"encoder": {"layers": [{"feed_forward": FORWARD | {"output": OUTPUT}}]}}, "w_1 has no effect: output"),
        ({"encoder": {"output": OUTPUT, "norm_order": "pre"}}, "norm_order has no effect"),
        ({"attention": {"heads": [WEIGHTS | {"q": OUTPUT, "k": OUTPUT}]}}, "w_q has no effect: q"),
        ({"attention": {"heads": [{"scores": OUTPUT, "d_k": 1, "b_q": [1]}]}}, "b_q has no effect: scores"),
        ({"attention": {"output": OUTPUT, "mask": "causal"}}, "mask has no effect: output"),
        ({"vocabulary": ["a", "b", "c"], "embeddings": [[1, 2], [3, 4]]}, "embeddings has 2 rows, fewer than the ids"),
        ({"rounding": {"steps": {"scors": 2}}, "attention": {"heads": [WEIGHTS]}}, "this rounds nothing: no step is"),
    ],
)
def test_a_key_that_does_nothing_is_named(keys: dict[str, Any], message: str) -> None:
    assert any(warning.message.startswith(message) for warning in warnings(**keys)), warnings(**keys)


@pytest.mark.parametrize("name", ["two-sentences", slow("warmup"), "key-cache", "beam", "bpe"])
def test_rounding_may_name_any_step_of_a_run(name: str) -> None:
    """Also one that comes after the first forward pass."""
    source = (ROOT / "scenarios" / f"{name}.yaml").read_text()
    assert "rounding:" not in source or name == "warmup"
    places = sorted({step.path for step in wt.trace(wt.parse_scenario(source))} - {"generated"})
    every = json.dumps(dict.fromkeys(places, 2))
    rounded = wt.parse_scenario(
        "\n".join([line for line in source.split("\n") if not line.startswith("rounding")])
        + f"\nrounding: {{steps: {every}}}"
    )
    assert [problem.message for problem in rounded.warnings] == []


def test_a_key_that_does_something_is_not() -> None:
    layer = {"attention": {"heads": [WEIGHTS], "w_o": [[1, 1]]}, "norm_1": {"gamma": [1, 1]}, "feed_forward": FORWARD}
    assert warnings(encoder={"layers": [layer]}) == []


@pytest.mark.parametrize(
    ("head", "shape"),
    [
        ({"q": [[1, 2], [3, 4], [5, 6]], "k": [[1, 2], [3, 4]], "v": [[1], [2]]}, (3, 2)),
        ({"scores": [[1, 2, 3], [4, 5, 6]], "scale": "none", "v": [[1], [2], [3]]}, (2, 3)),
        ({"weights": [[0.5, 0.5], [0, 1]]}, (2, 2)),
    ],
)
def test_given_numbers_need_no_tokens(head: dict[str, Any], shape: tuple[int, int]) -> None:
    """Rows are numbered."""
    trace = wt.trace(wt.parse_scenario(json.dumps({"title": "t", "attention": {"heads": [head]}})))
    weights = trace["attention.head.1.weights"]
    assert weights.shape == shape
    assert weights.rows == tuple(map(str, range(1, shape[0] + 1)))


def test_sizes_that_need_too_many_numbers_are_an_error() -> None:
    keys = {"dimensions": {"d_k": 1_000_000}, "tokens": ["a"] * 300, "embeddings": {"a": [1.0] * 300}}
    attention = {"num_heads": 1, **{name: {"init": "normal"} for name in ("w_q", "w_k", "w_v", "w_o")}}
    with pytest.raises(wt.ScenarioError, match="too large: this brings the total to") as caught:
        wt.parse_scenario(json.dumps(START | keys | {"attention": attention}))
    assert caught.value.problems[0].line == 1


def test_an_init_takes_its_shape_from_whatever_says_it_first_or_later() -> None:
    """d_k of a head from its keys, which come after its queries; d_v from w_o's rows alone cannot be had."""
    head = {"w_q": {"init": "ones"}, "w_k": [[1, 2, 3], [4, 5, 6]], "w_v": {"init": "ones"}, "b_v": [1, 2, 3, 4]}
    trace = wt.trace(wt.parse_scenario(json.dumps(START | {"attention": {"heads": [head]}})))
    assert trace["attention.head.1.w_q"].shape == (2, 3)
    assert trace["attention.head.1.w_v"].shape == (2, 4)
