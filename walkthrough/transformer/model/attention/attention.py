"""Scaled dot-product attention with one or more heads. Vaswani et al. 2017, §3.2, eq. 1."""

from __future__ import annotations

import math
from collections.abc import Sequence

from walkthrough.operations.activation import sigmoid
from walkthrough.operations.matrix import concatenate, matrix_product, multiply, product_transposed
from walkthrough.operations.softmax import divide_rows
from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Kind, Value, unknown_value
from walkthrough.scenario.resolved import HeadPlan, count_of, given_rows, is_computed, source_of
from walkthrough.scenario.schema.keys import Attention, Head
from walkthrough.scenario.schema.positions import RelativeBias, Rotary
from walkthrough.scenario.schema.values import Mask
from walkthrough.text import pluralize
from walkthrough.transformer.model.attention.heads import Heads, slice_of
from walkthrough.transformer.model.attention.latent import LatentHeads
from walkthrough.transformer.model.attention.online import attend_in_blocks, check_blocks
from walkthrough.transformer.model.attention.relative_bias import record_relative_bias
from walkthrough.transformer.model.attention.rotary import check_rotation
from walkthrough.transformer.model.attention.scores import SCORES, ScoreContext, mask_of, prepared_scores, record_mask
from walkthrough.transformer.model.softmax import record_softmax
from walkthrough.transformer.scope import Scope, kind_of
from walkthrough.transformer.stream import Stream

WEIGHTS = Kind("weights", "A", "Attention weights", is_distribution=True)
HEAD_OUTPUT = Kind("output", "Z", "Head output", words="head.output")
CONCAT = Kind("concat", "C", "Concatenated heads")
GATE_ACTIVATION = Kind("gate_activation", "G", "Activated output gate", words="output_gate.activation")
GATED = Kind("gated", "Z_G", "Gated output", words="gated_heads")
OUTPUT = Kind("output", "O", "Attention output", words="attention.output")
WEIGHTS_BESIDE_SINK = WEIGHTS._replace(words="weights.beside_sink")


def attend(s: Scope, queries: Stream, keys: Stream, causal: bool = False, biases: Sequence[Value] = ()) -> Value | None:
    """MultiHead(Q, K, V) = Concat(head_1, …, head_h)·W_O, from the rows of one stream to those of another: n×d_model.

    causal: the mask where the scenario says nothing of one
    biases: what is added to the scores of each head, n×m, where the stack has relative positions
    None where a head has no values.
    """
    if not is_computed(s.section):
        return s.given_output(OUTPUT, queries)
    return _MultiHead(s, queries, keys, causal, biases).record()


def attend_alone(s: Scope, stream: Stream) -> Stream:
    """An attention by itself, with relative positions of its own where it has any."""
    spec: RelativeBias | None = s.section.relative_bias
    biases: list[Value] = []
    if spec is not None and is_computed(s.section):
        biases = record_relative_bias(s.under("relative_bias", spec), stream, stream, [s.section], is_causal=False)
    attended = attend(s, stream, stream, biases=biases)
    return stream._replace(x=attended, ended=attended is None)


