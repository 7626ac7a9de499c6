"""Every independent mistake of a model in PyTorch is listed once, with the other places where it was made."""

from __future__ import annotations

import json

import numpy as np
import pytest

import walkthrough as wt
from walkthrough.views import json as json_view
from walkthrough.views.report.comparison import report
from walkthrough.views.terminal import terminal

torch = pytest.importorskip("torch")

from tests.comparing.planted import modules  # noqa: E402
from tests.comparing.planted.modules import planted  # noqa: E402
from tests.comparing.test_planted import model_of  # noqa: E402

pytestmark = pytest.mark.torch


def compared(family: str, bugs: dict[type, str]) -> wt.Comparison:
    """A model with a mistake in each of some kinds of modules."""
    model, trace, ids = model_of(family, torch.float32)
    planted(model, "")
    for part in model.modules():
        if type(part) in bugs:
            part.bug = bugs[type(part)]
    with torch.no_grad(), wt.capture(model) as tensors:
        model(*ids)
    return wt.compare(trace, tensors)


def brief(found: wt.Comparison) -> list[tuple[str, str | None, tuple[str, ...]]]:
    return [(fault.value.path, fault.kind, fault.also) for fault in found.faults]


def test_two_mistakes_in_every_layer_are_two_faults() -> None:
    found = compared("llama", {modules.LlamaAttention: "not scaled", modules.LlamaMlp: "gate without activation"})
    weights = [f"decoder.{layer}.self_attention.head.{head}.weights" for layer in (1, 2) for head in (1, 2, 3, 4)]
    feed = [f"decoder.{layer}.feed_forward.output" for layer in (1, 2)]
    assert brief(found) == [
        (weights[0], "not_scaled", tuple(weights[1:])),
        (feed[0], "activation", tuple(feed[1:])),
    ]
    assert [fault.cause is not None and fault.cause.partition(" (")[0] for fault in found.faults] == [
        "not divided by √d_k",
        "the gate has no activation",
    ]
    assert not found.ok


def test_what_a_fault_should_be_follows_from_their_numbers() -> None:
    found = compared("llama", {modules.LlamaAttention: "not scaled", modules.LlamaMlp: "gate without activation"})
    fault = found.faults[1]
    assert fault.right != pytest.approx(float(fault.value.array[fault.step.row, fault.step.column]), rel=1e-3)
    document = json.loads(json_view.text([report(found)]))
    assert document["ok"] is False
    assert [one["kind"] for one in document["faults"]] == ["not_scaled", "activation"]
    assert document["faults"][1]["right"] == fault.right
    assert document["faults"][1]["found"] == fault.found
    assert document["faults"][0]["path"] == document["first"]
    text = terminal.text([report(found)], 80)
    assert "Another step that differs: decoder.1.feed_forward.output[" in text
    assert "the same in decoder.2.feed_forward.output" in text


def test_a_mistake_that_nobody_knows_is_one_fault_in_all_layers() -> None:
    found = compared("gpt2", {modules.Gpt2Mlp: "leaky relu"})
    assert brief(found) == [("decoder.1.feed_forward.output", None, ("decoder.2.feed_forward.output",))]


def test_parallel_parts_are_named_in_every_layer_alike() -> None:
    found = compared("llama", {modules.LlamaLayer: "parallel"})
    assert [(fault.value.path, len(fault.also)) for fault in found.faults] == [
        ("decoder.1.feed_forward.gate", 1),
        ("decoder.1.feed_forward.hidden", 1),
    ]
    assert {fault.kind for fault in found.faults} == {"exchanged"}


def test_a_norm_of_parallel_parts_is_named_in_later_layers_too() -> None:
    found = compared("llama", {modules.LlamaLayer: "parallel with its own norm"})
    assert [(fault.value.path, fault.cause) for fault in found.faults] == [
        ("decoder.1.norm_2.output", "computed from token_embedding instead of decoder.1.residual_1"),
        ("decoder.2.norm_2.output", "computed from decoder.1.residual_2 instead of decoder.2.residual_1"),
    ]


def test_a_model_that_is_right_has_no_fault() -> None:
    found = compared("llama", {})
    assert (found.faults, found.ok) == ((), True)


def test_one_step_given_wrongly_in_two_heads_is_one_fault() -> None:
    trace = wt.trace(wt.load_scenario("cooking-multihead"))
    steps = {value.path: value.array for value in trace if value.operation is not None}
    heads = [f"encoder.1.attention.head.{head}.query" for head in (1, 2)]
    wrong = {path: np.cos(1 + np.arange(float(steps[path].size))).reshape(steps[path].shape) for path in heads}
    found = wt.compare(trace, {**steps, **wrong})
    assert brief(found) == [(heads[0], None, (heads[1],))]


@pytest.mark.parametrize("base", [500000, 12345])
def test_another_base_in_torch_is_solved_for(base: int) -> None:
    """Of a module that rotates queries and keys itself: only its weights are seen."""
    bug = "rotary base" if base == 500000 else f"rotary base {base}"
    (fault,) = compared("llama", {modules.LlamaAttention: bug}).faults
    assert (fault.kind, len(fault.also)) == ("constant", 7)
    assert fault.constant == ("rotary.base", pytest.approx(base, rel=1e-3), 10000)


def test_the_search_for_causes_ends_and_what_was_not_tried_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("walkthrough.comparing.cause.SEARCHED", -1.0)
    found = compared("llama", {modules.LlamaAttention: "rotary base 12345"})
    assert found.first is not None
    assert found.cause is None
    assert found.not_tried[0] == found.first.value.path
    assert "not every mistake was tried for decoder.1.self_attention" in " ".join(str(found).split())
