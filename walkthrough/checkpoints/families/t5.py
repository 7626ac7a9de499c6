"""T5: an encoder and a decoder without biases, whose scores know distances by a table of each stack.

Settings and their defaults are those of the transformers library's configuration class (5.23).
"""

from __future__ import annotations

import math

from walkthrough.checkpoints.families.plain import activation_of, projections
from walkthrough.checkpoints.layout import CheckpointModel, Family, LayerKind, Module, Modules, Size
from walkthrough.checkpoints.paths import ACTIVATED, CROSS, FEED_FORWARD, RETURNED
from walkthrough.checkpoints.settings import HARMLESS, Only, Setting, Values, defaults, or_null

SETTINGS: dict[str, Setting | Only] = {
    **defaults(vocab_size=32128, d_model=512, d_kv=64, d_ff=2048, num_layers=6, num_decoder_layers=None),
    **defaults(num_heads=8, relative_attention_num_buckets=32, relative_attention_max_distance=128),
    **defaults(layer_norm_epsilon=1e-6, feed_forward_proj="relu", dense_act_fn=None, is_gated_act=None),
    **defaults(tie_word_embeddings=True, scale_decoder_outputs=None, decoder_start_token_id=None),
    **defaults(pad_token_id=or_null(0)),
    "is_encoder_decoder": Only((True,), "an encoder or a decoder alone cannot be read"),
    "is_decoder": Only((False,), "a decoder alone cannot be read"),
    "sliding_window": Only((None,), "T5 has no window"),
    **dict.fromkeys(("dropout_rate", "initializer_factor", "n_positions", "output_past"), HARMLESS),
}
ALIASES = {
    "hidden_size": "d_model",
    "num_attention_heads": "num_heads",
    "num_hidden_layers": "num_layers",
    "head_dim": "d_kv",
}


def _attention(name: str, ours: str) -> Modules:
    """The modules of an attention."""
    return {
        **projections([f"{name}.{letter}" for letter in "qkv"], "", ("q", "d"), f"{ours}.head.*"),
        f"{name}.o": Module(f"{ours}.output", ("d", "q")),
        name: f"{ours}.output",
        f"{name}.2": f"{ours}.head.*.weights",
    }


def _network(name: str) -> Modules:
    """The modules of a feed-forward network, with a gate or without."""
    return {
        f"{name}.wi": Module(f"{FEED_FORWARD}.hidden", ("f", "d"), when="no_gate"),
        f"{name}.wi_0": Module(f"{FEED_FORWARD}.gate", ("f", "d"), when="gate"),
        f"{name}.wi_1": Module(f"{FEED_FORWARD}.hidden", ("f", "d"), when="gate"),
        f"{name}.act": ACTIVATED,
        f"{name}.wo": Module(f"{FEED_FORWARD}.output", ("d", "f")),
        name: f"{FEED_FORWARD}.output",
    }


def _norm(number: int) -> Module:
    return Module(f"{{layer}}.norm_{number}.output", ("d",))


def _stack(stack: str) -> Modules:
    """The modules of a stack outside its layers."""
    bias = f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias"
    return {
        f"{stack}.embed_tokens": "token_embedding" if stack == "encoder" else "decoder.token_embedding|token_embedding",
        f"{stack}.final_layer_norm": Module(f"{stack}.final_norm.output", ("d",)),
        bias: Module(f"{stack}.relative_bias.head.*", ("b", "heads")),
        stack: f"{stack}.final_norm.output|{stack}.output",
    }


ENCODER_INSIDE: Modules = {
    **_attention("layer.0.SelfAttention", "{layer}.{self}"),
    "layer.0.layer_norm": _norm(1),
    **_network("layer.1.DenseReluDense"),
    "layer.1.layer_norm": _norm(2),
}
DECODER_INSIDE: Modules = {
    **_attention("layer.0.SelfAttention", "{layer}.{self}"),
    "layer.0.layer_norm": _norm(1),
    **_attention("layer.1.EncDecAttention", CROSS),
    "layer.1.layer_norm": _norm(2),
    **_network("layer.2.DenseReluDense"),
    "layer.2.layer_norm": _norm(3),
}


