"""Mixtral, Qwen3-MoE and gpt-oss: decoders built like Llama with several experts in place of the network.

Settings and their defaults are those of the transformers library's configuration classes (5.23).
"""

from __future__ import annotations

from typing import Any

from walkthrough.checkpoints.families.llama import (
    FULL,
    IN_FLOAT32,
    INSIDE,
    MISTRAL,
    QWEN3,
    SLIDING,
    bias_switches,
    decoder_family,
    decoder_model,
    kinds_of,
    windowed,
)
from walkthrough.checkpoints.families.plain import gated_network
from walkthrough.checkpoints.families.rope import rope_settings
from walkthrough.checkpoints.layout import (
    ALWAYS,
    EXPERTS,
    SEPARATE,
    STACKED,
    CheckpointModel,
    LayerKind,
    Module,
    Modules,
    Size,
)
from walkthrough.checkpoints.paths import ALL_EXPERTS, EXPERT, FEED_FORWARD, HEAD, ROUTED
from walkthrough.checkpoints.settings import HARMLESS, Only, Setting, ValueKind, Values, defaults, or_null

_TRAINING = dict.fromkeys(("output_router_logits", "router_aux_loss_coef"), HARMLESS)
MIXTRAL: dict[str, Setting | Only] = {
    **{key: one for key, one in MISTRAL.items() if key != "layer_types"},
    **rope_settings(1_000_000.0),
    **defaults(rms_norm_eps=1e-5, sliding_window=None, num_experts_per_tok=2, num_local_experts=8),
    "router_jitter_noise": HARMLESS,  # in training only
    **_TRAINING,
}
_NUMBERS = ValueKind(
    "a list of whole numbers", lambda value: isinstance(value, list) and all(type(one) is int for one in value)
)
QWEN3_MOE: dict[str, Setting | Only] = {
    **{key: one for key, one in QWEN3.items() if key != "layer_types"},
    **defaults(hidden_size=2048, intermediate_size=6144, num_hidden_layers=24, num_key_value_heads=4),
    **defaults(head_dim=None),
    "max_window_layers": HARMLESS,  # the window holds in every layer
    **defaults(decoder_sparse_step=1, moe_intermediate_size=768, num_experts_per_tok=8, num_experts=128),
    **defaults(norm_topk_prob=False),
    "mlp_only_layers": Setting(_NUMBERS, None, True),
    **_TRAINING,
}
_YARN = {
    "rope_type": "yarn",
    "factor": 32.0,
    "beta_fast": 32.0,
    "beta_slow": 1.0,
    "truncate": False,
    "original_max_position_embeddings": 4096,
}
GPT_OSS: dict[str, Setting | Only] = {
    **{key: one for key, one in MISTRAL.items() if key != "hidden_act"},
    **rope_settings(150_000.0),
    **defaults(vocab_size=201_088, hidden_size=2880, intermediate_size=2880, num_hidden_layers=36),
    **defaults(num_attention_heads=64, head_dim=64, rms_norm_eps=1e-5, sliding_window=or_null(128)),
    **defaults(layer_types=None, attention_bias=True, num_local_experts=128, num_experts_per_tok=4),
    **defaults(swiglu_alpha=1.702, swiglu_limit=7.0),
    "hidden_act": HARMLESS,  # it counts for nothing: the experts have a gate of their own
    "mlp_bias": HARMLESS,
    **_TRAINING,
}

WITHOUT_NETWORK: Modules = {name: module for name, module in INSIDE.items() if not name.startswith("mlp")}


def expert_modules(block: str, names: tuple[str, str, str], inner: str, when: tuple[str, ...], *also: str) -> Modules:
    """A router and its experts: with a matrix each in a tensor of its own, or stacked; out×in both.

    names: of the gate, the hidden layer and the output of one expert
    """
    experts = "mlp.experts"
    own = zip(names, ("gate", "hidden", "output"), strict=True)
    axes = {"gate": (inner, "d"), "hidden": (inner, "d"), "output": ("d", inner)}
    return {
        f"{block}.gate": Module(f"{FEED_FORWARD}.router.logits", (EXPERTS, "d"), when=when, also=also),
        **{
            f"{block}.experts.{{e}}.{name}": Module(f"{EXPERT}.{ours}", axes[ours], when=(*when, SEPARATE))
            for name, ours in own
        },
        f"{experts}.gate_up_proj": Module(
            f"{ALL_EXPERTS}.gate+hidden", (EXPERTS, (inner, inner), "d"), when=(*when, STACKED), names=(("",), ())
        ),
        f"{experts}.down_proj": Module(
            f"{ALL_EXPERTS}.output", (EXPERTS, "d", inner), when=(*when, STACKED), names=(("",), ())
        ),
        experts: ROUTED,
    }


