"""Granite, Phi-3, OLMo 2 and SmolLM3, which are built like Llama but for one thing each.

Settings and their defaults are those of the transformers library's configuration classes (5.23).
"""

from __future__ import annotations

from walkthrough.checkpoints.families.llama import (
    FULL,
    INSIDE,
    LLAMA,
    MODULES,
    SLIDING,
    bias_switches,
    decoder_family,
    decoder_model,
    head_size,
    kinds_of,
    llama_model,
    windowed,
)
from walkthrough.checkpoints.families.rope import rope_settings, rotary_of, short
from walkthrough.checkpoints.layout import CheckpointModel, LayerKind, Module, Modules
from walkthrough.checkpoints.paths import ATTENDED, FEED_FORWARD, FUSED, GATED, HEAD
from walkthrough.checkpoints.settings import (
    FLAG,
    HARMLESS,
    NUMBER,
    POSITIVE,
    WHOLE,
    WORDS,
    Only,
    Setting,
    ValueKind,
    Values,
)

_BASE = {key: setting for key, setting in LLAMA.items() if key not in ("pretraining_tp", "layer_types", "mlp_bias")}
PHI3: dict[str, Setting | Only] = {
    **_BASE,
    "vocab_size": Setting(WHOLE, 32064),
    "hidden_size": Setting(WHOLE, 3072),
    "intermediate_size": Setting(WHOLE, 8192),
    "max_position_embeddings": Setting(WHOLE, 4096),
    "original_max_position_embeddings": HARMLESS,  # of longrope alone
    "rms_norm_eps": Setting(NUMBER, 1e-5),
    "sliding_window": Setting(WHOLE, None, True),
    "attention_bias": Only((False, None), "Phi-3 has no biases"),
    "partial_rotary_factor": Setting(NUMBER, 1.0),
}
OLMO2: dict[str, Setting | Only] = {
    **_BASE,
    "vocab_size": Setting(WHOLE, 50304),
    "rms_norm_eps": Setting(NUMBER, 1e-5),
    "sliding_window": Only((None,), "OLMo 2 has no window"),
}
_ZEROS = ValueKind(
    "a list of 0 and 1",
    lambda value: isinstance(value, list) and all(type(one) is int and one in (0, 1) for one in value),
)
SMOLLM3: dict[str, Setting | Only] = {
    **_BASE,
    **rope_settings(2_000_000.0),
    "vocab_size": Setting(WHOLE, 128_256),
    "hidden_size": Setting(WHOLE, 2048),
    "num_hidden_layers": Setting(WHOLE, 36),
    "num_attention_heads": Setting(WHOLE, 16),
    "num_key_value_heads": Setting(WHOLE, 4, True),
    "max_position_embeddings": Setting(WHOLE, 32768),
    "use_sliding_window": Setting(FLAG, False),
    "sliding_window": Setting(WHOLE, None, True),
    "no_rope_layers": Setting(_ZEROS, None, True),
    "no_rope_layer_interval": Setting(WHOLE, 4),
    "layer_types": Setting(WORDS, None, True),
    "mlp_bias": Setting(FLAG, False),
    "tie_word_embeddings": Setting(FLAG, True),
}

GRANITE: dict[str, Setting | Only] = {
    **{key: setting for key, setting in LLAMA.items() if key != "pretraining_tp"},
    **dict.fromkeys(
        ("embedding_multiplier", "logits_scaling", "residual_multiplier", "attention_multiplier"),
        Setting(POSITIVE, 1.0),
    ),
}

_PHI3_INSIDE: Modules = {
    "input_layernorm": INSIDE["input_layernorm"],
    "self_attn.qkv_proj": Module(FUSED, (("q", "kv", "kv"), "d")),
    **{name: INSIDE[name] for name in ("self_attn.o_proj", "self_attn", "self_attn.1", "post_attention_layernorm")},
    "resid_attn_dropout": ATTENDED,
    "resid_mlp_dropout": f"{FEED_FORWARD}.output",
    "mlp.gate_up_proj": Module(GATED, (("f", "f"), "d")),
    "mlp.activation_fn": f"{FEED_FORWARD}.activation",
    **{name: INSIDE[name] for name in ("mlp.down_proj", "mlp")},
}
_OLMO2_INSIDE: Modules = {
    **{name: module for name, module in INSIDE.items() if name != "input_layernorm"},
    "self_attn.q_norm": Module(f"{HEAD}.query_norm.output", ("q",)),
    "self_attn.k_norm": Module(f"{HEAD}.key_norm.output", ("kv",)),
    # of Llama's relatives, the same name is the norm before the feed-forward network
    "post_attention_layernorm": Module("{layer}.branch_norm_1.output|{layer}.norm_2.output", ("d",)),
    "post_feedforward_layernorm": Module("{layer}.branch_norm_2.output", ("d",)),
}


