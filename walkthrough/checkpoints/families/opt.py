"""OPT: a decoder with learned positions, two rows of which stand before the first."""

from __future__ import annotations

from walkthrough.checkpoints.families.activations import activation_of
from walkthrough.checkpoints.layout import CheckpointModel, Family, LayerKind, Module, Modules, Size
from walkthrough.checkpoints.paths import ACTIVATED, ATTENDED, FEED_FORWARD, FINAL_NORM, HEAD, LOGITS, WEIGHTS
from walkthrough.checkpoints.settings import FLAG, HARMLESS, LAYERS, WHOLE, WORD, Only, Setting, Values

_OFFSET = 2
"""Rows of the table of positions that none has."""
SETTINGS: dict[str, Setting | Only] = {
    "vocab_size": Setting(WHOLE, 50272),
    "hidden_size": Setting(WHOLE, 768),
    "num_hidden_layers": Setting(LAYERS, 12),
    "num_attention_heads": Setting(WHOLE, 12),
    "ffn_dim": Setting(WHOLE, 3072),
    "max_position_embeddings": Setting(WHOLE, 2048),
    "activation_function": Setting(WORD, "relu"),
    "do_layer_norm_before": Setting(FLAG, True),
    "_remove_final_layer_norm": Only((False, None), "with norms before each part, the last one must be there"),
    "word_embed_proj_dim": Setting(WHOLE, None, True),
    "enable_bias": Setting(FLAG, True),
    "layer_norm_elementwise_affine": Setting(FLAG, True),
    "tie_word_embeddings": Setting(FLAG, True),
    **dict.fromkeys(("dropout", "layerdrop", "init_std", "activation_dropout"), HARMLESS),
    "sliding_window": Only((None,), "OPT has no window"),
}

MODULES: Modules = {
    "embed_tokens": Module("token_embedding", ("v", "d")),
    "embed_positions": Module("positional_encoding", ("p", "d")),
    "final_layer_norm": Module(FINAL_NORM, ("d",), bias="affine", when=("affine", "final_norm")),
    "lm_head": Module(LOGITS, ("v", "d")),
}
INSIDE: Modules = {
    "self_attn_layer_norm": Module("{layer}.norm_1.output", ("d",), bias="affine", when="affine"),
    "self_attn.q_proj": Module(f"{HEAD}.query", ("d", "d"), bias="biases"),
    "self_attn.k_proj": Module(f"{HEAD}.key", ("d", "d"), bias="biases"),
    "self_attn.v_proj": Module(f"{HEAD}.value", ("d", "d"), bias="biases"),
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
    width, heads, positions = values["hidden_size"], values["num_attention_heads"], values["max_position_embeddings"]
    if width % heads:
        faults.append(f"hidden_size {width} is not a multiple of num_attention_heads {heads}")
    if values["word_embed_proj_dim"] not in (None, width):
        fault = f"word_embed_proj_dim is {values['word_embed_proj_dim']} and hidden_size {width}"
        faults.append(f"{fault}, which is not supported: embeddings must be as wide as the model")
    switches = {"affine"} if values["layer_norm_elementwise_affine"] else set()
    switches |= {"biases"} if values["enable_bias"] else set()
    switches |= {"final_norm"} if values["do_layer_norm_before"] else set()
    activation = activation_of("activation_function", values["activation_function"], faults)
    return CheckpointModel(
        sizes={
            "d": Size(width, "hidden_size"),
            "f": Size(values["ffn_dim"], "ffn_dim"),
            "v": Size(values["vocab_size"], "vocab_size"),
            "p": Size(positions + _OFFSET, f"(max_position_embeddings + {_OFFSET})"),
        },
        stack={
            "norm_order": "pre" if values["do_layer_norm_before"] else "post",
            "layer_norm": {"epsilon": 1e-5},
        },
        layer={"self_attention": {"num_heads": heads}, "feed_forward": {"activation": activation}},
        kinds=[LayerKind()] * values["num_hidden_layers"],
        switches=frozenset(switches),
        rows={"positional_encoding": (_OFFSET + 1, positions + _OFFSET)},
        tied=values["tie_word_embeddings"],
        positions=positions,
    )


FAMILIES = {
    "opt": Family(
        name="OPT",
        prefixes=("model.decoder.", "decoder.", ""),
        settings=SETTINGS,
        model=_model,
        convention="column",  # Linear.weight is out×in
        stack="decoder",
        modules=MODULES,
        layer="layers.{i}.",
        inside=INSIDE,
        built="decoder, layer norm before each part or after each residual, learned positions from the third row on, "
        "logits",
        float32="softmax",
        head="lm_head",
        left_out={"score.": "the classification head", "qa_outputs.": "the question-answering head"},
    )
}
