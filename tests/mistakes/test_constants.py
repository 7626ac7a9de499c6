"""A constant that somebody has otherwise is found by their numbers alone, to the digits that these determine."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.draws import generator
from tests.examples import slow
from walkthrough.recording.trace import Trace

LAYER, HEAD = "decoder.1.", "decoder.1.self_attention.head.1."
RNG = generator(5)
WIDTH, HEADS, WORDS = 8, 2, list("abcdef")


def drawn(*shape: int) -> Any:
    return RNG.normal(size=shape).tolist()


W = {name: drawn(WIDTH, WIDTH) for name in ("w_q", "w_k", "w_v", "w_o")}
FORWARD = {"w_1": drawn(WIDTH, 6), "w_2": drawn(6, WIDTH)}
X, OUT = {word: drawn(WIDTH) for word in WORDS}, drawn(WIDTH, len(WORDS))


@cache
def model(written: str) -> Trace:
    """A decoder of two layers; `written`: JSON of what is said of its parts."""
    parts = {"attention": {}, "stack": {}, "head": {}, "top": {}} | json.loads(written)
    layer = {
        "norm_1": {"gamma": [1.0] * WIDTH},
        "self_attention": {"num_heads": HEADS, **W, **parts["attention"]},
        "norm_2": {"gamma": [1.0] * WIDTH},
        "feed_forward": {"activation": "silu", **FORWARD},
    }
    text = {
        "title": "t",
        "tokens": WORDS,
        "embeddings": X,
        "decoder": {
            "norm": "rms",
            "norm_order": "pre",
            "layer_norm": {"epsilon": 1e-2},
            "layers": {"repeat": 2, "layer": layer},
            **parts["stack"],
        },
        "output_head": {"w": OUT, "vocabulary": WORDS, **parts["head"]},
        **parts["top"],
    }
    return wt.trace(wt.parse_scenario(json.dumps(text)))


def of(**parts: Any) -> Trace:
    return model(json.dumps(parts))


def modules(theirs: Trace, kind: Any = np.float64, inside: tuple[str, ...] = ("weights",)) -> dict[str, Any]:
    """What modules of a program give: no scores, no angles."""
    names = ("norm_1.output", "norm_2.output", "query", "key", "value", "self_attention.output", "feed_forward.output")
    names += ("token_embedding", "residual_2", "output_head.logits", *inside)
    found = {value.path: value.array.astype(kind) for value in theirs if value.path.endswith(names)}
    return {path: array for path, array in found.items() if not path.endswith("feed_forward.query")}


def rotary(base: int, **scaling: Any) -> dict[str, Any]:
    return {"attention": {"rotary": {"base": base, **({"scaling": scaling} if scaling else {})}}}


YARN = {"factor": 4, "original_max_position_embeddings": 64}
CASES: list[tuple[str, dict[str, Any], dict[str, Any], float, float]] = [
    ("rotary.base", rotary(10000), rotary(12345), 12345, 10000),
    ("rotary.base", rotary(500, yarn=YARN), rotary(777, yarn=YARN), 777, 500),
    ("rotary.scaling.linear", rotary(10000), rotary(10000, linear=4), 4, 1),
    ("scale", {}, {"attention": {"scale": 3.7}}, 3.7, 2),
    ("scale", {"attention": {"scale": "none"}}, {"attention": {"scale": 3.0}}, 3, 1),
    ("epsilon", {}, {"stack": {"layer_norm": {"epsilon": 0.37}}}, 0.37, 0.01),
    ("score_cap", {"attention": {"score_cap": 5.0}}, {"attention": {"score_cap": 3.25}}, 3.25, 5),
    ("alibi", {"attention": {"alibi": [0.5, 0.25]}}, {"attention": {"alibi": [0.3, 0.25]}}, 0.3, 0.5),
    ("residual_scale", {"stack": {"residual_scale": 0.5}}, {"stack": {"residual_scale": 0.3}}, 0.3, 0.5),
    ("embedding_scale", {"top": {"embedding_scale": "sqrt_d_model"}}, {"top": {"embedding_scale": 3.3}}, 3.3, 8**0.5),
]


@pytest.mark.parametrize(
    ("name", "ours", "theirs", "found", "right"),
    [slow(*one) if one[3] in (777, 3) else one for one in CASES],  # of constants that others are tried of
    ids=[f"{one[0]} {one[3]}" for one in CASES],
)
@pytest.mark.parametrize("kind", [np.float64, slow(np.float32)])
def test_another_value_is_solved_for(
    name: str, ours: dict[str, Any], theirs: dict[str, Any], found: float, right: float, kind: Any
) -> None:
    compared = wt.compare(of(**ours), modules(of(**theirs), kind))
    fault = compared.faults[0]
    assert (fault.kind, fault.constant and fault.constant.name) == ("constant", name), compared
    assert fault.constant is not None
    assert fault.constant.found == pytest.approx(found, rel=1e-9 if kind is np.float64 else 1e-3)
    assert fault.constant.right == pytest.approx(right)
    assert len(compared.faults) == 1


@pytest.mark.parametrize(
    ("name", "ours", "theirs", "found", "inside"),
    [
        ("logit_cap", {"head": {"logit_cap": 4.0}}, {"head": {"logit_cap": 7.5}}, 7.5, "capped_logits"),
        ("temperature", {"head": {"temperature": 0.5}}, {"head": {"temperature": 0.8}}, 0.8, "probabilities"),
    ],
)
def test_constants_of_the_output_head(
    name: str, ours: dict[str, Any], theirs: dict[str, Any], found: float, inside: str
) -> None:
    (fault,) = wt.compare(of(**ours), modules(of(**theirs), inside=("weights", inside))).faults
    assert fault.value.path == f"output_head.{inside}"
    assert fault.constant == (name, pytest.approx(found, rel=1e-9), next(iter(ours["head"].values())))


@pytest.mark.parametrize("optimizer", ["sgd", slow("adam")])
def test_the_learning_rate(optimizer: str) -> None:
    text = {"title": "t", "tokens": WORDS, "embeddings": X, "output_head": {"w": OUT, "vocabulary": WORDS}}
    training = {"targets": [*WORDS[1:], WORDS[0]], "optimizer": optimizer}
    ours, theirs = (
        wt.trace(wt.parse_scenario(json.dumps({**text, "training": {**training, "learning_rate": rate}})))
        for rate in (0.1, 0.017)
    )
    path = "update.output_head.w"
    (fault,) = wt.compare(ours, {path: theirs[path].array}).faults
    assert fault.constant == ("learning_rate", pytest.approx(0.017, rel=1e-9), 0.1)


@pytest.mark.parametrize(
    ("name", "found", "right", "step"),
    [("weight_decay", 0.05, 0.2, 1), ("epsilon", 1e-3, 1e-8, 1), ("beta_2", 0.95, 0.999, 2)],
)
def test_the_settings_of_an_optimizer(name: str, found: float, right: float, step: int) -> None:
    text = {"title": "t", "tokens": WORDS, "embeddings": X, "output_head": {"w": OUT, "vocabulary": WORDS}}
    training = {"targets": [*WORDS[1:], WORDS[0]], "learning_rate": 0.1, "steps": 2}
    ours, theirs = (
        wt.trace(wt.parse_scenario(json.dumps({**text, "training": {**training, "optimizer": {"adamw": settings}}})))
        for settings in ({"weight_decay": 0.2}, {"weight_decay": 0.2, name: found})
    )
    paths = (f"train.{number}.{part}.output_head.w" for number in (1, 2) for part in ("gradient", "update"))
    fault, *others = wt.compare(ours, {path: theirs[path].array for path in paths}).faults
    assert fault.value.path == f"train.{step}.update.output_head.w"
    full = name if name == "weight_decay" else f"optimizer.{name}"
    assert fault.constant == (full, pytest.approx(found, rel=1e-6), right)
    assert not others


@pytest.mark.slow
def test_a_constant_that_is_wrong_everywhere_is_found_by_the_logits_alone() -> None:
    ours, theirs = of(**rotary(10000)), of(**rotary(12345))
    (fault,) = wt.compare(ours, {"logits": theirs.only("logits").array}).faults
    assert fault.constant == ("rotary.base", pytest.approx(12345, rel=1e-9), 10000)
    assert fault.cause == "rotary.base ≈ 12345 instead of 10000 (decoder.1.self_attention.rotary.angle and others)"


def test_what_no_constant_explains_has_none() -> None:
    theirs = modules(of(**rotary(10000)))
    theirs[HEAD + "weights"] = np.sqrt(np.arange(1.0, 37).reshape(6, 6))
    assert wt.compare(of(**rotary(10000)), theirs).faults[0].constant is None
