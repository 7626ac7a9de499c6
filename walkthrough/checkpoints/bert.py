"""BERT: the encoder. Its pooler and its language-model head are left out."""

from __future__ import annotations

from walkthrough.checkpoints.activations import activation_of
from walkthrough.checkpoints.layout import Family, Model, Size, Tensor
from walkthrough.checkpoints.settings import FLAG, HARMLESS, LAYERS, NUMBER, WHOLE, WORD, Only, Setting, Values

SETTINGS: dict[str, Setting | Only] = {
    "vocab_size": Setting(WHOLE, 30522),
    "hidden_size": Setting(WHOLE, 768),
    "num_hidden_layers": Setting(LAYERS, 12),
    "num_attention_heads": Setting(WHOLE, 12),
    "intermediate_size": Setting(WHOLE, 3072),
    "hidden_act": Setting(WORD, "gelu"),
    "max_position_embeddings": Setting(WHOLE, 512),
    "type_vocab_size": Setting(WHOLE, 2),
    "layer_norm_eps": Setting(NUMBER, 1e-12),
    "is_decoder": Only((False, None), "only BERT as an encoder can be read; as a decoder its attention is causal"),
    "position_embedding_type": Only(("absolute", None), "only learned positions can be read"),
    "tie_word_embeddings": Setting(FLAG, True),  # of the head that is left out
    "sliding_window": Only((None,), "BERT has no window"),
    "gradient_checkpointing": HARMLESS,
    **{f"pooler_{name}": HARMLESS for name in ("fc_size", "num_attention_heads", "num_fc_layers", "size_per_head")},
    "pooler_type": HARMLESS,
}


def _norm(ours: str, theirs: str) -> tuple[Tensor, Tensor]:
    """Gamma and beta, which early files call so themselves."""
    return (
        Tensor(f"{ours}.gamma", (f"{theirs}.weight", f"{theirs}.gamma"), ("d",)),
        Tensor(f"{ours}.beta", (f"{theirs}.bias", f"{theirs}.beta"), ("d",)),
    )


_PROJECTIONS = {"q": "query", "k": "key", "v": "value"}
INSIDE = (
    *(
        Tensor(f"attention.{kind}_{letter}", f"attention.self.{name}.{theirs}", axes)
        for letter, name in _PROJECTIONS.items()
        for kind, theirs, axes in (("w", "weight", ("d", "d")), ("b", "bias", ("d",)))
    ),
    Tensor("attention.w_o", "attention.output.dense.weight", ("d", "d")),
    Tensor("attention.b_o", "attention.output.dense.bias", ("d",)),
    *_norm("norm_1", "attention.output.LayerNorm"),
    Tensor("feed_forward.w_1", "intermediate.dense.weight", ("f", "d")),
    Tensor("feed_forward.b_1", "intermediate.dense.bias", ("f",)),
    Tensor("feed_forward.w_2", "output.dense.weight", ("d", "f")),
    Tensor("feed_forward.b_2", "output.dense.bias", ("d",)),
    *_norm("norm_2", "output.LayerNorm"),
)
OUTSIDE = (
    Tensor("embeddings", "embeddings.word_embeddings.weight", ("v", "d")),
    Tensor("positional_encoding", "embeddings.position_embeddings.weight", ("p", "d")),
    Tensor("segment_embedding", "embeddings.token_type_embeddings.weight", ("t", "d"), rows=(1, 1)),
    *_norm("embedding_norm", "embeddings.LayerNorm"),
)


def _model(values: Values, faults: list[str]) -> Model:
    width, heads = values["hidden_size"], values["num_attention_heads"]
    if width % heads:
        faults.append(f"hidden_size {width} is not a multiple of num_attention_heads {heads}")
    activation = activation_of("hidden_act", values["hidden_act"], faults)
    return Model(
        sizes={
            "d": Size(width, "hidden_size"),
            "f": Size(values["intermediate_size"], "intermediate_size"),
            "v": Size(values["vocab_size"], "vocab_size"),
            "p": Size(values["max_position_embeddings"], "max_position_embeddings"),
            "t": Size(values["type_vocab_size"], "type_vocab_size"),
        },
        layers=values["num_hidden_layers"],
        stack={"norm_order": "post", "layer_norm": {"epsilon": values["layer_norm_eps"]}},
        layer={"attention": {"num_heads": heads}, "feed_forward": {"activation": activation}},
        own=[{}] * values["num_hidden_layers"],
        embedding_norm={"epsilon": values["layer_norm_eps"]},
        positions=values["max_position_embeddings"],
        notes=("all positions are of type 0, the first sentence",) if values["type_vocab_size"] > 1 else (),
    )


FAMILIES = {
    "bert": Family(
        name="BERT",
        prefixes=("bert.", ""),
        settings=SETTINGS,
        model=_model,
        convention="column",  # Linear.weight is out×in
        stack="encoder",
        outside=OUTSIDE,
        layer="encoder.layer.{i}.",
        inside=INSIDE,
        idle=("*embeddings.position_ids", "*embeddings.token_type_ids"),
        left_out={
            "bert.pooler.": "the pooler",
            "pooler.": "the pooler",
            "cls.": "the language-model head",
            "classifier.": "the classification head",
            "qa_outputs.": "the question-answering head",
        },
    )
}
