"""Scaled dot-product attention with one or more heads. Vaswani et al. 2017, §3.2, eq. 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from walkthrough.operations.definition import Array
from walkthrough.operations.matrix import concatenate, matrix_product, product_transposed
from walkthrough.operations.scaling import divide_by, divide_by_root
from walkthrough.operations.softmax import mask as hide
from walkthrough.recording.labels import Labels
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.matrices import Matrix
from walkthrough.scenario.schema import Attention, Head
from walkthrough.scenario.values import Mask
from walkthrough.transformer.build import Build
from walkthrough.transformer.softmax import record_softmax

QUERY = Kind("query", "Q", "Queries", "What each token looks for.")
KEY = Kind("key", "K", "Keys", "What each token can be found by.")
VALUE = Kind("value", "V", "Values", "What each token hands on when it is attended to.")
SCORES = Kind("scores", "S", "Scores", "How well each query (row) matches each key (column): their dot product.")
SCALED = Kind("scaled_scores", "S'", "Scaled scores", "The scores made smaller, so that softmax does not saturate.")
MASKED = Kind("masked_scores", "S_m", "Masked scores", "The scores with the connections that must not be seen hidden.")
WEIGHTS = Kind(
    "weights",
    "A",
    "Attention weights",
    "How much each token (row) takes from each token (column); rows add up to 1.",
    True,
)
OUTPUT = Kind("output", "Z", "Head output", "The values, mixed by the attention weights.")
CONCAT = Kind("concat", "C", "Heads side by side", "The outputs of all heads, one after the other.")
PROJECTED = Kind("output", "O", "Attention output", "What the heads found, led back to the width of the model.")
MASK = Kind("mask", "M", "Mask", "1: may be attended to; 0: hidden.")
_MAKES = {
    "q": "Learned: makes the queries out of the input.",
    "k": "Learned: makes the keys out of the input.",
    "v": "Learned: makes the values out of the input.",
    "o": "Learned: leads what the heads found back to the width of the model.",
}
W_Q, W_K, W_V, W_O = (
    Kind(f"w_{x}", f"W_{x.upper()}", f"Weights W_{x.upper()}", said, trained=True) for x, said in _MAKES.items()
)
_ADDED = "Learned: added to every row of the product."
B_Q, B_K, B_V, B_O = (Kind(f"b_{x}", f"b_{x.upper()}", f"Bias b_{x.upper()}", _ADDED, trained=True) for x in "qkvo")


class Sources(NamedTuple):
    """What an attention reads: rows that ask, and rows that are asked; their tokens, for masks and labels."""

    queries: Value | None
    keys: Value | None
    row_labels: Labels
    column_labels: Labels
    hidden_columns: tuple[bool, ...]


class _Part(NamedTuple):
    """A head's share of joined weights, and of the product that was computed for all heads at once."""

    weight: Array
    bias: Array | None
    product: Array | None
    origins: tuple[str, str]


Given = dict[str, _Part]
"""A head of joined weights, by q, k and v."""


def attend(
    build: Build, recorder: Recorder, attention: Attention, sources: Sources, causal: bool = False
) -> Value | None:
    """Records an attention; its output is n×d_model, None where a head has no values to hand on.

    causal: the mask where the scenario says nothing of one
    """
    if attention.output is not None:
        return build.given(recorder, PROJECTED, attention.output, rows=sources.row_labels)
    mask = _mask(build, recorder, attention.mask or Mask(causal=causal), sources)
    heads: Sequence[Head | Given] = attention.heads or _joined_heads(build, recorder, attention, sources)
    outputs = [
        _HeadBuilder(build, recorder.under(f"head.{number}"), attention, sources, mask).record(head)
        for number, head in enumerate(heads, 1)
    ]
    found = [output for output in outputs if output is not None]
    if len(found) < len(outputs):
        return None
    joined = recorder.record(CONCAT, concatenate, *found) if len(found) > 1 else found[0]
    w_o = build.given(recorder, W_O, attention.w_o)
    if w_o is None:
        return recorder.alias(PROJECTED.name, joined)
    return build.project(recorder, PROJECTED, joined, w_o, build.given(recorder, B_O, attention.b_o))


def _mask(build: Build, recorder: Recorder, mask: Mask, sources: Sources) -> Value | None:
    """The mask as a matrix of 0 (hidden) and 1, or None where nothing is masked."""
    if not (mask.causal or mask.padding or mask.matrix):
        return None
    shape = len(sources.row_labels), len(sources.column_labels)
    visible = np.ones(shape) if mask.matrix is None else build.array(mask.matrix)
    if mask.causal:
        visible = np.tril(visible)
    if mask.padding:
        visible = np.where(np.array(sources.hidden_columns), 0.0, visible)
    return recorder.given(MASK, visible, sources.row_labels, sources.column_labels)