def _encoder(values: Values, faults: list[str]) -> CheckpointModel:
    """Norms before each part; scores are not divided."""
    heads, inner = values["num_heads"], values["num_heads"] * values["d_kv"]
    kind, _, word = values["feed_forward_proj"].rpartition("-")
    if kind not in ("", "gated"):
        faults.append(
            f"feed_forward_proj is '{values['feed_forward_proj']}', expected an activation, or gated- and one"
        )
    activation = "gelu_new" if (kind, word) == ("gated", "gelu") else word
    for key, right in (("dense_act_fn", activation), ("is_gated_act", kind == "gated")):
        if values[key] not in (None, right):
            faults.append(f"{key} says otherwise than feed_forward_proj, which is not supported")
    buckets, distance = values["relative_attention_num_buckets"], values["relative_attention_max_distance"]
    if buckets < 4:
        faults.append(f"relative_attention_num_buckets is {buckets}, expected at least 4")
    if distance <= buckets // 2:
        nearer = "nearer distances have a bucket each"
        faults.append(f"relative_attention_max_distance is {distance}, expected more than {buckets // 2}: {nearer}")
    return CheckpointModel(
        sizes={
            "d": Size(values["d_model"], "d_model"),
            "f": Size(values["d_ff"], "d_ff"),
            "v": Size(values["vocab_size"], "vocab_size"),
            "q": Size(inner, "num_heads·d_kv"),
            "b": Size(buckets, "relative_attention_num_buckets"),
            "heads": Size(heads, "num_heads"),
        },
        stack={
            "norm": "rms",
            "norm_order": "pre",
            "layer_norm": {"epsilon": values["layer_norm_epsilon"]},
            "relative_bias": {"buckets": buckets, "max_distance": distance},
        },
        layer={
            "attention": {"num_heads": heads, "scale": "none"},
            "feed_forward": {"activation": activation_of("feed_forward_proj", activation, faults)},
        },
        kinds=[LayerKind()] * values["num_layers"],
        switches=frozenset({"gate" if kind else "no_gate"}),
    )


def _model(values: Values, faults: list[str]) -> CheckpointModel:
    """The decoder reads the encoder, begins with its own token, and divides the logits by √d_model, unless untied."""
    encoder = _encoder(values, faults)
    scaled = values["scale_decoder_outputs"]
    scaled = values["tie_word_embeddings"] if scaled is None else scaled
    first = values["decoder_start_token_id"]
    first = values["pad_token_id"] if first is None else first
    if first is None:
        faults.append("decoder_start_token_id and pad_token_id are null: nothing says how the decoder begins")
    attention = encoder.layer["attention"]
    return encoder.replace(
        layer={
            "self_attention": attention,
            "cross_attention": dict(attention),
            "feed_forward": encoder.layer["feed_forward"],
        },
        kinds=[LayerKind()] * (values["num_decoder_layers"] or values["num_layers"]),
        head={"temperature": math.sqrt(values["d_model"])} if scaled else {},
        tied=True,
        first=first,
        encoder=encoder,
    )


def _family(stack: str, **others: object) -> Family:
    """The table of one stack."""
    return Family(
        name="T5",
        prefixes=("", "transformer."),
        settings=SETTINGS,
        stack=stack,
        layer=f"{stack}.block.{{i}}.",
        built="encoder and decoder, RMS norm before each part, a table of distances, no scale, no biases, logits; "
        "the decoder begins with its start token",
        float32="RMS norms, softmax",
        aliases=ALIASES,
        idle=("encoder.embed_tokens.weight", "decoder.embed_tokens.weight"),
        **others,  # type: ignore[arg-type]
    )


FAMILIES = {
    "t5": _family(
        "decoder",
        model=_model,
        modules={
            "shared": Module("token_embedding", ("v", "d")),
            **_stack("decoder"),
            "lm_head": Module("|".join(RETURNED), ("v", "d")),
        },
        inside=DECODER_INSIDE,
        encoder=_family("encoder", model=_encoder, modules=_stack("encoder"), inside=ENCODER_INSIDE),
    )
}
