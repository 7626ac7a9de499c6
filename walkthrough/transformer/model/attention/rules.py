"""What the keys of an attention require of each other, of its streams, and of what is kept for later passes."""

from __future__ import annotations

import math

from walkthrough.scenario.resolved import count_of, source_of
from walkthrough.scenario.schema.keys import Attention, Head
from walkthrough.scenario.schema.values import Mask
from walkthrough.text import pluralize
from walkthrough.transformer.model.attention.rotary import check_rotary
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import Stream

_HIDDEN = -1000.0
"""A finite mask value that leaves a hidden token no weight, divided by √d_k too: e^(−1000 / 8) is nothing beside 1."""


def check_attention(s: Scope, mask: Mask, queries: Stream, keys: Stream) -> None:
    """Heads, weights, positions and mask of an attention fit together, and its scores can be held."""
    attention: Attention = s.section
    if attention.has("heads"):
        _check_heads(s, attention)
    elif not attention.has("latent"):
        _check_joined(s, attention)
    for head in attention.heads or []:
        _check_scores(s, attention, head)
    _check_positions(s, attention)
    _warn_of_idle(s, attention, mask)
    if keys is queries and s.calculation.keeps(queries.sequence):
        _check_cache(s, attention, mask.causal)
    if attention.has("w_gate") and queries.x is None:
        s.problems.fault(
            attention, "w_gate", "w_gate reads the rows of the queries, and the file gives none", "remove it"
        )
    if attention.block_size is not None and any(plan.value is None for plan in s.calculation.heads(attention)):
        why = "block_size needs values: what is weighted block by block"
        s.problems.fault(attention, "block_size", why, "remove it")
    n, m = queries.n.size, keys.n.size
    if n is not None and m is not None:  # scores, and what is made of them
        s.reserve(count_of(attention) * n * m)


def _check_heads(s: Scope, attention: Attention) -> None:
    """Either all heads have values or none; a head that shares keys and values names another one that has its own."""
    heads = attention.heads or []
    sources = [heads[source_of(heads, number) - 1] for number in range(1, len(heads) + 1)]
    with_values = [source.has("v") or source.has("w_v") for source in sources]
    for number, (head, has_values) in enumerate(zip(heads, with_values, strict=True), 1):
        if any(with_values) and not has_values:
            s.problems.missing(head, "w_v", "other heads have values, and the outputs are concatenated")
        if message := _sharing_fault(heads, number):
            s.problems.fault(head, "kv", message)


def _sharing_fault(heads: list[Head], number: int) -> str:
    """What is wrong with the head that a head shares keys and values of; empty where nothing is."""
    kv = heads[number - 1].kv
    if kv is None:
        return ""
    if kv > len(heads):
        return f"kv is {kv}, but there are {len(heads)} heads"
    if kv == number:
        return f"kv is {kv}, this head itself: expected another head, whose keys and values are shared"
    if (further := heads[kv - 1].kv) is not None:
        return f"kv is {kv}, but head {kv} has no keys of its own: it shares those of head {further}"
    return ""


def _check_joined(s: Scope, attention: Attention) -> None:
    """Joined weights are all there; every head of keys is shared by as many heads of queries."""
    absent = [name for name in ("w_q", "w_k", "w_v") if not attention.has(name)]
    if len(absent) == 3 and not attention.has("num_heads"):
        s.problems.missing(attention, "heads", "a list of heads, or joined w_q, w_k, w_v with num_heads")
        return
    for name in absent:
        s.problems.missing(attention, name, "joined weights of all heads, or give a list of heads")
    kv_count, count = attention.num_kv_heads, count_of(attention)
    if kv_count is not None and count % kv_count:
        fault = f"num_kv_heads is {kv_count}, which {count} heads (num_heads) cannot share evenly"
        s.problems.fault(attention, "num_kv_heads", fault)


def _check_scores(s: Scope, attention: Attention, head: Head) -> None:
    """Given scores need a d_k to be scaled with, and no row may be fully masked."""
    if head.scores is None or head.has("weights"):
        return
    dimensions, scale = s.calculation.spec.dimensions, head.scale or attention.scale or "sqrt_d_k"
    if scale == "sqrt_d_k" and not head.has("d_k") and not (dimensions and dimensions.has("d_k")):
        message = "d_k is missing: the given scores are divided by √d_k"
        s.problems.add(head, message, key=head.key_of("d_k"), help="add d_k: … to the head, or scale: none")
    for number, row in enumerate(head.scores.numbers or [], 1):
        if all(score == -math.inf for score in row):
            s.problems.add(head.scores, f"row {number} of scores is fully masked: it has nothing to attend to")


def _check_positions(s: Scope, attention: Attention) -> None:
    """There is a slope for each head, and what is rotated has pairs."""
    if isinstance(attention.alibi, list) and len(attention.alibi) != count_of(attention):
        slopes = pluralize(len(attention.alibi), "slope")
        s.problems.fault(
            attention, "alibi", f"alibi has {slopes}, expected one for each of {count_of(attention)} heads"
        )
    if attention.rotary is not None:
        check_rotary(s, attention.rotary)


def _warn_of_idle(s: Scope, attention: Attention, mask: Mask) -> None:
    """Keys whose work the given numbers have done, or that there is nothing for."""
    if attention.heads and all(head.has("weights") or head.has("scores") for head in attention.heads):
        for name in ("rotary", "query_norm", "key_norm"):
            s.problems.idle(attention, name, "all heads give scores or weights as numbers")
    if mask == Mask():
        for name in ("mask_value", "mask_first"):
            s.problems.idle(attention, name, "nothing is masked")


def _check_cache(s: Scope, attention: Attention, is_causal: bool) -> None:
    """Notes, once, that nothing can be kept, where an attention lets later tokens change the rows before them."""
    generate = s.calculation.spec.generate
    if generate is None or (is_causal and attention.mask_value <= _HIDDEN):
        return
    if generate.at("cache") in s.problems:
        return
    why, instead = "has no causal mask", "mask: causal"
    if is_causal:
        why, instead = f"has mask_value {attention.mask_value:g}, which hides no later token", "mask_value: -1e9"
    message = f"the cache cannot be used: {attention.path} {why}, so each new token changes the rows before it"
    s.problems.fault(generate, "cache", message, f"give that attention {instead}, or leave out cache")
