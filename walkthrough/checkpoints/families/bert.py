"""BERT: the encoder. Its pooler and its language-model head are left out."""

from __future__ import annotations

from walkthrough.checkpoints.families.activations import activation_of
from walkthrough.checkpoints.layout import ALWAYS, CheckpointModel, Family, Module, Modules, Size
from walkthrough.checkpoints.paths import ACTIVATED, ATTENDED, CONCAT, FEED_FORWARD, HEAD, LOGITS, WEIGHTS
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


_OLD_NAMES = (("weight", "gamma"), ("bias", "beta"))
"""Of a norm's parameters: early files have those of the paper."""
MODULES: Modules = {
    "embeddings.word_embeddings": Module("token_embedding", ("v", "d")),
    "embeddings.position_embeddings": Module("positional_encoding", ("p", "d")),
    "embeddings.token_type_embeddings": Module("segment_embedding", ("t", "d"), rows=(1, 1)),
    "embeddings.LayerNorm": Module("embedding_norm.output", ("d",), bias=ALWAYS, names=_OLD_NAMES),
    "embeddings.dropout": "input",
    "embeddings": "input",
    "encoder": "encoder.output",
    "cls.predictions.decoder": LOGITS,
}
INSIDE: Modules = {
    "attention.self.query": Module(f"{HEAD}.query", ("d", "d"), bias=ALWAYS),
    "attention.self.key": Module(f"{HEAD}.key", ("d", "d"), bias=ALWAYS),
    "attention.self.value": Module(f"{HEAD}.value", ("d", "d"), bias=ALWAYS),
    "attention.self.dropout": WEIGHTS,
    "attention.self": CONCAT,
    "attention.self.1": WEIGHTS,
    "attention.output.dense": Module(ATTENDED, ("d", "d"), bias=ALWAYS),
    "attention.output.dropout": ATTENDED,
    "attention.output.LayerNorm": Module("{layer}.norm_1.output", ("d",), bias=ALWAYS, names=_OLD_NAMES),
    "attention.output": "{layer}.norm_1.output",
    "attention": "{layer}.norm_1.output",
    "attention.1": WEIGHTS,
    "intermediate.dense": Module(f"{FEED_FORWARD}.hidden", ("f", "d"), bias=ALWAYS),
    "intermediate.intermediate_act_fn": ACTIVATED,
    "intermediate": ACTIVATED,
    "output.dense": Module(f"{FEED_FORWARD}.output", ("d", "f"), bias=ALWAYS),
    "output.dropout": f"{FEED_FORWARD}.output",
    "output.LayerNorm": Module("{layer}.norm_2.output", ("d",), bias=ALWAYS, names=_OLD_NAMES),
    "output": "{layer}.norm_2.output",
}


def _model(values: Values, faults: list[str]) -> CheckpointModel:
    width, heads = values["hidden_size"], values["num_attention_heads"]
    if width % heads:
        faults.append(f"hidden_size {width} is not a multiple of num_attention_heads {heads}")
    activation = activation_of("hidden_act", values["hidden_act"], faults)
    return CheckpointModel(
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
        modules=MODULES,
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
