"""What a stack must fulfil: layers to run, and norms that belong to its parts and have the keys of their kind."""

from __future__ import annotations

from typing import Any

from walkthrough.scenario.schema.keys import Attention, DecoderLayer, Encoder, EncoderLayer, StackSpec
from walkthrough.transformer.model.norms import check_keys
from walkthrough.transformer.scope import Scope


def check_stack(s: Scope, places: tuple[str, str, str]) -> None:
    """The keys of a stack and of its layers fit together.

    places: the norms of a part by place: before it, after it, and after the residual
    """
    stack: StackSpec = s.section
    if isinstance(stack, Encoder):
        _check_encoder(s, stack)
    layers: list[Any] = getattr(stack, "layers", None) or []
    for layer in layers:
        _check_layer(s, stack, layer, places)
    check_keys(s, stack.layer_norm, stack.norm)
    if stack.residual_scale is not None and not stack.residual:
        s.problems.idle(stack, "residual_scale", "residual: false adds nothing")
    if stack.parallel:
        _check_parallel(s, stack, layers, places)


def check_places_of_bias(s: Scope, attentions: list[Attention]) -> None:
    """Relative positions are those of the whole stack, if there is a self-attention."""
    for attention in attentions:
        if attention.relative_bias is not None:
            message = "relative_bias belongs to the stack: one table for the self-attentions of all its layers"
            s.problems.add(attention.relative_bias, message, help="move it beside layers")
    if s.section.relative_bias is not None and not attentions:
        s.problems.idle(s.section, "relative_bias", "no layer has a self-attention")


def _check_parallel(s: Scope, stack: StackSpec, layers: list[Any], places: tuple[str, str, str]) -> None:
    """Parallel parts have a residual that adds them, no norm behind it, and a norm_1 where they share it."""
    help = ""
    if places[2]:
        message = f"parallel cannot be combined with norm_order: {stack.norm_order}"
        help = "write norm_order: pre, branch, sandwich or none"
    elif not stack.residual:
        message = "parallel cannot be combined with residual: false: the residual adds the two parts"
        help = "remove one of them"
    elif stack.parallel == "shared" and not places[0]:
        message = f"parallel: shared needs a norm_1 that both parts read: norm_order: {stack.norm_order} has none"
        help = "write norm_order: pre or sandwich, or parallel: true"
    elif any("cross_attention" in layer.KEYS and layer.has("cross_attention") for layer in layers):
        message, help = "parallel cannot be combined with cross-attention", "remove one of them"
    if help:
        s.problems.fault(stack, "parallel", message, help)


def _check_encoder(s: Scope, encoder: Encoder) -> None:
    if encoder.output is not None and not encoder.has("layers"):
        for name in ("norm_order", "residual", "norm", "layer_norm", "final_norm"):
            s.problems.idle(encoder, name, "the encoder's output is given as numbers")
    elif not encoder.has("layers") and not encoder.has("output"):
        s.problems.missing(encoder, "layers", "a list of layers")


def _check_layer(s: Scope, stack: StackSpec, layer: EncoderLayer, places: tuple[str, str, str]) -> None:
    """Norms belong to parts, and are where the order of the stack puts them."""
    has_cross = isinstance(layer, DecoderLayer) and layer.has("cross_attention")
    first = "linear_attention" if layer.has("linear_attention") else "attention"
    parts = {1: first, 2: "cross_attention" if has_cross else "feed_forward"}
    if isinstance(layer, DecoderLayer):
        parts[3] = "feed_forward" if has_cross else "cross_attention"
    for number, part in parts.items():
        for norm in ("norm", "branch_norm"):
            if getattr(layer, f"{norm}_{number}") is None:
                continue
            if not layer.has(part):
                s.problems.idle(layer, f"{norm}_{number}", f"the layer has no {part}")
            elif norm == "norm" and number == 2 and stack.parallel == "shared" and layer.has(first):
                s.problems.idle(layer, "norm_2", "with parallel: shared both parts read norm_1's output")
            elif norm not in places:
                left_out = "leaves out all layer norms" if not any(places) else f"has no {norm}_{number}"
                s.problems.idle(layer, f"{norm}_{number}", f"norm_order: {stack.norm_order} {left_out}")
    if not any(layer.has(name) for name in ("attention", "linear_attention", "feed_forward")) and not has_cross:
        help = "give it an attention or a feed_forward, or remove it"
        s.problems.warn(layer, "the layer is empty: it changes nothing", help=help)
