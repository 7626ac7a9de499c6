"""What is done to Q·Kᵀ before the softmax: a list of steps, in order. Vaswani et al. 2017, eq. 1.

Caps: Gemma 2 (2024), §2. Distances instead of positions: Press et al. 2022.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from walkthrough.operations.activation import soft_cap
from walkthrough.operations.matrix import add
from walkthrough.operations.positions.distance import distance_bias, slopes_of
from walkthrough.operations.scaling import divide_by, divide_by_root
from walkthrough.operations.softmax import mask as hide
from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Kind, Value
from walkthrough.records import Record
from walkthrough.scenario.resolved import HeadPlan, count_of
from walkthrough.scenario.schema.keys import Attention
from walkthrough.scenario.schema.values import SquareRoot
from walkthrough.transformer.model.attention.heads import Heads, slice_of
from walkthrough.transformer.scope import Scope, kind_of
from walkthrough.transformer.stream import Stream

SCORES = Kind("scores", "S", "Scores")
SCALED = Kind("scaled_scores", "S'", "Scaled scores")
CAPPED = Kind("capped_scores", "S_c", "Capped scores")
BIASED = Kind("biased_scores", "S_B", "Scores with distance bias")
MASKED = Kind("masked_scores", "S_m", "Masked scores")
RELATIVE = BIASED._replace(title="Scores with relative bias", words="relative_scores")


class ScoreContext(Record, eq=False):
    """What the steps of the scores go by.

    d_k:   the width that the scores are scaled by
    mask:  1: may be attended to; None where all may
    bias:  what is added by distance, n×m, where the stack has relative positions
    """

    heads: Heads
    head: HeadPlan
    d_k: int
    mask: Value | None
    bias: Value | None


def prepared_scores(s: Scope, scores: Value, context: ScoreContext) -> Value:
    """The scores as the softmax reads them, n×m."""
    steps = SCORE_STEPS
    if context.heads.attention.mask_first:
        steps = [_mask, *(step for step in steps if step is not _mask)]
    for step in steps:
        scores = step(s, scores, context)
    return scores


def _scale(s: Scope, scores: Value, context: ScoreContext) -> Value:
    """Divided by √d_k, or as the file says."""
    scale = context.head.scale
    if scale == "none":
        return scores
    if isinstance(scale, float):
        return s.record(SCALED, divide_by, scores, settings={"divisor": scale})
    if isinstance(scale, SquareRoot):
        return s.record(SCALED, divide_by_root, scores, settings={"root_of": scale.sqrt})
    return s.record(SCALED, divide_by_root, scores, settings={"root_of": context.d_k, "name": "d_k"})


def _cap(s: Scope, scores: Value, context: ScoreContext) -> Value:
    """cap·tanh(scores/cap)."""
    cap = context.heads.attention.score_cap
    return scores if cap is None else s.record(CAPPED, soft_cap, scores, settings={"cap": cap})


def _add_bias(s: Scope, scores: Value, context: ScoreContext) -> Value:
    """Less for far keys, by the slope of the head; or what is learned for each distance."""
    if context.bias is not None:
        return s.record(RELATIVE, add, scores, context.bias)
    slopes = _slopes(context.heads.attention)
    if not slopes:
        return scores
    rows, columns = (_counted(stream) for stream in (context.heads.queries, context.heads.all_keys))
    settings = {"slope": slopes[context.head.number - 1], "rows": rows, "columns": columns}
    return s.record(BIASED, distance_bias, scores, settings=settings)


def _counted(stream: Stream) -> Sequence[int]:
    """Where tokens stand, as the file says it, or as rows and columns are counted: from 1."""
    if stream.position_ids:
        return stream.positions
    places = stream.places  # a long text is not counted out for each head
    return range(places.start + 1, places.stop + 1)


def _mask(s: Scope, scores: Value, context: ScoreContext) -> Value:
    """−∞, or a large negative number more, where the mask hides."""
    if context.mask is None:
        return scores
    return s.record(MASKED, hide, scores, context.mask, settings={"value": context.heads.attention.mask_value})


SCORE_STEPS: list[Callable[[Scope, Value, ScoreContext], Value]] = [_scale, _cap, _add_bias, _mask]
"""In the order of the calculation; with mask_first the mask comes before all others."""


def record_sink(s: Scope, head: HeadPlan) -> Value | None:
    """One more score in every row, 1×1, whose share goes to nobody; None where the head has none."""
    if head.sink is None:
        return None
    row, column = Axis("1", 1), slice_of(Axis("1", 1), head.sink_slice)
    return s.given(kind_of(s.section, "sink"), head.sink, row, column)


def _slopes(attention: Attention) -> list[float]:
    """The slope of each head; none where distance does not count."""
    count = count_of(attention)
    if isinstance(attention.alibi, list):
        return (attention.alibi + [0.0] * count)[:count]
    return slopes_of(count) if attention.alibi else []
