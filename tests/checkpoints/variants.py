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
    """A checkpoint: the class of transformers that saved it, its config.json, and how its file is written.

    apart: the names of each expert's matrices, where they are not stacked
    """

    name: str
    saved_by: str
    config: Mapping[str, Any]
    kind: str = "F32"
    files: int = 1
    renamed: tuple[tuple[str, str], ...] = ()
    apart: tuple[str, str, str] | None = None


def _of(kind: str, name: str, saved_by: str = "", **settings: Any) -> Variant:
    """A Llama or one of those built like it; `_kind` and `_files` say how its file is written."""
    written = {key[1:]: settings.pop(key) for key in ("_kind", "_files", "_renamed", "_apart") if key in settings}
    padding = {"pad_token_id": 0} if kind in ("phi3", "smollm3", "cohere") else {}
    config = {"model_type": kind, **_SIZES, **padding, **settings}
    return Variant(f"{kind}-{name}", saved_by or f"{NAMES[kind]}ForCausalLM", config, **written)


NAMES = {
    "llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2", "qwen3": "Qwen3", "gemma": "Gemma", "gemma2": "Gemma2",
    "gemma3_text": "Gemma3", "phi3": "Phi3", "olmo2": "Olmo2", "smollm3": "SmolLM3", "gpt_oss": "GptOss",
    "mixtral": "Mixtral", "qwen3_moe": "Qwen3Moe", "gpt_neox": "GPTNeoX",
    "qwen3_next": "Qwen3Next",
    "cohere": "Cohere", "stablelm": "StableLm", "starcoder2": "Starcoder2", "falcon": "Falcon", "granite": "Granite",
    "deepseek_v3": "DeepseekV3",
}  # fmt: skip
APART = {"mixtral": ("w1", "w3", "w2"), "qwen3_moe": ("gate_proj", "up_proj", "down_proj")}
APART["deepseek_v3"] = APART["qwen3_moe"]
_YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 8, "rope_theta": 50.0}
_GPTJ = {"model_type": "gptj", "vocab_size": WORDS, "n_embd": WIDTH, "n_layer": 2, "n_head": 2, "n_positions": 16}
_DISTILBERT = {"model_type": "distilbert", "vocab_size": WORDS, "dim": WIDTH, "n_layers": 2, "n_heads": HEADS}
_OPT = {"model_type": "opt", **_SIZES, "ffn_dim": 10, "max_position_embeddings": 9}
_T5 = {
    "model_type": "t5",
    "vocab_size": WORDS,
    "d_model": WIDTH,
    "d_kv": 2,
    "d_ff": 10,
    "num_layers": 2,
    "num_heads": HEADS,
    "relative_attention_num_buckets": 4,
    "relative_attention_max_distance": 5,
    "decoder_start_token_id": 0,
}
_NEXT = {
    "num_key_value_heads": 2,
    "head_dim": 8,
    "num_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 6,
    "shared_expert_intermediate_size": 5,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 3,
    "linear_value_head_dim": 2,
}
_DEEPSEEK = {
    "num_hidden_layers": 3,
    "first_k_dense_replace": 1,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "n_routed_experts": 8,
    "num_experts_per_tok": 3,
    "n_group": 4,
    "topk_group": 2,
    "moe_intermediate_size": 3,
    "kv_lora_rank": 5,
    "q_lora_rank": 6,
    "qk_rope_head_dim": 4,
    "qk_nope_head_dim": 3,
    "v_head_dim": 2,
}
_EXPERTS = {"num_local_experts": 5, "num_key_value_heads": 2}

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
    _of("llama", "yarn", rope_parameters=_YARN),
    _of("llama", "yarn-mscale", max_position_embeddings=16,
        rope_scaling={"type": "yarn", "factor": 2.5, "beta_fast": 2.0, "truncate": False, "mscale": 0.7,
                      "mscale_all_dim": 1.3}),
    Variant("roberta-plain", "RobertaModel", {**_BERT, "model_type": "roberta"}),
    Variant("roberta-masked", "RobertaForMaskedLM",
            {**_BERT, "model_type": "roberta", "type_vocab_size": 1, "pad_token_id": 3, "max_position_embeddings": 10}),
    Variant("distilbert-plain", "DistilBertModel", {**_DISTILBERT, "hidden_dim": 10}),
    Variant("distilbert-masked", "DistilBertForMaskedLM",
            {"model_type": "distilbert", "vocab_size": WORDS, "hidden_size": WIDTH, "num_attention_heads": 2,
             "num_hidden_layers": 1, "hidden_dim": 12, "activation": "relu", "max_position_embeddings": 7}),
    Variant("opt-plain", "OPTForCausalLM", _OPT),
    Variant("opt-post", "OPTModel",
            {**_OPT, "do_layer_norm_before": False, "activation_function": "gelu", "enable_bias": False}),
    Variant("opt-bare", "OPTForCausalLM",
            {**_OPT, "layer_norm_elementwise_affine": False, "tie_word_embeddings": False,
             "word_embed_proj_dim": WIDTH}),
    Variant("gptj-plain", "GPTJForCausalLM", {**_GPTJ, "rotary_dim": 2}),
    Variant("gptj-whole", "GPTJForCausalLM",
            {**_GPTJ, "rotary_dim": 4, "n_inner": 10, "activation_function": "relu", "tie_word_embeddings": True}),
    _of("gpt_neox", "plain", num_attention_heads=2, rotary_pct=0.5),
    _of("gpt_neox", "early", num_attention_heads=2, rotary_pct=1.0, rotary_emb_base=100, attention_bias=False,
        hidden_act="gelu_new", use_parallel_residual=False, _renamed=(("lm_head.", "embed_out."),)),
    _of("gpt_neox", "linear", "GPTNeoXModel", num_attention_heads=1,
        rope_parameters={"rope_type": "linear", "factor": 2.0, "partial_rotary_factor": 0.25, "rope_theta": 30.0}),
    _of("granite", "plain", num_key_value_heads=2, embedding_multiplier=12.0, logits_scaling=8.0,
        residual_multiplier=0.22, attention_multiplier=0.0078125),
    _of("granite", "biases", attention_bias=True, mlp_bias=True, tie_word_embeddings=True, residual_multiplier=0.5),
    _of("phi3", "plain", num_key_value_heads=2, sliding_window=3),
    _of("phi3", "partial", num_attention_heads=2, partial_rotary_factor=0.5, rope_theta=70.0),
    _of("olmo2", "plain", num_key_value_heads=2),
    _of("olmo2", "biases", attention_bias=True, rope_theta=500.0, tie_word_embeddings=True),
    _of("smollm3", "plain", num_key_value_heads=2, num_hidden_layers=5),
    _of("smollm3", "listed", num_hidden_layers=3, no_rope_layers=[0, 1, 0], use_sliding_window=True, sliding_window=2,
        attention_bias=True, mlp_bias=True, tie_word_embeddings=False),
    Variant("t5-plain", "T5ForConditionalGeneration", _T5),
    Variant("t5-gated", "T5ForConditionalGeneration",
            {**_T5, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False, "num_decoder_layers": 1,
             "d_kv": 3, "relative_attention_num_buckets": 8, "layer_norm_epsilon": 1e-2}),
    _of("cohere", "plain", num_key_value_heads=2, logit_scale=0.25),
    _of("cohere", "biases", attention_bias=True, logit_scale=2.0, tie_word_embeddings=False, rope_theta=70.0,
        layer_norm_eps=1e-2),
    _of("stablelm", "plain", num_attention_heads=2, num_key_value_heads=1, partial_rotary_factor=0.5),
    _of("stablelm", "parallel", num_key_value_heads=4, partial_rotary_factor=1.0, use_parallel_residual=True,
        use_qkv_bias=True, hidden_act="gelu", tie_word_embeddings=True),
    _of("starcoder2", "plain", num_key_value_heads=2),
    _of("starcoder2", "window", num_key_value_heads=1, sliding_window=3, use_bias=False, tie_word_embeddings=False,
        norm_epsilon=1e-2, hidden_act="relu", rope_theta=1e5),
    _of("falcon", "plain", num_attention_heads=2),
    _of("falcon", "in-turn", parallel_attn=False, multi_query=False, bias=True, ffn_hidden_size=10, activation="relu"),
    _of("falcon", "new", new_decoder_architecture=True, num_kv_heads=2, bias=True, tie_word_embeddings=False),
    _of("falcon", "new-one-norm", "FalconModel", new_decoder_architecture=True, num_kv_heads=1,
        num_ln_in_parallel_attn=1, rope_theta=50.0),
    _of("gemma", "plain", num_key_value_heads=1, head_dim=4, hidden_act="gelu"),
    _of("gemma", "biases", num_key_value_heads=2, head_dim=6, attention_bias=True, tie_word_embeddings=False),
    _of("gemma2", "plain", num_key_value_heads=2, head_dim=4, num_hidden_layers=5, sliding_window=3,
        query_pre_attn_scalar=7, attn_logit_softcapping=1.5, final_logit_softcapping=2.0),
    _of("gemma2", "uncapped", num_key_value_heads=2, head_dim=2, attn_logit_softcapping=None,
        final_logit_softcapping=None, hidden_activation="gelu", layer_types=["full_attention", "sliding_attention"]),
    _of("gemma3_text", "plain", num_key_value_heads=2, head_dim=4, num_hidden_layers=7, sliding_window=3),
    _of("gemma3_text", "early", num_key_value_heads=2, head_dim=4, num_hidden_layers=4, sliding_window=2,
        sliding_window_pattern=2, rope_theta=700.0, rope_local_base_freq=20.0, final_logit_softcapping=3.0,
        attn_logit_softcapping=5.0, rope_scaling={"rope_type": "linear", "factor": 8.0}),
    _of("mixtral", "stacked", **_EXPERTS),
    _of("mixtral", "apart", **_EXPERTS, num_experts_per_tok=3, sliding_window=3, head_dim=4, _apart=APART["mixtral"],
        _renamed=((".mlp.", ".block_sparse_moe."),)),
    _of("qwen3_moe", "plain", num_experts=4, moe_intermediate_size=6, num_experts_per_tok=2, num_key_value_heads=2,
        num_hidden_layers=3, decoder_sparse_step=2, use_sliding_window=True, sliding_window=3),
    _of("qwen3_moe", "apart", num_experts=4, moe_intermediate_size=6, num_experts_per_tok=3, num_key_value_heads=2,
        head_dim=6, num_hidden_layers=3, mlp_only_layers=[1], norm_topk_prob=True, attention_bias=True,
        _apart=APART["qwen3_moe"]),
    _of("qwen3_next", "plain", **_NEXT, num_hidden_layers=4),
    _of("qwen3_next", "listed", **{**_NEXT, "linear_num_key_heads": 1, "linear_conv_kernel_dim": 2},
        layer_types=["full_attention", "linear_attention", "linear_attention"], num_hidden_layers=3,
        mlp_only_layers=[1], attention_bias=True, norm_topk_prob=False, tie_word_embeddings=True,
        rope_parameters={"rope_theta": 90.0, "partial_rotary_factor": 1.0}),
    _of("deepseek_v3", "plain", **_DEEPSEEK),
    _of("deepseek_v3", "wide", **{**_DEEPSEEK, "q_lora_rank": None}, n_shared_experts=2, attention_bias=True,
        norm_topk_prob=False, rope_interleave=False, tie_word_embeddings=True, rope_theta=60.0, _kind="BF16"),
    _of("deepseek_v3", "apart", **{**_DEEPSEEK, "first_k_dense_replace": 0, "topk_group": 4}, rms_norm_eps=1e-2,
        max_position_embeddings=16, _apart=APART["deepseek_v3"],
        rope_scaling={"type": "yarn", "factor": 40, "beta_fast": 2, "original_max_position_embeddings": 8,
                      "mscale": 1.0, "mscale_all_dim": 0.7}),
    _of("gpt_oss", "plain", **_EXPERTS, head_dim=4, num_hidden_layers=3, sliding_window=3, num_experts_per_tok=2),
    _of("gpt_oss", "unbiased", **_EXPERTS, head_dim=4, attention_bias=False, num_experts_per_tok=3, swiglu_limit=0.5,
        swiglu_alpha=1.1, layer_types=["full_attention", "full_attention"], rope_parameters={"rope_theta": 90.0}),
]  # fmt: skip
BY_NAME = {variant.name: variant for variant in VARIANTS}
FIRST = list({variant.config["model_type"]: variant for variant in reversed(VARIANTS)}.values())[::-1]
"""One of each family."""


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
    for name, array in _split(tensors, variant).items():
        for old, new in variant.renamed:
            name = name.replace(old, new)
        written[name] = array
    write_weights(folder, written, variant.files)
    return tensors


def _split(tensors: Mapping[str, Any], variant: Variant) -> dict[str, Any]:
    """The tensors, those of each expert apart where the variant has them so."""
    found: dict[str, Any] = {}
    for name, array in tensors.items():
        before, _, last = name.rpartition(".")
        if variant.apart is None or not before.endswith(".experts"):
            found[name] = array
            continue
        gate, up, down = variant.apart
        for number, own in enumerate(array):
            parts = zip((gate, up), np.split(own, 2), strict=True) if last == "gate_up_proj" else ((down, own),)
            found |= {f"{before}.{number}.{part}.weight": np.ascontiguousarray(matrix) for part, matrix in parts}
    return found


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
