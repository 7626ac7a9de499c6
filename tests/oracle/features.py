"""Which options of SPEC §3 a scenario uses, as words: to see that the generators draw them all."""

from __future__ import annotations

from typing import Any

SETTINGS = [
    "softmax", "norm_order", "residual", "epsilon", "variance", "epsilon_in", "activation", "scale", "mask",
    "mask_value", "mask_first", "embedding_scale", "positional_encoding", "layout", "angle", "base",
    "temperature", "tied", "num_heads", "matrix_convention",
]  # fmt: skip
PRESENT = [
    "text", "gamma", "beta", "b_q", "b_k", "b_v", "b_1", "b_2", "b_o", "w_o", "final_norm", "segment_embedding",
    "embedding_norm", "output_head", "repeat", "dimensions", "cross_attention", "q", "k", "v", "scores",
    "weights", "output", "b",
]  # fmt: skip


def features(scenario: Any) -> set[str]:
    """Words such as `mask=causal`, `w_o`, `embeddings=mapping`, `no feed_forward`."""
    found: set[str] = set()
    _walk(scenario, found)
    return found


def _walk(node: Any, found: set[str]) -> None:
    if isinstance(node, list):
        for item in node:
            _walk(item, found)
    if not isinstance(node, dict):
        return
    for key, value in node.items():
        if key in SETTINGS:
            found.add(f"{key}={_word(value)}")
        elif key in PRESENT:
            found.add(key)
        elif key in ("embeddings", "vocabulary"):
            found.add(f"{key}={'mapping' if isinstance(value, dict) else 'list'}")
        elif key == "layers" and isinstance(value, list):
            _layers(value, found)
        elif key == "heads":
            _heads(value, found)
        if key not in ("embeddings", "vocabulary"):
            _walk(value, found)


def _word(value: Any) -> str:
    if isinstance(value, list):
        return "+".join(value) if value and isinstance(value[0], str) else "matrix"
    return "options" if isinstance(value, dict) else str(value)


def _layers(layers: list[Any], found: set[str]) -> None:
    found.add(f"layers={len(layers)}")
    for layer in layers:
        keys = layer.keys()
        found.update([] if "feed_forward" in keys else ["no feed_forward"])
        found.update([] if {"attention", "self_attention"} & keys else ["no attention"])


def _heads(heads: list[Any], found: set[str]) -> None:
    found.add(f"heads={len(heads)}")
    shapes = [(len(head["w_q"]), len(head["w_q"][0])) for head in heads if "w_q" in head]
    found.update(["heads of different d_k"] if len(set(shapes)) > 1 else [])
    values = [(len(head["w_v"]), len(head["w_v"][0])) for head in heads if "w_v" in head]
    found.update(["d_v is not d_k"] if shapes and values and shapes[0] != values[0] else [])
