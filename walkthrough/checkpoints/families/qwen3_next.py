"""Qwen3-Next: three layers of linear attention, by the gated delta rule, to one of gated attention; experts in each.

Settings and their defaults are those of the transformers library's configuration class (5.23).
"""

from __future__ import annotations

from typing import Any

from walkthrough.checkpoints.families.llama import FULL, IN_FLOAT32, bias_switches, decoder_family, decoder_model
from walkthrough.checkpoints.families.mixtures import (
    DENSE,
    QWEN3_MOE,
    WITHOUT_NETWORK,
    expert_modules,
    mixture_of,
    sparse_layers,
)
from walkthrough.checkpoints.families.plain import activation_of, gated_network
from walkthrough.checkpoints.families.rope import ROPE_TYPES, rotary_of
from walkthrough.checkpoints.layout import EXPERTS, CheckpointModel, LayerKind, Module, Modules, Size
from walkthrough.checkpoints.paths import FEED_FORWARD, HEAD
from walkthrough.checkpoints.settings import Only, Setting, Values, defaults

LINEAR = "linear_attention"
_WINDOW = ("sliding_window", "use_sliding_window", "max_window_layers")
SETTINGS: dict[str, Setting | Only] = {
    **{key: one for key, one in QWEN3_MOE.items() if key not in _WINDOW},
    **defaults(intermediate_size=5632, num_hidden_layers=48, num_attention_heads=16, num_key_value_heads=2),
    **defaults(head_dim=256, moe_intermediate_size=512, shared_expert_intermediate_size=512),
    **defaults(num_experts_per_tok=10, num_experts=512, norm_topk_prob=True, partial_rotary_factor=0.25),
    **defaults(layer_types=None, full_attention_interval=4),
    **defaults(linear_conv_kernel_dim=4, linear_key_head_dim=128, linear_value_head_dim=128),
    **defaults(linear_num_key_heads=16, linear_num_value_heads=32),
}

_DELTA = "{layer}.linear_attention"
_ITSELF: Any = {"names": (("",), ()), "when": LINEAR}
_ATTENTION: Modules = {
    name: module.replace(when=(FULL,)) if isinstance(module, Module) and name.startswith("self_attn") else module
    for name, module in WITHOUT_NETWORK.items()
}
INSIDE: Modules = {
    **_ATTENTION,
    # the gate of each head stands behind its queries
    "self_attn.q_proj": Module(f"{HEAD}.query+gate", (("q", "q"), "d"), bias="qkv_bias", when=FULL, order="by_head"),
    "linear_attn.in_proj_qkvz": Module(
        f"{_DELTA}.query_projected+key_projected+value_projected+gate",
        (("lk", "lk", "lv", "lv"), "d"),
        when=LINEAR,
        order="by_head",
        groups="key_heads",
    ),
    "linear_attn.in_proj_ba": Module(
        f"{_DELTA}.beta_logits+decay_logits",
        (("value_heads", "value_heads"), "d"),
        when=LINEAR,
        order="by_head",
        groups="key_heads",
    ),
    "linear_attn.conv1d": Module(
        f"{_DELTA}.query_convolved+key_convolved+value_convolved",
        (("lk", "lk", "lv"), "one", "kernel"),
        when=LINEAR,
        transposed=True,
    ),
    "linear_attn.dt_bias": Module(f"{_DELTA}.b_alpha", ("value_heads",), **_ITSELF),
    "linear_attn.A_log": Module(f"{_DELTA}.a_log", ("value_heads",), **_ITSELF),
    "linear_attn.norm": Module(f"{_DELTA}.head.*.gated", ("value_head",), when=LINEAR),
    "linear_attn.out_proj": Module(f"{_DELTA}.output", ("d", "lv"), when=LINEAR),
    "linear_attn": f"{_DELTA}.output",
    **DENSE,
    **expert_modules("mlp", ("gate_proj", "up_proj", "down_proj"), "m", ("sparse",)),
    **gated_network("mlp.shared_expert", f"{FEED_FORWARD}.shared", "s", when="sparse"),
    "mlp.shared_expert_gate": Module(f"{FEED_FORWARD}.shared_gate_logits", ("one", "d"), when="sparse"),
}


