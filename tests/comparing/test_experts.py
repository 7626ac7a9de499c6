"""A mixture of experts as people write it: each expert reads only the tokens that it is sent."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import walkthrough as wt

torch = pytest.importorskip("torch")

from torch import Tensor, nn  # noqa: E402
from torch.nn import functional  # noqa: E402

from tests.comparing.matching.own_modules import captured, drawn, saved  # noqa: E402

pytestmark = pytest.mark.torch

IDS, WORDS, D, WIDE, EXPERTS = [3, 1, 4, 1, 5, 2, 0, 6], 7, 6, 5, 4


class Network(nn.Module):
    """Gated, as each expert is."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(D, WIDE), nn.Linear(D, WIDE), nn.Linear(WIDE, D)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(functional.silu(self.gate(x)) * self.up(x))


class Mixture(nn.Module):
    """The usual loop, over the tokens of an expert in their order or, as Mixtral's, by the number of the choice."""

    def __init__(self, is_by_choice: bool, has_shared: bool) -> None:
        super().__init__()
        self.router = nn.Linear(D, EXPERTS, bias=False)
        self.expert = nn.ModuleList(Network() for _ in range(EXPERTS))
        self.common = Network() if has_shared else None
        self.is_by_choice, self.bug, self.skips_idle = is_by_choice, "", False

    def forward(self, x: Tensor) -> Tensor:
        x = x.view(-1, D)
        shares, chosen = self.router(x).softmax(-1).topk(2, -1)
        shares = torch.full_like(shares, 0.5) if self.bug == "uniform" else shares / shares.sum(-1, keepdim=True)
        out = torch.zeros_like(x)
        for at, expert in enumerate(self.expert):
            if self.is_by_choice:
                slot, token = torch.where((chosen == at).T)
            else:
                token, slot = torch.where(chosen == at)
            if self.skips_idle and not len(token):
                continue
            made = expert(x[token])
            slot = 1 - slot if self.bug == "exchanged" else slot
            out[token] += made if self.bug == "unweighted" else made * shares[token, slot, None]
        return (out if self.common is None else out + self.common(x))[None]


class Sparse(nn.Module):
    def __init__(self, is_by_choice: bool, has_shared: bool) -> None:
        super().__init__()
        self.table, self.mixture = nn.Embedding(WORDS, D), Mixture(is_by_choice, has_shared)
        self.read = nn.Linear(D, WORDS, bias=False)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.table(ids)
        return self.read(x + self.mixture(x))


def network(name: str) -> str:
    keys = {"gate": "gate", "1": "up", "2": "down"}
    return ", ".join(
        f"{kind}_{key}: {{tensor: 'mixture.{name}.{theirs}.{tensor}'}}"
        for key, theirs in keys.items()
        for kind, tensor in (("w", "weight"), ("b", "bias"))
    )


def text(has_shared: bool) -> str:
    experts = "".join(f"          - {{{network(f'expert.{at}')}}}\n" for at in range(EXPERTS))
    shared = f"        shared: {{{network('common')}}}\n" if has_shared else ""
    return f"""
title: Sparse
matrix_convention: column
weights_file: sparse.npz
tokens: [{", ".join("abcdefg"[at] for at in IDS)}]
vocabulary: [a, b, c, d, e, f, g]
embeddings: {{tensor: table.weight}}
decoder:
  norm_order: none
  layers:
    - feed_forward:
        activation: silu
        router: {{top_k: 2, w: {{tensor: mixture.router.weight}}}}
        experts:
{experts}{shared}output_head: {{w: {{tensor: read.weight}}}}
"""


@pytest.mark.parametrize("has_shared", [False, True])
@pytest.mark.parametrize("is_by_choice", [False, True])
def test_the_rows_of_an_expert_are_those_of_the_tokens_that_it_was_sent(
    is_by_choice: bool, has_shared: bool, tmp_path: Path
) -> None:
    model = drawn(Sparse(is_by_choice, has_shared))
    path = saved(model, text(has_shared), tmp_path, "sparse")
    tensors = captured(model, torch.tensor([IDS]))
    sent = [len(tensors[f"mixture.expert.{at}.gate"]) for at in range(EXPERTS)]
    assert any(0 < number < len(IDS) for number in sent)
    found = wt.assert_same(path, tensors)
    part = "decoder.1.feed_forward"
    compared = {one.value.path for one in found.steps}
    expected = {
        f"{part}.expert.{at + 1}.{name}" for at in range(EXPERTS) if sent[at] for name in ("gate", "hidden", "output")
    }
    assert expected <= compared
    with torch.no_grad():
        model.mixture.expert[int(np.argmax(sent))].up.weight[0] += 0.5
    first = wt.compare(path, captured(model, torch.tensor([IDS]))).first
    assert first is not None
    assert first.value.path == f"{part}.expert.{int(np.argmax(sent)) + 1}.hidden"


