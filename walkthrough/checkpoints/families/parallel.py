"""GPT-J and GPT-NeoX: attention and feed-forward network side by side, a part of each head's features rotated."""

from __future__ import annotations

from typing import Any

from walkthrough.checkpoints.families.gpt2 import ALIASES
from walkthrough.checkpoints.families.gpt2 import NAMES as GPT2_NAMES
from walkthrough.checkpoints.families.plain import TASK_HEADS, Names, plain_model, projections, with_rotary
from walkthrough.checkpoints.families.rope import ROPE_TYPES, rope_settings, rotary_of
from walkthrough.checkpoints.layout import ALWAYS, CheckpointModel, Family, Module, Modules, Size
from walkthrough.checkpoints.paths import ACTIVATED, ATTENDED, FEED_FORWARD, FINAL_NORM, FUSED, LOGITS, WEIGHTS
from walkthrough.checkpoints.settings import (
    FLAG,
    HARMLESS,
    LAYERS,
    NUMBER,
    POSITIVE,
    WHOLE,
    WORD,
    Only,
    Setting,
    Values,
)

GPTJ: dict[str, Setting | Only] = {
    "vocab_size": Setting(WHOLE, 50400),
    "n_positions": Setting(WHOLE, 2048),
    "n_embd": Setting(WHOLE, 4096),
    "n_layer": Setting(LAYERS, 28),
    "n_head": Setting(WHOLE, 16),
    "rotary_dim": Setting(WHOLE, 64),
    "n_inner": Setting(WHOLE, None, True),
    "activation_function": Setting(WORD, "gelu_new"),
    "layer_norm_epsilon": Setting(NUMBER, 1e-5),
    "tie_word_embeddings": Setting(FLAG, False),
    "sliding_window": Only((None,), "GPT-J has no window"),
}
GPT_NEOX: dict[str, Setting | Only] = {
    **rope_settings(),
    "rope_theta": Setting(POSITIVE, None, True),
    "rotary_emb_base": Setting(POSITIVE, 10_000.0),
    "rotary_pct": Setting(POSITIVE, 0.25),
    "partial_rotary_factor": Setting(POSITIVE, None, True),
    "vocab_size": Setting(WHOLE, 50432),
    "hidden_size": Setting(WHOLE, 6144),
    "num_hidden_layers": Setting(LAYERS, 44),
    "num_attention_heads": Setting(WHOLE, 64),
    "intermediate_size": Setting(WHOLE, 24576),
    "hidden_act": Setting(WORD, "gelu"),
    "max_position_embeddings": Setting(WHOLE, 2048),
    "layer_norm_eps": Setting(NUMBER, 1e-5),
    "tie_word_embeddings": Setting(FLAG, False),
    "use_parallel_residual": Setting(FLAG, True),
    "attention_bias": Setting(FLAG, True),
    "is_decoder": HARMLESS,  # it is one, whatever this says
    "sliding_window": Only((None,), "GPT-NeoX has no window"),
}

GPTJ_MODULES: Modules = {
    "wte": Module("token_embedding", ("v", "d")),
    "drop": "input",
    "ln_f": Module(FINAL_NORM, ("d",), bias=ALWAYS),
    "lm_head": Module(LOGITS, ("v", "d"), bias=ALWAYS),
}
GPTJ_INSIDE: Modules = {
    "ln_1": Module("{layer}.norm_1.output", ("d",), bias=ALWAYS),
    **projections([f"attn.{name}_proj" for name in "qkv"], ""),
    "attn.attn_dropout": WEIGHTS,
    "attn.out_proj": Module(ATTENDED, ("d", "d")),
    "attn.resid_dropout": ATTENDED,
    "attn": ATTENDED,
    "attn.1": WEIGHTS,
    "1": WEIGHTS,  # what the layer returns beside its output
    "mlp.fc_in": Module(f"{FEED_FORWARD}.hidden", ("f", "d"), bias=ALWAYS),
    "mlp.act": ACTIVATED,
    "mlp.fc_out": Module(f"{FEED_FORWARD}.output", ("d", "f"), bias=ALWAYS),
    "mlp.dropout": f"{FEED_FORWARD}.output",
    "mlp": f"{FEED_FORWARD}.output",
}
NEOX_MODULES: Modules = {
    "embed_in": Module("token_embedding", ("v", "d")),
    "emb_dropout": "input",
    "final_layer_norm": Module(FINAL_NORM, ("d",), bias=ALWAYS),
    "lm_head": Module(LOGITS, ("v", "d"), also=("embed_out",)),
}
NEOX_INSIDE: Modules = {
    "input_layernorm": Module("{layer}.norm_1.output", ("d",), bias=ALWAYS),
    "attention.query_key_value": Module(FUSED, (("d", "d", "d"), "d"), bias="attention_bias", order="by_head"),
    "attention.dense": Module(ATTENDED, ("d", "d"), bias="attention_bias"),
    "attention": ATTENDED,
    "attention.1": WEIGHTS,
    "post_attention_dropout": ATTENDED,
    "post_attention_layernorm": Module("{layer}.norm_2.output", ("d",), bias=ALWAYS),
    "mlp.dense_h_to_4h": Module(f"{FEED_FORWARD}.hidden", ("f", "d"), bias=ALWAYS),
    "mlp.act": ACTIVATED,
    "mlp.dense_4h_to_h": Module(f"{FEED_FORWARD}.output", ("d", "f"), bias=ALWAYS),
    "mlp": f"{FEED_FORWARD}.output",
    "post_mlp_dropout": f"{FEED_FORWARD}.output",
}


