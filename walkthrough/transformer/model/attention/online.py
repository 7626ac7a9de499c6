"""Attention in blocks of keys: the softmax is worked out on the way, and no row of weights is ever whole.

Milakov and Gimelshein 2018; Dao 2024, algorithm 1 (FlashAttention-2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from walkthrough.operations.definition import NO_SETTINGS, Operation
from walkthrough.operations.online import block_exp, block_factor, block_maximum, block_output, block_sum, blocks_of
from walkthrough.operations.softmax import divide_rows
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema.keys import Attention
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
        at = _Block(s.under("online").under(str(number)), number, {"block": block})
        before, maximum = maximum, at.record(MAXIMUM, block_maximum, scores, maximum)
        factor = None if before is None else at.record(FACTOR, block_factor, before, maximum, settings=NO_SETTINGS)
        columns = scores.columns[slice(*block)] if scores.has_size else None
        powers = at.record(EXP, block_exp, scores, maximum, columns=columns)
        total = at.record(SUM, block_sum, powers, total, factor, settings=NO_SETTINGS)
        output = at.record(OUTPUT, block_output, powers, value, output, factor)
    assert output is not None
    assert total is not None
    return s.record(result, divide_rows, output, total)


class _Block(NamedTuple):
    """One block of keys: where it is recorded, its number, and the settings of its operations."""

    s: Scope
    number: int
    settings: Mapping[str, Any]

    def record(self, kind: Kind, operation: Operation, *inputs: Value | None, **more: Any) -> Value:
        """Records a step of the block; its symbol has the number of the block."""
        kind = kind._replace(symbol=f"{kind.symbol}_{self.number}")
        return self.s.record(kind, operation, *inputs, **{"settings": self.settings, **more})


def check_blocks(s: Scope, attention: Attention) -> None:
    """There are values to be weighted."""
    if any(plan.value is None for plan in s.calculation.heads(attention)):
        why = "block_size needs values: what is weighted block by block"
        s.problems.fault(attention, "block_size", why, "remove it")
