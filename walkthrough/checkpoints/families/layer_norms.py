"""Command R, StableLM and StarCoder2, which are built like Llama with layer norms.

Settings and their defaults are those of the transformers library's configuration classes (5.23).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from walkthrough.checkpoints.families.llama import (
    INSIDE,
    LLAMA,
    MODULES,
    bias_switches,
    decoder_family,
    decoder_model,
    head_size,
    windowed,
)
from walkthrough.checkpoints.families.rope import ROPE_TYPES, rope_settings, rotary_of
from walkthrough.checkpoints.layout import ALWAYS, CheckpointModel, Module, Modules
from walkthrough.checkpoints.paths import ACTIVATED, ATTENDED, FEED_FORWARD, FINAL_NORM
from walkthrough.checkpoints.settings import FLAG, HARMLESS, NUMBER, POSITIVE, WHOLE, WORD, Only, Setting, Values

_NOT_THEIRS = ("rms_norm_eps", "pretraining_tp", "mlp_bias", "layer_types")
_OF_EACH_HEAD = "norms of queries and keys with a gamma for each head cannot be read"
_BASE = {key: setting for key, setting in LLAMA.items() if key not in _NOT_THEIRS}
COHERE: dict[str, Setting | Only] = {
    **_BASE,
    **rope_settings(500_000.0),
    "vocab_size": Setting(WHOLE, 256_000),
    "hidden_size": Setting(WHOLE, 8192),
    "intermediate_size": Setting(WHOLE, 22_528),
    "num_hidden_layers": Setting(WHOLE, 40),
    "num_attention_heads": Setting(WHOLE, 64),
    "max_position_embeddings": Setting(WHOLE, 8192),
    "layer_norm_eps": Setting(NUMBER, 1e-5),
    "logit_scale": Setting(POSITIVE, 0.0625),
    "tie_word_embeddings": Setting(FLAG, True),
    "sliding_window": Only((None,), "Command R has no window"),
    "use_qk_norm": Only((False, None), _OF_EACH_HEAD),
}
STABLELM: dict[str, Setting | Only] = {
    **{key: setting for key, setting in _BASE.items() if key != "head_dim"},
    "vocab_size": Setting(WHOLE, 50304),
    "hidden_size": Setting(WHOLE, 2560),
    "intermediate_size": Setting(WHOLE, 6912),
    "num_key_value_heads": Setting(WHOLE, 32),
    "max_position_embeddings": Setting(WHOLE, 4096),
    "layer_norm_eps": Setting(NUMBER, 1e-5),
    "partial_rotary_factor": Setting(POSITIVE, 0.25),
    "use_qkv_bias": Setting(FLAG, False),
    "use_parallel_residual": Setting(FLAG, False),
    "attention_bias": Only((False, None), "StableLM's biases are those of use_qkv_bias"),
    "sliding_window": Only((None,), "StableLM has no window"),
    "qk_layernorm": Only((False,), _OF_EACH_HEAD),
}
STARCODER2: dict[str, Setting | Only] = {
    **_BASE,
    "vocab_size": Setting(WHOLE, 49152),
    "hidden_size": Setting(WHOLE, 3072),
    "intermediate_size": Setting(WHOLE, 12_288),
    "num_hidden_layers": Setting(WHOLE, 30),
    "num_attention_heads": Setting(WHOLE, 24),
    "num_key_value_heads": Setting(WHOLE, 2),
    "hidden_act": Setting(WORD, "gelu_pytorch_tanh"),
    "max_position_embeddings": Setting(WHOLE, 4096),
    "norm_epsilon": Setting(NUMBER, 1e-5),
    "use_bias": Setting(FLAG, True),
    "attention_bias": Only((False, None), "StarCoder2's biases are those of use_bias"),
    "sliding_window": Setting(WHOLE, None, True),
    "tie_word_embeddings": Setting(FLAG, True),
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


def _model(
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
    model = _model(values, faults, "layer_norm_eps", bias_switches(values), is_parallel=True)
    model.layer["self_attention"]["rotary"]["layout"] = "interleaved"
    return model.replace(head={"temperature": 1 / values["logit_scale"]})


def _stablelm(values: Values, faults: list[str]) -> CheckpointModel:
    values = {"head_dim": None, **values}
    rotary = rotary_of(values, head_size(values), faults, ROPE_TYPES, values["partial_rotary_factor"])
    switches = {"qkv_bias"} if values["use_qkv_bias"] else set()
    return _model(values, faults, "layer_norm_eps", switches, rotary, values["use_parallel_residual"])


def _starcoder2(values: Values, faults: list[str]) -> CheckpointModel:
    switches = {"qkv_bias", "attention_bias", "mlp_bias"} if values["use_bias"] else set()
    return _model(values, faults, "norm_epsilon", switches)


_FLOAT32 = "rotary angles, softmax"
FAMILIES = {
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
        float32=_FLOAT32,
    ),
    "starcoder2": decoder_family(
        "StarCoder2",
        STARCODER2,
        _starcoder2,
        "as Llama; layer norms, biases, no gate, a window, if it has one",
        modules=_SHIFTED,
        inside=_STARCODER2_INSIDE,
        float32=_FLOAT32,
    ),
}
