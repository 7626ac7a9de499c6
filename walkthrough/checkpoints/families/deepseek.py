"""DeepSeek-V3: latent attention, and experts in groups beside one network for every token.

Settings and their defaults are those of the transformers library's configuration classes (5.23).
"""

from __future__ import annotations

import math
from typing import Any

from walkthrough.checkpoints.families.llama import IN_FLOAT32, INSIDE, SHARED, decoder_family, decoder_model
from walkthrough.checkpoints.families.mixtures import DENSE, expert_modules, mixture_of
from walkthrough.checkpoints.families.plain import gated_network
from walkthrough.checkpoints.families.rope import rotary_of
from walkthrough.checkpoints.layout import EXPERTS, CheckpointModel, LayerKind, Module, Modules, Size
from walkthrough.checkpoints.paths import ATTENDED, ATTENTION, FEED_FORWARD, HEAD
from walkthrough.checkpoints.settings import HARMLESS, WHOLE, Only, Setting, ValueKind, Values, defaults, or_null

_EVEN = ValueKind("an even number of at least 2", lambda value: WHOLE.accepts(value) and value % 2 == 0)
SETTINGS: dict[str, Setting | Only] = {
    **SHARED,
    **defaults(vocab_size=129_280, hidden_size=7168, intermediate_size=18_432, moe_intermediate_size=2048),
    **defaults(num_hidden_layers=61, num_attention_heads=128, num_key_value_heads=or_null(128)),
    **defaults(n_shared_experts=1, n_routed_experts=256, routed_scaling_factor=2.5, kv_lora_rank=512),
    **defaults(q_lora_rank=or_null(1536)),
    "qk_rope_head_dim": Setting(_EVEN, 64),
    **defaults(v_head_dim=128, qk_nope_head_dim=128, n_group=8, topk_group=4, num_experts_per_tok=8),
    **defaults(first_k_dense_replace=3, norm_topk_prob=True, rope_interleave=True, attention_bias=False),
    **defaults(max_position_embeddings=4096),
    "moe_layer_freq": Only((1,), "all layers after the dense ones must have experts"),
    "scoring_func": Only(("sigmoid",), "the router's scores are sigmoids in this family"),
    "topk_method": Only(("noaux_tc",), "groups are chosen by their two best experts in this family"),
    **dict.fromkeys(("head_dim", "qk_head_dim", "pretraining_tp", "ep_size"), HARMLESS),  # they follow from the others
    **dict.fromkeys(("num_nextn_predict_layers", "num_mtp_layers"), HARMLESS),  # beside the model itself
    **dict.fromkeys(("output_router_logits", "router_aux_loss_coef", "aux_loss_alpha", "seq_aux"), HARMLESS),
}
_BY_HEAD: dict[str, Any] = {"order": "by_head", "groups": "heads"}
_QUERIES = f"{HEAD}.query_content+query_rope"
_LATENT = f"{ATTENTION}.latent"
INSIDE_V3: Modules = {
    **{name: one for name, one in INSIDE.items() if not name.startswith(("mlp", "self_attn."))},
    "self_attn.q_proj": Module(_QUERIES, (("qc", "qr"), "d"), when="wide_queries", **_BY_HEAD),
    "self_attn.q_a_proj": Module(
        f"{_LATENT}.compressed_query", ("cq", "d"), bias="attention_bias", when="compressed_queries"
    ),
    "self_attn.q_a_layernorm": Module(f"{_LATENT}.query_norm.output", ("cq",), when="compressed_queries"),
    "self_attn.q_b_proj": Module(_QUERIES, (("qc", "qr"), "cq"), when="compressed_queries", **_BY_HEAD),
    "self_attn.kv_a_proj_with_mqa": Module(f"{_LATENT}.compressed+key_rope", (("c", "r"), "d"), bias="attention_bias"),
    "self_attn.kv_a_layernorm": Module(f"{_LATENT}.kv_norm.output", ("c",)),
    "self_attn.kv_b_proj": Module(f"{HEAD}.key_content+value", (("qc", "hv"), "c"), **_BY_HEAD),
    "self_attn.o_proj": Module(ATTENDED, ("d", "hv"), bias="attention_bias"),
    "self_attn.1": INSIDE["self_attn.1"],
    **DENSE,
    **expert_modules("mlp", ("gate_proj", "up_proj", "down_proj"), "m", ("sparse",)),
    "mlp.gate.e_score_correction_bias": Module(
        f"{FEED_FORWARD}.router.choice_bias", (EXPERTS,), when="sparse", names=(("",), ())
    ),
    **gated_network("mlp.shared_experts", f"{FEED_FORWARD}.shared", "s", when="sparse"),
}


