"""A decoder of one layer with the parts since 2017, and the same by plain numpy."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

import walkthrough as wt
from tests.comparing.test_compare import compared, recalculated
from tests.draws import generator
from walkthrough.recording.trace import Trace

Fault = Callable[..., Any]
RNG = generator(11)
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


def rotated(x: np.ndarray, interleaved: bool = False, first: int = 0, base: float = 50, sign: int = 1) -> np.ndarray:
    """Rotary positions, by complex numbers."""
    half = x.shape[1] // 2
    pairs = [(2 * i, 2 * i + 1) if interleaved else (i, i + half) for i in range(half)]
    result = np.empty_like(x)
    for i, (one, other) in enumerate(pairs):
        angle = (first + np.arange(len(x))) * base ** (-2 * i / x.shape[1])
        points = (x[:, one] + 1j * x[:, other]) * np.exp(sign * 1j * angle)
        result[:, one], result[:, other] = points.real, points.imag
    return result


def without_minus(x: np.ndarray) -> np.ndarray:
    """Of each pair the first feature as if it were rotated back."""
    half = x.shape[1] // 2
    return np.hstack([rotated(x, sign=-1)[:, :half], rotated(x)[:, half:]])


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


def distances(x: np.ndarray) -> np.ndarray:
    i, j = np.indices(x.shape)
    return np.asarray(abs(i - j))


def layer_in_numpy(
    shared: Callable[[int], int] = lambda head: head // 2,
    turn_query: Fault = rotated,
    turn_key: Fault = rotated,
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
