"""Checkpoints of every family with settings at random, those that change the numbers among them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.checkpoints.variants import APART, NAMES, Variant

Draw = random.Random
Config = dict[str, Any]
_ACTIVATIONS = ["gelu", "gelu_new", "relu", "silu", "swish", "gelu_pytorch_tanh", "linear", "sigmoid"]
_LAYER_TYPES = ["full_attention", "sliding_attention"]


def drawn(family: str, seed: int) -> Variant:
    """A checkpoint of the family."""
    draw = Draw(f"{family} {seed}")
    config: Config = {"model_type": family, "vocab_size": draw.randint(11, 14), "pad_token_id": None}
    config |= _OWN.get(family, _like_llama)(family, draw)
    saved_by = draw.choice(_CLASSES.get(family, [f"{NAMES.get(family)}{end}" for end in ("Model", "ForCausalLM")]))
    if family == "gemma3_text":
        saved_by = draw.choice(["Gemma3TextModel", "Gemma3ForCausalLM"])
    apart = APART.get(family) if draw.random() < 0.5 else None
    renamed = ((".mlp.", ".block_sparse_moe."),) if apart and family == "mixtral" else ()
    kind = draw.choice(["F32", "F16", "BF16", "F64"])
    return Variant(f"{family}-{seed}", saved_by, config, kind, draw.choice([1, 2]), renamed, apart)


_CLASSES = {
    "bert": ["BertModel", "BertForMaskedLM"],
    "roberta": ["RobertaModel", "RobertaForMaskedLM"],
    "distilbert": ["DistilBertModel", "DistilBertForMaskedLM"],
    "gpt2": ["GPT2Model", "GPT2LMHeadModel"],
    "gptj": ["GPTJModel", "GPTJForCausalLM"],
    "opt": ["OPTModel", "OPTForCausalLM"],
    "t5": ["T5ForConditionalGeneration"],
}


def _sizes(draw: Draw, even: bool = False) -> tuple[int, int, int]:
    """Heads, the width of one, layers."""
    heads, size = draw.choice([(2, 4), (4, 2), (3, 4)] if even else [(1, 4), (2, 4), (4, 2), (6, 2)])
    return heads, size, draw.randint(1, 3)


def _epsilon(draw: Draw) -> float:
    return draw.choice([1e-12, 1e-6, 1e-5, 1e-2, 1.0])


def _maybe(draw: Draw, chance: float = 0.5) -> bool:
    return draw.random() < chance


def _gpt2(family: str, draw: Draw) -> Config:
    heads, size, layers = _sizes(draw)
    config = {"n_embd": heads * size, "n_layer": layers, "n_head": heads, "n_positions": draw.randint(6, 9)}
    config |= {"n_inner": draw.choice([None, 5]), "layer_norm_epsilon": _epsilon(draw)}
    config |= {"activation_function": draw.choice(_ACTIVATIONS), "tie_word_embeddings": _maybe(draw)}
    if family == "gptj":
        return config | {"rotary_dim": draw.choice(range(2, size + 1, 2))}
    return config | {flag: _maybe(draw) for flag in ("scale_attn_weights", "scale_attn_by_inverse_layer_idx")}


def _common(draw: Draw, even: bool = False) -> Config:
    heads, size, layers = _sizes(draw, even)
    config = {"hidden_size": heads * size, "intermediate_size": draw.randint(3, 9), "num_hidden_layers": layers}
    config |= {"num_attention_heads": heads, "hidden_act": draw.choice(_ACTIVATIONS)}
    return config | {"max_position_embeddings": draw.randint(6, 40)}


def _bert(family: str, draw: Draw) -> Config:
    config = {**_common(draw), "type_vocab_size": draw.randint(1, 4), "layer_norm_eps": _epsilon(draw)}
    if family == "roberta":
        config |= {"pad_token_id": draw.choice([1, 3, 4]), "max_position_embeddings": draw.randint(11, 20)}
    return config


def _distilbert(family: str, draw: Draw) -> Config:
    heads, size, layers = _sizes(draw)
    config = {"dim": heads * size, "n_layers": layers, "n_heads": heads, "hidden_dim": draw.randint(3, 9)}
    return config | {"activation": draw.choice(_ACTIVATIONS), "max_position_embeddings": draw.randint(6, 20)}


def _opt(family: str, draw: Draw) -> Config:
    config = _common(draw)
    config |= {"ffn_dim": config.pop("intermediate_size"), "activation_function": config.pop("hidden_act")}
    flags = ("do_layer_norm_before", "enable_bias", "layer_norm_elementwise_affine", "tie_word_embeddings")
    return config | {flag: _maybe(draw, 0.6) for flag in flags}


def _gpt_neox(family: str, draw: Draw) -> Config:
    config = {**_common(draw, even=True), "layer_norm_eps": _epsilon(draw), "tie_word_embeddings": _maybe(draw)}
    size = config["hidden_size"] // config["num_attention_heads"]
    config |= {"rotary_pct": draw.choice([0.5, 1.0] if size == 4 else [1.0]), "attention_bias": _maybe(draw)}
    return config | {"rotary_emb_base": draw.choice([5.0, 1e4]), "use_parallel_residual": _maybe(draw)}


def _falcon(family: str, draw: Draw) -> Config:
    config = {**_common(draw, even=True), "layer_norm_epsilon": _epsilon(draw), "tie_word_embeddings": _maybe(draw)}
    config |= {"ffn_hidden_size": config.pop("intermediate_size"), "activation": config.pop("hidden_act")}
    config |= {"bias": _maybe(draw), "multi_query": _maybe(draw), "new_decoder_architecture": _maybe(draw)}
    if not config["new_decoder_architecture"]:
        return config | {"parallel_attn": _maybe(draw)}
    heads = config["num_attention_heads"]
    config["num_kv_heads"] = draw.choice([one for one in range(1, heads + 1) if heads % one == 0])
    return config | {"num_ln_in_parallel_attn": draw.choice([None, 1, 2])}


def _t5(family: str, draw: Draw) -> Config:
    heads, size, layers = _sizes(draw)
    config: Config = {"d_model": draw.choice([4, 6]), "d_kv": size, "num_heads": heads, "num_layers": layers}
    config |= {"d_ff": draw.randint(3, 9), "num_decoder_layers": draw.choice([None, 1, 2])}
    config |= {
        "relative_attention_num_buckets": draw.choice([4, 8]),
        "relative_attention_max_distance": draw.choice([5, 9]),
    }
    config |= {"feed_forward_proj": draw.choice(["relu", "gated-gelu", "gated-silu", "gelu"])}
    config |= {"decoder_start_token_id": draw.randint(0, 3), "layer_norm_epsilon": _epsilon(draw)}
    return config | {"tie_word_embeddings": _maybe(draw)}


def _like_llama(family: str, draw: Draw) -> Config:
    config = {**_common(draw), "rms_norm_eps": _epsilon(draw), "tie_word_embeddings": _maybe(draw)}
    heads, layers = config["num_attention_heads"], config["num_hidden_layers"]
    size = config["hidden_size"] // heads
    config["num_key_value_heads"] = draw.choice([one for one in range(1, heads + 1) if heads % one == 0])
    config["rope_theta"] = draw.choice([5.0, 1e4, 1e6])
    if _maybe(draw) and family not in ("phi3", "olmo2", "smollm3", "stablelm", "granite"):
        config["head_dim"] = draw.choice([2, 4, 6])
    elif family in ("qwen3", "gemma", "gemma2", "gemma3_text", "gpt_oss", "mixtral", "qwen3_next"):
        config["head_dim"] = size
    if _maybe(draw, 0.4) and family != "phi3":
        linear = {"rope_type": "linear", "factor": draw.choice([2.0, 3.5])}
        yarn = {"rope_type": "yarn", "factor": draw.choice([1.0, 4.0]), "original_max_position_embeddings": 7}
        yarn |= {"truncate": _maybe(draw), "beta_fast": draw.choice([None, 3.0])}
        config["rope_scaling"] = draw.choice([linear] if family.startswith("gemma3") else [linear, yarn])
    if family in (
        "llama",
        "cohere",
        "qwen3",
        "qwen3_moe",
        "qwen3_next",
        "olmo2",
        "smollm3",
        "gemma",
        "gpt_oss",
        "gemma2",
        "gemma3_text",
    ):
        config["attention_bias"] = _maybe(draw)
    if family in ("llama", "granite", "smollm3"):
        config["mlp_bias"] = _maybe(draw)
    if family in ("mistral", "phi3", "mixtral"):
        config["sliding_window"] = draw.choice([None, 1, 2, 4, 9])
    if family in ("qwen2", "qwen3", "qwen3_moe", "smollm3"):
        config |= {"use_sliding_window": _maybe(draw, 0.7), "sliding_window": draw.choice([None, 1, 2, 4])}
    if family in ("qwen2", "qwen3"):
        config["max_window_layers"] = draw.randint(0, 3)
    return config | _SPECIAL.get(family, lambda draw, layers: {})(draw, layers)


def _smollm3(draw: Draw, layers: int) -> Config:
    listed = [draw.randint(0, 1) for _ in range(layers)]
    return {"no_rope_layers": listed} if _maybe(draw) else {"no_rope_layer_interval": draw.randint(1, 3)}


def _gemma2(draw: Draw, layers: int) -> Config:
    config: Config = {"hidden_activation": draw.choice(_ACTIVATIONS), "query_pre_attn_scalar": draw.choice([3, 256])}
    config |= {"final_logit_softcapping": draw.choice([None, 2.0]), "sliding_window": draw.choice([1, 2, 4])}
    config["attn_logit_softcapping"] = draw.choice([None, 1.5])
    types = [draw.choice(_LAYER_TYPES) for _ in range(layers)]
    return config | ({"layer_types": types} if _maybe(draw) else {})


def _gemma3(draw: Draw, layers: int) -> Config:
    early = {"sliding_window_pattern": draw.randint(1, 3), "rope_local_base_freq": draw.choice([7.0, 1e4])}
    return _gemma2(draw, layers) | (early if _maybe(draw) else {})


def _cohere(draw: Draw, layers: int) -> Config:
    return {"layer_norm_eps": _epsilon(draw), "logit_scale": draw.choice([0.0625, 1.0, 3.0])}


def _granite(draw: Draw, layers: int) -> Config:
    names = ("embedding_multiplier", "logits_scaling", "residual_multiplier", "attention_multiplier")
    return {name: draw.choice([0.22, 1.0, 6.0]) for name in names}


def _stablelm(draw: Draw, layers: int) -> Config:
    return {"layer_norm_eps": _epsilon(draw), "partial_rotary_factor": 1.0} | {
        key: _maybe(draw) for key in ("use_qkv_bias", "use_parallel_residual")
    }


def _starcoder2(draw: Draw, layers: int) -> Config:
    return {"norm_epsilon": _epsilon(draw), "use_bias": _maybe(draw), "sliding_window": draw.choice([None, 1, 2, 4])}


def _experts(draw: Draw, layers: int) -> Config:
    experts = draw.randint(2, 5)
    return {"num_local_experts": experts, "num_experts_per_tok": draw.randint(1, experts)}


def _qwen3_moe(draw: Draw, layers: int) -> Config:
    experts = draw.randint(2, 5)
    config: Config = {"num_experts": experts, "num_experts_per_tok": draw.randint(1, experts)}
    config |= {"moe_intermediate_size": draw.randint(3, 6), "norm_topk_prob": _maybe(draw)}
    config["decoder_sparse_step"] = draw.choice([1, 1, 2])
    return config | ({"mlp_only_layers": [layers - 1]} if _maybe(draw) else {})


def _qwen3_next(draw: Draw, layers: int) -> Config:
    keys = draw.choice([1, 2, 3])
    names = (
        "linear_key_head_dim",
        "linear_value_head_dim",
        "linear_conv_kernel_dim",
        "shared_expert_intermediate_size",
    )
    config = {**_qwen3_moe(draw, layers), **{name: draw.randint(1, 4) for name in names}, "partial_rotary_factor": 1.0}
    config |= {"linear_num_key_heads": keys, "linear_num_value_heads": keys * draw.randint(1, 3)}
    types = [draw.choice(["full_attention", "linear_attention"]) for _ in range(1, layers)]
    types.append("full_attention")  # without any the library counts no tokens
    return config | ({"layer_types": types} if _maybe(draw) else {"full_attention_interval": draw.randint(1, layers)})


def _gpt_oss(draw: Draw, layers: int) -> Config:
    config = {"swiglu_alpha": draw.choice([1.0, 1.702]), "swiglu_limit": draw.choice([0.5, 7.0])}
    return {**_experts(draw, layers), **config, "sliding_window": draw.choice([1, 2, 4])}


def _deepseek(family: str, draw: Draw) -> Config:
    config = {**_common(draw), "rms_norm_eps": _epsilon(draw), "tie_word_embeddings": _maybe(draw)}
    config["num_key_value_heads"] = config["num_attention_heads"]
    groups, size = draw.choice([(1, 4), (2, 3), (3, 2)])
    chosen = draw.randint(1, groups)
    config |= {"n_group": groups, "topk_group": chosen, "n_routed_experts": groups * size}
    config |= {"num_experts_per_tok": draw.randint(1, chosen * size), "n_shared_experts": draw.randint(1, 2)}
    config |= {"first_k_dense_replace": draw.randint(0, 3), "routed_scaling_factor": draw.choice([1.0, 2.5])}
    config |= {"q_lora_rank": draw.choice([None, 3, 6]), "kv_lora_rank": draw.randint(1, 5)}
    config |= {"qk_rope_head_dim": draw.choice([2, 4]), "moe_intermediate_size": draw.randint(2, 5)}
    config |= {name: draw.randint(1, 4) for name in ("qk_nope_head_dim", "v_head_dim")}
    config |= {flag: _maybe(draw) for flag in ("norm_topk_prob", "rope_interleave", "attention_bias")}
    yarn = {"rope_type": "yarn", "factor": draw.choice([1.0, 4.0]), "original_max_position_embeddings": 7}
    yarn |= draw.choice([{}, {"mscale": 0.7, "mscale_all_dim": 1.0}, {"mscale_all_dim": 0.6}])
    return config | draw.choice([{"rope_theta": 50.0}, {"rope_scaling": yarn}])


_OWN: dict[str, Callable[[str, Draw], Config]] = {
    "gpt2": _gpt2,
    "gptj": _gpt2,
    "bert": _bert,
    "roberta": _bert,
    "distilbert": _distilbert,
    "opt": _opt,
    "gpt_neox": _gpt_neox,
    "falcon": _falcon,
    "t5": _t5,
    "deepseek_v3": _deepseek,
}
_SPECIAL: dict[str, Callable[[Draw, int], Config]] = {
    "smollm3": _smollm3,
    "gemma2": _gemma2,
    "gemma3_text": _gemma3,
    "mixtral": _experts,
    "qwen3_moe": _qwen3_moe,
    "qwen3_next": _qwen3_next,
    "gpt_oss": _gpt_oss,
    "cohere": _cohere,
    "stablelm": _stablelm,
    "starcoder2": _starcoder2,
    "granite": _granite,
}
