"""DistilBERT: BERT's encoder with half the layers and no types of tokens. Its language-model head is left out."""

from __future__ import annotations

from walkthrough.checkpoints.families.plain import Names, plain_model, projections
from walkthrough.checkpoints.layout import ALWAYS, CheckpointModel, Family, Module, Modules
from walkthrough.checkpoints.paths import ACTIVATED, ATTENDED, FEED_FORWARD, WEIGHTS
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
NAMES = Names(width="dim", heads="n_heads", layers="n_layers", inner="hidden_dim", activation="activation")
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
    **projections([f"attention.{name}_lin" for name in "qkv"], ALWAYS),
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
    model = plain_model(NAMES, values, faults, _EPSILON, {"norm_order": "post"}, "attention")
    return model.replace(embedding_norm={"epsilon": _EPSILON})


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