@pytest.mark.parametrize(("is_by_choice", "seed", "most"), [(False, 1, 3), (True, 1, 3), (True, 33, 9)])
def test_of_a_batch_the_rows_of_an_expert_are_those_of_the_first_sequence(
    is_by_choice: bool, seed: int, most: int, tmp_path: Path
) -> None:
    """One expert is sent as many tokens of all sequences as a sequence has, or all; by choice the order is not known.

    most: how many tokens one of the experts is sent
    """
    batch = torch.tensor([[3, 1, 4], [1, 5, 2], [0, 6, 6]])
    model = drawn(Sparse(is_by_choice, False), seed)
    path = saved(model, text(False).replace("[d, b, e, b, f, c, a, g]", "[d, b, e]"), tmp_path, "sparse")
    model.mixture.register_forward_pre_hook(lambda _, inputs: (inputs[0].view(-1, D),))
    model.mixture.register_forward_hook(lambda _, inputs, out: out.view(len(batch), -1, D))
    tensors = captured(model, batch)
    sent = {at: len(tensors[f"mixture.expert.{at}.up"]) for at in range(EXPERTS)}
    assert most in sent.values()
    found = wt.assert_same(path, tensors)
    compared = {one.theirs.name for one in found.steps}
    assert "mixture.router" in compared
    experts = {f"mixture.expert.{at}.up" for at in sent}
    assert experts - compared if is_by_choice else experts & compared
    for at, expert in enumerate(model.mixture.expert if not is_by_choice else []):
        with torch.no_grad():
            expert.up.weight[0] += 0.5
        first = wt.compare(path, captured(model, batch)).first
        assert first is not None
        assert first.value.path == f"decoder.1.feed_forward.expert.{at + 1}.hidden"
        with torch.no_grad():
            expert.up.weight[0] -= 0.5
    with torch.no_grad():
        for expert in model.mixture.expert:
            expert.up.weight[0] += 0.5
    assert not wt.compare(path, captured(model, batch)).ok


def test_a_router_that_chooses_others_is_the_fault_and_not_what_these_compute(tmp_path: Path) -> None:
    model = drawn(Sparse(False, False))
    path = saved(model, text(False), tmp_path, "sparse")
    with torch.no_grad():
        model.mixture.router.weight[:] = model.mixture.router.weight.flip(0)
    faults = wt.compare(path, captured(model, torch.tensor([IDS]))).faults
    assert [one.value.path for one in faults] == ["decoder.1.feed_forward.router.logits"]


@pytest.mark.parametrize("is_divided", [True, False])
@pytest.mark.parametrize("has_shared", [True, False])
def test_a_router_whose_weights_are_not_used_is_said_in_its_words(
    has_shared: bool, is_divided: bool, tmp_path: Path
) -> None:
    model = drawn(Sparse(False, has_shared))
    given = text(has_shared)
    path = saved(
        model, given if is_divided else given.replace("top_k: 2", "top_k: 2, normalize: false"), tmp_path, "sparse"
    )
    said = {
        "uniform": "the chosen experts have the weight 0.5 each: the router's weights are missing",
        "unweighted": "the outputs of the chosen experts are added up without their weights",
    } | ({"exchanged": "the weights of experts stand with other experts"} if is_divided else {})
    for model.mixture.bug, words in said.items():
        tensors = captured(model, torch.tensor([IDS]))
        for given_too in (tensors, {"logits": tensors["output"]}):
            assert (wt.compare(path, given_too).cause or "").startswith(words)


ADAMW = ("adamw: {weight_decay: 0.1}", lambda parameters: torch.optim.AdamW(parameters, 0.3, weight_decay=0.1))
MOMENTUM = ("momentum: 0.9", lambda parameters: torch.optim.SGD(parameters, 0.3, momentum=0.9))


@pytest.mark.parametrize(("rule", "optimizer", "seed"), [(*ADAMW, 1), (*ADAMW, 4), (*MOMENTUM, 4)])
def test_an_expert_without_a_gradient_is_left_as_it_is(rule: str, optimizer: Any, seed: int, tmp_path: Path) -> None:
    """It sits out a step, first or later; then decay, moments and their count pass it over, and it learns again."""
    model, ids = drawn(Sparse(False, False), seed), [3, 1]
    model.mixture.skips_idle = True
    training = f"training: {{targets: [b, e], learning_rate: 0.3, steps: 3, optimizer: {{{rule}}}}}\n"
    path = saved(model, text(False).replace("[d, b, e, b, f, c, a, g]", "[d, b]") + training, tmp_path, "sparse")
    descent = optimizer(list(model.parameters()))
    with wt.capture(model, gradients=True) as tensors:
        for _ in range(3):
            descent.zero_grad()
            functional.cross_entropy(model(torch.tensor([ids]))[0], torch.tensor([1, 4])).backward()
            descent.step()
    found = wt.assert_same(path, tensors)
    notes = {one.note for one in found.steps if one.note}
    assert len(notes) == 1, notes
    assert "whose gradient is None" in notes.pop()
    idle = next(one.theirs.name for one in found.steps if one.note)
    assert not wt.compare(path, {**tensors, idle: tensors[idle] + 0.01}).ok
    forward = {name: one for name, one in tensors.items() if not re.search(r"\.(grad|clipped|update)(@|$)", name)}
    found = wt.assert_same(path, forward)
    noted = [one.value.path for one in found.steps if "whose gradient is None" in one.note]
    assert noted == ["train.3.decoder.1.feed_forward.output"]  # nobody has captured what the steps did
