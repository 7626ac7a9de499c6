"""BERT and RoBERTa: the encoder; DistilBERT, with half the layers and no types of tokens. Their heads are left out."""

from __future__ import annotations

from walkthrough.checkpoints.families.plain import Names, plain_model, projections
from walkthrough.checkpoints.layout import ALWAYS, CheckpointModel, Family, Module, Modules, Size
from walkthrough.checkpoints.paths import ACTIVATED, ATTENDED, CONCAT, FEED_FORWARD, LOGITS, WEIGHTS
from walkthrough.checkpoints.settings import FLAG, HARMLESS, Only, Setting, Values, defaults

SETTINGS: dict[str, Setting | Only] = {
    **defaults(vocab_size=30522, hidden_size=768, num_hidden_layers=12, num_attention_heads=12),
    **defaults(intermediate_size=3072, hidden_act="gelu", max_position_embeddings=512, type_vocab_size=2),
    **defaults(layer_norm_eps=1e-12),
    "is_decoder": Only((False, None), "only BERT as an encoder can be read; as a decoder its attention is causal"),
    "position_embedding_type": Only(("absolute", None), "only learned positions can be read"),
    "tie_word_embeddings": Setting(FLAG, True),  # of the head that is left out
    "sliding_window": Only((None,), "BERT has no window"),
    "gradient_checkpointing": HARMLESS,
    **{f"pooler_{name}": HARMLESS for name in ("fc_size", "num_attention_heads", "num_fc_layers", "size_per_head")},
    "pooler_type": HARMLESS,
}
ROBERTA: dict[str, Setting | Only] = {
    **SETTINGS,
    **defaults(vocab_size=50265, pad_token_id=1),
    "is_decoder": Only((False, None), "only RoBERTa as an encoder can be read; as a decoder its attention is causal"),
}

OLD_NAMES = ((".weight", ".gamma"), (".bias", ".beta"))
"""Of a norm's parameters: early files have those of the paper."""
MODULES: Modules = {
    "embeddings.word_embeddings": Module("token_embedding", ("v", "d")),
    "embeddings.position_embeddings": Module("positional_encoding", ("p", "d")),
    "embeddings.token_type_embeddings": Module("segment_embedding", ("t", "d")),
    "embeddings.LayerNorm": Module("embedding_norm.output", ("d",), bias=ALWAYS, names=OLD_NAMES),
    "embeddings.dropout": "input",
    "embeddings": "input",
    "encoder": "encoder.output",
    "cls.predictions.decoder": LOGITS,
}
INSIDE: Modules = {
    **projections([f"attention.self.{name}" for name in ("query", "key", "value")], ALWAYS),
    "attention.self.dropout": WEIGHTS,
    "attention.self": CONCAT,
    "attention.self.1": WEIGHTS,
    "attention.output.dense": Module(ATTENDED, ("d", "d"), bias=ALWAYS),
    "attention.output.dropout": ATTENDED,
    "attention.output.LayerNorm": Module("{layer}.norm_1.output", ("d",), bias=ALWAYS, names=OLD_NAMES),
    "attention.output": "{layer}.norm_1.output",
    "attention": "{layer}.norm_1.output",
    "attention.1": WEIGHTS,
    "intermediate.dense": Module(f"{FEED_FORWARD}.hidden", ("f", "d"), bias=ALWAYS),
    "intermediate.intermediate_act_fn": ACTIVATED,
    "intermediate": ACTIVATED,
    "output.dense": Module(f"{FEED_FORWARD}.output", ("d", "f"), bias=ALWAYS),
    "output.dropout": f"{FEED_FORWARD}.output",
    "output.LayerNorm": Module("{layer}.norm_2.output", ("d",), bias=ALWAYS, names=OLD_NAMES),
    "output": "{layer}.norm_2.output",
}


def encoder_model(values: Values, faults: list[str]) -> CheckpointModel:
    """Norms after each residual, learned positions, all tokens of type 0."""
    epsilon, types = values["layer_norm_eps"], values["type_vocab_size"]
    model = plain_model(Names(), values, faults, epsilon, {"norm_order": "post"}, "attention")
    return model.replace(
        sizes={**model.sizes, "t": Size(types, "type_vocab_size")},
        rows={"segment_embedding": (1, 1)},
        embedding_norm={"epsilon": epsilon},
        notes=("all positions are of type 0, the first sentence",) if types > 1 else (),
    )


