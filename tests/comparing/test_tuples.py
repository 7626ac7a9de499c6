"""Modules that return several tensors: the one that agrees is the output, and no other stands in its place."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import walkthrough as wt
from walkthrough.comparing.matching.passes import beside_what

torch = pytest.importorskip("torch")

from torch import Tensor, nn  # noqa: E402

from tests.comparing.matching.own_modules import SMALL, WORDS, Small, captured, drawn, saved  # noqa: E402
from tests.comparing.planted.scenarios import made  # noqa: E402

pytestmark = pytest.mark.torch

D, HEADS = 6, 2
HALVED = "scale ≈ 2 instead of 1 (encoder.1.attention.head.1.scores and others)"


class Distances(nn.Module):
    """Attention whose scores know distances; it returns the table's numbers beside its output, as T5's does."""

    def __init__(self) -> None:
        super().__init__()
        self.ask, self.keep, self.give, self.back = (nn.Linear(D, D, bias=False) for _ in range(4))
        self.far, self.order, self.factor = nn.Embedding(16, HEADS), "first", 1.0

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        b, n, _ = x.shape
        q, k, v = (one(x).view(b, n, HEADS, -1).transpose(1, 2) for one in (self.ask, self.keep, self.give))
        at = torch.arange(n)
        after = at[None] - at[:, None]
        bias = self.far(torch.where(after > 0, after + 8, -after)).permute(2, 0, 1)[None]  # near: a bucket each
        weights = (q @ k.transpose(-1, -2) * self.factor + bias).softmax(-1)
        out = self.back((weights @ v).transpose(1, 2).reshape(b, n, D))
        return {
            "first": (out, bias),
            "last": (bias.permute(0, 2, 3, 1), out),
            "again": (out * 2, out),
            "near": (out, out * 1.3),
        }[self.order]


class Near(nn.Module):
    """One layer of such attention."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.look, self.read = nn.Embedding(WORDS, D), Distances(), nn.Linear(D, WORDS, bias=False)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.table(ids)
        parts = self.look(x) if self.look.order == "near" else reversed(self.look(x))
        return self.read(x + next(one for one in parts if one.shape == x.shape))


NEAR = f"""
title: Scores that know distances
matrix_convention: column
weights_file: near.npz
tokens: [d, b, e, b]
vocabulary: [a, b, c, d, e, f, g]
embeddings: {{tensor: table.weight}}
encoder:
  norm_order: none
  relative_bias: {{buckets: 16, max_distance: 32, table: {{tensor: look.far.weight}}}}
  layers:
    - attention:
        num_heads: {HEADS}
        scale: none
        w_q: {{tensor: look.ask.weight}}
        w_k: {{tensor: look.keep.weight}}
        w_v: {{tensor: look.give.weight}}
        w_o: {{tensor: look.back.weight}}
output_head: {{w: {{tensor: read.weight}}}}
"""


@pytest.mark.parametrize("order", ["first", "last", "again"])
def test_the_part_of_a_tuple_that_agrees_is_the_output(order: str, tmp_path: Path) -> None:
    model = drawn(Near())
    path = saved(model, NEAR, tmp_path, "near")
    model.look.order = order
    tensors = captured(model)
    found = wt.assert_same(path, tensors)
    output = "look" if order == "first" else "look.1"
    assert [one.theirs.name for one in found.steps if one.value.path.endswith("attention.output")] == [
        "look.back",
        output,
    ]
    assert {one.theirs for one in found.not_compared} == {"look", "look.1"} - {output}
    if order == "again":
        return  # a fault before it is one more difference of the first part
    model.look.factor = 0.5
    first = wt.compare(path, captured(model)).first
    assert first is not None
    assert (first.value.path, first.cause) == ("encoder.1.attention.output", HALVED), first


