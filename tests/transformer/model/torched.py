"""A scenario's given matrices as leaves of PyTorch's graph, and its numbers and gradients beside those of PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.transformer.model.test_modern import WORDS, D, drawn, traced

torch: Any = pytest.importorskip("torch")

TARGETS = [2, 0, 3, 1]


def trained(**keys: Any) -> wt.Trace:
    """One step of training: the keys given, a head for as many words as there are tokens."""
    head = {"w": drawn(D, 4), "vocabulary": WORDS}
    return traced(**{"output_head": head, "training": {"targets": [WORDS[at] for at in TARGETS]}} | keys)


def leaves(trace: wt.Trace) -> dict[str, Any]:
    """Every given matrix by each of its paths; one tensor for a matrix with several."""
    found = {path: value for path, value in trace.items() if value.operation is None}
    tensors = {id(value): torch.tensor(value.array, requires_grad=True) for value in found.values()}
    return {path: tensors[id(value)] for path, value in found.items()}


def loss_of(logits: Any) -> Any:
    return torch.nn.functional.cross_entropy(logits, torch.tensor(TARGETS))


def same_gradients(trace: wt.Trace, given: dict[str, Any], loss: Any) -> None:
    """The loss is the recorded one, and backward() finds each recorded gradient of a given matrix."""
    assert trace["loss.mean"].array[0, 0] == pytest.approx(loss.item(), rel=1e-12)
    loss.backward()
    compared = 0
    for path, tensor in given.items():
        if f"gradient.{path}" in trace:
            found = trace[f"gradient.{path}"].array
            np.testing.assert_allclose(found, tensor.grad.numpy(), rtol=1e-9, atol=1e-12, err_msg=path)
            compared += 1
    assert compared > 2


def rms(x: Any, gamma: Any = None, epsilon: float = 1e-5) -> Any:
    y = x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + epsilon)
    return y if gamma is None else y * gamma
