"""Tiny random checkpoints of every family: their config.json as it is found, and how their folder is written."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

IDS = (5, 2, 7, 2, 0, 10)
WORDS, WIDTH, HEADS = 11, 8, 4
TYPES = {"F64": np.float64, "F32": np.float32, "F16": np.float16, "BF16": ml_dtypes.bfloat16}

_SIZES = {"vocab_size": WORDS, "hidden_size": WIDTH, "intermediate_size": 10, "num_hidden_layers": 2}
_SIZES |= {"num_attention_heads": HEADS}
_GPT2 = {"model_type": "gpt2", "vocab_size": WORDS, "n_embd": WIDTH, "n_layer": 2, "n_head": HEADS, "n_positions": 16}
_BERT = {"model_type": "bert", **_SIZES, "max_position_embeddings": 16}
_LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 16}


class Variant(NamedTuple):
    """A checkpoint: the class of transformers that saved it, its config.json, and how its file is written."""

    name: str
    saved_by: str
    config: Mapping[str, Any]
    kind: str = "F32"
    files: int = 1
    renamed: tuple[tuple[str, str], ...] = ()


def _of(kind: str, name: str, saved_by: str = "", **settings: Any) -> Variant:
    """A Llama or one of those built like it; `_kind` and `_files` say how its file is written."""
    named = {"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2", "qwen3": "Qwen3"}[kind]
    written = {key[1:]: settings.pop(key) for key in ("_kind", "_files") if key in settings}
    config = {"model_type": kind, **_SIZES, **settings}
    return Variant(f"{kind}-{name}", saved_by or f"{named}ForCausalLM", config, **written)


VARIANTS = [
    Variant("bert-plain", "BertModel", _BERT),
    Variant("bert-masked", "BertForMaskedLM", {**_BERT, "hidden_act": "relu", "type_vocab_size": 3}, "F16"),
    Variant("bert-early", "BertModel",
            {**_BERT, "layer_norm_eps": 1e-3, "type_vocab_size": 1, "hidden_act": "gelu_new"},
            renamed=(("LayerNorm.weight", "LayerNorm.gamma"), ("LayerNorm.bias", "LayerNorm.beta"))),
    Variant("gpt2-plain", "GPT2LMHeadModel", _GPT2),
    Variant("gpt2-base", "GPT2Model", {**_GPT2, "activation_function": "gelu"}, "BF16"),
    Variant("gpt2-own-head", "GPT2LMHeadModel",
            {**_GPT2, "tie_word_embeddings": False, "n_inner": 10, "activation_function": "relu"}),
    Variant("gpt2-scales", "GPT2LMHeadModel", {**_GPT2, "n_layer": 3, "scale_attn_by_inverse_layer_idx": True}),
    Variant("gpt2-unscaled", "GPT2LMHeadModel",
            {**_GPT2, "scale_attn_weights": False, "activation_function": "silu", "layer_norm_epsilon": 1e-2}),
    Variant("gpt2-other-names", "GPT2LMHeadModel",
            {"model_type": "gpt2", "vocab_size": WORDS, "hidden_size": WIDTH, "num_hidden_layers": 1,
             "num_attention_heads": 2, "max_position_embeddings": 6, "scale_attn_weights": False,
             "scale_attn_by_inverse_layer_idx": True}, "F16"),
    _of("llama", "plain", num_key_value_heads=2, rope_theta=500.0, rms_norm_eps=1e-3),
    _of("llama", "defaults"),
    _of("llama", "biases", num_key_value_heads=1, attention_bias=True, mlp_bias=True, tie_word_embeddings=True),
    _of("llama", "llama3", head_dim=6, hidden_act="gelu",
        rope_parameters={"rope_type": "llama3", "rope_theta": 100.0, **_LLAMA3}),
    _of("llama", "llama3-early", rope_theta=100.0, max_position_embeddings=16,
        rope_scaling={"type": "llama3", **{key: _LLAMA3[key] for key in list(_LLAMA3)[:3]}}),
    _of("llama", "linear", rope_theta=50.0, rope_scaling={"type": "linear", "factor": 3.0}),
    _of("llama", "base", "LlamaModel", num_key_value_heads=2, _kind="F16"),
    _of("llama", "shards", num_key_value_heads=2, _kind="BF16", _files=3),
    _of("mistral", "window", sliding_window=3, num_key_value_heads=2, tie_word_embeddings=True),
    _of("mistral", "plain", sliding_window=None, head_dim=4, num_key_value_heads=2, _kind="BF16"),
    _of("qwen2", "plain", num_key_value_heads=2, sliding_window=3),
    _of("qwen2", "window", num_key_value_heads=2, sliding_window=3, use_sliding_window=True, max_window_layers=1,
        num_hidden_layers=3, tie_word_embeddings=True),
    _of("qwen2", "layer-types", num_key_value_heads=2, sliding_window=2, use_sliding_window=True,
        layer_types=["sliding_attention", "full_attention"], rope_theta=1e6, _kind="F16"),
    _of("qwen3", "plain", num_key_value_heads=2, head_dim=6),
    _of("qwen3", "biases", num_key_value_heads=1, head_dim=4, attention_bias=True, rms_norm_eps=1e-2,
        tie_word_embeddings=True, use_sliding_window=True, sliding_window=3, max_window_layers=0),
]  # fmt: skip
BY_NAME = {variant.name: variant for variant in VARIANTS}


def tensors_of(variant: Variant, shapes: Mapping[str, list[int]]) -> dict[str, Any]:
    """Random weights for the names and shapes of a checkpoint, the same every time, of its type."""
    tensors = {}
    for name, shape in shapes.items():
        random = np.random.default_rng(zlib.crc32(f"{variant.name} {name}".encode()))
        drawn = random.normal(0, 0.5, shape)
        if len(shape) == 1 and name.endswith("weight"):
            drawn = 1 + drawn / 2  # a gamma
        tensors[name] = drawn.astype(TYPES[variant.kind])
    return tensors


def write_folder(folder: Path, variant: Variant, shapes: Mapping[str, list[int]]) -> dict[str, Any]:
    """Writes the folder of a checkpoint; its tensors by name, as transformers calls them."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {"architectures": [variant.saved_by], **variant.config}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    tensors = tensors_of(variant, shapes)
    written = {}
    for name, array in tensors.items():
        for old, new in variant.renamed:
            name = name.replace(old, new)
        written[name] = array
    write_weights(folder, written, variant.files)
    return tensors


def write_weights(folder: Path, tensors: Mapping[str, Any], files: int = 1) -> None:
    """Writes tensors to one file, or to several with an index."""
    if files == 1:
        save_file(dict(tensors), folder / "model.safetensors")
        return
    weight_map = {}
    for at in range(files):
        part = f"model-{at + 1:05}-of-{files:05}.safetensors"
        own = {name: array for number, (name, array) in enumerate(tensors.items()) if number % files == at}
        save_file(own, folder / part)
        weight_map |= dict.fromkeys(own, part)
    index = {"metadata": {"total_size": 0}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