def _model(values: Values, faults: list[str]) -> CheckpointModel:
    """Which layers are linear say layer_types, or full_attention_interval; which have experts, as in Qwen3-MoE."""
    rotary = rotary_of(values, values["head_dim"], faults, ROPE_TYPES, values["partial_rotary_factor"])
    switches = {"head_norms", *bias_switches(values)}
    sparse = sparse_layers(values)
    kinds = [_kind(one, has_experts) for one, has_experts in zip(_types(values, faults), sparse, strict=False)]
    model = decoder_model(values, faults, kinds, switches, rotary)
    attention = model.layer["self_attention"]
    attention |= {name: {"norm": "rms_plus_one", **attention[name]} for name in ("query_norm", "key_norm")}
    network = dict(model.layer["feed_forward"])
    if any(sparse):
        normalize = {"normalize": values["norm_topk_prob"]}
        network |= mixture_of(values["num_experts"], values["num_experts_per_tok"], faults, **normalize)
    layer = {**model.layer, LINEAR: _linear(values, faults)}
    kinds = [kind.replace(keys={"feed_forward": network}) if "sparse" in kind.switches else kind for kind in kinds]
    stack = {**model.stack, "norm": "rms_plus_one"}
    return model.replace(sizes={**model.sizes, **_sizes(values)}, layer=layer, kinds=kinds, stack=stack)


def _kind(kind: str, has_experts: bool) -> LayerKind:
    network = "sparse" if has_experts else "dense"
    return LayerKind(f"{kind}, {network}", {}, frozenset({kind, network}))


def _types(values: Values, faults: list[str]) -> list[str]:
    """Linear attention or full attention, for each layer."""
    layers, interval = values["num_hidden_layers"], values["full_attention_interval"]
    if values["layer_types"] is None:
        return [LINEAR if (at + 1) % interval else FULL for at in range(layers)]
    types: list[str] = values["layer_types"]
    if len(types) != layers or not set(types) <= {FULL, LINEAR}:
        faults.append(f"layer_types: expected {FULL} or {LINEAR} for each of {layers} layers")
    return types


def _linear(values: Values, faults: list[str]) -> dict[str, Any]:
    """The keys of a linear attention; its gate is always silu, what is convolved has the activation of the network."""
    heads, shared = values["linear_num_value_heads"], values["linear_num_key_heads"]
    if heads % shared:
        faults.append(f"linear_num_value_heads {heads} is not a multiple of linear_num_key_heads {shared}")
    return {
        "num_heads": heads,
        "num_key_heads": shared,
        "activation": activation_of("hidden_act", values["hidden_act"], faults),
        "output_norm": {"epsilon": values["rms_norm_eps"]},
    }


def _sizes(values: Values) -> dict[str, Size]:
    """Of a linear attention, of its heads and convolution; of the experts and the network that all tokens share."""
    heads, shared = values["linear_num_value_heads"], values["linear_num_key_heads"]
    key, value = values["linear_key_head_dim"], values["linear_value_head_dim"]
    return {
        "lk": Size(shared * key, "linear_num_key_heads·linear_key_head_dim"),
        "lv": Size(heads * value, "linear_num_value_heads·linear_value_head_dim"),
        "key_heads": Size(shared, "linear_num_key_heads"),
        "value_heads": Size(heads, "linear_num_value_heads"),
        "value_head": Size(value, "linear_value_head_dim"),
        "kernel": Size(values["linear_conv_kernel_dim"], "linear_conv_kernel_dim"),
        "one": Size(1, "1"),
        "m": Size(values["moe_intermediate_size"], "moe_intermediate_size"),
        "s": Size(values["shared_expert_intermediate_size"], "shared_expert_intermediate_size"),
        EXPERTS: Size(values["num_experts"], "num_experts"),
    }


FAMILIES = {
    "qwen3_next": decoder_family(
        "Qwen3-Next",
        SETTINGS,
        _model,
        "as Qwen3-MoE, with norms of 1 + gamma, an output gate, a shared expert with a gate; three of four layers with "
        "linear attention by the gated delta rule",
        inside=INSIDE,
        float32=f"{IN_FLOAT32}, the router's softmax, the delta rule",
        aliases={"num_local_experts": "num_experts"},
        left_out={"score.": "the classification head", "mtp.": "the prediction of several tokens"},
    )
}
