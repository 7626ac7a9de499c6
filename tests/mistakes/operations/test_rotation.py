"""Rotary positions: each usual mistake is made by plain numpy, and named; a gradient behind a rotation is none."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.comparing.test_compare import compared
from tests.draws import generator
from tests.mistakes.modern import GAMMA, HEAD, KEY, QUERY, Fault, model, named, rms, rotated, without_minus
from walkthrough.mistakes.search import usual_mistakes

RNG = generator(3)
MODERN: list[tuple[str, str, Fault]] = [
    ("the rotary layout is interleaved", "query_rotated", lambda x, a, **_: rotated(x, interleaved=True)),
    ("the rotary layout is interleaved", "key_rotated", lambda x, a, **_: rotated(x, interleaved=True)),
    ("rotated in the other direction", "query_rotated", lambda x, a, **_: rotated(x, sign=-1)),
    ("the positions are counted from 1", "key_rotated", lambda x, a, **_: rotated(x, first=1)),
    ("the exponent is i/r instead of 2i/r", "key_rotated", lambda x, a, **_: rotated(x, base=50**0.5)),
    ("rotated without the minus", "key_rotated", lambda x, a, **_: without_minus(x)),
    ("the base is 10000", "key_rotated", lambda x, a, **_: rotated(x, base=10000)),
    ("not rotated by the angles", "key_rotated", lambda x, a, **_: x),
    ("the norm comes after the rotation", "query_rotated", lambda x, a, **_: rms(rotated(QUERY)) * GAMMA["query_norm"]),
    ("the keys are not rotated", "scores", lambda q, k: q @ (rms(KEY) * GAMMA["key_norm"]).T),
    ("the queries are not rotated", "scores", lambda q, k: (rms(QUERY) * GAMMA["query_norm"]) @ k.T),
    (
        "neither queries nor keys are rotated",
        "scores",
        lambda q, k: (rms(QUERY) * GAMMA["query_norm"]) @ (rms(KEY) * GAMMA["key_norm"]).T,
    ),
    ("it is rotated like queries and keys", "value", lambda x, w: rotated(x @ w)),
    ("it is rotated already", "key", lambda x, w: rotated(x @ w)),
    ("it is normed already", "key", lambda x, w: rms(x @ w) * GAMMA["key_norm"]),
]


def trained(**attention: Any) -> wt.Trace:
    """A training step of a decoder with rotary positions and two heads."""
    shapes = {"w_q": (4, 4), "w_k": (4, 4), "w_v": (4, 4), "w_o": (4, 4)}
    weights = {name: RNG.normal(size=shape).tolist() for name, shape in shapes.items()}
    layer = {"self_attention": {"num_heads": 2, "rotary": {"base": 50}, **weights, **attention}}
    keys = {
        "title": "t",
        "tokens": list("abc"),
        "embeddings": RNG.normal(size=(3, 4)).tolist(),
        "decoder": {"norm": "rms", "norm_order": "pre", "layers": [layer]},
        "output_head": {"w": RNG.normal(size=(4, 3)).tolist(), "vocabulary": list("xyz")},
        "training": {"targets": list("yzx"), "learning_rate": 0.1},
    }
    return wt.trace(wt.parse_scenario(json.dumps(keys)))


@pytest.mark.parametrize("name", ["w_q", "w_k", "w_v"])
@pytest.mark.parametrize("factor", [2.0, -1.0])
def test_a_wrong_gradient_behind_a_rotation_is_compared(name: str, factor: float) -> None:
    trace = trained()
    paths = [path for path in trace.values if path.startswith("gradient.") and path.endswith(f"head.1.{name}")]
    assert len(paths) == 1
    found = compared(trace, {paths[0]: factor * trace[paths[0]].array})
    assert found.first is not None
    assert found.first.value.path == paths[0]
    assert found.cause is not None


@pytest.mark.parametrize(
    ("scaling", "fault", "cause"),
    [
        ({"linear": 4}, lambda x, a, **_: rotated(x), "the scaling of the positions is missing"),
        ({"linear": 0.5}, lambda x, a, **_: rotated_by(x, 0.5), "the positions are multiplied instead of divided"),
    ],
)
def test_a_mistake_in_the_scaling_is_named(scaling: dict, fault: Fault, cause: str) -> None:
    trace = model(rotary={"base": 50, "scaling": scaling})
    assert named(trace, HEAD + "key_rotated", fault) == (HEAD + "key_rotated", cause)


def rotated_by(x: np.ndarray, factor: float) -> np.ndarray:
    half = x.shape[1] // 2
    angle = np.outer(np.arange(len(x)) * factor, 50 ** (-2 * np.arange(half) / x.shape[1]))
    points = (x[:, :half] + 1j * x[:, half:]) * np.exp(1j * angle)
    return np.hstack([points.real, points.imag])


def test_all_features_are_rotated_instead_of_the_first() -> None:
    trace = model(rotary={"base": 50, "dimensions": 2})
    _, cause = named(trace, HEAD + "key_rotated", lambda x, a, **_: rotated(x))
    assert cause == "all features are rotated"


@pytest.mark.parametrize("path", ["key_rotated", "scores"])
def test_of_what_few_digits_do_not_tell_apart_no_rotation_comes_before_a_small_one(path: str) -> None:
    trace = model(rotary={"base": 50})
    words = [made.word for made, _ in usual_mistakes(trace[HEAD + path], trace)]
    assert words.index("not_rotated") < words.index("angles")
