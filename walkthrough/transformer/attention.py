"""Scaled dot-product attention with one or more heads. Vaswani et al. 2017, §3.2, eq. 1."""

from __future__ import annotations

import numpy as np

from walkthrough.operations.definition import Array
from walkthrough.operations.matrix import concatenate, matrix_product, product_transposed
from walkthrough.operations.scaling import divide_by, divide_by_root
from walkthrough.operations.softmax import mask as hide
from walkthrough.recording.axes import Axis
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.matrices import Matrix
from walkthrough.scenario.resolved import HeadPlan, Projection, count_of, given_rows, heads_of
from walkthrough.scenario.schema import Attention
from walkthrough.scenario.sections import Section
from walkthrough.scenario.values import Mask
from walkthrough.transformer.calculation import BARE, Calculation, Stream, some
from walkthrough.transformer.softmax import record_softmax

QUERY = Kind("query", "Q", "Queries", "What each token looks for.")
KEY = Kind("key", "K", "Keys", "What each token can be found by.")
VALUE = Kind("value", "V", "Values", "What each token passes on when it is attended to.")
SCORES = Kind("scores", "S", "Scores", "How well each query (row) matches each key (column): their dot product.")
SCALED = Kind("scaled_scores", "S'", "Scaled scores", "The scores made smaller, so that softmax does not saturate.")
MASKED = Kind("masked_scores", "S_m", "Masked scores", "The scores with disallowed positions masked out.")
WEIGHTS = Kind(
    "weights",
    "A",
    "Attention weights",
    "How much each token (row) takes from each token (column); rows add up to 1.",
    True,
)
OUTPUT = Kind("output", "Z", "Head output", "The values, mixed by the attention weights.")
CONCAT = Kind("concat", "C", "Concatenated heads", "The outputs of all heads, side by side.")
PROJECTED = Kind("output", "O", "Attention output", "What the heads found, projected back to d_model.")
MASK = Kind("mask", "M", "Mask", "1: may be attended to; 0: hidden.", fixed=True)
_MAKES = {
    "q": "Learned: turns the input into queries.",
    "k": "Learned: turns the input into keys.",
    "v": "Learned: turns the input into values.",
    "o": "Learned: projects what the heads found back to d_model.",
}
W_Q, W_K, W_V, W_O = (
    Kind(f"w_{x}", f"W_{x.upper()}", f"Weights W_{x.upper()}", purpose, trained=True) for x, purpose in _MAKES.items()
)
_ADDED = "Learned: added to every row of the product."
B_Q, B_K, B_V, B_O = (Kind(f"b_{x}", f"b_{x.upper()}", f"Bias b_{x.upper()}", _ADDED, trained=True) for x in "qkvo")


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
    calculation.check_attention(attention, queries, keys)
    parts = _Attention(calculation, recorder, attention, queries, keys)
    mask = parts.record_mask(recorder, attention.mask or Mask(causal=causal))
    heads = heads_of(attention, calculation.spec.dimensions)
    outputs = [parts.head(recorder.under(f"head.{number}"), head, mask) for number, head in enumerate(heads, 1)]
    found = [output for output in outputs if output is not None]
    if outputs and not found:
        return None
    concat = recorder.record(CONCAT, concatenate, *found) if len(found) > 1 else found[0] if found else None
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
        self.shares = calculation.shares_of(attention, queries, keys)
        self.products = calculation.joint_products(recorder, attention, queries, keys)
        n, m = given_rows(attention)  # without tokens, given numbers say how many rows there are
        queries.n.settle(n)
        self.keys.n.settle(m)

    def record_mask(self, recorder: Recorder, mask: Mask) -> Value | None:
        """The mask as a matrix of 0 (hidden) and 1, n×m; None where nothing is masked."""
        if not (mask.causal or mask.padding or mask.matrix):
            return None
        axes, labels = (self.queries.n, self.keys.n), (self.queries.labels, self.keys.labels)
        value = self.calculation.made(recorder, MASK, lambda: self._visible(mask), axes, labels, mask.matrix)
        self.calculation.check_mask(self.attention, mask, self.queries, self.keys)
        return value

    def _visible(self, mask: Mask) -> Array:
        n, m = self.queries.n.size or 0, self.keys.n.size or 0
        visible = np.ones((n, m)) if mask.matrix is None else self.calculation.array(mask.matrix)
        if mask.causal:
            visible = np.tril(visible)
        return np.where(np.array(self.keys.padding), 0.0, visible) if mask.padding else visible

    def head(self, recorder: Recorder, head: HeadPlan, mask: Value | None) -> Value | None:
        """softmax(Q·Kᵀ / √d_k)·V, n×d_v; None without values."""
        weights = self._weights(recorder, head, mask)
        if head.value is None:
            return None
        d_v = Axis("d_v", head.d_v)
        value = self._projection(recorder, head.value, self.keys, (W_V, B_V, VALUE), d_v)
        self._settle(d_v, head.value)
        weights = self.calculation.drop(recorder, "dropout", weights)
        return recorder.record(OUTPUT, matrix_product, weights, value)

    def _weights(self, recorder: Recorder, head: HeadPlan, mask: Value | None) -> Value:
        """The attention weights, n×m: computed, or given as numbers."""
        if head.gives("weights"):
            return self._given(recorder, WEIGHTS, head.section, head.weights)
        scores, d_k = self._scores(recorder, head)
        if self.attention.mask_first:
            scores = self._scaled(recorder, self._masked(recorder, scores, mask), head, d_k)
        else:
            scores = self._masked(recorder, self._scaled(recorder, scores, head, d_k), mask)
        return record_softmax(recorder, scores, WEIGHTS, self.calculation.spec.softmax)

    def _scores(self, recorder: Recorder, head: HeadPlan) -> tuple[Value, int]:
        """Q·Kᵀ, n×m, and the d_k that they are scaled by."""
        if head.gives("scores"):
            return self._given(recorder, SCORES, head.section, head.scores), head.d_k or 1
        d_k = Axis("d_k", head.d_k)
        query = self._projection(recorder, head.query, self.queries, (W_Q, B_Q, QUERY), d_k)
        key = self._projection(recorder, head.key, self.keys, (W_K, B_K, KEY), d_k)
        self._settle(d_k, head.query, head.key)
        return recorder.record(SCORES, product_transposed, query, key), query.shape[1]

    def _scaled(self, recorder: Recorder, scores: Value, head: HeadPlan, d_k: int) -> Value:
        if head.scale == "none":
            return scores
        if isinstance(head.scale, float):
            return recorder.record(SCALED, divide_by, scores, divisor=head.scale)
        return recorder.record(SCALED, divide_by_root, scores, root_of=d_k, name="d_k")

    def _masked(self, recorder: Recorder, scores: Value, mask: Value | None) -> Value:
        if mask is None:
            return scores
        return recorder.record(MASKED, hide, scores, mask, value=self.attention.mask_value)

    def _projection(
        self, recorder: Recorder, part: Projection, stream: Stream, kinds: tuple[Kind, Kind, Kind], width: Axis
    ) -> Value:
        """Queries, keys or values: given as numbers, or x·W + b. n×d_model → n×d_k."""
        calculation, needed = self.calculation, (part.section, f"w_{part.letter}", _INSTEAD.get(part.letter, ""))
        weight_kind, bias_kind, kind = kinds
        if part.is_numbers:
            return some(calculation.given(recorder, kind, part.numbers, stream.n, width, (stream.labels, None), needed))
        if part.share is not None:
            width = self.shares[part.letter]
        x = some(stream.x)
        weight = calculation.weight(recorder, weight_kind, part.weight, x.axes[1], width, BARE, part.share, needed)
        bias = calculation.vector(recorder, bias_kind, part.bias, width, None, part.share)
        array = self.products[part.letter][part.share[0]] if part.share is not None and self.products else None
        return calculation.project(recorder, kind, x, some(weight), bias, array)

    def _settle(self, width: Axis, *parts: Projection) -> None:
        """Heads of weights made by `init` share d_model evenly, as in the paper, where nothing else says it."""
        if parts[0].share is not None:  # joined weights have been claimed as a whole
            return
        d_model, count = self.queries.width.size, len(self.attention.heads or [None])
        even = Axis("d_k", d_model // count if d_model is not None and d_model % count == 0 else None)
        for part in parts:
            self.calculation.settle(part.weight, width, even)

    def _given(self, recorder: Recorder, kind: Kind, section: Section, matrix: Matrix | None) -> Value:
        n, m = self.queries, self.keys
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


_INSTEAD = {letter: f"; or give {letter}, scores or weights as numbers" for letter in "qk"}


def inner_symbol(attention: Attention) -> str:
    """How the width of the heads side by side is called."""
    return "d_v" if count_of(attention) == 1 else "(heads·d_v)"
