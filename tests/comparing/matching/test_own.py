"""Modules under names of their authors' own: the scenario's tensors say which step each of them is."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from walkthrough.comparison import Comparison

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

from tests.comparing.matching.own_modules import (  # noqa: E402
    CACHED,
    CONTINUED,
    IDS,
    LECTURE,
    SMALL,
    TRAINED,
    Cached,
    Lecture,
    Small,
    captured,
    drawn,
    saved,
)
from tests.comparing.test_libraries import layer_of  # noqa: E402

pytestmark = pytest.mark.torch

TARGETS = torch.tensor([1, 4, 1, 2])


def steps(found: Comparison) -> dict[str, str]:
    """The step that each of theirs is taken for."""
    return {one.theirs.name: one.value.path for one in found.steps}


def test_a_decoder_of_ones_own_is_compared_throughout(tmp_path: Path) -> None:
    model = drawn(Small())
    found = wt.compare(saved(model, SMALL, tmp_path), captured(model))
    assert found.summary == {"same": 37, "follows": 0, "differs": 0}, found
    attention, under = "decoder.2.self_attention", "stages.1"
    expected = {
        "words": "token_embedding",
        f"{under}.mix.into": f"{attention}.head.2.value",
        f"{under}.mix.raw": f"{attention}.head.2.scaled_scores",
        f"{under}.mix.softly": f"{attention}.head.2.weights",
        f"{under}.mix": f"{attention}.output",
        f"{under}.wide.up": "decoder.2.feed_forward.hidden",
        f"{under}.then": "decoder.2.norm_2.output",
        under: "decoder.2.residual_2",
        "end": "decoder.final_norm.output",
        "output": "output_head.probabilities",
    }
    assert {name: steps(found)[name] for name in expected} == expected
    why = {one.theirs: one.why for one in found.not_compared}
    said = "was called twice while the model ran once, so that a call is no one step"
    assert why == {
        name: f"{name} {said}" if "@" not in name else f"a further call of {name.removesuffix('@2')}"
        for name in ("stages.0.act", "stages.0.act@2", "stages.0.mix.drop", "stages.0.mix.drop@2")
    }


def test_heads_that_are_modules(tmp_path: Path) -> None:
    model = drawn(Lecture())
    found = wt.compare(saved(model, LECTURE, tmp_path, "lecture"), captured(model))
    assert found.summary == {"same": 18, "follows": 0, "differs": 0}, found
    head = "decoder.1.self_attention.head.2"
    expected = {"heads.1": f"{head}.output", "heads.1.key": f"{head}.key", "heads.1.dropout": f"{head}.weights"}
    expected |= {"net.1": "decoder.1.feed_forward.activation", "net": "decoder.1.feed_forward.output"}
    assert {name: steps(found)[name] for name in expected} == expected


def test_layers_of_torch_under_another_name(tmp_path: Path) -> None:
    layers = (nn.TransformerEncoderLayer(8, 2, 12, batch_first=True) for _ in range(2))
    parts = {"lookup": nn.Embedding(7, 8), "body": nn.Sequential(*layers), "head": nn.Linear(8, 7, bias=False)}
    model = drawn(nn.Sequential(OrderedDict(parts))).eval()
    text = (
        "title: t\nmatrix_convention: column\nweights_file: layers.npz\ntokens: [d, b, e, b]\n"
        "vocabulary: [a, b, c, d, e, f, g]\nembeddings: {tensor: lookup.weight}\n"
        f"encoder: {{layers: {{repeat: 2, layer: {layer_of('body.{i}.', 'attention', ('self', 'feed'))}}}}}\n"
        "output_head: {w: {tensor: head.weight}}\n"
    )
    found = wt.compare(saved(model, text, tmp_path, "layers"), captured(model))
    assert found.first is None, found
    taken = steps(found)
    assert taken["body.1.self_attn"] == "encoder.2.attention.output"
    assert taken["body.1"] == "encoder.2.norm_2.output"
    assert taken["head"] == taken["output"] == "output_head.logits"


MISTAKES = {
    "not scaled": ("decoder.1.self_attention.head.1.scaled_scores", "not divided by √d_k"),
    "divided by √d_model": ("decoder.1.self_attention.head.1.scaled_scores", "divided by √6"),
    "joined without transpose": ("decoder.1.self_attention.output", "heads are joined without moving their axis back"),
    "no residual": ("decoder.1.norm_2.output", "these are the numbers of decoder.1.self_attention.output"),
    "layers reversed": ("decoder.1.norm_1.output", "the layers run in reverse order"),
}
"""Where each is found when all modules but `raw`, which is there for scores, were captured; and why."""


@pytest.mark.parametrize("bug", MISTAKES)
def test_mistakes_are_found_and_named(bug: str, tmp_path: Path) -> None:
    model = drawn(Small(bug))
    tensors = {name: one for name, one in captured(model).items() if bug in BEHIND_RAW or ".raw" not in name}
    found = wt.compare(saved(model, SMALL, tmp_path), tensors)
    path, cause = MISTAKES[bug]
    assert found.first is not None
    wanted = path if bug in BEHIND_RAW or "scaled_scores" not in path else path.replace("scaled_scores", "weights")
    assert (found.first.value.path, cause in (found.cause or "")) == (wanted, True), found


BEHIND_RAW = ("divided by √d_model",)
"""Mistakes that are looked for with the scores captured too."""


@pytest.mark.parametrize(
    ("output", "path"), [("log_softmax", "probabilities"), ("softmax", "probabilities"), ("", "logits")]
)
def test_what_the_model_returns_may_be_logits_probabilities_or_their_logarithm(
    output: str, path: str, tmp_path: Path
) -> None:
    model = drawn(Small(output=output))
    file = saved(model, SMALL, tmp_path)
    theirs = captured(model)["output"]
    (step,) = wt.compare(file, {"output": theirs}).steps
    assert (step.value.path, step.outcome) == (f"output_head.{path}", "same")
    assert ("logarithm" in step.theirs.words) == (output == "log_softmax")


@pytest.mark.usefixtures("no_causes")
def test_the_logarithm_of_an_unlikely_word_counts_as_much_as_that_of_a_likely_one(tmp_path: Path) -> None:
    model = drawn(Small())
    wrong = captured(model)["output"]
    least = int(wrong[0, 1].argmin())
    assert wrong[0, 1, least] < -5
    wrong[0, 1, least] -= 1e-4  # among shares that add up to 1 it is less than 1e-6
    first = wt.compare(saved(model, SMALL, tmp_path), {"output": wrong}).first
    assert first is not None
    assert (first.value.path, first.row, first.column) == ("output_head.probabilities", 1, least)
    assert first.found == wrong[0, 1, least]


@pytest.mark.usefixtures("no_causes")
def test_call_k_is_pass_k_of_a_generation(tmp_path: Path) -> None:
    model = drawn(Small())
    path = saved(model, SMALL + CONTINUED, tmp_path)
    with torch.no_grad(), wt.capture(model) as tensors:
        ids = list(IDS)
        for _ in range(3):
            ids.append(int(model(torch.tensor([ids]))[0, -1].argmax()))
    found = wt.compare(path, tensors)
    assert found.summary == {"same": 111, "follows": 0, "differs": 0}, found
    assert steps(found)["stages.0.mix@3"] == "generate.3.decoder.1.self_attention.output"
    tensors["stages.1.then@2"] += 0.5
    first = wt.compare(path, tensors).first
    assert first is not None
    assert first.value.path == "generate.2.decoder.2.norm_2.output"


@pytest.mark.usefixtures("no_causes")
def test_a_model_that_keeps_keys_and_values_is_compared_row_by_row(tmp_path: Path) -> None:
    model = drawn(Cached())
    path = saved(model, CACHED, tmp_path, "cached")
    with torch.no_grad(), wt.capture(model) as tensors:
        logits, past = model(torch.tensor([IDS]))
        for _ in range(2):
            logits, past = model(logits[:, -1:].argmax(-1), past)
    found = wt.compare(path, tensors)
    assert found.ok, found
    attention = "decoder.1.self_attention"
    expected = {
        "at.1@3": f"generate.3.{attention}.head.2.weights",
        "at.2.1@2": f"generate.2.{attention}.head.2.value_cache",
    }
    expected |= {"at@2": f"generate.2.{attention}.output", "read@3": "generate.3.output_head.logits"}
    assert {name: steps(found)[name] for name in expected} == expected
    tensors["at.1@2"][0, 1, 0, 2] += 0.25
    first = wt.compare(path, tensors).first
    assert first is not None
    assert first.value.path == f"generate.2.{attention}.head.2.weights"


@pytest.mark.parametrize("wrapper", ["_orig_mod.", "module."])
def test_what_wraps_a_model_is_no_part_of_its_names(wrapper: str, tmp_path: Path) -> None:
    model = drawn(Lecture())
    tensors = {f"{wrapper}{name}": one for name, one in captured(model).items() if name != "output"}
    found = wt.compare(saved(model, LECTURE, tmp_path, "lecture"), tensors)
    assert found.summary == {"same": 17, "follows": 0, "differs": 0}, found


def train(model: nn.Module, steps: int, **loss: Any) -> dict[str, Any]:
    """Captures a training by gradient descent, and the model once more after it."""
    model.place.requires_grad_(False)  # the scenario's table of positions is no parameter
    descent = torch.optim.SGD(model.parameters(), 0.1)
    with wt.capture(model, gradients=True) as tensors:
        for _ in range(steps):
            descent.zero_grad()
            functional.cross_entropy(model(torch.tensor([IDS]))[0], TARGETS, **loss).backward()
            descent.step()
        model(torch.tensor([IDS]))
    return tensors


@pytest.mark.usefixtures("no_causes")
def test_gradients_of_what_modules_return_and_of_parameters(tmp_path: Path) -> None:
    model = drawn(Small(output="logits"))
    path = saved(model, SMALL + TRAINED, tmp_path)
    tensors = train(model, 2)
    found = wt.compare(path, tensors)
    assert found.first is None, found
    attention = "gradient.decoder.1.self_attention"
    expected = {
        "stages.0.mix.raw.grad": f"train.1.{attention}.head.2.scaled_scores",
        "stages.0.mix.softly.grad@2": f"train.2.{attention}.head.2.weights",
        "stages.0.mix.into.weight.grad@2": f"train.2.{attention}.head.2.w_v",
        "words.weight.grad@2": "train.2.gradient.embeddings",
        "end.bias.grad@2": "train.2.gradient.decoder.final_norm.beta",
        "stages.1@3": "trained.decoder.2.residual_2",
    }
    taken = steps(found)
    assert {name: taken[name] for name in expected} == expected
    why = {
        one.why
        for one in wt.compare(saved(drawn(Small()), SMALL, tmp_path), tensors).not_compared
        if ".grad" in one.theirs
    }
    assert "it is a gradient, and the scenario has no training" in why


@pytest.mark.usefixtures("no_causes")
def test_a_gradient_that_is_wrong_is_found_where_it_is(tmp_path: Path) -> None:
    model = drawn(Small(output="logits"))
    path = saved(model, SMALL + TRAINED.replace("steps: 2", "steps: 1"), tmp_path)
    tensors = train(model, 1)
    tensors["stages.1.mix.back.weight.grad"] = tensors["stages.1.mix.back.weight.grad"].T.copy()
    first = wt.compare(path, tensors).first
    assert first is not None
    assert first.value.path == "gradient.decoder.2.self_attention.w_o"


def test_modules_of_several_parts_and_of_none_are_not_compared(tmp_path: Path) -> None:
    model = drawn(Lecture())
    path = saved(model, LECTURE, tmp_path, "lecture")
    x = np.ones((4, 6))
    found = wt.compare(path, {"table": captured(model)["table"], "net.9": x, "heads": x, "table.weight": x, "a.b": x})
    assert {one.theirs: one.why for one in found.not_compared} == {
        "net.9": "the scenario names no tensor of it, "
        "and its place in decoder.1.feed_forward does not say which step it is",
        "heads": "no step is called 'heads'; did you mean 'head'?",
        "table.weight": "the scenario does not find the 7×6 of embeddings in it",
        "a.b": "the scenario names no tensor of it",
    }


@pytest.mark.usefixtures("no_causes")
def test_what_hands_on_the_output_of_a_module_in_it_is_that_step_also_where_it_is_wrong(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    np.savez(
        tmp_path / "own.npz", **{f"mix.{name}.weight": rng.normal(0, 0.1, (2, 2)) for name in ("q", "k", "v", "o")}
    )
    keys = ", ".join(f"w_{name}: {{tensor: mix.{name}.weight}}" for name in ("q", "k", "v", "o"))
    (tmp_path / "own.yaml").write_text(
        "title: t\nweights_file: own.npz\ntokens: [a, b, c]\nembeddings: {a: [3, 4], b: [5, -4], c: [-6, 7]}\n"
        f"decoder: {{norm_order: none, layers: [{{self_attention: {{num_heads: 1, {keys}}}}}]}}\n"
    )
    right = wt.trace(wt.load_scenario(tmp_path / "own.yaml"))
    wrong = right["decoder.1.residual_1"].array + 0.5  # nearer to the residual than to what it is
    found = wt.compare(right, {"mix.o": wrong, "mix": wrong})
    assert [fault.value.path for fault in found.faults] == ["decoder.1.self_attention.output"]
    assert {one.value.path for one in found.steps} == {"decoder.1.self_attention.output"}


@pytest.mark.usefixtures("no_causes")
@pytest.mark.parametrize("near", ["residual_1", "norm_2.output", "feed_forward.output", "final_norm.output"])
def test_a_layer_whose_linear_modules_stand_side_by_side_is_none_of_its_parts(near: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    names = {"w_q": "q", "w_k": "k", "w_v": "v", "w_o": "o", "w_1": "up", "w_2": "down"}
    tensors = {f"one.{name}.weight": rng.normal(0, 1, (2, 2)) for name in names.values()}
    np.savez(tmp_path / "own.npz", **tensors, **{f"{name}.weight": np.array([1, 2]) for name in ("one.then", "end")})
    keys = [f"{key}: {{tensor: one.{name}.weight}}" for key, name in names.items()]
    (tmp_path / "own.yaml").write_text(
        "title: t\nweights_file: own.npz\ntokens: [a, b, c]\nembeddings: {a: [3, 4], b: [5, -4], c: [-6, 7]}\n"
        f"decoder: {{norm_order: pre, layers: [{{self_attention: {{num_heads: 1, {', '.join(keys[:4])}}}, "
        f"norm_2: {{gamma: {{tensor: one.then.weight}}}}, feed_forward: {{{', '.join(keys[4:])}}}}}], "
        "final_norm: {gamma: {tensor: end.weight}}}\n"
    )
    right = wt.trace(wt.load_scenario(tmp_path / "own.yaml"))
    wrong = right.only(f"decoder.{near}" if near.startswith("final") else f"decoder.1.{near}").array + 0.1
    found = wt.compare(right, {"one": wrong, "end": right["decoder.final_norm.output"].array})
    assert found.first is not None
    assert (found.first.theirs.name, found.first.value.path) == ("one", "decoder.1.residual_2")
