"""Models that mistakes are made in: three pre-LN layers with RMS norms and a head."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import walkthrough as wt
from tests.mistakes.modern import WIDTH, X, lists
from walkthrough.recording.trace import Trace

RNG = np.random.default_rng(5)
EPSILON = 1e-6


def layer() -> dict[str, Any]:
    shapes = {"w_q": (WIDTH, WIDTH), "w_k": (WIDTH, WIDTH), "w_v": (WIDTH, WIDTH), "w_o": (WIDTH, WIDTH)}
    return {
        "norm_1": {"gamma": (RNG.random(WIDTH) + 0.5).tolist()},
        "self_attention": {"num_heads": 2, **lists({name: RNG.normal(size=shape) for name, shape in shapes.items()})},
        "norm_2": {"gamma": (RNG.random(WIDTH) + 0.5).tolist()},
        "feed_forward": lists({"w_1": RNG.normal(size=(WIDTH, 6)), "w_2": RNG.normal(size=(6, WIDTH))}),
    }


LAYERS = [layer() for _ in range(3)]
NEW = np.random.default_rng(6).normal(size=(2, WIDTH))
FINAL, HEAD = (RNG.random(WIDTH) + 0.5).tolist(), RNG.normal(size=(WIDTH, 7)).tolist()


def model(layers: list[dict[str, Any]], scale: float = 1.0, generate: int = 0, embeddings: Any = X) -> Trace:
    stack = {"norm": "rms", "norm_order": "pre", "layer_norm": {"epsilon": EPSILON}, "layers": layers}
    stack["final_norm"] = {"gamma": FINAL}
    keys = {"title": "t", "decoder": stack, "output_head": {"w": HEAD}}
    tokens = [f"word {at}" for at in range(len(embeddings))]
    keys |= {"tokens": tokens, "embeddings": (embeddings * scale).tolist()}
    if generate:  # a row for each word that may come next
        vocabulary = [*tokens, "x", "y"]
        rows = [*(embeddings * scale).tolist(), *NEW.tolist()]
        keys |= {"vocabulary": vocabulary, "embeddings": rows, "generate": {"max_tokens": generate}}
    return wt.trace(wt.parse_scenario(json.dumps(keys)))


TRACE = model(LAYERS)
