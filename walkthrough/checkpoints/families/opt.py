"""OPT: a decoder with learned positions, two rows of which stand before the first."""

from __future__ import annotations

from walkthrough.checkpoints.families.plain import TASK_HEADS, Names, plain_model, projections
from walkthrough.checkpoints.layout import CheckpointModel, Family, Module, Modules, Size
from walkthrough.checkpoints.paths import ACTIVATED, ATTENDED, FEED_FORWARD, FINAL_NORM, LOGITS, WEIGHTS
from walkthrough.checkpoints.settings import HARMLESS, Only, Setting, Values, defaults

_OFFSET = 2
"""Rows of the table of positions that none has."""
SETTINGS: dict[str, Setting | Only] = {
    **defaults(vocab_size=50272, hidden_size=768, num_hidden_layers=12, num_attention_heads=12, ffn_dim=3072),
    **defaults(max_position_embeddings=2048, activation_function="relu", do_layer_norm_before=True),
    "_remove_final_layer_norm": Only((False, None), "with norms before each part, the last one must be there"),
    **defaults(word_embed_proj_dim=None, enable_bias=True, layer_norm_elementwise_affine=True),
    **defaults(tie_word_embeddings=True),
    **dict.fromkeys(("dropout", "layerdrop", "init_std", "activation_dropout"), HARMLESS),
    "sliding_window": Only((None,), "OPT has no window"),
}
NAMES = Names(inner="ffn_dim", activation="activation_function")

MODULES: Modules = {
    "embed_tokens": Module("token_embedding", ("v", "d")),
    "embed_positions": Module("positional_encoding", ("p", "d")),
    "final_layer_norm": Module(FINAL_NORM, ("d",), bias="affine", when=("affine", "final_norm")),
    "lm_head": Module(LOGITS, ("v", "d")),
}
INSIDE: Modules = {
    "self_attn_layer_norm": Module("{layer}.norm_1.output", ("d",), bias="affine", when="affine"),
    **projections([f"self_attn.{name}_proj" for name in "qkv"], "biases"),
    "self_attn.out_proj": Module(ATTENDED, ("d", "d"), bias="biases"),
    "self_attn": ATTENDED,
    "self_attn.1": WEIGHTS,
    "final_layer_norm": Module("{layer}.norm_2.output", ("d",), bias="affine", when="affine"),
    "fc1": Module(f"{FEED_FORWARD}.hidden", ("f", "d"), bias="biases"),
    "activation_fn": ACTIVATED,
    "fc2": Module(f"{FEED_FORWARD}.output", ("d", "f"), bias="biases"),
}


def _model(values: Values, faults: list[str]) -> CheckpointModel:
    """With norms after each residual there is no final norm."""
    order = {"norm_order": "pre" if values["do_layer_norm_before"] else "post"}
    if values["word_embed_proj_dim"] not in (None, values["hidden_size"]):
        fault = f"word_embed_proj_dim is {values['word_embed_proj_dim']} and hidden_size {values['hidden_size']}"
        faults.append(f"{fault}, which is not supported: embeddings must be as wide as the model")
    switches = {"affine"} if values["layer_norm_elementwise_affine"] else set()
    switches |= {"biases"} if values["enable_bias"] else set()
    switches |= {"final_norm"} if values["do_layer_norm_before"] else set()
    model = plain_model(NAMES, values, faults, 1e-5, order, switches=switches)
    table = Size(values["max_position_embeddings"] + _OFFSET, f"(max_position_embeddings + {_OFFSET})")
    return model.replace(sizes={**model.sizes, "p": table}, rows={"positional_encoding": (_OFFSET + 1, table.number)})


FAMILIES = {
    "opt": Family(
        name="OPT",
        prefixes=("model.decoder.", "decoder.", ""),
        settings=SETTINGS,
        model=_model,
        modules=MODULES,
        layer="layers.{i}.",
        inside=INSIDE,
        built="decoder, layer norm before each part or after each residual, learned positions from the third row on, "
        "logits",
        float32="softmax",
        left_out=TASK_HEADS,
    )
}
