"""Tracing the bundled `transformer-base` against the same pass in bare numpy: time, and memory for what is kept.

python -m docs.benchmarks.transformer_base [pairs]
"""

from __future__ import annotations

import gc
import sys
import time
import tracemalloc
from collections.abc import Callable
from statistics import median

import numpy as np

import walkthrough as wt
from docs.benchmarks.encoder import norm
from walkthrough.scenario.scenario import Scenario

HEADS = 8
Arrays = dict[str, np.ndarray]


def bare(scenario: Scenario, given: Arrays) -> np.ndarray:
    """The probabilities, as somebody calculates them who keeps nothing; `given`: the weights by path."""
    memory = embedded(scenario.sequence, given)
    for layer in range(1, 7):
        w = part(given, f"encoder.{layer}.")
        memory = normed(memory + attended(memory, memory, part(w, "attention.")), part(w, "norm_1."))
        memory = normed(memory + fed(memory, part(w, "feed_forward.")), part(w, "norm_2."))
    x = embedded(scenario.target, given)
    for layer in range(1, 7):
        w = part(given, f"decoder.{layer}.")
        x = normed(x + attended(x, x, part(w, "self_attention."), causal=True), part(w, "norm_1."))
        x = normed(x + attended(x, memory, part(w, "cross_attention.")), part(w, "norm_2."))
        x = normed(x + fed(x, part(w, "feed_forward.")), part(w, "norm_3."))
    powers = np.exp(x @ given["embeddings"].T)
    return powers / powers.sum(axis=1, keepdims=True)


def embedded(sequence, given: Arrays) -> np.ndarray:
    """Look-up, scale and sinusoidal positions."""
    table = given["embeddings"]
    x = table[[sequence.vocabulary[word] for word in sequence.words]] * np.sqrt(table.shape[1])
    even = np.arange(0, x.shape[1], 2)
    angles = np.arange(len(x))[:, None] / 10000 ** (even / x.shape[1])
    x[:, 0::2] += np.sin(angles)
    x[:, 1::2] += np.cos(angles)
    return x


def attended(x: np.ndarray, source: np.ndarray, w: Arrays, causal: bool = False) -> np.ndarray:
    """Attention with joined weights."""
    q, key, v = x @ w["w_q"], source @ w["w_k"], source @ w["w_v"]
    size, heads = q.shape[1] // HEADS, []
    for head in range(HEADS):
        own = slice(head * size, (head + 1) * size)
        scores = q[:, own] @ key[:, own].T / np.sqrt(size)
        if causal:
            scores = np.where(np.tril(np.ones(scores.shape)), scores, -np.inf)
        powers = np.exp(scores)
        heads.append(powers / powers.sum(axis=1, keepdims=True) @ v[:, own])
    return np.concatenate(heads, axis=1) @ w["w_o"]


def fed(x: np.ndarray, w: Arrays) -> np.ndarray:
    """The feed-forward network."""
    return np.maximum(x @ w["w_1"] + w["b_1"], 0) @ w["w_2"] + w["b_2"]


def normed(x: np.ndarray, w: Arrays) -> np.ndarray:
    """Layer norm with gamma and beta."""
    return norm(x) * w["gamma"] + w["beta"]


def part(given: Arrays, prefix: str) -> Arrays:
    """The weights under a prefix."""
    return {path.removeprefix(prefix): array for path, array in given.items() if path.startswith(prefix)}


def joined(trace: wt.Trace) -> Arrays:
    """The given matrices by path, those of heads put together again."""
    given = {value.path: value.array for value in trace if value.operation is None}
    for path in [path for path in given if ".head.1.w_" in path]:
        heads = [given.pop(path.replace(".head.1.", f".head.{head}.")) for head in range(1, HEADS + 1)]
        given[path.replace(".head.1.", ".")] = np.concatenate(heads, axis=1)
    return given


def seconds(function: Callable[[], object]) -> float:
    """Time of one call, the destruction of its result left out."""
    start = time.perf_counter()
    result = function()
    end = time.perf_counter()
    del result
    return end - start


def main() -> None:
    """Prints the median times, their ratio pair by pair, and the memory of a trace beside the bytes of its arrays."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    scenario = wt.load_scenario("transformer-base")
    tracemalloc.start()
    first = wt.trace(scenario)
    gc.collect()
    now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    kept = sum(value.array.nbytes for value in first)
    print(f"{len(first)} values, {kept / 1e6:.1f} MB; memory {now / kept:.3f}× of that, {peak / kept:.3f}× at most")
    given = joined(first)
    assert np.allclose(bare(scenario, given), first["output_head.probabilities"].array, atol=0)
    del first
    measured = [(seconds(lambda: bare(scenario, given)), seconds(lambda: wt.trace(scenario))) for _ in range(pairs)]
    theirs, ours = zip(*measured, strict=True)
    ratio = median(own / other for other, own in measured)
    print(f"bare {median(theirs) * 1000:.1f} ms, traced {median(ours) * 1000:.1f} ms; ratio {ratio:.3f}")


if __name__ == "__main__":
    main()
