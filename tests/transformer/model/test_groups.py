"""Routing by groups: the choice and gradients of PyTorch, after DeepSeek's own code, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.transformer.model.test_experts import expert, network
from tests.transformer.model.test_modern import refused, same
from tests.transformer.model.torched import D, drawn, leaves, loss_of, same_gradients, torch, trained

pytestmark = pytest.mark.torch

E = 6
ROUTERS: list[dict[str, Any]] = [
    {"n_group": 3, "topk_group": 1},
    {"n_group": 3, "topk_group": 2, "scores": "sigmoid", "choice_bias": [0.4, -0.3, 0.2, 0, 0.6, -0.5], "scale": 2.5},
    {"n_group": 2, "topk_group": 1, "top_k": 3, "normalize": False},
    {"n_group": 2, "topk_group": 1, "top_k": 1, "scores": "softmax_of_chosen"},
    {"n_group": 1, "topk_group": 1},
]


def routed(scores: Any, spec: dict[str, Any]) -> tuple[Any, Any]:
    """The scores of the groups, and 1 for the chosen experts, as DeepSeek-V3's code finds them."""
    wanted = scores + torch.tensor(spec.get("choice_bias", [0.0] * E), dtype=torch.float64)
    grouped = wanted.view(len(scores), spec["n_group"], -1)
    groups = grouped.topk(2, dim=-1).values.sum(dim=-1)
    best = torch.zeros_like(groups).scatter(1, groups.topk(spec["topk_group"], dim=-1).indices, 1.0)
    open_ = best.unsqueeze(-1).expand_as(grouped).reshape(len(scores), -1)
    chosen = wanted.masked_fill(open_ == 0, -torch.inf).topk(spec.get("top_k", 2), dim=-1).indices
    return groups, torch.zeros_like(scores).scatter(1, chosen, 1.0)


@pytest.mark.parametrize("spec", ROUTERS)
def test_choice_and_gradients_are_those_of_pytorch(spec: dict[str, Any]) -> None:
    part = {"experts": [expert(biased=False) for _ in range(E)], "router": {"w": drawn(D, E), **spec}}
    trace = trained(decoder={"norm_order": "none", "layers": [{"feed_forward": {**part, "activation": "silu"}}]})
    given, at = leaves(trace), "decoder.1.feed_forward."
    x = given["token_embedding"]
    logits, kind = x @ given[f"{at}router.w"], spec.get("scores", "softmax")
    scores = {"softmax": logits.softmax(-1), "sigmoid": logits.sigmoid()}.get(kind, logits)
    groups, chosen = routed(scores, spec)
    same(trace[f"{at}router.group_scores"].array, groups.detach().numpy())
    same(trace[f"{at}router.chosen"].array, chosen.numpy())
    weights = scores * chosen
    if kind == "softmax_of_chosen":
        weights = logits.masked_fill(chosen == 0, -torch.inf).softmax(-1)
    elif spec.get("normalize", True):
        weights = weights / weights.sum(-1, keepdim=True)
    weights = weights * spec.get("scale", 1)
    y = sum(weights[:, e : e + 1] * network(given, x, f"{at}expert.{e + 1}.", "silu") for e in range(E))
    same(trace[f"{at}output"].array, y.detach().numpy())
    for tensor in given.values():
        tensor.grad = torch.zeros_like(tensor)
    same_gradients(trace, given, loss_of((x + y) @ given["output_head.w"]))


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"n_group": 2}, "n_group is given without a topk_group"),
        ({"topk_group": 2}, "topk_group is given without a n_group"),
        ({"n_group": 4, "topk_group": 1}, "n_group is 4, which 6 experts cannot be shared among evenly"),
        ({"n_group": 7, "topk_group": 1}, "n_group is 7, which 6 experts cannot be shared among evenly"),
        ({"n_group": 6, "topk_group": 1}, "n_group is 6, but there are 6 experts: a group has two at least"),
        ({"n_group": 2, "topk_group": 3}, "topk_group is 3, but there are 2 groups"),
        ({"n_group": 3, "topk_group": 1, "top_k": 3}, "top_k is 3, but the chosen groups have 2 experts"),
        ({"n_group": 0, "topk_group": 1}, "expected a whole number from 1 to 1000000, found the number 0"),
    ],
)
def test_groups_that_do_not_fit_are_refused(keys: dict[str, Any], said: str) -> None:
    part = {"experts": [expert() for _ in range(E)], "router": {"w": drawn(D, E), **keys}}
    message = refused(encoder={"layers": [{"feed_forward": part}]})
    assert said in message
    assert message.startswith("<text>:1:")
    assert message.count("<text>") == 1