def _phi3(values: Values, faults: list[str]) -> CheckpointModel:
    """Its window, if it has one, holds in every layer; `yarn` means longrope here, which is not supported."""
    values = {**values, "original_max_position_embeddings": None}
    rotary = rotary_of(values, head_size(values), faults, ("default",), values["partial_rotary_factor"])
    kinds = [windowed(values["sliding_window"])] * values["num_hidden_layers"]
    return decoder_model(values, faults, kinds, set(), rotary)


def _olmo2(values: Values, faults: list[str]) -> CheckpointModel:
    """Norms of what a part makes, and one norm for the queries of all heads, one for the keys."""
    model = decoder_model(values, faults, [LayerKind()] * values["num_hidden_layers"], bias_switches(values))
    norm = {"over": "all", "epsilon": values["rms_norm_eps"]}
    model.layer["self_attention"].update(query_norm=norm, key_norm=dict(norm))
    return model.replace(stack={**model.stack, "norm_order": "branch"})


def _smollm3(values: Values, faults: list[str]) -> CheckpointModel:
    """no_rope_layers has 1 where there are rotary positions, and 0 where there are none."""
    layers, interval = values["num_hidden_layers"], values["no_rope_layer_interval"]
    is_rotated = values["no_rope_layers"]
    if is_rotated is None:
        is_rotated = [int((at + 1) % interval != 0) for at in range(layers)]
    if len(is_rotated) < layers:
        faults.append(f"no_rope_layers has {len(is_rotated)} entries, fewer than the {layers} layers")
        is_rotated = [1] * layers
    has_window = values["use_sliding_window"] and values["sliding_window"] is not None
    types = [FULL if one or not has_window else SLIDING for one in is_rotated[:layers]]
    kinds = kinds_of(values, types, faults)
    rotary = rotary_of(values, head_size(values), faults)
    if not values["use_sliding_window"]:
        kinds = [windowed(None)] * layers
    if all(is_rotated[:layers]):
        return decoder_model(values, faults, kinds, bias_switches(values), rotary)
    kinds = [_turned(kind, rotary if one else None) for kind, one in zip(kinds, is_rotated, strict=False)]
    return decoder_model(values, faults, kinds, bias_switches(values), {})


def _turned(kind: LayerKind, rotary: dict[str, object] | None) -> LayerKind:
    """The kind of layer with rotary positions, or without."""
    if rotary is None:
        return kind.replace(name="unrotated" if kind.name == "global" else "unrotated_local")
    keys = {"self_attention": {"rotary": rotary, **kind.keys.get("self_attention", {})}}
    return kind.replace(name="rotated" if kind.name == "global" else "rotated_local", keys=keys)


def _granite(values: Values, faults: list[str]) -> CheckpointModel:
    """Four multipliers: of the embeddings, of the scores, of what each part adds, and a divisor of the logits."""
    model = llama_model(values, faults)
    model.layer["self_attention"]["scale"] = short(1 / values["attention_multiplier"])
    return model.replace(
        input={"embedding_scale": short(values["embedding_multiplier"])},
        stack={**model.stack, "residual_scale": short(values["residual_multiplier"])},
        head={"temperature": short(values["logits_scaling"])},
    )


FAMILIES = {
    "granite": decoder_family(
        "Granite",
        GRANITE,
        _granite,
        "as Llama; embeddings, scores, what each part adds, and logits are scaled by constants",
        modules={**MODULES, "embed_tokens": Module("token_embedding|scaled_embedding", ("v", "d"))},
    ),
    "phi3": decoder_family(
        "Phi-3", PHI3, _phi3, "as Llama; a share of the features rotated, a window, if it has one", inside=_PHI3_INSIDE
    ),
    "olmo2": decoder_family(
        "OLMo 2", OLMO2, _olmo2, "as Llama; norms after each part, and over all queries and keys", inside=_OLMO2_INSIDE
    ),
    "smollm3": decoder_family("SmolLM3", SMOLLM3, _smollm3, "as Llama; every fourth layer without positions"),
}
