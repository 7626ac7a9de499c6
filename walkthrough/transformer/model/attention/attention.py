"""Scaled dot-product attention with one or more heads. Vaswani et al. 2017, §3.2, eq. 1."""

from __future__ import annotations

from collections.abc import Mapping

from walkthrough.operations.matrix import concatenate, matrix_product, product_transposed
from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Kind, Value, unknown_value
from walkthrough.records import NONE
from walkthrough.scenario.resolved import HeadPlan, count_of, is_computed
from walkthrough.transformer.model.attention.gate import let_through
from walkthrough.transformer.model.attention.heads import Heads
from walkthrough.transformer.model.attention.latent import LatentHeads
from walkthrough.transformer.model.attention.mask import mask_of, record_mask
from walkthrough.transformer.model.attention.online import attend_in_blocks
from walkthrough.transformer.model.attention.relative_bias import record_relative_bias
from walkthrough.transformer.model.attention.rules import check_attention
from walkthrough.transformer.model.attention.scores import SCORES, ScoreContext, prepared_scores, record_sink
from walkthrough.transformer.model.softmax import record_softmax
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import Stream

WEIGHTS = Kind("weights", "A", "Attention weights", is_distribution=True)
WEIGHTS_BESIDE_SINK = WEIGHTS._replace(words="weights.beside_sink")
HEAD_OUTPUT = Kind("output", "Z", "Head output", words="head.output")
CONCAT = Kind("concat", "C", "Concatenated heads")
OUTPUT = Kind("output", "O", "Attention output", words="attention.output")


def attend(
    s: Scope, queries: Stream, keys: Stream, causal: bool = False, biases: Mapping[int, Value] = NONE
) -> Value | None:
    """MultiHead(Q, K, V) = Concat(head_1, …, head_h)·W_O, from the rows of one stream to those of another: n×d_model.

    causal: the mask where the scenario says nothing of one
    biases: what is added to the scores of each head by its number, n×m, where the stack has relative positions
    None where a head has no values.
    """
    if not is_computed(s.section):
        return s.given_output(OUTPUT, queries)
    hidden = mask_of(s.section, causal)
    s.check(check_attention, hidden, queries, keys)
    heads = (LatentHeads if s.section.latent is not None and s.section.heads is None else Heads)(s, queries, keys)
    mask = record_mask(s, hidden, queries, heads.all_keys)
    heads.record_common()
    found = [_head(heads, plan, mask, biases.get(plan.number)) for plan in heads.plans]
    outputs = [output for output in found if output is not None]
    concat = s.record(CONCAT, concatenate, *outputs) if len(outputs) > 1 else next(iter(outputs), None)
    if s.has("output"):
        return s.given_output(OUTPUT, queries)
    if not found:  # the file says of no head what it is made of
        return unknown_value(queries.n, Axis("d_model"))
    return None if concat is None else _project(s, concat, queries.width)


def attend_alone(s: Scope, stream: Stream) -> Stream:
    """An attention by itself, with relative positions of its own where it has any."""
    biases = record_relative_bias(s, stream, [s.section], is_causal=False)
    attended = attend(s, stream, stream, biases=biases)
    return stream._replace(x=attended, ended=attended is None)


def _head(heads: Heads, plan: HeadPlan, mask: Value | None, bias: Value | None) -> Value | None:
    """softmax(Q·Kᵀ / √d_k)·V, n×d_v; None without values."""
    s, size = heads.scope(plan), heads.attention.block_size
    scores = None if plan.gives("weights") else _scores(s, heads, plan, mask, bias)
    if scores is not None and size is not None and plan.value is not None:
        return let_through(heads, plan, attend_in_blocks(s, scores, heads.value(plan), size, HEAD_OUTPUT))
    weights = _weights(s, heads, plan, scores)
    if plan.value is None:
        return None
    output = s.record(HEAD_OUTPUT, matrix_product, s.drop("dropout", weights), heads.value(plan))
    return let_through(heads, plan, output)


def _scores(s: Scope, heads: Heads, plan: HeadPlan, mask: Value | None, bias: Value | None) -> Value:
    """Q·Kᵀ / √d_k as the softmax reads it, n×m; or scores given as numbers, prepared in the same way."""
    if plan.gives("scores"):
        scores, d_k = s.given(SCORES, s.section.scores, heads.queries.n, heads.all_keys.n), plan.d_k or 1
    else:
        query, key = heads.query_and_key(plan)
        scores, d_k = s.record(SCORES, product_transposed, query, key), query.shape[1]
    return prepared_scores(s, scores, ScoreContext(heads, plan, d_k, mask, bias))


def _weights(s: Scope, heads: Heads, plan: HeadPlan, scores: Value | None) -> Value:
    """The softmax of each row of the scores, n×m; without scores they are given as numbers."""
    if scores is None:
        return s.given(WEIGHTS, s.section.weights, heads.queries.n, heads.all_keys.n)
    sink = record_sink(s, plan)
    return record_softmax(s, scores, WEIGHTS if sink is None else WEIGHTS_BESIDE_SINK, sink)


def _project(s: Scope, concat: Value, d_model: Axis) -> Value:
    """What w_o makes of the heads side by side: concat·W_O + b_O; without it they are the output themselves."""
    if not s.has("w_o"):
        return s.alias(OUTPUT, concat)
    return s.linear(OUTPUT, concat, "w_o", "b_o", "d_v" if count_of(s.section) == 1 else "", default=d_model)
