"""Gemma, Gemma 2 and Gemma 3: embeddings times √d_model, RMS norms whose gamma is 1 + what is stored.

Settings and their defaults are those of the transformers library's configuration classes (5.23).
"""

from __future__ import annotations

from typing import Any

from walkthrough.checkpoints.families.llama import (
    FULL,
    IN_FLOAT32,
    INSIDE,
    MODULES,
    SHARED,
    SLIDING,
    bias_switches,
    decoder_family,
    decoder_model,
    head_size,
    kinds_of,
)
from walkthrough.checkpoints.families.rope import rotary_from, rotary_of
from walkthrough.checkpoints.layout import CheckpointModel, LayerKind, Module, Modules
from walkthrough.checkpoints.settings import Only, Setting, Values, defaults, or_null

_GEMMA: dict[str, Setting | Only] = {
    **SHARED,
    **defaults(vocab_size=256_000, hidden_size=3072, intermediate_size=24_576, num_hidden_layers=28),
    **defaults(num_attention_heads=16, num_key_value_heads=16, head_dim=256, hidden_act="gelu_pytorch_tanh"),
    **defaults(max_position_embeddings=8192, tie_word_embeddings=True, attention_bias=False),
    "use_bidirectional_attention": Only((None, False), "only causal attention can be read"),
}
_LATER: dict[str, Setting | Only] = {
    **{key: setting for key, setting in _GEMMA.items() if key != "hidden_act"},
    **defaults(hidden_size=2304, intermediate_size=9216, num_hidden_layers=26, num_attention_heads=8),
    **defaults(num_key_value_heads=4, hidden_activation="gelu_pytorch_tanh", query_pre_attn_scalar=256),
    **defaults(sliding_window=or_null(4096), layer_types=None),
}
GEMMA2: dict[str, Setting | Only] = {
    **_LATER,
    **defaults(final_logit_softcapping=or_null(30.0), attn_logit_softcapping=or_null(50.0)),
}
GEMMA3: dict[str, Setting | Only] = {
    **_LATER,
    **defaults(vocab_size=262_208, max_position_embeddings=131_072, final_logit_softcapping=None),
    **defaults(attn_logit_softcapping=None),
    "use_bidirectional_attention": Only((False, None), "only causal attention can be read"),
    **defaults(rope_theta=1_000_000.0, rope_local_base_freq=10_000.0, sliding_window_pattern=6),
}

_FOUR_NORMS: Modules = {
    **{name: module for name, module in INSIDE.items() if name != "post_attention_layernorm"},
    # of Llama's relatives, the same name is the norm before the feed-forward network
    "post_attention_layernorm": Module("{layer}.branch_norm_1.output|{layer}.norm_2.output", ("d",)),
    "pre_feedforward_layernorm": Module("{layer}.norm_2.output", ("d",)),
    "post_feedforward_layernorm": Module("{layer}.branch_norm_2.output", ("d",)),
}


_MODULES: Modules = {**MODULES, "embed_tokens": Module("scaled_embedding|token_embedding", ("v", "d"))}
"""Their table of embeddings multiplies by √d_model too."""


def _model(values: Values, faults: list[str], kinds: list[LayerKind], **others: Any) -> CheckpointModel:
    """What all three have in common."""
    model = decoder_model(values, faults, kinds, bias_switches(values), **others)
    return model.replace(input={"embedding_scale": "sqrt_d_model"}, stack={**model.stack, "norm": "rms_plus_one"})


def _gemma(values: Values, faults: list[str]) -> CheckpointModel:
    """Its `gelu` is the approximation by tanh, whatever the word says."""
    if values["hidden_act"] == "gelu":
        values = {**values, "hidden_act": "gelu_pytorch_tanh"}
    return _model(values, faults, [LayerKind()] * values["num_hidden_layers"])


