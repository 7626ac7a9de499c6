"""Scaled dot-product attention with one or more heads. Vaswani et al. 2017, §3.2, eq. 1."""

from __future__ import annotations

from collections.abc import Sequence

from walkthrough.operations.activation import sigmoid
from walkthrough.operations.matrix import concatenate, matrix_product, multiply, product_transposed
from walkthrough.operations.softmax import divide_rows
from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.resolved import HeadPlan, count_of, given_rows, is_computed
from walkthrough.scenario.schema.keys import Attention
from walkthrough.scenario.schema.positions import RelativeBias
from walkthrough.transformer.model.attention.heads import Heads
from walkthrough.transformer.model.attention.latent import LatentHeads
from walkthrough.transformer.model.attention.mask import mask_of, record_mask
from walkthrough.transformer.model.attention.online import attend_in_blocks, check_blocks
from walkthrough.transformer.model.attention.relative_bias import record_relative_bias
from walkthrough.transformer.model.attention.rotary import check_rotation
from walkthrough.transformer.model.attention.rules import check_attention
from walkthrough.transformer.model.attention.scores import SCORES, ScoreContext, prepared_scores
from walkthrough.transformer.model.softmax import record_softmax
from walkthrough.transformer.scope import Scope
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
    None where a head has no values to hand on.
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
        of = LatentHeads if self.attention.latent is not None and self.attention.heads is None else Heads
        self.heads = of(s, queries, own)
        n, m = given_rows(self.attention)  # without tokens, given numbers say how many rows there are
        queries.n.settle(n)
        own.n.settle(m)

    def record(self) -> Value | None:
        """Mask, heads, their concatenation and its projection."""
        mask = record_mask(self.s, self.mask, self.queries, self.all_keys)
        self.heads.record_common()
        outputs = [self.head(plan, mask) for plan in self.heads.plans]
        found = [output for output in outputs if output is not None]
        if outputs and not found and not self.s.has("output"):
            return None
        if not found and self.s.has("output"):
            return self.s.given_output(OUTPUT, self.queries)
        if not found:  # the file says of no head what it is made of
            return self.s.calculation.unknown_value((self.queries.n, Axis("d_model")))
        concat = self.s.record(CONCAT, concatenate, *found) if len(found) > 1 else found[0]
        return self.s.given_output(OUTPUT, self.queries) if self.s.has("output") else self.project(concat)

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
        """output ⊙ sigmoid(x·W_gate + b_gate), x the rows that ask, where there is a gate. Qiu et al. 2025, §2.2."""
        if not self.s.has("w_gate") or self.s.has("latent"):
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
            return s.record_given(WEIGHTS, "weights", n.n, m.n, (n.labels, m.labels))
        scores = self.scores(s, plan, mask)
        if plan.sink is None:
            return record_softmax(s, scores, WEIGHTS)
        sink = s.vector("sink", Axis("1", 1), matrix=plan.sink, head_slice=plan.sink_slice)
        return record_softmax(s, scores, WEIGHTS_BESIDE_SINK, sink)

    def scores(self, s: Scope, plan: HeadPlan, mask: Value | None) -> Value:
        """Q·Kᵀ / √d_k as the softmax reads it, n×m; or scores given as numbers, prepared in the same way."""
        n, m = self.queries, self.all_keys
        if plan.gives("scores"):
            scores, d_k = s.record_given(SCORES, "scores", n.n, m.n, (n.labels, m.labels)), plan.d_k or 1
        else:
            query, key = self.heads.query(plan), self.heads.key(plan)
            self.heads.settle_widths(plan, plan.query, plan.key)
            if (rotation := self.heads.rotation) is not None:
                s.check(check_rotation, rotation.plan, query.axes[1], rotation.angle)
            scores, d_k = s.record(SCORES, product_transposed, query, key), query.shape[1]
        bias = self.biases[plan.number - 1] if plan.number <= len(self.biases) else None
        return prepared_scores(s, scores, ScoreContext(self.attention, plan, d_k, mask, n, m, bias))

    def project(self, concat: Value) -> Value:
        """What w_o makes of the heads side by side: concat·W_O + b_O; without it they are the output themselves."""
        if not self.s.has("w_o"):
            return self.s.alias(OUTPUT, concat)
        inward = "d_v" if count_of(self.attention) == 1 else ""
        return self.s.linear(OUTPUT, concat, "w_o", "b_o", inward, default=self.queries.width)