_MIXTRAL_INSIDE: Modules = {
    **WITHOUT_NETWORK,
    **expert_modules("block_sparse_moe", ("w1", "w3", "w2"), "f", (), "mlp.gate"),
    "block_sparse_moe": f"{FEED_FORWARD}.output",
    "mlp": f"{FEED_FORWARD}.output",
}
DENSE = gated_network("mlp", bias="mlp_bias", when="dense")
_QWEN3_MOE_INSIDE: Modules = {
    **WITHOUT_NETWORK,
    **DENSE,
    **expert_modules("mlp", ("gate_proj", "up_proj", "down_proj"), "m", ("sparse",)),
}
_IN_OUT: dict[str, Any] = {"transposed": True, "bias": ALWAYS, "names": (("",), ("_bias",)), "when": STACKED}
_GPT_OSS_INSIDE: Modules = {
    **WITHOUT_NETWORK,
    "self_attn.sinks": Module(f"{HEAD}.sink", ("heads",), names=(("",), ())),
    "mlp.router": Module(f"{FEED_FORWARD}.router.logits", (EXPERTS, "d"), bias=ALWAYS),
    "mlp.experts.gate_up_proj": Module(
        f"{ALL_EXPERTS}.gate+hidden", (EXPERTS, "d", ("f", "f")), order="alternate", **_IN_OUT
    ),
    "mlp.experts.down_proj": Module(f"{ALL_EXPERTS}.output", (EXPERTS, "f", "d"), **_IN_OUT),
    "mlp.experts": ROUTED,
    "mlp": f"{FEED_FORWARD}.output",
}


def mixture_of(experts: int, chosen: int, faults: list[str], **router: Any) -> dict[str, Any]:
    """The keys of a mixture of experts."""
    if chosen > experts:
        faults.append(f"num_experts_per_tok is {chosen}, but there are {experts} experts")
    return {"experts": {"repeat": experts, "expert": {}}, "router": {**router, "top_k": chosen}}


def _mixtral(values: Values, faults: list[str]) -> CheckpointModel:
    """Its window, if it has one, holds in every layer; the weights of a token's experts add up to 1."""
    experts = values["num_local_experts"]
    kinds = [windowed(values["sliding_window"])] * values["num_hidden_layers"]
    model = decoder_model(values, faults, kinds, set())
    model.layer["feed_forward"].update(mixture_of(experts, values["num_experts_per_tok"], faults))
    return model.replace(sizes={**model.sizes, EXPERTS: Size(experts, "num_local_experts")})


def sparse_layers(values: Values) -> list[bool]:
    """Which layers have experts: not those of mlp_only_layers, and each decoder_sparse_step-th of the others."""
    experts, dense = values["num_experts"], values["mlp_only_layers"] or []
    return [
        experts > 0 and at not in dense and (at + 1) % values["decoder_sparse_step"] == 0
        for at in range(values["num_hidden_layers"])
    ]


def _qwen3_moe(values: Values, faults: list[str]) -> CheckpointModel:
    """Some layers may have one network instead: mlp_only_layers, and all but each decoder_sparse_step-th."""
    experts, sparse = values["num_experts"], sparse_layers(values)
    window = windowed(values["sliding_window"] if values["use_sliding_window"] else None)
    mixture: dict[str, Any] = {}
    if any(sparse):
        normalize = {"normalize": values["norm_topk_prob"]}
        mixture = mixture_of(experts, values["num_experts_per_tok"], faults, **normalize)
    kinds = [
        LayerKind("experts", {**window.keys, "feed_forward": mixture}, frozenset({"sparse"}))
        if one
        else LayerKind("dense", window.keys, frozenset({"dense"}))
        for one in sparse
    ]
    model = decoder_model(values, faults, kinds, {"head_norms", *bias_switches(values)})
    inner = Size(values["moe_intermediate_size"], "moe_intermediate_size")
    return model.replace(sizes={**model.sizes, "m": inner, EXPERTS: Size(experts, "num_experts")})


def _gpt_oss(values: Values, faults: list[str]) -> CheckpointModel:
    """A sink in every head, a clamped gate, a softmax over the chosen experts alone; every other layer has a window."""
    if values["rope_parameters"] is None:
        values = {**values, "rope_parameters": _YARN}
    kinds = kinds_of(values, [FULL if at % 2 else SLIDING for at in range(values["num_hidden_layers"])], faults)
    model = decoder_model(values, faults, kinds, bias_switches(values), activation="")
    experts = values["num_local_experts"]
    gate = {"alpha": values["swiglu_alpha"], "limit": values["swiglu_limit"]}
    network = {
        "activation": {"clamped_swiglu": gate},
        **mixture_of(experts, values["num_experts_per_tok"], faults, scores="softmax_of_chosen"),
    }
    sizes = {**model.sizes, EXPERTS: Size(experts, "num_local_experts")}
    return model.replace(sizes=sizes, layer={**model.layer, "feed_forward": network})


_BUILT = "as Llama, with experts"
_FLOAT32 = f"{IN_FLOAT32}, the router's softmax"
FAMILIES = {
    "mixtral": decoder_family(
        "Mixtral",
        MIXTRAL,
        _mixtral,
        f"{_BUILT}; a window, if it has one",
        inside=_MIXTRAL_INSIDE,
        float32=_FLOAT32,
        aliases={"num_experts": "num_local_experts"},
    ),
    "qwen3_moe": decoder_family(
        "Qwen3-MoE",
        QWEN3_MOE,
        _qwen3_moe,
        f"{_BUILT}; norms of queries and keys; some layers with one network",
        inside=_QWEN3_MOE_INSIDE,
        float32=_FLOAT32,
        aliases={"num_local_experts": "num_experts"},
    ),
    "gpt_oss": decoder_family(
        "gpt-oss",
        GPT_OSS,
        _gpt_oss,
        f"{_BUILT}; sinks, biases, YaRN, a window in every other layer",
        inside=_GPT_OSS_INSIDE,
        float32="rotary angles, RMS norms",
        aliases={"num_experts": "num_local_experts"},
    ),
}
