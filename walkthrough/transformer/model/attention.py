"""Scaled dot-product attention with one or more heads. Vaswani et al. 2017, §3.2, eq. 1.

Windows: Beltagy et al. 2020; distances instead of positions: Press et al. 2022.
"""

from __future__ import annotations

import numpy as np

from walkthrough.operations.definition import Array
from walkthrough.operations.distance import distance_bias, slopes_of
from walkthrough.operations.matrix import concatenate, matrix_product, product_transposed
from walkthrough.operations.scaling import divide_by, divide_by_root
from walkthrough.operations.softmax import mask as hide
from walkthrough.recording.axes import Axis
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.resolved import HeadPlan, Projection, count_of, given_rows
from walkthrough.scenario.schema.keys import Attention
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.schema.sections import Section
from walkthrough.scenario.schema.values import Mask
from walkthrough.transformer.calculation import Calculation, Stream, some
from walkthrough.transformer.model.projections import ADDED, Projections
from walkthrough.transformer.model.softmax import record_softmax

SCORES = Kind("scores", "S", "Scores", "How well each query (row) matches each key (column): their dot product.")
SCALED = Kind("scaled_scores", "S'", "Scaled scores", "The scores scaled down, so that the softmax does not saturate.")
BIASED = Kind(
    "biased_scores",
    "S_B",
    "Scores with distance bias",
    "The scores, lowered in proportion to the distance between the two tokens.",
)
MASKED = Kind("masked_scores", "S_m", "Masked scores", "The scores with disallowed positions masked out.")
WEIGHTS = Kind(
    "weights",
    "A",
    "Attention weights",
    "How much each token (row) attends to each token (column); each row adds up to 1.",
    True,
)
OUTPUT = Kind("output", "Z", "Head output", "The average of the values, weighted by the attention weights.")
CONCAT = Kind("concat", "C", "Concatenated heads", "The outputs of all heads, side by side.")
PROJECTED = Kind("output", "O", "Attention output", "What the heads found, projected back to d_model.")
MASK = Kind("mask", "M", "Mask", "1: may be attended to; 0: hidden.", fixed=True)
W_O = Kind("w_o", "W_O", "Weights W_O", "Learned: projects what the heads found back to d_model.", trained=True)
B_O = Kind("b_o", "b_O", "Bias b_O", ADDED, trained=True)
_OPEN, _CAUSAL = Mask(), Mask(causal=True)


def attend(
    calculation: Calculation,
    recorder: Recorder,
    attention: Attention,
    queries: Stream,
    keys: Stream,
    causal: bool = False,
) -> Value | None:
    """Records an attention, from the rows of one stream to those of another, or of the same: n×d_model.

    causal: the mask where the scenario says nothing of one
    None where a head has no values to hand on.
    """
    if attention.has("output"):
        return calculation.output(recorder, PROJECTED, attention, queries)
    masked = attention.mask or (_CAUSAL if causal else _OPEN)
    if attention.window is not None:
        masked = masked.replace(window=attention.window)
    calculation.check_attention(attention, masked, queries, keys)
    parts = _Attention(calculation, recorder, attention, queries, keys)
    mask = parts.record_mask(recorder, masked)
    heads = calculation.heads(attention)
    parts.projections.record_common(heads)
    outputs = [parts.head(recorder.under(f"head.{number}"), head, mask) for number, head in enumerate(heads, 1)]
    found = [output for output in outputs if output is not None]
    if outputs and not found:
        return None
    concat = recorder.record(CONCAT, concatenate, tuple(found)) if len(found) > 1 else found[0] if found else None
    return parts.projected(recorder, concat)