def _model(values: Values, faults: list[str]) -> CheckpointModel:
    """The first layers have one network, the others experts; queries are compressed where a rank says to what."""
    heads, experts = values["num_attention_heads"], values["n_routed_experts"]
    if values["num_key_value_heads"] not in (None, heads):
        faults.append(f"num_key_value_heads is {values['num_key_value_heads']}, expected {heads}, as many as heads")
    mixture: dict[str, Any] = {"shared": {}}
    dense = min(values["first_k_dense_replace"], values["num_hidden_layers"])
    if dense < values["num_hidden_layers"]:
        mixture |= mixture_of(experts, values["num_experts_per_tok"], faults, **_router(values, faults))
    kinds = [LayerKind("dense", switches=frozenset({"dense"}))] * dense
    sparse = LayerKind("experts", {"feed_forward": mixture}, frozenset({"sparse"}))
    kinds += [sparse] * (values["num_hidden_layers"] - dense)
    switches = {"wide_queries" if values["q_lora_rank"] is None else "compressed_queries"}
    switches |= {"attention_bias"} if values["attention_bias"] else set()
    rotary = rotary_of(values, values["qk_rope_head_dim"], faults)
    if values["rope_interleave"]:
        rotary["layout"] = "interleaved"
    width = values["qk_nope_head_dim"] + values["qk_rope_head_dim"]
    own = {**values, "head_dim": width, "num_key_value_heads": heads}
    model = decoder_model(own, faults, kinds, switches, rotary=rotary)
    attention = {"num_heads": heads, **_scale(values, rotary, width, faults), "latent": {}, "rotary": rotary}
    return model.replace(sizes=_sizes(values, model), layer={**model.layer, "self_attention": attention})


def _sizes(values: Values, model: CheckpointModel) -> dict[str, Size]:
    heads = values["num_attention_heads"]

    def of_heads(key: str) -> Size:
        return Size(heads * values[key], f"num_attention_heads·{key}")

    shared = values["moe_intermediate_size"] * values["n_shared_experts"]
    return {
        **{name: size for name, size in model.sizes.items() if name not in ("q", "kv", "head")},
        "qc": of_heads("qk_nope_head_dim"),
        "qr": of_heads("qk_rope_head_dim"),
        "hv": of_heads("v_head_dim"),
        "c": Size(values["kv_lora_rank"], "kv_lora_rank"),
        "r": Size(values["qk_rope_head_dim"], "qk_rope_head_dim"),
        "cq": Size(values["q_lora_rank"] or 0, "q_lora_rank"),
        "m": Size(values["moe_intermediate_size"], "moe_intermediate_size"),
        "s": Size(shared, "n_shared_experts·moe_intermediate_size"),
        EXPERTS: Size(values["n_routed_experts"], "n_routed_experts"),
    }


def _router(values: Values, faults: list[str]) -> dict[str, Any]:
    """The keys of the router; where all groups are chosen, groups say nothing."""
    experts, groups, chosen = values["n_routed_experts"], values["n_group"], values["topk_group"]
    router = {"scores": "sigmoid", "normalize": values["norm_topk_prob"], "scale": values["routed_scaling_factor"]}
    if experts % groups or experts < 2 * groups:
        faults.append(f"n_routed_experts is {experts}, expected a multiple of n_group {groups}, 2 in a group at least")
    elif chosen > groups:
        faults.append(f"topk_group is {chosen}, but n_group is {groups}")
    elif values["num_experts_per_tok"] > chosen * (experts // groups):
        count = chosen * (experts // groups)
        faults.append(f"num_experts_per_tok is {values['num_experts_per_tok']}, but topk_group has {count} experts")
    return router if chosen == groups else {**router, "n_group": groups, "topk_group": chosen}


def _scale(values: Values, rotary: dict[str, Any], width: int, faults: list[str]) -> dict[str, Any]:
    """What the scores are divided by where YaRN scales them too: √d_k / m², m = 0.1·mscale_all_dim·ln(factor) + 1."""
    given = values["rope_scaling"] or values["rope_parameters"] or {}
    power, scaling = given.get("mscale_all_dim"), rotary.get("scaling", {})
    if not power or not scaling:
        return {}
    if "yarn" not in scaling or not isinstance(power, int | float):
        faults.append("mscale_all_dim scales the scores too, which is not supported but with a number, and yarn")
        return {}
    factor = scaling["yarn"]["factor"]
    attention_factor = 0.1 * power * math.log(factor) + 1 if factor > 1 else 1.0
    return {} if attention_factor == 1 else {"scale": math.sqrt(width) / attention_factor**2}


FAMILIES = {
    "deepseek_v3": decoder_family(
        "DeepSeek-V3",
        SETTINGS,
        _model,
        "as Llama; latent attention, experts in groups beside one for every token, the first layers without",
        inside=INSIDE_V3,
        float32=f"{IN_FLOAT32}, the router's logits",
        aliases={"num_local_experts": "n_routed_experts"},
    )
}
