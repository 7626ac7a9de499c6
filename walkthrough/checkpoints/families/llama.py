"""Llama, and Mistral, Qwen2 and Qwen3, which are built like it; what other families share with them.

Settings and their defaults are those of the transformers library's configuration classes (5.23).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from walkthrough.checkpoints.families.plain import activation_of, gated_network
from walkthrough.checkpoints.families.rope import rope_settings, rotary_of
from walkthrough.checkpoints.layout import CheckpointModel, Family, LayerKind, Module, Modules, Size
from walkthrough.checkpoints.paths import ATTENDED, FINAL_NORM, HEAD, LOGITS, WEIGHTS
from walkthrough.checkpoints.settings import HARMLESS, Only, Setting, Values, defaults, or_null

SHARED: dict[str, Setting | Only] = {
    **defaults(num_hidden_layers=32, num_attention_heads=32, hidden_size=4096, hidden_act="silu"),
    **defaults(rms_norm_eps=1e-6, tie_word_embeddings=False, head_dim=None),
    **rope_settings(),
}
_NO_WINDOW: dict[str, Setting | Only] = {
    "sliding_window": Only((None,), "Llama has no window"),
    **defaults(layer_types=None),
}
LLAMA: dict[str, Setting | Only] = {
    **SHARED,
    **_NO_WINDOW,
    **defaults(vocab_size=32000, intermediate_size=11008, num_key_value_heads=None),
    **defaults(max_position_embeddings=2048, attention_bias=False, mlp_bias=False),
    "pretraining_tp": HARMLESS,  # the same products, in slices
}
MISTRAL: dict[str, Setting | Only] = {
    **SHARED,
    **defaults(vocab_size=32000, intermediate_size=14336, num_key_value_heads=or_null(8)),
    **defaults(max_position_embeddings=131072, sliding_window=or_null(4096), layer_types=None),
    "attention_bias": Only((False, None), "Mistral has no biases"),
    "mlp_bias": Only((False, None), "Mistral has no biases"),
}
QWEN2: dict[str, Setting | Only] = {
    **SHARED,
    **defaults(vocab_size=151936, intermediate_size=22016, num_key_value_heads=or_null(32)),
    **defaults(max_position_embeddings=32768, use_sliding_window=False, sliding_window=or_null(4096)),
    **defaults(max_window_layers=28, layer_types=None),
    "attention_bias": Only((None, True), "Qwen2 has biases of queries, keys and values, always"),
    "mlp_bias": Only((False, None), "Qwen2 has no such biases"),
}
QWEN3: dict[str, Setting | Only] = {
    **QWEN2,
    **defaults(head_dim=128, attention_bias=False),
    "mlp_bias": Only((False, None), "Qwen3 has no such biases"),
}

MODULES: Modules = {
    "embed_tokens": Module("token_embedding", ("v", "d")),
    "norm": Module(FINAL_NORM, ("d",)),
    "lm_head": Module(LOGITS, ("v", "d")),
}
INSIDE: Modules = {
    "input_layernorm": Module("{layer}.norm_1.output", ("d",)),
    "self_attn.q_proj": Module(f"{HEAD}.query", ("q", "d"), bias="qkv_bias"),
    "self_attn.k_proj": Module(f"{HEAD}.key", ("kv", "d"), bias="qkv_bias"),
    "self_attn.v_proj": Module(f"{HEAD}.value", ("kv", "d"), bias="qkv_bias"),
    "self_attn.o_proj": Module(ATTENDED, ("d", "q"), bias="attention_bias"),
    "self_attn.q_norm": Module(f"{HEAD}.query_norm.output", ("head",), when="head_norms"),
    "self_attn.k_norm": Module(f"{HEAD}.key_norm.output", ("head",), when="head_norms"),
    "self_attn": ATTENDED,
    "self_attn.1": WEIGHTS,
    "post_attention_layernorm": Module("{layer}.norm_2.output", ("d",)),
    **gated_network("mlp", bias="mlp_bias"),
}


FULL, SLIDING = "full_attention", "sliding_attention"


def decoder_model(
    values: Values,
    faults: list[str],
    kinds: Sequence[LayerKind],
    switches: set[str],
    rotary: Mapping[str, Any] | None = None,
    activation: str = "hidden_act",
) -> CheckpointModel:
    """What the settings of all decoders built like Llama say.

    rotary:     our `rotary`, where the family reads it in another way; empty: not in every layer
    activation: the setting that says it; empty: none does
    """
    width, heads = values["hidden_size"], values["num_attention_heads"]
    shared = values["num_key_value_heads"] or heads
    if values["head_dim"] is None and width % heads:
        faults.append(f"hidden_size {width} is not a multiple of num_attention_heads {heads}, and head_dim is missing")
    if heads % shared:
        faults.append(f"num_attention_heads {heads} is not a multiple of num_key_value_heads {shared}")
    size = head_size(values)
    epsilon = values["rms_norm_eps"]
    if rotary is None:
        rotary = rotary_of(values, size, faults)
    attention: dict[str, Any] = {"num_heads": heads, "num_kv_heads": shared}
    attention |= {"rotary": rotary} if rotary else {}
    if "head_norms" in switches:
        attention |= {"query_norm": {"epsilon": epsilon}, "key_norm": {"epsilon": epsilon}}
    network = {"activation": activation_of(activation, values[activation], faults)} if activation else {}
    return CheckpointModel(
        sizes={
            "d": Size(width, "hidden_size"),
            "f": Size(values["intermediate_size"], "intermediate_size"),
            "v": Size(values["vocab_size"], "vocab_size"),
            "q": Size(heads * size, "num_attention_heads·head_dim"),
            "kv": Size(shared * size, "num_key_value_heads·head_dim"),
            "head": Size(size, "head_dim"),
            "heads": Size(heads, "num_attention_heads"),
        },
        stack={"norm": "rms", "norm_order": "pre", "layer_norm": {"epsilon": epsilon}},
        layer={"self_attention": attention, "feed_forward": network},
        kinds=kinds,
        switches=frozenset(switches),
        tied=values["tie_word_embeddings"],
    )


def head_size(values: Values) -> int:
    """The width of a head."""
    return int(values["head_dim"] or max(1, values["hidden_size"] // values["num_attention_heads"]))


def bias_switches(values: Values) -> set[str]:
    """Which biases there are."""
    found = {"attention_bias", "qkv_bias"} if values.get("attention_bias") else set()
    return found | ({"mlp_bias"} if values.get("mlp_bias") else set())


def windowed(window: int | None, rotary: Mapping[str, Any] | None = None) -> LayerKind:
    """A layer with a window, or none; rotary: where kinds differ in it too."""
    own: dict[str, Any] = {} if rotary is None else {"rotary": rotary}
    if window is not None:
        own["window"] = window
    return LayerKind("global" if window is None else "local", {"self_attention": own} if own else {})


def kinds_of(
    values: Values, types: Sequence[str], faults: list[str], needed: str = "sliding_window"
) -> list[LayerKind]:
    """The layers, where layer_types says which of them have the window.

    types: where it says nothing; needed: the settings that give the window
    """
    layers, window = values["num_hidden_layers"], values["sliding_window"]
    kinds = list(types) if values["layer_types"] is None else values["layer_types"]
    if len(kinds) != layers or not set(kinds) <= {FULL, SLIDING}:
        faults.append(f"layer_types: expected {FULL} or {SLIDING} for each of {layers} layers")
    elif SLIDING in kinds and window is None:
        faults.append(f"layer_types has {SLIDING}, but {needed} is missing")
    return [windowed(window if kind == SLIDING else None) for kind in kinds[:layers]]


def llama_model(values: Values, faults: list[str]) -> CheckpointModel:
    """What the settings of a Llama say."""
    _check_types(values, [FULL] * values["num_hidden_layers"], faults)
    return decoder_model(values, faults, [LayerKind()] * values["num_hidden_layers"], bias_switches(values))


def _mistral(values: Values, faults: list[str]) -> CheckpointModel:
    """Its window holds in every layer."""
    window, layers = values["sliding_window"], values["num_hidden_layers"]
    _check_types(values, [FULL if window is None else SLIDING] * layers, faults)
    return decoder_model(values, faults, [windowed(window)] * layers, set())


def _check_types(values: Values, expected: list[str], faults: list[str]) -> None:
    """These families have no layer_types of their own; one that says something else is not supported."""
    if values["layer_types"] not in (None, expected):
        faults.append(f"layer_types is not {expected[0]} in every layer, which is not supported in this family")


def _qwen_kinds(values: Values, faults: list[str]) -> list[LayerKind]:
    """Qwen's window for each layer: only with use_sliding_window, from max_window_layers on, or as layer_types say."""
    layers, window = values["num_hidden_layers"], values["sliding_window"] if values["use_sliding_window"] else None
    first = layers if window is None else values["max_window_layers"]
    types = [FULL if number < first else SLIDING for number in range(layers)]
    return kinds_of(values | {"sliding_window": window}, types, faults, "use_sliding_window or sliding_window")