def _roberta(values: Values, faults: list[str]) -> CheckpointModel:
    """Its positions begin behind the one that has the number of the padding."""
    model = encoder_model(values, faults)
    padding, table = values["pad_token_id"], values["max_position_embeddings"]
    first = padding + 2  # counted from 1
    if first > table:
        faults.append(f"pad_token_id is {padding}: there is no position behind it, of {table} in all")
    return model.replace(
        rows={**model.rows, "positional_encoding": (first, max(first, table))},
        positions=table - first + 1,
        padding=padding,
    )


_BUILT = "encoder, layer norm after each residual, learned positions; all tokens of type 0"
_HEADS = {"classifier.": "the classification head", "qa_outputs.": "the question-answering head"}
_BERT = Family(
    name="BERT",
    prefixes=("bert.", ""),
    settings=SETTINGS,
    model=encoder_model,
    stack="encoder",
    modules=MODULES,
    layer="encoder.layer.{i}.",
    inside=INSIDE,
    built=_BUILT,
    float32="nothing",
    idle=("*embeddings.position_ids", "*embeddings.token_type_ids"),
    left_out={"bert.pooler.": "the pooler", "pooler.": "the pooler", "cls.": "the language-model head", **_HEADS},
)
_DISTIL_EPSILON = 1e-12
DISTILBERT: dict[str, Setting | Only] = {
    **defaults(vocab_size=30522, dim=768, n_layers=6, n_heads=12, hidden_dim=4 * 768, activation="gelu"),
    **defaults(max_position_embeddings=512),
    "tie_word_embeddings": Setting(FLAG, True),  # of the head that is left out
    **dict.fromkeys(("sinusoidal_pos_embds", "dropout", "qa_dropout", "seq_classif_dropout"), HARMLESS),
    "sliding_window": Only((None,), "DistilBERT has no window"),
}
_DISTIL_NAMES = Names(width="dim", heads="n_heads", layers="n_layers", inner="hidden_dim", activation="activation")
_DISTIL_ALIASES = {"hidden_size": "dim", "num_attention_heads": "n_heads", "num_hidden_layers": "n_layers"}

DISTIL_MODULES: Modules = {
    "embeddings.word_embeddings": Module("token_embedding", ("v", "d")),
    "embeddings.position_embeddings": Module("positional_encoding", ("p", "d")),
    "embeddings.LayerNorm": Module("embedding_norm.output", ("d",), bias=ALWAYS),
    "embeddings.dropout": "input",
    "embeddings": "input",
    "transformer": "encoder.output",
}
DISTIL_INSIDE: Modules = {
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


def _distilbert(values: Values, faults: list[str]) -> CheckpointModel:
    model = plain_model(_DISTIL_NAMES, values, faults, _DISTIL_EPSILON, {"norm_order": "post"}, "attention")
    return model.replace(embedding_norm={"epsilon": _DISTIL_EPSILON})


FAMILIES = {
    "bert": _BERT,
    "roberta": _BERT.replace(
        name="RoBERTa",
        prefixes=("roberta.", ""),
        settings=ROBERTA,
        model=_roberta,
        built=f"{_BUILT}; positions behind that of the padding",
        left_out={
            "roberta.pooler.": "the pooler",
            "pooler.": "the pooler",
            "lm_head.": "the language-model head",
            **_HEADS,
        },
    ),
    "distilbert": Family(
        name="DistilBERT",
        prefixes=("distilbert.", ""),
        settings=DISTILBERT,
        model=_distilbert,
        stack="encoder",
        modules=DISTIL_MODULES,
        layer="transformer.layer.{i}.",
        inside=DISTIL_INSIDE,
        built="encoder, layer norm after each residual, learned positions",
        float32="nothing",
        idle=("*embeddings.position_ids",),
        left_out={
            **dict.fromkeys(("vocab_transform.", "vocab_layer_norm.", "vocab_projector."), "the language-model head"),
            **dict.fromkeys(("pre_classifier.", "classifier."), "the classification head"),
            "qa_outputs.": "the question-answering head",
        },
        aliases=_DISTIL_ALIASES,
    ),
}
