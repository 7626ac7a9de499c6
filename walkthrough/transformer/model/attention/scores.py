"""What is done to Q·Kᵀ before the softmax: a list of steps, in order. Vaswani et al. 2017, eq. 1.

Caps: Gemma 2 (2024), §2. Distances instead of positions: Press et al. 2022. Windows: Beltagy et al. 2020.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from walkthrough.operations.definition import Array
from walkthrough.operations.matrix import add
from walkthrough.operations.positions.distance import distance_bias, slopes_of
from walkthrough.operations.scaling import divide_by, divide_by_root, soft_cap
from walkthrough.operations.softmax import mask as hide
from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Kind, Value
from walkthrough.records import Record
from walkthrough.scenario.resolved import HeadPlan, count_of
from walkthrough.scenario.schema.keys import Attention
from walkthrough.scenario.schema.values import Mask, SquareRoot
from walkthrough.scenario.yaml.nodes import quote
from walkthrough.scenario.yaml.problems import WeightsError
from walkthrough.transformer.model.attention.heads import slice_of
from walkthrough.transformer.scope import Scope, kind_of
from walkthrough.transformer.stream import Stream

SCORES = Kind("scores", "S", "Scores")
SCALED = Kind("scaled_scores", "S'", "Scaled scores")
CAPPED = Kind("capped_scores", "S_c", "Capped scores")
BIASED = Kind("biased_scores", "S_B", "Scores with distance bias")
MASKED = Kind("masked_scores", "S_m", "Masked scores")
RELATIVE = BIASED._replace(title="Scores with relative bias", words="relative_scores")
MASK = Kind("mask", "M", "Mask", fixed=True)


class ScoreContext(Record, eq=False):
    """What the steps of the scores go by.

    d_k:   the width that the scores are scaled by
    mask:  1: may be attended to; None where all may
    queries, keys: the rows and columns of the scores
    bias:  what is added by distance, n×m, where the stack has relative positions
    """

    attention: Attention
    head: HeadPlan
    d_k: int
    mask: Value | None
    queries: Stream
    keys: Stream
    bias: Value | None = None


def prepared_scores(s: Scope, scores: Value, context: ScoreContext) -> Value:
    """The scores as the softmax reads them, n×m."""
    steps = SCORE_STEPS
    if context.attention.mask_first:
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
    cap = context.attention.score_cap
    return scores if cap is None else s.record(CAPPED, soft_cap, scores, settings={"cap": cap})


def _add_bias(s: Scope, scores: Value, context: ScoreContext) -> Value:
    """Less for far keys, by the slope of the head; or what is learned for each distance."""
    if context.bias is not None:
        return s.record(RELATIVE, add, scores, context.bias)
    slopes = _slopes(context.attention)
    if not slopes:
        return scores
    rows, columns = (_counted(stream) for stream in (context.queries, context.keys))
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
    return s.record(MASKED, hide, scores, context.mask, settings={"value": context.attention.mask_value})


SCORE_STEPS: list[Callable[[Scope, Value, ScoreContext], Value]] = [_scale, _cap, _add_bias, _mask]
"""In the order of the calculation; with mask_first the mask comes before all others."""


def record_sink(s: Scope, head: HeadPlan) -> Value | None:
    """One more score in every row, 1×1, whose share goes to nobody; None where the head has none."""
    if head.sink is None:
        return None
    one = Axis("1", 1)
    return s.given(kind_of(s.section, "sink"), head.sink, Axis("1", 1), slice_of(one, head.sink_slice))


def _slopes(attention: Attention) -> list[float]:
    """The slope of each head; none where distance does not count."""
    count = count_of(attention)
    if isinstance(attention.alibi, list):
        return (attention.alibi + [0.0] * count)[:count]
    return slopes_of(count) if attention.alibi else []


def mask_of(attention: Attention, causal: bool) -> Mask:
    """What an attention hides; `causal`: what is hidden where the file says nothing of a mask."""
    mask = attention.mask or Mask(causal=causal)
    return mask if attention.window is None else mask.replace(window=attention.window)


def record_mask(s: Scope, mask: Mask, queries: Stream, keys: Stream) -> Value | None:
    """The mask as a matrix of 0 (hidden) and 1, n×m; None where nothing is masked."""
    if not (mask.causal or mask.padding or mask.matrix or mask.window):
        return None

    def make() -> Array:
        return visible(mask, None if mask.matrix is None else s.calculation.array(mask.matrix), queries, keys)

    value = s.made(MASK, make, queries.n, keys.n, matrix=mask.matrix, fresh=queries.first > 0)
    s.check(check_mask, mask, queries, keys)
    return value


def visible(mask: Mask, given: Array | None, queries: Stream, keys: Stream) -> Array:
    """1 where a query may attend to a key, n×m: by the order of the tokens, by their positions, by padding."""
    found = np.ones((len(queries.places), len(keys.places))) if given is None else given
    if mask.causal:
        found = np.where(_differences(queries.places, keys.places) >= 0, found, 0.0)
    if mask.window is not None:
        found = np.where(np.abs(_differences(queries.positions, keys.positions)) < mask.window, found, 0.0)
    return np.where(np.array(keys.padding), 0.0, found) if mask.padding else found


def _differences(queries: Sequence[int], keys: Sequence[int]) -> Array:
    return np.asarray(np.array(queries)[:, None] - np.array(keys))


def check_mask(s: Scope, mask: Mask, queries: Stream, keys: Stream) -> None:
    """A mask of 0 and 1 that leaves every row something to attend to."""
    attention: Attention = s.section
    if mask.padding and not keys.names:
        s.problems.fault(attention, "mask", "mask: padding needs tokens, to know which are padding")
        return
    n, m = queries.n.size, keys.n.size
    if n is None or m is None:
        return
    given = None
    if mask.matrix is not None:
        given = _numbers(s, mask)
        if given is None or (mask.matrix.rows, mask.matrix.columns) != (n, m):
            return
    if given is None and not mask.padding and (mask.window is None or n <= m):
        return  # a causal mask leaves each row its first column, a window its own
    is_open = visible(mask, None if given is None else np.array(given), queries, keys).any(axis=1)
    names = queries.labels or ()
    for row in np.flatnonzero(~is_open).tolist():
        token = f" from {quote(names[row])}" if row < len(names) else ""
        message = f"the mask hides every column{token} (row {row + 1}): it has nothing to attend to"
        s.problems.fault(attention, "mask", message)


def _numbers(s: Scope, mask: Mask) -> list[list[float]] | None:
    """The numbers of a mask, 0 and 1 only; None where they cannot be had."""
    matrix = mask.matrix
    assert matrix is not None
    if matrix.numbers is not None:
        return matrix.numbers
    if matrix.rows is None or (matrix.init is None and matrix.tensor is None) or s.claims.is_exhausted:
        return None
    try:
        numbers: list[list[float]] = s.calculation.array(matrix).tolist()
    except WeightsError as error:
        s.problems.add(matrix, str(error), help=error.help)
        return None
    if all(number in (0, 1) for row in numbers for number in row):
        return numbers
    s.problems.add(matrix, "expected a mask of 0 (hidden) and 1 (visible), found other numbers")
    return None
