"""GPT-2. Its weights are of Conv1D, in×out; queries, keys and values are side by side in c_attn."""

from __future__ import annotations

import math
from typing import Any

from walkthrough.checkpoints.families.plain import Names, plain_model
from walkthrough.checkpoints.layout import ALWAYS, CheckpointModel, Family, LayerKind, Module, Modules
from walkthrough.checkpoints.paths import ACTIVATED, ATTENDED, FEED_FORWARD, FINAL_NORM, FUSED, LOGITS, WEIGHTS
from walkthrough.checkpoints.settings import HARMLESS, Only, Setting, Values, defaults

SETTINGS: dict[str, Setting | Only] = {
    **defaults(vocab_size=50257, n_positions=1024, n_embd=768, n_layer=12, n_head=12, n_inner=None),
    **defaults(activation_function="gelu_new", layer_norm_epsilon=1e-5, scale_attn_weights=True),
    **defaults(scale_attn_by_inverse_layer_idx=False, tie_word_embeddings=True),
    "reorder_and_upcast_attn": HARMLESS,  # the same scores, in another order
    "n_ctx": HARMLESS,  # n_positions is what is read
    **{f"summary_{name}": HARMLESS for name in ("type", "use_proj", "activation", "proj_to_labels", "first_dropout")},
    "sliding_window": Only((None,), "GPT-2 has no window"),
}
NAMES = Names("n_embd", "n_head", "n_layer", "n_inner", "n_positions", "activation_function")
ALIASES = {
    "hidden_size": "n_embd",
    "max_position_embeddings": "n_positions",
    "num_attention_heads": "n_head",
    "num_hidden_layers": "n_layer",
}
"""Names of transformers that mean the same; where both are given they must agree."""

MODULES: Modules = {
    "wte": Module("token_embedding", ("v", "d")),
    "wpe": Module("positional_encoding", ("p", "d")),
    "drop": "input",
    "ln_f": Module(FINAL_NORM, ("d",), bias=ALWAYS),
    "lm_head": Module(LOGITS, ("v", "d"), transposed=True),  # a Linear
}
INSIDE: Modules = {
    "ln_1": Module("{layer}.norm_1.output", ("d",), bias=ALWAYS),
    "attn.c_attn": Module(FUSED, ("d", ("d", "d", "d")), bias=ALWAYS),
    "attn.attn_dropout": WEIGHTS,
    "attn.c_proj": Module(ATTENDED, ("d", "d"), bias=ALWAYS),
    "attn.resid_dropout": ATTENDED,
    "attn": ATTENDED,
    "attn.1": WEIGHTS,
    "ln_2": Module("{layer}.norm_2.output", ("d",), bias=ALWAYS),
    "mlp.c_fc": Module(f"{FEED_FORWARD}.hidden", ("d", "f"), bias=ALWAYS),
    "mlp.act": ACTIVATED,
    "mlp.gelu": ACTIVATED,
    "mlp.c_proj": Module(f"{FEED_FORWARD}.output", ("f", "d"), bias=ALWAYS),
    "mlp.dropout": f"{FEED_FORWARD}.output",
    "mlp": f"{FEED_FORWARD}.output",
}


def _model(values: Values, faults: list[str]) -> CheckpointModel:
    model = plain_model(NAMES, values, faults, values["layer_norm_epsilon"], {"norm_order": "pre"})
    kinds = [_kind(values, number) for number in range(values["n_layer"])]
    return model.replace(kinds=kinds)


def _kind(values: Values, number: int) -> LayerKind:
    """What a layer's scores are divided by, where it is not √d_k."""
    if not values["scale_attn_by_inverse_layer_idx"]:
        own: dict[str, Any] = {} if values["scale_attn_weights"] else {"scale": "none"}
    else:
        root = math.sqrt(values["n_embd"] // values["n_head"]) if values["scale_attn_weights"] else 1.0
        own = {"scale": root * (number + 1)}
    return LayerKind(str(number + 1), {"self_attention": own}) if own else LayerKind()


FAMILIES = {
    "gpt2": Family(
        name="GPT-2",
        prefixes=("transformer.", ""),
        settings=SETTINGS,
        model=_model,
        convention="row",
        modules=MODULES,
        layer="h.{i}.",
        inside=INSIDE,
        built="decoder, layer norm before each part, learned positions, logits",
        float32="nothing",
        idle=("*.attn.bias", "*.attn.masked_bias"),  # the causal mask, and what is added where it hides
        left_out={"score.": "the classification head", "multiple_choice_head.": "the multiple-choice head"},
        aliases=ALIASES,
    )
}
