"""DistilBERT: BERT's encoder with half the layers and no types of tokens. Its language-model head is left out."""

from __future__ import annotations

from walkthrough.checkpoints.families.activations import activation_of
from walkthrough.checkpoints.layout import ALWAYS, CheckpointModel, Family, LayerKind, Module, Modules, Size
from walkthrough.checkpoints.paths import ACTIVATED, ATTENDED, FEED_FORWARD, HEAD, WEIGHTS
from walkthrough.checkpoints.settings import FLAG, HARMLESS, LAYERS, WHOLE, WORD, Only, Setting, Values

_EPSILON = 1e-12
SETTINGS: dict[str, Setting | Only] = {
    "vocab_size": Setting(WHOLE, 30522),
    "dim": Setting(WHOLE, 768),
    "n_layers": Setting(LAYERS, 6),
    "n_heads": Setting(WHOLE, 12),
    "hidden_dim": Setting(WHOLE, 4 * 768),
    "activation": Setting(WORD, "gelu"),
    "max_position_embeddings": Setting(WHOLE, 512),
    "tie_word_embeddings": Setting(FLAG, True),  # of the head that is left out
    **dict.fromkeys(("sinusoidal_pos_embds", "dropout", "qa_dropout", "seq_classif_dropout"), HARMLESS),
    "sliding_window": Only((None,), "DistilBERT has no window"),
}
ALIASES = {"hidden_size": "dim", "num_attention_heads": "n_heads", "num_hidden_layers": "n_layers"}

MODULES: Modules = {
    "embeddings.word_embeddings": Module("token_embedding", ("v", "d")),
    "embeddings.position_embeddings": Module("positional_encoding", ("p", "d")),
    "embeddings.LayerNorm": Module("embedding_norm.output", ("d",), bias=ALWAYS),
    "embeddings.dropout": "input",
    "embeddings": "input",
    "transformer": "encoder.output",
}
INSIDE: Modules = {
    "attention.q_lin": Module(f"{HEAD}.query", ("d", "d"), bias=ALWAYS),
    "attention.k_lin": Module(f"{HEAD}.key", ("d", "d"), bias=ALWAYS),
    "attention.v_lin": Module(f"{HEAD}.value", ("d", "d"), bias=ALWAYS),
    "attention.out_lin": Module(ATTENDED, ("d", "d"), bias=ALWAYS),
    "attention": ATTENDED,
    "attention.1": WEIGHTS,
    "sa_layer_norm": Module("{layer}.norm_1.output", ("d",), bias=ALWAYS),
    "ffn.lin1": Module(f"{FEED_FORWARD}.hidden", ("f", "d"), bias=ALWAYS),
    "ffn.activation": ACTIVATED,
    "ffn.lin2": Module(f"{FEED_FORWARD}.output", ("d", "f"), bias=ALWAYS),
    "ffn.dropout": f"{FEED_FORWARD}.output",
    "ffn": f"{FEED_FORWARD}.output",
    "output_layer_norm": Module("{layer}.norm_2.output", ("d",), bias=ALWAYS),
}


def _model(values: Values, faults: list[str]) -> CheckpointModel:
    width, heads = values["dim"], values["n_heads"]
    if width % heads:
        faults.append(f"dim {width} is not a multiple of n_heads {heads}")
    activation = activation_of("activation", values["activation"], faults)
    return CheckpointModel(
        sizes={
            "d": Size(width, "dim"),
            "f": Size(values["hidden_dim"], "hidden_dim"),
            "v": Size(values["vocab_size"], "vocab_size"),
            "p": Size(values["max_position_embeddings"], "max_position_embeddings"),
        },
        stack={"norm_order": "post", "layer_norm": {"epsilon": _EPSILON}},
        layer={"attention": {"num_heads": heads}, "feed_forward": {"activation": activation}},
        kinds=[LayerKind()] * values["n_layers"],
        embedding_norm={"epsilon": _EPSILON},
        positions=values["max_position_embeddings"],
    )


FAMILIES = {
    "distilbert": Family(
        name="DistilBERT",
        prefixes=("distilbert.", ""),
        settings=SETTINGS,
        model=_model,
        convention="column",  # Linear.weight is out×in
        stack="encoder",
        modules=MODULES,
        layer="transformer.layer.{i}.",
        inside=INSIDE,
        built="encoder, layer norm after each residual, learned positions",
        float32="nothing",
        idle=("*embeddings.position_ids",),
        left_out={
            **dict.fromkeys(("vocab_transform.", "vocab_layer_norm.", "vocab_projector."), "the language-model head"),
            **dict.fromkeys(("pre_classifier.", "classifier."), "the classification head"),
            "qa_outputs.": "the question-answering head",
        },
        aliases=ALIASES,
    )
}
