"""`new --from` against the transformers library itself, in float64; run where that and PyTorch are installed."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.checkpoints.stored_outputs import assert_same, outputs, shapes
from tests.checkpoints.variants import BY_NAME, IDS, VARIANTS, Variant, tensors_of, write_folder, write_weights
from tests.examples import some
from walkthrough.checkpoints import Prompt, compose
from walkthrough.checkpoints.families import FAMILIES
from walkthrough.checkpoints.settings import COMMON, HARMLESS, Only

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tests.checkpoints import theirs  # noqa: E402  # it needs both


def traced(folder: Path, prompt: Prompt | None = None) -> wt.Trace:
    composed = compose(folder, prompt or Prompt(ids=",".join(map(str, IDS))))
    path = folder / "scenario.yaml"
    path.write_text(composed.text.replace(f"{folder}/", ""), encoding="utf-8")
    return wt.trace(wt.load_scenario(path))


@pytest.mark.parametrize("variant", VARIANTS, ids=[variant.name for variant in VARIANTS])
def test_what_is_stored_is_what_the_library_computes(variant: Variant) -> None:
    assert theirs.shapes_of(variant) == shapes()[variant.name]
    found = theirs.outputs_of(variant, tensors_of(variant, shapes()[variant.name]))
    stored = outputs()[variant.name]
    assert found.keys() == stored.keys()
    for key, array in found.items():
        np.testing.assert_allclose(array, stored[key], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("variant", VARIANTS, ids=[variant.name for variant in VARIANTS])
def test_the_folder_as_the_library_reads_it(variant: Variant, tmp_path: Path) -> None:
    """config.json and weights through from_pretrained: old keys, several files, every type."""
    write_folder(tmp_path, variant, shapes()[variant.name])
    hidden, logits = theirs.logits_or_hidden(tmp_path, variant.saved_by)
    trace = traced(tmp_path)
    last = "encoder.output" if "encoder.output" in trace else "decoder.output"
    np.testing.assert_allclose(trace[last].array, hidden, rtol=1e-10, atol=1e-10)
    if logits is not None and last == "decoder.output":
        np.testing.assert_allclose(trace["output_head.logits"].array, logits, rtol=1e-10, atol=1e-10)


def drawn(family: str, seed: int) -> Variant:
    """A checkpoint with settings at random."""
    draw = random.Random(f"{family} {seed}")
    heads, size = draw.choice([(1, 4), (2, 4), (4, 2), (6, 2)])
    width, layers = heads * size, draw.randint(1, 3)
    config: dict[str, Any] = {"model_type": family, "vocab_size": draw.randint(11, 14)}
    epsilon, tied = draw.choice([1e-12, 1e-6, 1e-5, 1e-2, 1.0]), draw.random() < 0.5
    activation = draw.choice(["gelu", "gelu_new", "relu", "silu", "swish", "gelu_pytorch_tanh", "linear", "sigmoid"])
    if family == "gpt2":
        config |= {"n_embd": width, "n_layer": layers, "n_head": heads, "n_positions": draw.randint(6, 9)}
        config |= {"n_inner": draw.choice([None, 5]), "layer_norm_epsilon": epsilon, "activation_function": activation}
        flags = ("scale_attn_weights", "scale_attn_by_inverse_layer_idx")
        config |= {flag: draw.random() < 0.5 for flag in flags} | {"tie_word_embeddings": tied}
        return Variant(
            f"gpt2-{seed}", draw.choice(["GPT2Model", "GPT2LMHeadModel"]), config, draw.choice(["F16", "F32"])
        )
    config |= {"hidden_size": width, "intermediate_size": draw.randint(3, 9), "num_hidden_layers": layers}
    config |= {"num_attention_heads": heads, "hidden_act": activation, "max_position_embeddings": draw.randint(6, 40)}
    if family == "bert":
        config |= {"type_vocab_size": draw.randint(1, 4), "layer_norm_eps": epsilon}
        return Variant(f"bert-{seed}", draw.choice(["BertModel", "BertForMaskedLM"]), config)
    config |= {"rms_norm_eps": epsilon, "tie_word_embeddings": tied, "rope_theta": draw.choice([5.0, 1e4, 1e6])}
    config["num_key_value_heads"] = draw.choice([one for one in range(1, heads + 1) if heads % one == 0])
    if draw.random() < 0.5:
        config["head_dim"] = draw.choice([2, 4, 6])
    elif family == "qwen3":
        config["head_dim"] = size
    if draw.random() < 0.3:
        config["rope_scaling"] = {"rope_type": "linear", "factor": draw.choice([2.0, 3.5])}
    if family == "llama":
        config |= {"attention_bias": draw.random() < 0.5, "mlp_bias": draw.random() < 0.5}
    if family == "qwen3":
        config["attention_bias"] = draw.random() < 0.5
    if family == "mistral":
        config["sliding_window"] = draw.choice([None, 1, 2, 4, 9])
    if family.startswith("qwen"):
        config |= {"use_sliding_window": draw.random() < 0.7, "sliding_window": draw.choice([None, 1, 2, 4])}
        config["max_window_layers"] = draw.randint(0, 3)
    named = {"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2", "qwen3": "Qwen3"}[family]
    kind = draw.choice(["F32", "F16", "BF16", "F64"])
    return Variant(
        f"{family}-{seed}", f"{named}{draw.choice(['Model', 'ForCausalLM'])}", config, kind, draw.choice([1, 2])
    )


@pytest.mark.parametrize("seed", range(some(3, 8)))
@pytest.mark.parametrize("family", FAMILIES)
def test_settings_at_random(family: str, seed: int, tmp_path: Path) -> None:
    variant = drawn(family, seed)
    tensors = write_folder(tmp_path, variant, theirs.shapes_of(variant))
    assert_same(traced(tmp_path), theirs.outputs_of(variant, tensors))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_setting_of_the_library_is_decided(family: str) -> None:
    """Each key of its configuration class is supported, harmless or refused, with the library's own default."""
    kind = transformers.AutoConfig.for_model(family).__class__
    table, aliases = FAMILIES[family].settings, FAMILIES[family].aliases
    fields = {field.name: field.default for field in dataclasses.fields(kind)}
    assert [name for name in fields if name not in table and name not in COMMON and name not in aliases] == []
    for name, default in fields.items():
        setting = table.get(name, COMMON.get(name))
        if setting is not HARMLESS and not isinstance(setting, Only) and name not in aliases:
            assert setting is not None
            assert setting.default == default, name


@pytest.mark.parametrize("is_same", [True, False])
def test_a_head_that_is_tied_and_stored(is_same: bool, tmp_path: Path) -> None:
    """Where both are stored the library ties them only if they are equal; so do we, and say so."""
    variant = BY_NAME["llama-biases"]
    own = {**shapes()[variant.name], "lm_head.weight": [11, 8]}
    tensors = write_folder(tmp_path, variant, own)
    if is_same:
        tensors["lm_head.weight"] = tensors["model.embed_tokens.weight"]
        write_weights(tmp_path, tensors)
    _, logits = theirs.logits_or_hidden(tmp_path, variant.saved_by)
    assert logits is not None
    trace = traced(tmp_path)
    np.testing.assert_allclose(trace["output_head.logits"].array, logits, rtol=1e-10, atol=1e-10)
    assert ("output_head.w" in trace) is not is_same
    notes = compose(tmp_path, Prompt()).notes
    assert any("holds other numbers" in note for note in notes) is not is_same
