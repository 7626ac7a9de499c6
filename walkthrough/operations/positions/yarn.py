"""YaRN: slow pairs turn slower for long texts, quick ones as usual, those between in part. Peng et al. 2023, §3.

The frequencies by themselves, since a ramp decides on them, then the angles. As transformers' _compute_yarn_parameters.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from walkthrough.expressions.tree.nodes import Call, Cell, Expression, Named, Number, Power, phrase
from walkthrough.operations.definition import A, Array, Operation
from walkthrough.operations.positions.places import position_of


class Limits(NamedTuple):
    """Between which pairs the ramp is: those that turn `fast` and `slow` times in the original context."""

    original: float
    fast: float
    slow: float
    truncate: bool


class Yarn(NamedTuple):
    """The ramp between pairs that turn as usual and slower ones, from `low` to `high`; `limits` say why there."""

    factor: float
    low: float
    high: float
    limits: Limits | None = None

    def share(self, pair: int) -> float:
        """How much of its speed a pair keeps: 1 before the ramp, 0 behind it."""
        return 1 - min(max((pair - self.low) / (self.high - self.low), 0.0), 1.0)

    def ramp(self, pair: int) -> Expression:
        """The same, as it is worked out."""
        ramp = (Number(pair) - Number(self.low)) / (Number(self.high) - Number(self.low))
        return Number(1) - ramp


def ramp_of(factor: float, width: int, base: float, limits: Limits) -> Yarn:
    """The ramp for so many rotated features: pairs that turn `fast` times in the original context keep their speed.

    Its limits count features, its pairs pairs, as in the paper's program.
    """

    def feature(turns: float) -> float:
        return width * math.log(limits.original / (turns * 2 * math.pi)) / (2 * math.log(base))

    low, high = feature(limits.fast), feature(limits.slow)
    if limits.truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, width - 1)
    return Yarn(factor, float(low), float(high) + 0.001 if low == high else float(high), limits)


def _frequencies(*, width: int, base: float, yarn: Yarn) -> Array:
    own = base ** -(np.arange(0, width, 2) / width)
    shares = np.array([yarn.share(pair) for pair in range(width // 2)])
    found: Array = shares * own + (1 - shares) * own / yarn.factor
    return found[None, :]


def _frequency_cell(i: int, j: int, *, width: int, base: float, yarn: Yarn) -> Expression:
    pair = int(j)
    own = Number(1) / Power(Number(base), Number(2 * pair) / Number(width))
    share = yarn.share(pair)
    if share == 1:
        return own
    if share == 0:
        return own / Number(yarn.factor)
    kept = yarn.ramp(pair)
    return kept * own + (Number(1) - kept) * own / Number(yarn.factor)


def _frequency_formula(inputs: int, *, width: int, base: float, yarn: Yarn) -> Expression:
    own = Power(Number(base), -(Number(2) * Named("i") / Named("r")))
    return Call("words", (own, phrase("slower", factor=yarn.factor)))


yarn_frequencies = Operation(
    name="yarn_frequencies",
    shapes="→ 1×p",
    sizes=lambda shapes, width, **settings: {"p": width // 2},
    forward=_frequencies,
    cell=_frequency_cell,
    formula=_frequency_formula,
    example={"width": 6, "base": 100.0, "yarn": Yarn(4.0, 0.0, 2.0)},
)

angles_of_frequencies = Operation(
    name="angles_of_frequencies",
    shapes="1×p → n×p",
    sizes=lambda shapes, positions: {"n": len(positions)},
    forward=lambda frequency, positions: np.array(positions, dtype=np.float64)[:, None] * frequency,
    cell=lambda i, j, frequency, positions: Number(position_of(positions, i)) * Cell(0, 0, j),
    formula=lambda inputs, positions: Named("pos") * A,
    example={"positions": range(1, 4)},
)
