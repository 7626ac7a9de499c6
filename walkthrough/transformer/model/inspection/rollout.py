"""Attention rollout: how much of each token has reached each position, through all layers. Abnar and Zuidema 2020."""

from __future__ import annotations

from collections.abc import Iterator

from walkthrough.operations.inspection.rollout import mean_of_all, mix_with_identity
from walkthrough.operations.matrix import matrix_product
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema.keys import Attention
from walkthrough.scenario.schema.values import Inspection
from walkthrough.transformer.model.inspection.inside import Inside

_SOURCE = "Abnar and Zuidema (2020)"
MEAN = Kind(
    "mean",
    "A_m",
    "Mean attention",
    "The weights of all heads of a layer, averaged.",
    True,
    why=(
        "Each head looks somewhere else. Their mean says in one table where a layer looks; which head it was, and "
        "what it took over, is no longer seen."
    ),
    source=_SOURCE,
)
MIXED = Kind(
    "mixed",
    "A_r",
    "Attention and residual",
    "Half of it the mean attention, half of it each token itself: the way past the attention.",
    True,
    why=(
        "A residual adds what the attention finds to what was there, so a token keeps itself too. The method counts "
        "both ways alike, one half each, whatever the vectors' lengths are; rows still add up to 1."
    ),
    source=_SOURCE,
)
PRODUCT = Kind(
    "product",
    "A_p",
    "Rollout",
    "How much of each token (column) has reached each position (row) up to this layer.",
    True,
    why=(
        "From the second layer on, attention weighs vectors that are mixtures already. The product of the layers' "
        "tables follows all ways through them, and says how much of the first tokens is in each."
    ),
    source=_SOURCE,
)


def why_no_rollout(inside: Inside) -> str:
    """Why there is no attention to follow; empty where there is."""
    if any(True for _ in _chains(inside)):
        return ""
    if not any(_is_self(path) for path, _ in inside.attentions()):
        return "there is no self-attention"
    if inside.is_cached:
        return "with a cache a pass has the weights of its last token alone"
    return "there are no weights of all heads, or not of each token to each"


def record_rollout(inside: Inside, wanted: Inspection) -> None:
    """Mean, mixture and product of each layer's self-attention, n×n; no product of an attention by itself."""
    for name, layers in _chains(inside):
        product: Value | None = None
        for path, weights in layers:
            s = inside.s.under(f"rollout.{path}")
            mean = s.record(MEAN, mean_of_all, *weights) if len(weights) > 1 else s.alias(MEAN, weights[0])
            mixed = s.record(MIXED, mix_with_identity, mean)
            if name == "attention":
                continue
            product = s.alias(PRODUCT, mixed) if product is None else s.record(PRODUCT, matrix_product, mixed, product)


def _is_self(path: str) -> bool:
    return not path.endswith("cross_attention")


def _chains(inside: Inside) -> Iterator[tuple[str, list[tuple[str, list[Value]]]]]:
    """Each stack that this pass has run, with the weights of its self-attentions, layer by layer.

    One in which an attention has no square weights is left out: what passes through it is not known.
    """
    found: dict[str, list[tuple[str, Attention]]] = {}
    for path, attention in inside.attentions():
        if _is_self(path):
            found.setdefault(path.partition(".")[0], []).append((path, attention))
    for name, attentions in found.items():
        layers = [(_layer_of(path), _weights(inside, path, attention)) for path, attention in attentions]
        if all(weights for _, weights in layers):
            yield name, layers


def _layer_of(path: str) -> str:
    """`decoder.1` of decoder.1.self_attention; `attention` of itself."""
    return path.rpartition(".")[0] or path


def _weights(inside: Inside, path: str, attention: Attention) -> list[Value]:
    """The weights of all heads, n×n; none where one is missing, or some tokens alone ask."""
    plans = inside.s.calculation.heads(attention)
    found = [inside.own(f"{path}.head.{plan.number}.weights") for plan in plans]
    values = [value for value in found if value is not None]
    if len(values) < len(plans) or attention.queries is not None or inside.is_cached:
        return []
    return values if all(_is_square(value) for value in values) else []


def _is_square(value: Value) -> bool:
    return not value.has_size or value.shape[0] == value.shape[1]
