"""The usual mistakes in the parts since 2017: made here by plain numpy, and named by the comparison."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.comparing.test_compare import compared, recalculated
from walkthrough.mistakes.search import usual_mistakes
from walkthrough.recording.trace import Trace

Fault = Callable[..., Any]
RNG = np.random.default_rng(11)
WORDS, WIDTH, HEADS, KV, EACH = list("abcde"), 8, 4, 2, 4
UNDER = "decoder.1.self_attention."


def drawn(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape)


X = drawn(5, WIDTH)
W = {"w_q": drawn(WIDTH, HEADS * EACH), "w_k": drawn(WIDTH, KV * EACH), "w_v": drawn(WIDTH, KV * EACH)}
W |= {"w_o": drawn(HEADS * EACH, WIDTH)}
FORWARD = {"w_gate": drawn(WIDTH, 6), "w_1": drawn(WIDTH, 6), "w_2": drawn(6, WIDTH)}
GAMMA = {"query_norm": drawn(EACH), "key_norm": drawn(EACH), "norm_1": drawn(WIDTH)}
EPSILON = 0.01


def model(**changed: Any) -> Trace:
    """One layer with everything that mistakes are made in."""
    attention = {"num_heads": HEADS, "num_kv_heads": KV, "rotary": {"base": 50}, "window": 3} | lists(W)
    attention |= {name: {"gamma": GAMMA[name].tolist(), "epsilon": EPSILON} for name in ("query_norm", "key_norm")}
    layer = {
        "self_attention": {key: value for key, value in {**attention, **changed}.items() if value is not None},
        "norm_1": {"gamma": GAMMA["norm_1"].tolist()},
        "feed_forward": {"activation": "silu", **lists(FORWARD)},
    }
    stack = {"norm": "rms", "norm_order": "pre", "layer_norm": {"epsilon": EPSILON}, "layers": [layer]}
    text = {"title": "t", "tokens": WORDS, "embeddings": X.tolist(), "decoder": stack}
    return wt.trace(wt.parse_scenario(json.dumps(text)))


def named(trace: Trace, path: str, fault: Fault) -> tuple[str, str]:
    """The first step that differs and its cause, where the step and what it is computed from are handed in."""
    everything = recalculated(trace, path, fault, np.float64)
    handed_in = {path, *(value.path for value in trace[path].inputs)} & everything.keys()
    found = compared(trace, {name: everything[name] for name in handed_in})
    assert found.first is not None
    return found.first.value.path, found.first.cause


def lists(arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    return {name: array.tolist() for name, array in arrays.items()}


def turned(x: np.ndarray, interleaved: bool = False, first: int = 0, base: float = 50, sign: int = 1) -> np.ndarray:
    """Rotary positions, by complex numbers."""
    half = x.shape[1] // 2
    pairs = [(2 * i, 2 * i + 1) if interleaved else (i, i + half) for i in range(half)]
    result = np.empty_like(x)
    for i, (one, other) in enumerate(pairs):
        angle = (first + np.arange(len(x))) * base ** (-2 * i / x.shape[1])
        points = (x[:, one] + 1j * x[:, other]) * np.exp(sign * 1j * angle)
        result[:, one], result[:, other] = points.real, points.imag
    return result


def unsigned(x: np.ndarray) -> np.ndarray:
    """Of each pair the first feature as if it were turned back."""
    half = x.shape[1] // 2
    return np.hstack([turned(x, sign=-1)[:, :half], turned(x)[:, half:]])


def rms(x: np.ndarray, epsilon: float = EPSILON) -> np.ndarray:
    return np.asarray(x / np.sqrt((x * x).mean(axis=1, keepdims=True) + epsilon))


def silu(x: np.ndarray) -> np.ndarray:
    return np.asarray(x / (1 + np.exp(-x)))


def masked(x: np.ndarray, window: int) -> np.ndarray:
    i, j = np.indices(x.shape)
    return np.where((j <= i) & (i - j < window), x, -np.inf)


def softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def layer_normed(x: np.ndarray, *_: Any) -> np.ndarray:
    centered = x - x.mean(axis=1, keepdims=True)
    return np.asarray(centered / np.sqrt((centered**2).mean(axis=1, keepdims=True) + EPSILON))


MODEL = model()
HEAD, FEED = UNDER + "head.1.", "decoder.1.feed_forward."
NORMED = rms(X) * GAMMA["norm_1"]
QUERY, KEY = NORMED @ W["w_q"][:, :EACH], NORMED @ W["w_k"][:, :EACH]
FAULTS: list[tuple[str, str, Fault]] = [
    ("the rotary layout is interleaved", "query_rotated", lambda x, a, **_: turned(x, interleaved=True)),
    ("the rotary layout is interleaved", "key_rotated", lambda x, a, **_: turned(x, interleaved=True)),
    ("rotated in the other direction", "query_rotated", lambda x, a, **_: turned(x, sign=-1)),
    ("the positions are counted from 1", "key_rotated", lambda x, a, **_: turned(x, first=1)),
    ("the exponent is i/r instead of 2i/r", "key_rotated", lambda x, a, **_: turned(x, base=50**0.5)),
    ("rotated without the minus", "key_rotated", lambda x, a, **_: unsigned(x)),
    (
        "normalized over the columns instead of the rows",
        "query_norm.normalized",
        lambda x, r: x / np.sqrt((x * x).mean(axis=0) + EPSILON),
    ),
    ("the base is 10000", "key_rotated", lambda x, a, **_: turned(x, base=10000)),
    (
        "the step is missing: these are the numbers of decoder.1.self_attention.head.1.key_norm.output",
        "key_rotated",
        lambda x, a, **_: x,
    ),
    (
        "the norm comes after the rotation",
        "query_rotated",
        lambda x, a, **_: rms(turned(QUERY)) * GAMMA["query_norm"],
    ),
    ("the keys are not rotated", "scores", lambda q, k: q @ (rms(KEY) * GAMMA["key_norm"]).T),
    ("the queries are not rotated", "scores", lambda q, k: (rms(QUERY) * GAMMA["query_norm"]) @ k.T),
    (
        "neither queries nor keys are rotated",
        "scores",
        lambda q, k: (rms(QUERY) * GAMMA["query_norm"]) @ (rms(KEY) * GAMMA["key_norm"]).T,
    ),
    ("it is rotated like queries and keys", "value", lambda x, w: turned(x @ w)),
    ("it is rotated already", "key", lambda x, w: turned(x @ w)),
    ("it is normed already", "key", lambda x, w: rms(x @ w) * GAMMA["key_norm"]),
    ("query and key are swapped", "query", lambda x, w: x @ W["w_k"][:, :EACH]),
    ("key and query are swapped", "key", lambda x, w: x @ W["w_q"][:, :EACH]),
    ("key and value are swapped", "key", lambda x, w: x @ W["w_v"][:, :EACH]),
    (
        "these are the numbers of decoder.1.self_attention.head.3.query",
        "query",
        lambda x, w: x @ W["w_q"][:, 2 * EACH : 3 * EACH],
    ),
    ("the window is one token too wide", "masked_scores", lambda x, m, **_: masked(x, 4)),
    ("the window is one token too narrow", "masked_scores", lambda x, m, **_: masked(x, 2)),
    ("the window is missing", "masked_scores", lambda x, m, **_: masked(x, 9)),
    ("epsilon is outside the root", "query_norm.rms", lambda m, **_: np.sqrt(m) + EPSILON),
    ("epsilon is missing", "query_norm.rms", lambda m, **_: np.sqrt(m)),
    ("epsilon is 1e-06", "query_norm.rms", lambda m, **_: np.sqrt(m + 1e-6)),
    ("the mean square was used as its root", "query_norm.rms", lambda m, **_: m),
    ("divided by the mean square instead of its root", "query_norm.normalized", lambda x, r: x / (r * r - EPSILON)),
    (
        "not divided by d under the root",
        "query_norm.normalized",
        lambda x, r: x / np.sqrt((x * x).sum(axis=1, keepdims=True) + EPSILON),
    ),
    ("the mean is subtracted: it is a layer norm", "query_norm.normalized", layer_normed),
    ("multiplied by 1 + gamma", "query_norm.output", lambda x, g, **_: x * (1 + g)),
    (
        "the mean is subtracted: it is the variance",
        "query_norm.mean_square",
        lambda x: x.var(axis=1, keepdims=True),
    ),
    ("not divided by d", "query_norm.mean_square", lambda x: (x * x).sum(axis=1, keepdims=True)),
]


@pytest.mark.parametrize(("cause", "name", "fault"), FAULTS, ids=[f"{cause} {name}" for cause, name, _ in FAULTS])
def test_a_mistake_in_a_head_is_named(cause: str, name: str, fault: Fault) -> None:
    assert named(MODEL, HEAD + name, fault) == (HEAD + name, cause)


FEEDS: list[tuple[str, str, Fault]] = [
    ("gate and hidden are swapped", "gate", lambda x, w: x @ FORWARD["w_1"]),
    ("hidden and gate are swapped", "hidden", lambda x, w: x @ FORWARD["w_gate"]),
    ("gate and hidden (up) are swapped", "gated", lambda g, h: silu(h) * invert(g)),
    ("the gate has no activation", "gated", lambda g, h: invert(g) * h),
    ("the activation comes after the product", "gated", lambda g, h: silu(invert(g) * h)),
    ("gate and hidden are added instead of multiplied", "gated", lambda g, h: g + h),
    ("hidden (up) is left out", "gated", lambda g, h: g),
    ("the gate is left out", "gated", lambda g, h: h),
    ("gelu_tanh was used", "activation", lambda x: 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))),
]


def invert(opened: np.ndarray) -> np.ndarray:
    """The gate that this activation comes of: the recorded one."""
    return MODEL[FEED + "gate"].array


@pytest.mark.parametrize(("cause", "name", "fault"), FEEDS, ids=[f"{cause} {name}" for cause, name, _ in FEEDS])
def test_a_mistake_in_a_gate_is_named(cause: str, name: str, fault: Fault) -> None:
    assert named(MODEL, FEED + name, fault) == (FEED + name, cause)


def layer_in_numpy(
    shared: Callable[[int], int] = lambda head: head // 2,
    turn_query: Fault = turned,
    turn_key: Fault = turned,
    turn_value: Fault = lambda v: v,
    window: int = 3,
) -> dict[str, np.ndarray]:
    """The attention of the layer, by somebody who has never seen this program; only what comes out is handed in."""
    weights, outputs = [], []
    for head in range(HEADS):
        own, group = head * EACH, shared(head) * EACH
        query = turn_query(rms(NORMED @ W["w_q"][:, own : own + EACH]) * GAMMA["query_norm"])
        key = turn_key(rms(NORMED @ W["w_k"][:, group : group + EACH]) * GAMMA["key_norm"])
        value = turn_value(NORMED @ W["w_v"][:, group : group + EACH])
        weights.append(softmax(masked(query @ key.T / np.sqrt(EACH), window)))
        outputs.append(weights[-1] @ value)
    found = {f"{UNDER}head.{head + 1}.weights": array for head, array in enumerate(weights)}
    return {**found, UNDER + "output": np.hstack(outputs) @ W["w_o"]}


def test_the_layer_in_numpy_is_the_same() -> None:
    assert compared(MODEL, layer_in_numpy()).first is None


STRIDED = "heads that share keys and values are taken with a stride instead of as neighbours"
SWAPPED = {name: lambda x: turned(x, interleaved=True) for name in ("turn_query", "turn_key")}


@pytest.mark.parametrize(
    ("changed", "cause"),
    [
        ({"shared": lambda head: head % 2}, STRIDED),
        (SWAPPED, "the rotary layout is interleaved"),
        ({"turn_key": lambda x: x}, "the keys are not rotated"),
        ({"turn_query": lambda x: x, "turn_key": lambda x: x}, "neither queries nor keys are rotated"),
        ({"turn_value": turned}, "the values are rotated like queries and keys"),
        ({"window": 2}, "the window is one token too narrow"),
        ({"window": 4}, "the window is one token too wide"),
        ({"window": 9}, "the window is missing"),
    ],
    ids=["shared", "layout", "keys", "none", "values", "narrow", "wide", "everything"],
)
@pytest.mark.parametrize("given", ["weights and output", "output"])
def test_a_mistake_in_a_whole_layer_is_named(changed: dict, cause: str, given: str) -> None:
    tensors = layer_in_numpy(**changed)
    if given == "output":
        tensors = {name: array for name, array in tensors.items() if name.endswith("attention.output")}
    found = compared(MODEL, tensors)
    assert found.first is not None
    assert found.first.cause.startswith(cause)


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (lambda x, slope, **_: x + slope * distances(x), "the distance is added instead of subtracted"),
        (lambda x, slope, **_: x - 4 * slope * distances(x), "the slope is four times 0.25"),
        (
            lambda x, **_: x,
            "the step is missing: these are the numbers of decoder.1.self_attention.head.1.scaled_scores",
        ),
    ],
)
def test_a_mistake_in_a_slope_is_named(fault: Fault, cause: str) -> None:
    trace = model(alibi=True, rotary=None)
    assert named(trace, HEAD + "biased_scores", fault) == (HEAD + "biased_scores", cause)


def distances(x: np.ndarray) -> np.ndarray:
    i, j = np.indices(x.shape)
    return np.asarray(abs(i - j))


@pytest.mark.parametrize(
    ("scaling", "fault", "cause"),
    [
        ({"linear": 4}, lambda x, a, **_: turned(x), "the scaling of the positions is missing"),
        ({"linear": 0.5}, lambda x, a, **_: turned_by(x, 0.5), "the positions are multiplied instead of divided"),
    ],
)
def test_a_mistake_in_the_scaling_is_named(scaling: dict, fault: Fault, cause: str) -> None:
    trace = model(rotary={"base": 50, "scaling": scaling})
    assert named(trace, HEAD + "key_rotated", fault) == (HEAD + "key_rotated", cause)


def turned_by(x: np.ndarray, factor: float) -> np.ndarray:
    half = x.shape[1] // 2
    angle = np.outer(np.arange(len(x)) * factor, 50 ** (-2 * np.arange(half) / x.shape[1]))
    points = (x[:, :half] + 1j * x[:, half:]) * np.exp(1j * angle)
    return np.hstack([points.real, points.imag])


def test_all_features_are_turned_instead_of_the_first() -> None:
    trace = model(rotary={"base": 50, "dimensions": 2})
    _, cause = named(trace, HEAD + "key_rotated", lambda x, a, **_: turned(x))
    assert cause == "all features are rotated"


def test_every_variant_can_be_tried() -> None:
    """It gives a matrix, or says that the shapes do not fit."""
    for trace in (MODEL, model(alibi=True, rotary={"scaling": {"linear": 2}, "dimensions": 2})):
        for value in trace:
            for words, instead in usual_mistakes(value, trace) if value.operation is not None else ():
                try:
                    array = instead.array(lambda given: given.array)
                except ValueError:
                    continue
                assert array.ndim == 2, (value.path, words)