class _MultiHead:
    """One attention: its heads, and what all of them share."""

    def __init__(self, s: Scope, queries: Stream, keys: Stream, causal: bool, biases: Sequence[Value]) -> None:
        self.s = s
        self.biases = biases
        self.attention: Attention = s.section
        self.queries = queries
        is_bare = keys.x is None and not keys.names  # given numbers may have other keys than queries
        own = keys._replace(n=Axis("m") if is_bare else keys.n.with_symbol("m"))
        self.all_keys = own.whole()
        self.mask = mask_of(self.attention, causal)
        s.check(check_attention, self.mask, queries, keys)
        if self.attention.block_size is not None:
            s.check(check_blocks, self.attention)
        is_latent = self.attention.latent is not None and self.attention.heads is None
        self.heads = (LatentHeads if is_latent else Heads)(s, queries, own)
        n, m = given_rows(self.attention)  # without tokens, given numbers say how many rows there are
        queries.n.settle(n)
        own.n.settle(m)

    def record(self) -> Value | None:
        """Mask, heads, their concatenation and its projection."""
        mask = record_mask(self.s, self.mask, self.queries, self.all_keys)
        self.heads.record_common()
        plans = self.heads.plans
        outputs = [output for plan in plans if (output := self.head(plan, mask)) is not None]
        if len(outputs) > 1:
            outputs = [self.s.record(CONCAT, concatenate, *outputs)]
        if self.s.has("output"):
            return self.s.given_output(OUTPUT, self.queries)
        if not plans:  # the file says of no head what it is made of
            return unknown_value(self.queries.n, Axis("d_model"))
        return self.project(outputs[0]) if outputs else None

    def head(self, plan: HeadPlan, mask: Value | None) -> Value | None:
        """softmax(Q·Kᵀ / √d_k)·V, n×d_v; None without values."""
        s = self.heads.scope(plan)
        size = self.attention.block_size
        if size is not None and plan.value is not None and not plan.gives("weights"):
            value, summed = attend_in_blocks(s, self.scores(s, plan, mask), self.value(plan), size)
            return self.gated(s, plan, s.record(HEAD_OUTPUT, divide_rows, value, summed))
        weights = self.weights(s, plan, mask)
        if plan.value is None:
            return None
        output = s.record(HEAD_OUTPUT, matrix_product, s.drop("dropout", weights), self.value(plan))
        return self.gated(s, plan, output)

    def gated(self, s: Scope, plan: HeadPlan, output: Value) -> Value:
        """output ⊙ sigmoid(x·W_gate + b_gate), x the queries' rows, where there is a gate. Qiu et al. 2025, §2.2."""
        if not self.s.has("w_gate"):
            return output
        return s.record(GATED, multiply, output, s.record(GATE_ACTIVATION, sigmoid, self.heads.gate(plan)))

    def value(self, plan: HeadPlan) -> Value:
        """The values of a head, m×d_v."""
        assert plan.value is not None
        value = self.heads.value(plan)
        self.heads.settle_widths(plan, plan.value)
        return value

    def weights(self, s: Scope, plan: HeadPlan, mask: Value | None) -> Value:
        """softmax(Q·Kᵀ / √d_k), n×m: computed, or given as numbers."""
        n, m = self.queries, self.all_keys
        if plan.gives("weights"):
            return s.given(WEIGHTS, s.section.weights, n.n, m.n)
        scores = self.scores(s, plan, mask)
        if plan.sink is None:
            return record_softmax(s, scores, WEIGHTS)
        sink = s.given(kind_of(s.section, "sink"), plan.sink, Axis("1", 1), slice_of(Axis("1", 1), plan.sink_slice))
        return record_softmax(s, scores, WEIGHTS_BESIDE_SINK, sink)

    def scores(self, s: Scope, plan: HeadPlan, mask: Value | None) -> Value:
        """Q·Kᵀ / √d_k as the softmax reads it, n×m; or scores given as numbers, prepared in the same way."""
        n, m = self.queries, self.all_keys
        if plan.gives("scores"):
            scores, d_k = s.given(SCORES, s.section.scores, n.n, m.n), plan.d_k or 1
        else:
            query, key = self.heads.query(plan), self.heads.key(plan)
            self.heads.settle_widths(plan, plan.query, plan.key)
            if (rotation := self.heads.rotation) is not None:
                s.check(check_rotation, rotation.rotary, query.axes[1], rotation.angle)
            scores, d_k = s.record(SCORES, product_transposed, query, key), query.shape[1]
        bias = self.biases[plan.number - 1] if plan.number <= len(self.biases) else None
        return prepared_scores(s, scores, ScoreContext(self.attention, plan, d_k, mask, n, m, bias))

    def project(self, concat: Value) -> Value:
        """What w_o makes of the heads side by side: concat·W_O + b_O; without it they are the output themselves."""
        if not self.s.has("w_o"):
            return self.s.alias(OUTPUT, concat)
        inward = "d_v" if count_of(self.attention) == 1 else ""
        return self.s.linear(OUTPUT, concat, "w_o", "b_o", inward, default=self.queries.width)


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
    n, m = queries.n.size, keys.n.size
    if n is not None and m is not None:  # scores, and what is made of them
        s.claims.reserve(count_of(attention) * n * m, attention, attention.path)


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
        _check_rotary(s, attention.rotary)


def _check_rotary(s: Scope, rotary: Rotary) -> None:
    if isinstance(rotary.dimensions, int) and rotary.dimensions % 2:
        fault = f"dimensions is {rotary.dimensions}, expected an even number: features are rotated in pairs"
        s.problems.fault(rotary, "dimensions", fault)
    scaling = rotary.scaled_by
    yarn, llama3 = (scaling.yarn, scaling.llama3) if scaling is not None else (None, None)
    if yarn is not None and yarn.beta_fast < yarn.beta_slow:
        s.problems.fault(yarn, "beta_fast", "beta_fast must not be below beta_slow")
    if llama3 is not None and llama3.low_freq_factor >= llama3.high_freq_factor:
        s.problems.fault(llama3, "low_freq_factor", "low_freq_factor must be below high_freq_factor")


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