def _later(values: Values, faults: list[str], kinds: list[LayerKind], rotary: dict[str, Any]) -> CheckpointModel:
    """Norms before and after each part, another scale of the scores, a window in some layers."""
    model = _model(values, faults, kinds, rotary=rotary, activation="hidden_activation")
    model.layer["self_attention"]["scale"] = {"sqrt": values["query_pre_attn_scalar"]}
    cap = values["final_logit_softcapping"]
    head = {} if cap is None else {"logit_cap": cap}
    return model.replace(stack={**model.stack, "norm_order": "sandwich"}, head=head)


def _gemma2(values: Values, faults: list[str]) -> CheckpointModel:
    kinds = kinds_of(values, [FULL if at % 2 else SLIDING for at in range(values["num_hidden_layers"])], faults)
    model = _later(values, faults, kinds, rotary_of(values, head_size(values), faults))
    if (cap := values["attn_logit_softcapping"]) is not None:
        model.layer["self_attention"]["score_cap"] = cap
    return model


def _gemma3(values: Values, faults: list[str]) -> CheckpointModel:
    """Layers with a window have rotary positions of their own, and queries and keys have norms."""
    layers, period = values["num_hidden_layers"], values["sliding_window_pattern"]
    if not period:
        faults.append("sliding_window_pattern is 0, expected a whole number of at least 1")
    kinds = kinds_of(values, [SLIDING if (at + 1) % (period or 1) else FULL for at in range(layers)], faults)
    by_name = _rotary_of_kinds(values, faults)
    kinds = [
        kind.replace(keys={"self_attention": {"rotary": by_name[kind.name], **kind.keys.get("self_attention", {})}})
        for kind in kinds
    ]
    model = _later(values, faults, kinds, {})
    norm = {"norm": "rms_plus_one", "epsilon": values["rms_norm_eps"]}
    model.layer["self_attention"].update(query_norm=norm, key_norm=dict(norm))
    notes = []
    if values["attn_logit_softcapping"] is not None:
        notes.append("attn_logit_softcapping is ignored: no code of transformers reads it in a Gemma 3")
    return model.replace(switches=model.switches | {"head_norms"}, notes=tuple(notes))


def _rotary_of_kinds(values: Values, faults: list[str]) -> dict[str, dict[str, Any]]:
    """The rotary positions of layers without a window and with one; rope_scaling is of the former."""
    nested = values["rope_parameters"] or {}
    if nested and not nested.keys() <= {FULL, SLIDING}:
        others = ", ".join(sorted(nested.keys() - {FULL, SLIDING}))
        faults.append(f"rope_parameters: expected {FULL} and {SLIDING}, with a mapping each; found {others}")
        nested = {}
    found = {}
    for name, kind, theta in (("global", FULL, "rope_theta"), ("local", SLIDING, "rope_local_base_freq")):
        given = nested.get(kind) or {}
        if not isinstance(given, dict):
            faults.append(f"rope_parameters: {kind} is no mapping")
            given = {}
        scaling = (values["rope_scaling"] or {}) if kind == FULL else {}
        given = {"rope_theta": values[theta], **given, **scaling}
        where = f"rope_parameters.{kind}" if nested else "rope_scaling"
        found[name] = rotary_from(where, given, head_size(values), faults, ("default", "linear"))
    return found


_BUILT = "as Llama; embeddings times √d_model, norms of 1 + gamma"
_FLOAT32 = f"{IN_FLOAT32}, the scale of the embeddings"
FAMILIES = {
    "gemma": decoder_family("Gemma", _GEMMA, _gemma, _BUILT, modules=_MODULES, float32=_FLOAT32),
    "gemma2": decoder_family(
        "Gemma 2",
        GEMMA2,
        _gemma2,
        f"{_BUILT}; norms on both sides, caps, a window in every other layer",
        modules=_MODULES,
        inside=_FOUR_NORMS,
        float32=_FLOAT32,
    ),
    "gemma3_text": decoder_family(
        "Gemma 3",
        GEMMA3,
        _gemma3,
        f"{_BUILT}; norms on both sides and of queries and keys, a window and another base in five of six layers",
        modules=_MODULES,
        inside=_FOUR_NORMS,
        float32=_FLOAT32,
    ),
}
