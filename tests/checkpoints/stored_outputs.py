"""The stored outputs of transformers, and how a trace is compared with such outputs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np

import walkthrough as wt
from walkthrough.checkpoints.paths import RETURNED

_FOLDER = Path(__file__).parent / "stored"
SHAPES, OUTPUTS = _FOLDER / "shapes.json", _FOLDER / "outputs.npz"


@cache
def shapes() -> dict[str, dict[str, list[int]]]:
    """The names and shapes of the tensors of each variant."""
    return dict(json.loads(SHAPES.read_text(encoding="utf-8")))


@cache
def outputs() -> dict[str, dict[str, np.ndarray]]:
    """What transformers computes of each variant."""
    found: dict[str, dict[str, np.ndarray]] = {}
    with np.load(OUTPUTS) as stored:
        for key in stored.files:
            name, _, part = key.partition("/")
            found.setdefault(name, {})[part] = stored[key]
    return found


def assert_same(trace: wt.Trace, theirs: Mapping[str, np.ndarray]) -> None:
    """Hidden states after each layer, attention weights and logits agree to 1e-10."""
    stack = "decoder" if "decoder.output" in trace else "encoder"
    attention = "attention" if stack == "encoder" else "self_attention"
    last = max(int(key.partition(".")[2]) for key in theirs if key.startswith("hidden."))
    for key, array in theirs.items():
        kind, _, number = key.partition(".")
        if kind in ("weights", "cross"):
            part = attention if kind == "weights" else "cross_attention"
            layers = [layer for layer in range(1, last + 1) if f"{stack}.{layer}.{part}.output" in trace]
            layer = layers[int(number) - 1]  # the library counts those that have attention weights
            paths = [f"{stack}.{layer}.{part}.head.{head + 1}.weights" for head in range(len(array))]
            ours = np.stack([trace[path].array for path in paths])
        elif kind == "logits":
            ours = next(trace[path] for path in RETURNED if path in trace).array
        elif kind == "encoder":
            ours = trace["encoder.output"].array
        else:
            at = int(number)
            first = "decoder.input" if "decoder.input" in trace else "input"
            path = first if at == 0 else f"{stack}.output" if at == last else _last_of(trace, f"{stack}.{at}.")
            ours = trace[path].array
        np.testing.assert_allclose(ours, array, rtol=1e-10, atol=1e-10, err_msg=key)


def _last_of(trace: wt.Trace, layer: str) -> str:
    """The last step of a layer: the residual, or the norm after it."""
    path = [path for path in trace.values if path.startswith(layer)][-1]
    assert path.removeprefix(layer) in ("residual_2", "residual_3", "norm_2.output")
    return path
