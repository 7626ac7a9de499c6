"""A scenario's given matrices as leaves of PyTorch's graph, and its numbers and gradients beside those of PyTorch."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.draws import generator

torch: Any = pytest.importorskip("torch")

RNG = generator(23)
WORDS = ["a", "b", "c", "d"]
TARGETS = [2, 0, 3, 1]
D = 6
X = RNG.normal(size=(4, D)).round(2)


def drawn(*shape: int) -> Any:
    return RNG.normal(size=shape).round(2).tolist()


def trained(**keys: Any) -> wt.Trace:
    """One step of training: embeddings, the keys given, a head for as many words as there are tokens."""
    start = {
        "title": "t",
        "tokens": WORDS,
        "embeddings": X.tolist(),
        "output_head": {"w": drawn(D, 4), "vocabulary": WORDS},
        "training": {"targets": [WORDS[at] for at in TARGETS]},
    }
    return wt.trace(wt.parse_scenario(json.dumps(start | keys)))


def leaves(trace: wt.Trace) -> dict[str, Any]:
    """Every given matrix by each of its paths; one tensor for a matrix with several."""
    found = {path: value for path, value in trace.items() if value.operation is None}
    tensors = {id(value): torch.tensor(value.array, requires_grad=True) for value in found.values()}
    return {path: tensors[id(value)] for path, value in found.items()}


def loss_of(logits: Any) -> Any:
    return torch.nn.functional.cross_entropy(logits, torch.tensor(TARGETS))


def same_gradients(trace: wt.Trace, given: dict[str, Any], loss: Any) -> None:
    """The loss is the recorded one, and backward() finds each recorded gradient of a given matrix."""
    name = "loss.objective" if "loss.objective" in trace else "loss.mean"
    assert trace[name].array[0, 0] == pytest.approx(loss.item(), rel=1e-12)
    loss.backward()
    compared = 0
    for path, tensor in given.items():
        if f"gradient.{path}" in trace:
            found = trace[f"gradient.{path}"].array
            np.testing.assert_allclose(found, tensor.grad.numpy(), rtol=1e-9, atol=1e-12, err_msg=path)
            compared += 1
    assert compared > 2


def rms(x: Any, gamma: Any = None, epsilon: float = 1e-5, plus_one: bool = False) -> Any:
    y = x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + epsilon)
    return y if gamma is None else y * (gamma + plus_one)


def layer_norm(x: Any, gamma: Any = None, beta: Any = None) -> Any:
    weight, bias = (None if one is None else one[0] for one in (gamma, beta))
    return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias)


def hide_later(scores: Any) -> Any:
    return scores.masked_fill(torch.triu(torch.ones(scores.shape), 1).bool(), float("-inf"))