def _joined_heads(build: Build, recorder: Recorder, attention: Attention, sources: Sources) -> list[Given]:
    """Joined w_q, w_k, w_v, split evenly by head: one product for all heads, of which each takes its columns."""
    count = attention.num_heads or 1
    heads: list[Given] = [{} for _ in range(count)]
    for letter, x in (("q", sources.queries), ("k", sources.keys), ("v", sources.keys)):
        matrix, bias = getattr(attention, f"w_{letter}"), getattr(attention, f"b_{letter}")
        weight, added = build.array(matrix), build.array(bias) if bias is not None else None
        assert x is not None
        product = None
        if not recorder.trains_on:  # weights that training has changed are each head's own
            product = build.linear.forward(x.array, weight, *([added] if added is not None else []))
        origins = build.origin(matrix), build.origin(bias) if bias is not None else ""
        size = weight.shape[0 if build.out_in else 1] // count
        for number, head in enumerate(heads):
            share = slice(number * size, (number + 1) * size)
            own = weight[share] if build.out_in else weight[:, share]
            part = None if product is None else product[:, share]
            head[letter] = _Part(own, added[:, share] if added is not None else None, part, origins)
    return heads


class _HeadBuilder(NamedTuple):
    """Records one head."""

    build: Build
    recorder: Recorder
    attention: Attention
    sources: Sources
    mask: Value | None

    def record(self, head: Head | Given) -> Value | None:
        """The head's output, A·V; None without values."""
        weights = self._weights(head)
        value = self._projection(head, "v", self.sources.keys, self.sources.column_labels, (W_V, B_V, VALUE))
        if value is None:
            return None
        weights = self.build.drop(self.recorder, "dropout", weights)
        return self.recorder.record(OUTPUT, matrix_product, weights, value)

    def _weights(self, head: Head | Given) -> Value:
        given = head.weights if isinstance(head, Head) else None
        labels = self.sources.row_labels, self.sources.column_labels
        if given is not None:
            weights = self.recorder.given(WEIGHTS, self.build.array(given), *labels)
            weights.matrix = given
            return weights
        scores, d_k = self._scores(head, labels)
        return record_softmax(self.recorder, self._adjusted(scores, head, d_k), WEIGHTS, self.build.spec.softmax)

    def _scores(self, head: Head | Given, labels: tuple[Labels, Labels]) -> tuple[Value, float]:
        """The scores, and the d_k they are scaled by."""
        if isinstance(head, Head) and head.scores is not None:
            dimensions = self.build.spec.dimensions
            d_k = head.d_k or (dimensions.d_k if dimensions else None) or 1
            scores = self.recorder.given(SCORES, self.build.array(head.scores), *labels)
            scores.matrix = head.scores
            return scores, d_k
        query = self._projection(head, "q", self.sources.queries, labels[0], (W_Q, B_Q, QUERY))
        key = self._projection(head, "k", self.sources.keys, labels[1], (W_K, B_K, KEY))
        assert query is not None
        assert key is not None
        return self.recorder.record(SCORES, product_transposed, query, key), query.shape[1]

    def _adjusted(self, scores: Value, head: Head | Given, d_k: float) -> Value:
        """Scaled and masked, in the order the scenario says."""
        if self.attention.mask_first:
            return self._scaled(self._masked(scores), head, d_k)
        return self._masked(self._scaled(scores, head, d_k))

    def _scaled(self, scores: Value, head: Head | Given, d_k: float) -> Value:
        own = head.scale if isinstance(head, Head) else None
        scale = own or self.attention.scale or "sqrt_d_k"
        if scale == "none":
            return scores
        if isinstance(scale, float):
            return self.recorder.record(SCALED, divide_by, scores, divisor=scale)
        return self.recorder.record(SCALED, divide_by_root, scores, root_of=d_k, name="d_k")

    def _masked(self, scores: Value) -> Value:
        if self.mask is None:
            return scores
        return self.recorder.record(MASKED, hide, scores, self.mask, value=self.attention.mask_value)

    def _projection(
        self, head: Head | Given, letter: str, x: Value | None, rows: Labels, steps: tuple[Kind, Kind, Kind]
    ) -> Value | None:
        """The query, key or value: given as numbers, or x·W + b."""
        weight_step, bias_step, step = steps
        if isinstance(head, Head):
            numbers: Matrix | None = getattr(head, letter)
            if numbers is not None:
                value = self.recorder.given(step, self.build.array(numbers), rows=rows)
                value.matrix = numbers
                return value
            weight = self.build.given(self.recorder, weight_step, getattr(head, f"w_{letter}"))
            bias = self.build.given(self.recorder, bias_step, getattr(head, f"b_{letter}"))
            product = None
        else:
            part = head[letter]
            weight = self.recorder.given(weight_step, part.weight, origin=part.origins[0])
            weight.matrix = getattr(self.attention, f"w_{letter}")
            bias = None
            if part.bias is not None:
                bias = self.recorder.given(bias_step, part.bias, origin=part.origins[1])
                bias.matrix = getattr(self.attention, f"b_{letter}")
            product = part.product
        if weight is None or x is None:
            return None
        given = [bias] if bias is not None else []
        return self.recorder.record(step, self.build.linear, x, weight, *given, array=product)
