"""Gradients of PyTorch's autograd with the usual mistakes of a training loop: each is called by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import walkthrough as wt

torch = pytest.importorskip("torch")
from torch.nn import functional  # noqa: E402

pytestmark = pytest.mark.torch

WORDS, WIDTH = list("abcdef"), 4
RNG = np.random.default_rng(8)
W = {name: RNG.normal(size=(WIDTH, WIDTH)).tolist() for name in ("w_q", "w_k", "w_v")}
TABLE, OUT = RNG.normal(size=(len(WORDS), WIDTH)), RNG.normal(size=(WIDTH, len(WORDS)))
TOKENS, TARGETS = [0, 1, 2, 3, 1], [1, 2, 3, 1, 4]
HEAD = "attention.head.1."


def trace(reduction: str = "mean") -> Any:
    embeddings = ", ".join(f"{word}: {row.tolist()}" for word, row in zip(WORDS, TABLE, strict=True))
    weights = ", ".join(f"{name}: {array}" for name, array in W.items())
    return wt.trace(
        wt.parse_scenario(
            f"title: x\ntokens: [{', '.join(WORDS[at] for at in TOKENS)}]\nembeddings: {{{embeddings}}}\n"
            f"attention: {{heads: [{{{weights}}}]}}\n"
            f"output_head: {{w: {OUT.tolist()}, vocabulary: [{', '.join(WORDS)}]}}\n"
            f"training: {{targets: [{', '.join(WORDS[at] for at in TARGETS)}], reduction: {reduction}}}\n"
        )
    )


class Passed(torch.autograd.Function):
    """A softmax whose gradient somebody forgot."""

    @staticmethod
    def forward(_: Any, scores: Any) -> Any:
        return scores.softmax(-1)

    @staticmethod
    def backward(_: Any, *gradient: Any) -> Any:
        return gradient[0]


def gradients(
    reduction: str = "mean", targets: list[int] = TARGETS, sign: int = 1, times: int = 1, softmax: Any = None
) -> dict[str, Any]:
    """Of each parameter and of the logits, by PyTorch's backward()."""
    made = {name: torch.tensor(array, dtype=torch.float64, requires_grad=True) for name, array in W.items()}
    made["w"] = torch.tensor(OUT, requires_grad=True)
    x = torch.tensor(TABLE)[TOKENS]
    for _ in range(times):
        scores = (x @ made["w_q"]) @ (x @ made["w_k"]).T / WIDTH**0.5
        weights = softmax(scores) if softmax else scores.softmax(-1)
        logits = weights @ (x @ made["w_v"]) @ made["w"]
        (sign * functional.cross_entropy(logits, torch.tensor(targets), reduction=reduction)).backward()
    names = {"w": "gradient.output_head.w"} | {name: f"gradient.{HEAD}{name}" for name in W}
    return {names[name]: tensor.grad.numpy() for name, tensor in made.items()}


def test_right_gradients_are_the_same() -> None:
    assert wt.compare(trace(), gradients(), require=4).ok
    assert wt.compare(trace("sum"), gradients("sum"), require=4).ok


CASES: list[tuple[str, str, Callable[[], dict[str, Any]]]] = [
    ("sum_for_mean", "mean", lambda: gradients("sum")),
    ("mean_for_sum", "sum", lambda: gradients("mean")),
    ("sign", "mean", lambda: gradients(sign=-1)),
    ("unshifted_targets", "mean", lambda: gradients(targets=TOKENS)),
    ("unshifted_targets", "sum", lambda: gradients("sum", targets=TOKENS)),
    ("accumulated", "mean", lambda: gradients(times=3)),
]


@pytest.mark.parametrize(("kind", "reduction", "theirs"), CASES, ids=[f"{one[0]} {one[1]}" for one in CASES])
def test_a_mistake_in_the_loss_is_one_fault_of_all_parameters(
    kind: str, reduction: str, theirs: Callable[[], dict[str, Any]]
) -> None:
    given = theirs()
    (fault,) = wt.compare(trace(reduction), given).faults
    assert (fault.kind, len(fault.also) + 1) == (kind, len(given)), fault.cause


def test_a_softmax_whose_gradient_was_forgotten() -> None:
    found = wt.compare(trace(), gradients(softmax=Passed.apply))
    (fault,) = found.faults
    assert fault.kind == "no_softmax_jacobian"
    assert {fault.value.path, *fault.also} == {f"gradient.{HEAD}{name}" for name in ("w_q", "w_k")}


def test_the_same_in_float32() -> None:
    given = {name: array.astype(np.float32) for name, array in gradients("sum").items()}
    assert [fault.kind for fault in wt.compare(trace(), given).faults] == ["sum_for_mean"]


def test_one_gradient_that_adds_up_is_named() -> None:
    given = gradients()
    given[f"gradient.{HEAD}w_v"] = given[f"gradient.{HEAD}w_v"] * 2
    (fault,) = wt.compare(trace(), given).faults
    assert (fault.value.path, fault.kind) == (f"gradient.{HEAD}w_v", "accumulated")


def test_gradients_that_differ_by_the_noise_of_float64_are_not_called_rounded() -> None:
    given = gradients()
    given = {name: array + 2e-15 for name, array in given.items()}
    found = wt.compare(trace(), given, require=4)
    assert found.ok
    assert "float32" not in str(found)