@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
def test_what_is_no_step_and_near_one_is_not_judged(kind: str, tmp_path: Path) -> None:
    """In few bits a third more than the output agrees with it at first sight."""
    model = drawn(Near()).to(getattr(torch, kind))
    path = saved(model.float(), NEAR, tmp_path, "near")
    model.look.order = "near"
    found = wt.assert_same(path, captured(model.to(getattr(torch, kind))))
    assert ("look.1", "it came beside what a module returns first, and agrees with no step") in {
        (one.theirs, one.why) for one in found.not_compared
    }


@dataclass
class Returned:
    """What a model may return that is no tuple and no dict."""

    logits: Tensor


class Further(nn.Module):
    """With a second head, and a projection as wide as the model."""

    def __init__(self, model: nn.Module, table: str, returned: str) -> None:
        super().__init__()
        self.whole, self.table, self.returned = model, table, returned
        self.guess, self.turn = nn.Linear(D, WORDS), nn.Linear(D, D)

    def forward(self, ids: Tensor) -> Any:
        logits = self.whole(ids)
        state = logits @ self.get_submodule(self.table).weight
        guess, turned = self.guess(state), self.turn(state)
        return {
            "logits": logits,
            "both": (logits, guess),
            "named": {"guess": guess, "logits": logits},
            "turned": turned,
            "squashed": logits.sin(),
            "behind a loss": (logits.sum(), logits.sin()),
            "right behind a loss": (logits.sum(), logits, guess),
            "under another name": {"prediction": logits.sin()},
            "as a field": Returned(logits.sin()),
        }[self.returned]


def of_further(model: nn.Module, text: str, name: str, returned: str, folder: Path) -> wt.Comparison:
    """The model beside its scenario, whose tensors have the names of the whole."""
    model = drawn(Further(model, "whole.words" if name == "small" else "whole.table", returned))
    return wt.compare(saved(model, re.sub("tensor: '?", r"\g<0>whole.", text), folder, name), captured(model))


MODELS = [(lambda: Small(output="logits"), SMALL, "small"), (Near, NEAR, "near")]


@pytest.mark.parametrize("returned", ["logits", "both", "named", "right behind a loss"])
@pytest.mark.parametrize(("model", "text", "name"), MODELS, ids=["decoder", "encoder"])
def test_a_further_head_of_the_same_shape_is_not_judged(
    model: Callable[[], nn.Module], text: str, name: str, returned: str, tmp_path: Path
) -> None:
    found = of_further(model(), text, name, returned, tmp_path)
    assert found.ok, found
    assert ("guess", "it has the shape of what the model puts out, which another one is: it is not judged") in {
        (one.theirs, one.why) for one in found.not_compared
    }


@pytest.mark.parametrize("returned", ["squashed", "behind a loss", "under another name", "as a field"])
@pytest.mark.parametrize(("model", "text", "name"), MODELS, ids=["decoder", "encoder"])
def test_what_the_model_returns_in_place_of_its_logits_is_judged(
    model: Callable[[], nn.Module], text: str, name: str, returned: str, tmp_path: Path
) -> None:
    first = of_further(model(), text, name, returned, tmp_path).first
    assert first is not None
    assert first.value.path == "output_head.logits"


@pytest.mark.parametrize("returned", ["logits", "both", "named"])
@pytest.mark.parametrize(("key", "cause"), [("logit_cap", "the cap of 2"), ("temperature", "the division by 2")])
def test_a_model_that_returns_the_logits_before_the_last_step_is_wrong(
    key: str, cause: str, returned: str, tmp_path: Path
) -> None:
    """They agree with a step, which is not what the model puts out."""
    text = SMALL.replace("{tied: true}", f"{{tied: true, {key}: 2}}")
    found = of_further(Small(output="logits"), text, "small", returned, tmp_path)
    assert (found.ok, (found.cause or "").startswith(cause)) == (False, True), found


class Own(Small):
    """It returns its logits under a name of its own."""

    def forward(self, ids: Tensor) -> dict[str, Tensor]:
        return {"prediction": super().forward(ids)}


