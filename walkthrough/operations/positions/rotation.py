"""Rotary positions: pairs of features rotated by an angle that grows with the position. Su et al. 2021, §3.4.2."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from walkthrough.expressions.tree.nodes import Call, Cell, Expression, Named, Number, Power, phrase
from walkthrough.operations.definition import A, Array, B, InputGradient, Operation, Shape
from walkthrough.operations.positions.places import position_of


class Llama3(NamedTuple):
    """Slower turns for long texts, as in Llama 3.1: slow pairs by a factor, quick ones not, those between in part.

    low, high: how often a pair turns round within `original` positions to count as slow, or as quick
    """

    factor: float
    low: float
    high: float
    original: float

    def turns(self, base: float, exponent: float) -> float:
        """How often a pair turns round within the original positions."""
        length: float = 2 * math.pi * base**exponent
        return self.original / length

    def kept_share(self, base: float, exponent: float) -> float:
        """The part of its speed that a pair keeps."""
        smooth = (self.turns(base, exponent) - self.low) / (self.high - self.low)
        smooth = min(max(smooth, 0.0), 1.0)
        return (1 - smooth) / self.factor + smooth

    def expression(self, base: float, top: float, bottom: float) -> Expression | None:
        """That part, as it is worked out; None where it is the whole."""
        turns = self.turns(base, top / bottom)
        if turns >= self.high:
            return None
        if turns <= self.low:
            return Number(1) / Number(self.factor)
        length = Number(2) * Number(math.pi) * Power(Number(base), Number(top) / Number(bottom))
        smooth = (Number(self.original) / length - Number(self.low)) / (Number(self.high) - Number(self.low))
        return (Number(1) - smooth) / Number(self.factor) + smooth


def _angles(*, positions: Sequence[int], width: int, base: float, divisor: float, llama3: Llama3 | None) -> Array:
    exponents = np.arange(0, width, 2) / width
    speeds = base**-exponents
    if llama3 is not None:
        speeds = speeds * [llama3.kept_share(base, exponent) for exponent in exponents.tolist()]
    turns = np.array(positions, dtype=np.float64) / divisor
    return turns[:, None] * speeds


def _angle_cell(
    i: int, j: int, *, positions: Sequence[int], width: int, base: float, divisor: float, llama3: Llama3 | None
) -> Expression:
    position: Expression = Number(position_of(positions, i))
    if divisor != 1:
        position = position / Number(divisor)
    angle = position / Power(Number(base), Number(2 * j) / Number(width))
    kept = llama3.expression(base, 2 * int(j), width) if llama3 is not None else None
    return angle if kept is None else angle * kept


def _angle_formula(
    inputs: int, *, base: float, divisor: float, llama3: Llama3 | None, **settings: object
) -> Expression:
    position: Expression = Named("pos") if divisor == 1 else Named("pos") / Number(divisor)
    angle = position / Power(Number(base), Number(2) * Named("i") / Named("r"))
    if llama3 is None:
        return angle
    return Call("words", (angle, phrase("slower", factor=llama3.factor)))


rotary_angles = Operation(  # position · base^(−2i/r) for the pairs i = 0 … r/2 − 1
    name="rotary_angles",
    shapes="→ n×p",
    sizes=lambda shapes, positions, width, **settings: {"n": len(positions), "p": width // 2},
    forward=_angles,
    cell=_angle_cell,
    formula=_angle_formula,
    example={
        "positions": range(3),
        "width": 6,
        "base": 10000.0,
        "divisor": 1.0,
        "llama3": Llama3(8.0, 1.0, 4.0, 400.0),
    },
)


def _pairs(width: int, count: int, layout: str) -> Iterator[tuple[int, int, int]]:
    """Both features of each pair, and the column of its angle; a feature without a partner is in none."""
    for at in range(count):
        first, second = (at, at + count) if layout == "halves" else (2 * at, 2 * at + 1)
        if second < width:
            yield first, second, at


def _rotate(x: Array, angle: Array, *, layout: str, back: bool, factor: float = 1.0) -> Array:
    pairs = list(_pairs(x.shape[1], angle.shape[1], layout))
    result = x.copy()
    if not pairs:
        return result
    first, second, at = map(list, zip(*pairs, strict=True))
    cos, sin = np.cos(angle[:, at]), np.sin(angle[:, at]) * (-1 if back else 1)
    result[:, first] = (x[:, first] * cos - x[:, second] * sin) * factor
    result[:, second] = (x[:, second] * cos + x[:, first] * sin) * factor
    return result


def _rotated_cell(
    i: int, j: int, x: Shape, angle: Shape, *, layout: str, back: bool, factor: float = 1.0
) -> Expression:
    width, count = x[1], angle[1]
    if layout == "halves":
        is_first, at = j < count, j if j < count else j - count
        partner = j + count if is_first else at
        is_alone = partner >= width or j >= 2 * count
    else:
        is_first, at = j % 2 == 0, j // 2
        partner = j + 1 if is_first else j - 1
        is_alone = partner >= width or at >= count
    if is_alone:
        return Cell(0, i, j)
    turn = Cell(1, i, at)
    along, across = Cell(0, i, j) * Call("cos", (turn,)), Cell(0, i, partner) * Call("sin", (turn,))
    rotated = along - across if is_first != back else along + across
    return rotated if factor == 1 else rotated * Number(factor)


rotate: Operation = Operation(  # features beyond the pairs stay as they are
    name="rotate",
    shapes="n×d, n×p → n×d",
    forward=_rotate,
    cell=_rotated_cell,
    formula=lambda inputs, layout, back, factor=1.0: Call(
        "words",
        (
            A,
            phrase("rotated_back_by" if back else "rotated_by"),
            B,
            phrase(f"pairs_{layout}"),
            *((phrase("times_factor", factor=factor),) if factor != 1 else ()),
        ),
    ),
    gradient=lambda b: (
        InputGradient(rotate, (b.gradient, b.inputs[1]), {**b.settings, "back": not b.settings["back"]}),
        None,
    ),
    example={"layout": "halves", "back": False},
)
