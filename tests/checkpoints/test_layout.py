"""A family is one table: what its modules compute, which keys their parameters are, how they stand side by side."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt
from tests.checkpoints.stored_outputs import shapes
from tests.checkpoints.variants import BY_NAME, IDS, tensors_of, write_folder, write_weights
from walkthrough.checkpoints import CheckpointError, Prompt, compose
from walkthrough.checkpoints.families import FAMILIES
from walkthrough.checkpoints.families.llama import INSIDE
from walkthrough.checkpoints.layout import STACKED, Module
from walkthrough.checkpoints.paths import FUSED
from walkthrough.recording.values import Origin

FUSED_MODULE = Module(FUSED, (("q", "kv", "kv"), "d"), bias="qkv_bias")
APART = [f"self_attn.{letter}_proj" for letter in "qkv"]
VARIANT = BY_NAME["llama-biases"]  # four heads of queries, one of keys and values


@pytest.fixture
def fused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Llama with queries, keys and values in one matrix, as relatives of it have them."""
    others = {name: module for name, module in INSIDE.items() if name not in APART}
    inside = {**others, "self_attn.qkv_proj": FUSED_MODULE}
    monkeypatch.setitem(FAMILIES, "llama", FAMILIES["llama"].replace(inside=inside))


def joined(tensors: dict[str, np.ndarray], kind: str) -> dict[str, np.ndarray]:
    """The tensors with those of queries, keys and values of each layer one below the other."""
    before = "model.layers.{}.self_attn."
    for layer in range(2):
        parts = [tensors.pop(f"{before.format(layer)}{letter}_proj.{kind}") for letter in "qkv"]
        tensors[f"{before.format(layer)}qkv_proj.{kind}"] = np.concatenate(parts)
    return tensors


def traced(folder: Path) -> wt.Trace:
    composed = compose(folder, Prompt(ids=",".join(map(str, IDS))), called=".")
    (folder / "scenario.yaml").write_text(composed.text, encoding="utf-8")
    return wt.trace(wt.load_scenario(folder / "scenario.yaml"))


def test_unequal_parts_of_one_matrix_are_cut_by_named_sizes(
    tmp_path: Path, fused: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_folder(tmp_path / "fused", VARIANT, shapes()[VARIANT.name])
    tensors = tensors_of(VARIANT, shapes()[VARIANT.name])
    write_weights(tmp_path / "fused", joined(joined(tensors, "weight"), "bias"))
    found = traced(tmp_path / "fused")
    monkeypatch.undo()
    write_folder(tmp_path / "apart", VARIANT, shapes()[VARIANT.name])
    wanted = traced(tmp_path / "apart")
    np.testing.assert_array_equal(found["output_head.logits"].array, wanted["output_head.logits"].array)
    text = (tmp_path / "fused" / "scenario.yaml").read_text("utf-8")
    assert 'w_k: {tensor: "model.layers.{i}.self_attn.qkv_proj.weight", rows: [9, 10]}' in text
    assert 'b_v: {tensor: "model.layers.{i}.self_attn.qkv_proj.bias", columns: [11, 12]}' in text


def test_a_fused_matrix_of_another_size_is_refused_with_its_parts(tmp_path: Path, fused: None) -> None:
    write_folder(tmp_path, VARIANT, shapes()[VARIANT.name])
    tensors = joined(joined(tensors_of(VARIANT, shapes()[VARIANT.name]), "weight"), "bias")
    tensors["model.layers.1.self_attn.qkv_proj.bias"] = np.zeros(24, np.float32)
    write_weights(tmp_path, tensors)
    with pytest.raises(CheckpointError) as refused:
        compose(tmp_path, Prompt())
    expected = "num_attention_heads·head_dim + num_key_value_heads·head_dim + num_key_value_heads·head_dim"
    assert f"is 24, expected 12, {expected} of config.json" in str(refused.value)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_module_with_parameters_has_a_key_for_each_of_them(name: str) -> None:
    family = FAMILIES[name]
    tensors = [*family.outside, *family.in_layer, *family.of_head]
    keys = [(tensor.key, tensor.when) for tensor in tensors if STACKED not in tensor.when]
    assert len(set(keys)) == len(keys) > 10
    modules = {**family.modules, **family.inside}
    held = [tensor.module for tensor in tensors]
    assert all(module in held for module in modules.values() if isinstance(module, Module))
    named = [name for name, one in modules.items() if isinstance(one, str) or "" not in one.names[0]]
    assert {*named} <= {one.removeprefix(family.layer) for one in family.computed}


def test_the_origin_of_a_weight_is_the_tensor_of_its_own_layer(tmp_path: Path) -> None:
    variant = BY_NAME["llama-plain"]
    write_folder(tmp_path, variant, shapes()[variant.name])
    trace = traced(tmp_path)
    for layer in (1, 2):
        origin = trace[f"decoder.{layer}.self_attention.w_o"].source.origin
        name = f"./model.safetensors: model.layers.{layer - 1}.self_attn.o_proj.weight"
        assert origin == Origin("file", {"name": name})