class _Attention:
    """One attention: its heads, and what all of them share."""

    def __init__(
        self, calculation: Calculation, recorder: Recorder, attention: Attention, queries: Stream, keys: Stream
    ) -> None:
        self.calculation = calculation
        self.attention = attention
        self.queries = queries
        is_bare = keys.x is None and not keys.sequence.words  # given numbers may have other keys than queries
        self.keys = keys._replace(n=Axis("m") if is_bare else keys.n.named("m"))
        self.asked = self.keys.whole()  # the rows that have a column of scores
        self.projections = Projections(calculation, recorder, attention, queries, self.keys)
        self.slopes = _slopes(attention)
        n, m = given_rows(attention)  # without tokens, given numbers say how many rows there are
        queries.n.settle(n)
        self.keys.n.settle(m)

    def record_mask(self, recorder: Recorder, mask: Mask) -> Value | None:
        """The mask as a matrix of 0 (hidden) and 1, n×m; None where nothing is masked."""
        if not (mask.causal or mask.padding or mask.matrix or mask.window):
            return None
        axes, labels = (self.queries.n, self.asked.n), (self.queries.labels, self.asked.labels)
        fresh = self.queries.first > 0
        value = self.calculation.made(recorder, MASK, lambda: self._visible(mask), axes, labels, mask.matrix, fresh)
        self.calculation.check_mask(self.attention, mask, self.queries, self.keys)
        return value

    def _visible(self, mask: Mask) -> Array:
        n, m, first = self.queries.n.size or 0, self.asked.n.size or 0, self.queries.first
        visible = np.ones((n, m)) if mask.matrix is None else self.calculation.array(mask.matrix)
        if mask.causal:
            visible = np.tril(visible, first)
        if mask.window is not None:
            visible = np.triu(np.tril(visible, first + mask.window - 1), first + 1 - mask.window)
        return np.where(np.array(self.asked.padding), 0.0, visible) if mask.padding else visible

    def head(self, recorder: Recorder, head: HeadPlan, mask: Value | None) -> Value | None:
        """softmax(Q·Kᵀ / √d_k)·V, n×d_v; None without values."""
        weights = self._weights(recorder, head, mask)
        if head.value is None:
            return None
        value = self.projections.value(recorder, head)
        self._settle("v", head, head.value)
        weights = self.calculation.drop(recorder, "dropout", weights)
        return recorder.record(OUTPUT, matrix_product, (weights, value))

    def _weights(self, recorder: Recorder, head: HeadPlan, mask: Value | None) -> Value:
        """The attention weights, n×m: computed, or given as numbers."""
        if head.gives("weights"):
            return self._given(recorder, WEIGHTS, head.section, head.weights)
        scores, d_k = self._scores(recorder, head)
        if mask is not None and self.attention.mask_first:
            scores, mask = self._masked(recorder, scores, mask), None
        scores = self._scaled(recorder, scores, head, d_k)
        if self.slopes:
            scores = self._biased(recorder, scores, head)
        if mask is not None:
            scores = self._masked(recorder, scores, mask)
        return record_softmax(recorder, scores, WEIGHTS, self.calculation.spec.softmax)

    def _scores(self, recorder: Recorder, head: HeadPlan) -> tuple[Value, int]:
        """Q·Kᵀ, n×m, and the d_k that they are scaled by."""
        if head.gives("scores"):
            return self._given(recorder, SCORES, head.section, head.scores), head.d_k or 1
        query = self.projections.query(recorder, head)
        key = self.projections.key(recorder, head)
        self._settle("k", head, head.query, head.key)
        if (rotation := self.projections.rotation) is not None:
            self.calculation.check_rotation(rotation.plan, query.axes[1], rotation.angle)
        return recorder.record(SCORES, product_transposed, (query, key)), query.shape[1]

    def _scaled(self, recorder: Recorder, scores: Value, head: HeadPlan, d_k: int) -> Value:
        if head.scale == "none":
            return scores
        if isinstance(head.scale, float):
            return recorder.record(SCALED, divide_by, (scores,), {"divisor": head.scale})
        return recorder.record(SCALED, divide_by_root, (scores,), {"root_of": d_k, "name": "d_k"})

    def _biased(self, recorder: Recorder, scores: Value, head: HeadPlan) -> Value:
        """Less for far keys, n×m."""
        return recorder.record(
            BIASED, distance_bias, (scores,), {"slope": self.slopes[head.number - 1], "first": self.queries.first}
        )

    def _masked(self, recorder: Recorder, scores: Value, mask: Value) -> Value:
        return recorder.record(MASKED, hide, (scores, mask), {"value": self.attention.mask_value})

    def _settle(self, letter: str, head: HeadPlan, *parts: Projection) -> None:
        """Heads of weights made by `init` share d_model evenly, as in the paper, where nothing else says it."""
        if parts[0].count:  # joined weights have been claimed as a whole
            return
        width = self.projections.width(letter, head)
        d_model, count = self.queries.width.size, len(self.attention.heads or [None])
        even = Axis("d_k", d_model // count if d_model is not None and d_model % count == 0 else None)
        for part in parts:
            self.calculation.settle(part.weight, width, even)

    def _given(self, recorder: Recorder, kind: Kind, section: Section, matrix: Matrix | None) -> Value:
        n, m = self.queries, self.asked
        needed = section, kind.name, ""
        return some(self.calculation.given(recorder, kind, matrix, n.n, m.n, (n.labels, m.labels), needed))

    def projected(self, recorder: Recorder, concat: Value | None) -> Value | None:
        """What w_o makes of the heads side by side: concat·W_O + b_O; without it they are the output themselves."""
        calculation, attention = self.calculation, self.attention
        if concat is None:
            return calculation.unknown((self.queries.n, Axis("d_model")))
        if not attention.has("w_o"):
            return recorder.alias(PROJECTED.name, concat)
        inner, d_model = concat.axes[1].named(inner_symbol(attention)), Axis("d_model")
        calculation.settle(attention.w_o, d_model, self.queries.width)
        w_o = calculation.weight(recorder, W_O, attention.w_o, inner, d_model, needed=(attention, "w_o", ""))
        b_o = calculation.vector(recorder, B_O, attention.b_o, d_model)
        return calculation.project(recorder, PROJECTED, concat, some(w_o), b_o)


def _slopes(attention: Attention) -> list[float]:
    """The slope of each head; none where distance does not count."""
    count = count_of(attention)
    if isinstance(attention.alibi, list):
        return (attention.alibi + [0.0] * count)[:count]
    return slopes_of(count) if attention.alibi else []


def inner_symbol(attention: Attention) -> str:
    """How the width of the heads side by side is called."""
    return "d_v" if count_of(attention) == 1 else "(heads·d_v)"
