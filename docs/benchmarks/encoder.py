"""Tracing an encoder of the paper's base size against the same forward pass in bare numpy, one thread, in one run.

python -m docs.benchmarks.encoder [tokens] [pairs]
"""

from __future__ import annotations

import sys
import time
from statistics import median

import numpy as np

import walkthrough as wt
from walkthrough.transformer.runs.run import trace

D, H, F, LAYERS = 512, 8, 2048, 6


def scenario(tokens: int, d: int = D, heads: int = H, d_ff: int = F) -> wt.Scenario:
    """A post-LN encoder of six layers with random weights."""
    words = ", ".join(f"t{i}" for i in range(tokens))
    init = "{init: normal, std: 0.05}"
    weights = ", ".join(f"{name}: {init}" for name in ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o"))
    forward = ", ".join(f"{name}: {init}" for name in ("w_1", "b_1", "w_2", "b_2"))
    return wt.parse_scenario(
        f"""
title: benchmark
tokens: [{words}]
embeddings: {{init: normal, std: 1}}
dimensions: {{d_model: {d}, d_ff: {d_ff}}}
encoder:
  layers:
    repeat: {LAYERS}
    layer: {{attention: {{num_heads: {heads}, {weights}}}, feed_forward: {{{forward}}}}}
"""
    )


def bare(x: np.ndarray, layers: list[dict[str, np.ndarray]]) -> np.ndarray:
    """The forward pass as somebody writes it who keeps nothing."""
    n, k = x.shape[0], D // H
    for w in layers:
        q, key, v = (x @ w[f"w_{c}"] + w[f"b_{c}"] for c in "qkv")
        heads = []
        for h in range(H):
            own = slice(h * k, (h + 1) * k)
            scores = q[:, own] @ key[:, own].T / np.sqrt(k)
            powers = np.exp(scores)
            heads.append(powers / powers.sum(axis=1, keepdims=True) @ v[:, own])
        x = norm(x + (np.concatenate(heads, axis=1) @ w["w_o"] + w["b_o"]))
        x = norm(x + (np.maximum(x @ w["w_1"] + w["b_1"], 0) @ w["w_2"] + w["b_2"]))
    assert x.shape == (n, D)
    return x


def norm(x: np.ndarray) -> np.ndarray:
    """Layer norm."""
    centered = x - x.mean(axis=1, keepdims=True)
    return centered / np.sqrt(np.square(centered).mean(axis=1, keepdims=True) + 1e-5)


def main() -> None:
    """Prints medians, their ratio pair by pair, and the cost of a recorded step."""
    tokens = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    loaded = scenario(tokens)
    first = trace(loaded)  # makes the weights, which is not what is measured
    layers = [weights_of(first, number) for number in range(1, LAYERS + 1)]
    x = first["token_embedding"].array
    assert np.allclose(bare(x, layers), first["encoder.output"].array)
    steps = len(first)
    del first
    ours, theirs = [], []
    for _ in range(pairs):
        start = time.perf_counter()
        bare(x, layers)
        middle = time.perf_counter()
        kept = trace(loaded)
        ours.append(time.perf_counter() - middle)
        theirs.append(middle - start)
        del kept
    ratios = [own / other for own, other in zip(ours, theirs, strict=True)]
    print(f"{tokens} tokens, {steps} values: bare {median(theirs):.4f} s, traced {median(ours):.4f} s", end="; ")
    print(f"ratio {median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})")


def weights_of(kept: wt.Trace, number: int) -> dict[str, np.ndarray]:
    """The weights of one layer, joined again."""
    attention, forward = f"encoder.{number}.attention", f"encoder.{number}.feed_forward"
    joined = {
        f"{kind}_{c}": np.concatenate([kept[f"{attention}.head.{h}.{kind}_{c}"].array for h in range(1, H + 1)], axis=1)
        for c in "qkv"
        for kind in "wb"
    }
    rest = {name: kept[f"{attention}.{name}"].array for name in ("w_o", "b_o")}
    return {**joined, **rest, **{name: kept[f"{forward}.{name}"].array for name in ("w_1", "b_1", "w_2", "b_2")}}


if __name__ == "__main__":
    main()