@pytest.mark.parametrize(("key", "path"), [("logit_cap", "capped_logits"), ("temperature", "scaled_logits")])
def test_logits_before_the_last_step_are_not_the_output_of_the_model(key: str, path: str, tmp_path: Path) -> None:
    model = drawn(Own(output="logits"))
    text = SMALL.replace("{tied: true}", f"{{tied: true, {key}: 2}}")
    found = wt.compare(saved(model, text, tmp_path), captured(model))
    assert (found.ok, found.missing) == (False, (f"output_head.{path}",)), found


def test_without_an_output_head_the_model_may_return_one_as_wide_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    headless = SMALL.partition("output_head")[0]
    found = of_further(Small(output="logits"), headless, "small", "turned", tmp_path)
    assert found.ok, found
    assert "turn" in {one.theirs for one in found.not_compared}
    assert not of_further(Small("layers reversed", "logits"), headless, "small", "turned", tmp_path).ok
    monkeypatch.setattr("walkthrough.comparing.cause.SEARCHED", -1.0)  # it may be a mistake that was not tried
    assert not of_further(Small(output="logits"), headless, "small", "turned", tmp_path).ok


def test_what_stands_beside_an_output_is_told_from_the_modules_of_a_sequence() -> None:
    names = {"a", "a.1", "a.2.0", "b", "b.0", "b.1", "c.1", "a@2", "a.1@2", "a.grad", "a.1.grad"}
    beside = {name: first for name in names if (first := beside_what(name, names))}
    assert beside == {"a.1": "a", "a.2.0": "a", "a.1@2": "a@2", "a.1.grad": "a.grad"}


@pytest.mark.parametrize("name", ["t5-plain", "t5-gated"])
def test_an_encoder_and_decoder_of_transformers_is_the_same_throughout(name: str, tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from tests.checkpoints import theirs
    from tests.checkpoints.stored_outputs import shapes
    from tests.checkpoints.variants import BY_NAME, write_folder
    from tests.checkpoints.variants import IDS as READ
    from walkthrough.checkpoints import Prompt, compose

    variant = BY_NAME[name]
    tensors = write_folder(tmp_path, variant, shapes()[name])
    path = tmp_path / "scenario.yaml"
    path.write_text(compose(tmp_path, Prompt(ids=",".join(map(str, READ)))).text, encoding="utf-8")
    with theirs.in_float64(), torch.no_grad():
        model = theirs.loaded(variant, tensors)

        def run() -> dict[str, Any]:
            with wt.capture(model) as seen:
                model(**theirs.asked(variant.config), output_attentions=True)
            return seen

        found = wt.assert_same(path, run())
        compared = {one.theirs.name for one in found.steps}
        attention = "block.0.layer.0.SelfAttention"
        expected = {f"{stack}.{attention}.relative_attention_bias" for stack in ("encoder", "decoder")}
        assert expected | {"decoder.embed_tokens"} <= compared
        model.encoder.block[0].layer[0].layer_norm.variance_epsilon = 0.5
        planted = wt.compare(path, run()).first
    assert planted is not None
    assert planted.value.path == "encoder.1.norm_1.output"
    assert "epsilon ≈ 0.5" in (planted.cause or "")


def test_a_part_that_returns_its_sum_with_the_residual_is_that_sum(tmp_path: Path) -> None:
    """As BLOOM's feed-forward part, whose name another family's has too."""
    model, path, ids = made("gpt2", tmp_path)
    with torch.no_grad(), wt.capture(model) as tensors:
        model(*ids)
    trace = wt.trace(wt.load_scenario(path))
    tensors["transformer.h.0.mlp"] = tensors["transformer.h.0.mlp"] + trace["decoder.1.residual_1"].array
    found = wt.assert_same(path, tensors)
    assert [one.value.path for one in found.steps if one.theirs.name == "transformer.h.0.mlp"] == [
        "decoder.1.residual_2"
    ]