def _qwen2(values: Values, faults: list[str]) -> CheckpointModel:
    return decoder_model(values, faults, _qwen_kinds(values, faults), {"qkv_bias"})


def _qwen3(values: Values, faults: list[str]) -> CheckpointModel:
    switches = {"head_norms", *bias_switches(values)}
    return decoder_model(values, faults, _qwen_kinds(values, faults), switches)


IN_FLOAT32 = "rotary angles, RMS norms, softmax"


def decoder_family(
    name: str,
    settings: Mapping[str, Setting | Only],
    model: Any,
    built: str,
    inside: Modules = INSIDE,
    float32: str = IN_FLOAT32,
    **others: Any,
) -> Family:
    """The table of a decoder built like Llama; others: what is different, as of Family."""
    family = Family(
        name=name,
        prefixes=("model.", ""),
        settings=settings,
        model=model,
        modules=MODULES,
        layer="layers.{i}.",
        inside=inside,
        built=built,
        float32=float32,
        idle=("*rotary_emb.inv_freq",),
        left_out={"score.": "the classification head"},
    )
    return family.replace(**others) if others else family


FAMILIES = {
    "llama": decoder_family(
        "Llama", LLAMA, llama_model, "decoder, RMS norm, rotary positions, shared keys, gate, logits; biases"
    ),
    "mistral": decoder_family("Mistral", MISTRAL, _mistral, "as Llama; a window in every layer, if it has one"),
    "qwen2": decoder_family(
        "Qwen2", QWEN2, _qwen2, "as Llama; biases of queries, keys and values, a window from some layer on"
    ),
    "qwen3": decoder_family("Qwen3", QWEN3, _qwen3, "as Llama; norms of queries and keys, a window from some layer on"),
}
