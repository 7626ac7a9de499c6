"""The learning rate of a training step, by the number of the step.

Warm-up: Vaswani et al. 2017, eq. 3. Linear and cosine: as the schedules of transformers, whose steps count from 0.
"""

from __future__ import annotations

import math

from walkthrough.expressions.tree.nodes import Call, Expression, Number, sqrt
from walkthrough.operations.definition import Operation


def _write_warmup(inputs: int, rate: float, step: int, steps: int, d_model: int) -> Expression:
    """rate / √d_model · min(1/√step, step / steps^1.5): up in a line, down with the root."""
    slope = Number(step) / (Number(steps) * sqrt(Number(steps))) if step < steps else Number(1) / sqrt(Number(step))
    return Number(rate) / sqrt(Number(d_model)) * slope


def _write_linear(inputs: int, rate: float, step: int, warmup: int, total: int) -> Expression:
    """Up in a line from 0, and down in a line to 0 at the step after the last."""
    begun = step - 1
    if begun < warmup:
        return Number(rate) * (Number(begun) / Number(warmup))
    return Number(rate) * (Number(1) - _progress(begun, warmup, total))


def _write_cosine(inputs: int, rate: float, step: int, warmup: int, total: int, minimum: float) -> Expression:
    """Up in a line from 0, and down along half a cosine to a share of the rate, `minimum`."""
    begun = step - 1
    if begun < warmup:
        return Number(rate) * (Number(begun) / Number(warmup))
    wave = (Number(1) + Call("cos", (Number(math.pi) * _progress(begun, warmup, total),))) / Number(2)
    return Number(rate) * ((Number(minimum) + (Number(1) - Number(minimum)) * wave) if minimum else wave)


def _progress(begun: int, warmup: int, total: int) -> Expression:
    """How much of the way behind the warm-up is done, from 0 to 1."""
    return Number(begun - warmup) / Number(max(1, total - warmup))


warmup_rate = Operation(
    name="warmup_rate",
    shapes="→ 1×1",
    formula=_write_warmup,
    example={"rate": 1.0, "step": 3, "steps": 2, "d_model": 4},
)
linear_rate = Operation(
    name="linear_rate", shapes="→ 1×1", formula=_write_linear, example={"rate": 0.1, "step": 3, "warmup": 1, "total": 5}
)
cosine_rate = Operation(
    name="cosine_rate",
    shapes="→ 1×1",
    formula=_write_cosine,
    example={"rate": 0.1, "step": 3, "warmup": 1, "total": 5, "minimum": 0.1},
)
