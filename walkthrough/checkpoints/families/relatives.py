"""Built like Llama but for one thing each; Command R, StableLM and StarCoder2 with layer norms too.

Settings and their defaults are those of the transformers library's configuration classes (5.23).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
from walkthrough.checkpoints.families.rope import ROPE_TYPES, rope_settings, rotary_of, short
from walkthrough.checkpoints.layout import ALWAYS, CheckpointModel, LayerKind, Module, Modules
from walkthrough.checkpoints.paths import ACTIVATED, ATTENDED, FEED_FORWARD, FINAL_NORM, FUSED, GATED, HEAD
from walkthrough.checkpoints.settings import HARMLESS, POSITIVE, Only, Setting, ValueKind, Values, defaults, or_null

_BASE = {key: setting for key, setting in LLAMA.items() if key not in ("pretraining_tp", "layer_types", "mlp_bias")}
PHI3: dict[str, Setting | Only] = {
    **_BASE,
    **defaults(vocab_size=32064, hidden_size=3072, intermediate_size=8192, max_position_embeddings=4096),
    "original_max_position_embeddings": HARMLESS,  # of longrope alone
    **defaults(rms_norm_eps=1e-5, sliding_window=None),
    "attention_bias": Only((False, None), "Phi-3 has no biases"),
    **defaults(partial_rotary_factor=1.0),
}
OLMO2: dict[str, Setting | Only] = {
    **_BASE,
    **defaults(vocab_size=50304, rms_norm_eps=1e-5),
    "sliding_window": Only((None,), "OLMo 2 has no window"),
}
_ZEROS = ValueKind(
    "a list of 0 and 1",
    lambda value: isinstance(value, list) and all(type(one) is int and one in (0, 1) for one in value),
)
SMOLLM3: dict[str, Setting | Only] = {
    **_BASE,
    **rope_settings(2_000_000.0),
    **defaults(vocab_size=128_256, hidden_size=2048, num_hidden_layers=36, num_attention_heads=16),
    **defaults(num_key_value_heads=or_null(4), max_position_embeddings=32768, use_sliding_window=False),
    **defaults(sliding_window=None),
    "no_rope_layers": Setting(_ZEROS, None, True),
    **defaults(no_rope_layer_interval=4, layer_types=None, mlp_bias=False, tie_word_embeddings=True),
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
    kinds = [_rotated(kind, rotary if one else None) for kind, one in zip(kinds, is_rotated, strict=False)]
    return decoder_model(values, faults, kinds, bias_switches(values), {})


def _rotated(kind: LayerKind, rotary: dict[str, object] | None) -> LayerKind:
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


_NOT_THEIRS = ("rms_norm_eps", "pretraining_tp", "mlp_bias", "layer_types")
_OF_EACH_HEAD = "norms of queries and keys with a gamma for each head cannot be read"
_NORMED = {key: setting for key, setting in LLAMA.items() if key not in _NOT_THEIRS}
COHERE: dict[str, Setting | Only] = {
    **_NORMED,
    **rope_settings(500_000.0),
    **defaults(vocab_size=256_000, hidden_size=8192, intermediate_size=22_528, num_hidden_layers=40),
    **defaults(num_attention_heads=64, max_position_embeddings=8192, layer_norm_eps=1e-5, logit_scale=0.0625),
    **defaults(tie_word_embeddings=True),
    "sliding_window": Only((None,), "Command R has no window"),
    "use_qk_norm": Only((False, None), _OF_EACH_HEAD),
}
STABLELM: dict[str, Setting | Only] = {
    **{key: setting for key, setting in _NORMED.items() if key != "head_dim"},
    **defaults(vocab_size=50304, hidden_size=2560, intermediate_size=6912, num_key_value_heads=32),
    **defaults(max_position_embeddings=4096, layer_norm_eps=1e-5, partial_rotary_factor=0.25),
    **defaults(use_qkv_bias=False, use_parallel_residual=False),
    "attention_bias": Only((False, None), "StableLM's biases are those of use_qkv_bias"),
    "sliding_window": Only((None,), "StableLM has no window"),
    "qk_layernorm": Only((False,), _OF_EACH_HEAD),
}
STARCODER2: dict[str, Setting | Only] = {
    **_NORMED,
    **defaults(vocab_size=49152, hidden_size=3072, intermediate_size=12_288, num_hidden_layers=30),
    **defaults(num_attention_heads=24, num_key_value_heads=2, hidden_act="gelu_pytorch_tanh"),
    **defaults(max_position_embeddings=4096, norm_epsilon=1e-5, use_bias=True),
    "attention_bias": Only((False, None), "StarCoder2's biases are those of use_bias"),
    **defaults(sliding_window=None, tie_word_embeddings=True),
    **dict.fromkeys(("residual_dropout", "embedding_dropout"), HARMLESS),
}

_SHIFTED: Modules = {**MODULES, "norm": Module(FINAL_NORM, ("d",), bias=ALWAYS)}
_NORMS: Modules = {
    "input_layernorm": Module("{layer}.norm_1.output", ("d",), bias=ALWAYS),
    "post_attention_layernorm": Module("{layer}.norm_2.output", ("d",), bias=ALWAYS, when="norm_2"),
}
_ONE_NORM: Modules = {name: module for name, module in INSIDE.items() if name != "post_attention_layernorm"}
_STARCODER2_INSIDE: Modules = {
    **{name: module for name, module in INSIDE.items() if not name.startswith("mlp.")},
    **_NORMS,
    "mlp.c_fc": Module(f"{FEED_FORWARD}.hidden", ("f", "d"), bias="mlp_bias"),
    "mlp.act": ACTIVATED,
    "mlp.c_proj": Module(f"{FEED_FORWARD}.output", ("d", "f"), bias="mlp_bias"),
    "self_attn.o_proj": Module(ATTENDED, ("d", "q"), bias="attention_bias"),
}


def _with_layer_norms(
    values: Values,
    faults: list[str],
    epsilon: str,
    switches: set[str],
    rotary: Mapping[str, Any] | None = None,
    is_parallel: bool = False,
) -> CheckpointModel:
    """A Llama of layer norms; is_parallel: both parts of a layer read the one norm.

    epsilon: the setting that says it
    """
    values = {"sliding_window": None, **values, "rms_norm_eps": values[epsilon]}
    kinds = [windowed(values["sliding_window"])] * values["num_hidden_layers"]
    model = decoder_model(values, faults, kinds, switches if is_parallel else {*switches, "norm_2"}, rotary)
    stack = {**model.stack, "norm": "layer"} | ({"parallel": "shared"} if is_parallel else {})
    return model.replace(stack=stack)


def _cohere(values: Values, faults: list[str]) -> CheckpointModel:
    """The logits are multiplied by logit_scale, which is a temperature; neighbouring features are rotated."""
    model = _with_layer_norms(values, faults, "layer_norm_eps", bias_switches(values), is_parallel=True)
    model.layer["self_attention"]["rotary"]["layout"] = "interleaved"
    return model.replace(head={"temperature": 1 / values["logit_scale"]})


def _stablelm(values: Values, faults: list[str]) -> CheckpointModel:
    values = {"head_dim": None, **values}
    rotary = rotary_of(values, head_size(values), faults, ROPE_TYPES, values["partial_rotary_factor"])
    switches = {"qkv_bias"} if values["use_qkv_bias"] else set()
    return _with_layer_norms(values, faults, "layer_norm_eps", switches, rotary, values["use_parallel_residual"])


def _starcoder2(values: Values, faults: list[str]) -> CheckpointModel:
    switches = {"qkv_bias", "attention_bias", "mlp_bias"} if values["use_bias"] else set()
    return _with_layer_norms(values, faults, "norm_epsilon", switches)


_NORMED_FLOAT32 = "rotary angles, softmax"


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
    "cohere": decoder_family(
        "Command R",
        COHERE,
        _cohere,
        "as Llama; one layer norm without a shift for both parts side by side, neighbouring features rotated, "
        "a temperature",
        inside=_ONE_NORM,
        float32="rotary angles, layer norms, softmax",
    ),
    "stablelm": decoder_family(
        "StableLM",
        STABLELM,
        _stablelm,
        "as Llama; layer norms, a share of the features rotated, both parts side by side or not",
        modules=_SHIFTED,
        inside={**INSIDE, **_NORMS},
        float32=_NORMED_FLOAT32,
    ),
    "starcoder2": decoder_family(
        "StarCoder2",
        STARCODER2,
        _starcoder2,
        "as Llama; layer norms, biases, no gate, a window, if it has one",
        modules=_SHIFTED,
        inside=_STARCODER2_INSIDE,
        float32=_NORMED_FLOAT32,
    ),
}