def _gptj(values: Values, faults: list[str]) -> CheckpointModel:
    """Both parts read the one norm; neighbouring features are rotated together."""
    stack = {"norm_order": "pre", "parallel": "shared"}
    model = plain_model(GPT2_NAMES, values, faults, values["layer_norm_epsilon"], stack)
    size, rotated = _head_size(model), values["rotary_dim"]
    if rotated % 2 or rotated > size:
        faults.append(f"rotary_dim is {rotated}, expected an even number of the {size} features of a head")
    rotary: dict[str, Any] = {"base": 10000, "layout": "interleaved"}
    if rotated != size:
        rotary["dimensions"] = rotated
    return with_rotary(model, rotary).replace(tied=values["tie_word_embeddings"])


def _head_size(model: CheckpointModel) -> int:
    """The width of a head."""
    return max(1, model.sizes["d"].number // int(model.layer["self_attention"]["num_heads"]))


def _gpt_neox(values: Values, faults: list[str]) -> CheckpointModel:
    """Each part reads a norm of its own; base and share of the rotated features have names of their own."""
    stack = {"norm_order": "pre"} | ({"parallel": True} if values["use_parallel_residual"] else {})
    model = plain_model(Names(), values, faults, values["layer_norm_eps"], stack)
    for other, key in (("rope_theta", "rotary_emb_base"), ("partial_rotary_factor", "rotary_pct")):
        if values[other] not in (None, values[key]):
            faults.append(f"{other} is {values[other]:g} and {key} is {values[key]:g}: transformers reads {key} alone")
    size, named = _head_size(model), {**values, "rope_theta": values["rotary_emb_base"]}
    rotary = rotary_of(named, size, faults, ROPE_TYPES, values["rotary_pct"])
    return with_rotary(model, rotary).replace(
        sizes={**model.sizes, "head": Size(size, "hidden_size / num_attention_heads")},
        switches=frozenset({"attention_bias"} if values["attention_bias"] else ()),
        tied=values["tie_word_embeddings"],
        positions=None,
    )


FAMILIES = {
    "gptj": Family(
        name="GPT-J",
        prefixes=("transformer.", ""),
        settings=GPTJ,
        model=_gptj,
        convention="column",  # Linear.weight is out×in
        stack="decoder",
        modules=GPTJ_MODULES,
        layer="h.{i}.",
        inside=GPTJ_INSIDE,
        built="decoder, one layer norm for both parts side by side, some features rotated with their neighbour, logits",
        float32="rotary angles, queries and keys for the scores, softmax",
        head="lm_head",
        idle=("*.attn.bias", "*.attn.masked_bias", "*.attn.embed_positions"),
        left_out=TASK_HEADS,
        aliases=ALIASES,
    ),
    "gpt_neox": Family(
        name="GPT-NeoX",
        prefixes=("gpt_neox.", ""),
        settings=GPT_NEOX,
        model=_gpt_neox,
        convention="column",
        stack="decoder",
        modules=NEOX_MODULES,
        layer="layers.{i}.",
        inside=NEOX_INSIDE,
        built="decoder, layer norms, both parts side by side or not, some features rotated, logits",
        float32="rotary angles, softmax",
        head="lm_head",
        idle=("*.attention.bias", "*.attention.masked_bias", "*rotary_emb.inv_freq"),
        left_out=TASK_HEADS,
    ),
}
