"""Checkpoints of every family with settings at random, those that change the numbers among them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from tests.checkpoints.variants import VARIANTS, Variant
from walkthrough.checkpoints.families import FAMILIES
from walkthrough.checkpoints.settings import FLAG, Setting

_CHOICES: dict[str, Sequence[Any]] = {
    "vocab_size": range(11, 15),
    "num_hidden_layers n_layer n_layers num_layers": range(1, 4),
    "intermediate_size n_inner hidden_dim ffn_dim ffn_hidden_size d_ff moe_intermediate_size": range(3, 10),
    "shared_expert_intermediate_size linear_conv_kernel_dim": range(1, 5),
    "hidden_act activation activation_function hidden_activation": [
        *("gelu", "gelu_new", "relu", "silu", "swish", "gelu_pytorch_tanh", "linear", "sigmoid"),
    ],
    "feed_forward_proj": ["relu", "gated-gelu", "gated-silu", "gelu"],
    "rms_norm_eps layer_norm_eps layer_norm_epsilon norm_epsilon": [1e-12, 1e-6, 1e-5, 1e-2, 1.0],
    "rope_theta rope_local_base_freq": [5.0, 1e4, 1e6],
    "embedding_multiplier logits_scaling residual_multiplier attention_multiplier logit_scale": [0.22, 1.0, 6.0],
    "query_pre_attn_scalar": [3, 256],
    "swiglu_alpha swiglu_limit routed_scaling_factor": [0.5, 1.7, 3.0],
    "final_logit_softcapping attn_logit_softcapping": [None, 1.5],
    "sliding_window": [1, 2, 4, 9],
    "max_window_layers first_k_dense_replace": range(4),
    "sliding_window_pattern no_rope_layer_interval num_experts_per_tok": (1, 2),
    "relative_attention_max_distance": [5, 9],
}
_FIXED = {"is_gated_act", "scale_decoder_outputs"}
"""What follows from other settings."""
_OF_LAYERS = {"num_hidden_layers", "use_sliding_window", "sliding_window_pattern", "no_rope_layer_interval"}
"""What has to go with a list that says something of each layer."""
_LISTS = {"layer_types", "no_rope_layers", "mlp_only_layers"}
_YARN = {"rope_type": "yarn", "original_max_position_embeddings": 7}


def drawn(family: str, seed: int) -> Variant:
    """A checkpoint of the family: one of the variants, with other settings."""
    draw, aliases = random.Random(f"{family} {seed}"), FAMILIES[family].aliases
    variant = draw.choice([one for one in VARIANTS if one.config["model_type"] == family])
    config = {aliases.get(name, name): value for name, value in variant.config.items()}
    settings = {name for name, one in FAMILIES[family].settings.items() if isinstance(one, Setting)} - _FIXED
    settings -= _OF_LAYERS if _LISTS & config.keys() else set()
    settings -= {"rope_theta"} if "rotary_emb_base" in settings else set()
    for names, options in _CHOICES.items():
        config |= {name: draw.choice(options) for name in names.split() if name in settings and draw.random() < 0.7}
    for name in sorted(settings):
        if FAMILIES[family].settings[name].kind is FLAG:  # type: ignore[union-attr]
            config[name] = draw.random() < 0.5
    heads = config.get("num_attention_heads", 1)
    if "num_key_value_heads" in settings and family != "deepseek_v3":
        config["num_key_value_heads"] = draw.choice([one for one in range(1, heads + 1) if heads % one == 0])
    if "full_attention_interval" in settings and "layer_types" not in config:
        config["full_attention_interval"] = draw.randint(1, config["num_hidden_layers"])  # the library wants one
    if family == "falcon" and config["new_decoder_architecture"]:
        config["parallel_attn"] = True
    elif family == "falcon":
        config.pop("num_kv_heads", None)
    if "num_key_value_heads" in settings and "rope_parameters" not in config and family not in ("phi3", "deepseek_v3"):
        linear = {"rope_type": "linear", "factor": draw.choice([2.0, 3.5])}
        yarn = {**_YARN, "factor": draw.choice([1.0, 4.0]), "truncate": draw.random() < 0.5}
        scaling = draw.choice([None, linear, linear if family == "gemma3_text" else yarn])
        config |= {"rope_scaling": scaling} if scaling else {}
    kind = draw.choice(["F32", "F16", "BF16", "F64"])
    return variant._replace(name=f"{family}-{seed}", config=config, kind=kind, files=draw.choice([1, 2]))
