"""The loss that keeps experts evenly used: transformers' number, PyTorch's gradients, padding, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.transformer.model.test_experts import D_FF, E, expert, network, routed, router
from tests.transformer.model.test_modern import refused
from tests.transformer.model.torched import TARGETS, WORDS, D, drawn, leaves, loss_of, same_gradients, torch, trained

WEIGHT = 0.3


def layers(*keys: dict[str, Any]) -> list[Any]:
    return [{"feed_forward": {"experts": [expert() for _ in range(E)], "router": router(**one)}} for one in keys]


def test_number_and_gradients_are_those_of_transformers_and_pytorch() -> None:
    mixtral = pytest.importorskip("transformers.models.mixtral.modeling_mixtral")
    keys = [{"top_k": 2}, {"top_k": 2}]
    training = {"targets": [WORDS[at] for at in TARGETS], "balance": WEIGHT}
    head = {"w": (np.array(drawn(D, 4)) / 500).tolist(), "vocabulary": WORDS}  # the numbers are large after two layers
    trace = trained(decoder={"norm_order": "none", "layers": layers(*keys)}, training=training, output_head=head)
    given = leaves(trace)
    x, logits = given["token_embedding"], []
    for number, spec in enumerate(keys, 1):
        at = f"decoder.{number}.feed_forward."
        logits.append(x @ given[f"{at}router.w"])
        _, weights = routed(given, x, f"{at}router.", spec)
        x = x + sum(weights[:, e : e + 1] * network(given, x, f"{at}expert.{e + 1}.", "relu") for e in range(E))
    balance = mixtral.load_balancing_loss_func(tuple(logits), E, 2)
    assert trace["loss.balance"].array[0, 0] == pytest.approx(balance.item(), rel=1e-6)  # theirs is float32 inside
    probability = torch.cat(logits).softmax(-1).mean(0)
    share = torch.tensor(trace["loss.balance.share"].array[0])
    np.testing.assert_allclose(trace["loss.balance.probability"].array[0], probability.detach().numpy(), rtol=1e-12)
    for tensor in given.values():
        tensor.grad = torch.zeros_like(tensor)
    objective = loss_of(x @ given["output_head.w"]) + WEIGHT * E * (share * probability).sum()
    same_gradients(trace, given, objective)


def test_shares_are_counted_over_rows_and_layers_and_padding_is_left_out() -> None:
    training = {"targets": [WORDS[1], None, WORDS[0], None], "balance": WEIGHT}
    tokens = ["a", "b", "c", "<pad>"]
    decoder = {"norm_order": "none", "layers": layers({"top_k": 1}, {"top_k": 3})}
    trace = trained(tokens=tokens, decoder=decoder, training=training)
    chosen = [trace[f"decoder.{layer}.feed_forward.router.chosen"].array[:3] for layer in (1, 2)]
    np.testing.assert_allclose(trace["loss.balance.share"].array[0], np.vstack(chosen).mean(axis=0))
    assert trace["loss.balance.share"].array.sum() == pytest.approx(2)  # the mean of 1 and 3: not divided by top_k


def test_every_step_has_its_own() -> None:
    training = {"targets": [WORDS[at] for at in TARGETS], "balance": WEIGHT, "steps": 2}
    trace = trained(decoder={"norm_order": "none", "layers": layers({})}, training=training)
    first, second = (trace[f"train.{number}.loss.objective"].array[0, 0] for number in (1, 2))
    assert first != second


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (layers({"scores": "sigmoid"}), "balance needs scores: softmax"),
        (layers({"scores": "softmax_of_chosen"}), "balance needs scores: softmax"),
        ([{"feed_forward": {"w_1": drawn(D, D_FF), "w_2": drawn(D_FF, D)}}], "balance is given without experts"),
        (
            [*layers({}), {"feed_forward": {"experts": [expert(), expert()], "router": {"w": drawn(D, 2)}}}],
            "balance needs as many experts in every layer",
        ),
    ],
)
def test_what_is_refused(parts: list[Any], said: str) -> None:
    head = {"w": drawn(D, 4), "vocabulary": WORDS}
    training = {"targets": WORDS, "balance": WEIGHT}
    assert said in refused(decoder={"layers": parts}, output_head=head, training=training)
