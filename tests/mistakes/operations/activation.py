"""Activations and gates: each usual mistake is made by plain numpy, and named."""

from __future__ import annotations

import math

import numpy as np

from tests.mistakes import modern
from tests.mistakes.classic import LAYER, Fault, gelu

FAULTS: list[tuple[str, str, Fault, dict[str, str]]] = [
    ("relu was used", LAYER + "feed_forward.activation", lambda x: np.maximum(x, 0), {}),
    ("sigmoid was used", LAYER + "feed_forward.activation", lambda x: 1 / (1 + np.exp(-x)), {}),
    ("silu was used", LAYER + "feed_forward.activation", lambda x: x / (1 + np.exp(-x)), {}),
    (
        "gelu_tanh was used",
        LAYER + "feed_forward.activation",
        lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
        {},
    ),
    (
        "quick_gelu (x·σ(1.702·x)) was used",
        LAYER + "feed_forward.activation",
        lambda x: x / (1 + np.exp(-1.702 * x)),
        {},
    ),
    ("squared relu was used", LAYER + "feed_forward.activation", lambda x: np.maximum(x, 0) ** 2, {}),
    ("it is activated twice", LAYER + "feed_forward.activation", lambda x: gelu(gelu(x)), {}),
    (
        "the step is missing: these are the numbers of encoder.1.feed_forward.hidden",
        LAYER + "feed_forward.activation",
        lambda x: x,
        {},
    ),
]
MODERN: list[tuple[str, str, Fault]] = [
    ("gate and hidden are swapped", "gate", lambda x, w: x @ modern.FORWARD["w_1"]),
    ("hidden and gate are swapped", "hidden", lambda x, w: x @ modern.FORWARD["w_gate"]),
    ("gate and hidden (up) are swapped", "gated", lambda g, h: modern.silu(h) * invert(g)),
    ("the gate has no activation", "gated", lambda g, h: invert(g) * h),
    ("the activation comes after the product", "gated", lambda g, h: modern.silu(invert(g) * h)),
    ("gate and hidden are added instead of multiplied", "gated", lambda g, h: g + h),
    ("hidden (up) is left out", "gated", lambda g, h: g),
    ("the gate is left out", "gated", lambda g, h: h),
    ("gelu_tanh was used", "activation", lambda x: 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))),
]


def invert(opened: np.ndarray) -> np.ndarray:
    """The gate that this activation comes of: the recorded one."""
    return modern.MODEL[modern.FEED + "gate"].array
