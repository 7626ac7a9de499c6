"""Attention in blocks of keys: the softmax is worked out on the way, and no row of weights is ever whole.

Milakov and Gimelshein 2018; Dao 2024, algorithm 1 (FlashAttention-2).
"""

from __future__ import annotations

from functools import partial

from walkthrough.operations.online import block_exp, block_factor, block_maximum, block_output, block_sum, blocks_of
from walkthrough.operations.softmax import divide_rows
from walkthrough.recording.values import Kind, Value
from walkthrough.transformer.scope import Scope

MAXIMUM = Kind("maximum", "M", "Largest score so far", words="online.maximum")
FACTOR = Kind("factor", "c", "Correction of the sums", words="online.factor")
EXP = Kind("exp", "U", "Exponentials of the block", words="online.exp")
SUM = Kind("sum", "u", "Row sum so far", words="online.sum")
OUTPUT = Kind("output", "O", "Weighted values so far", words="online.output")


def attend_in_blocks(s: Scope, scores: Value, value: Value, size: int, result: Kind) -> Value:
    """softmax(scores)·V, n×d_v, recorded under `result`: the values weighted by e^score, over the sum of these weights.

    size: how many keys are in a block; fewer in the last
    """
    keys = scores.axes[1].size or size
    maximum: Value | None = None
    total: Value | None = None
    output: Value | None = None
    for number, block in enumerate(blocks_of(keys, size), 1):
        at, named, settings = s.under("online").under(str(number)), partial(_number, number=number), {"block": block}
        before, maximum = maximum, at.record(named(MAXIMUM), block_maximum, scores, maximum, settings=settings)
        factor = None if before is None else at.record(named(FACTOR), block_factor, before, maximum)
        columns = scores.columns[slice(*block)] if scores.has_size else None
        powers = at.record(named(EXP), block_exp, scores, maximum, settings=settings, columns=columns)
        total = at.record(named(SUM), block_sum, powers, total, factor)
        output = at.record(named(OUTPUT), block_output, powers, value, output, factor, settings=settings)
    assert output is not None
    assert total is not None
    return s.record(result, divide_rows, output, total)


def _number(kind: Kind, number: int) -> Kind:
    """A step of a block, whose symbol has the number of the block."""
    return kind._replace(symbol=f"{kind.symbol}_{number}")
