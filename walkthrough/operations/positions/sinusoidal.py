"""Sinusoidal positions: Vaswani et al. 2017, §3.5, and the two other layouts in common use."""

from __future__ import annotations

import math
from collections.abc import Sequence

from walkthrough.expressions.tree.nodes import Call, Expression, Named, Number, Power, phrase
from walkthrough.operations.definition import Operation
from walkthrough.operations.positions.places import position_of


def _wave(column: int, width: int, layout: str) -> tuple[str, float, float] | None:
    """For one feature: sin or cos, and the exponent of the base as numerator and denominator; None: always 0.

    interleaved: sin, cos, sin, …, exponents 2i/d; halves: all sines, then all cosines, the same exponents;
    tensor2tensor: halves, with exponents i/(d/2 − 1).
    """
    if layout == "interleaved":
        return ("sin", "cos")[column % 2], column - column % 2, width
    half = width // 2
    if column >= 2 * half:  # an odd width leaves the last feature empty
        return None
    i = column % half
    function = "sin" if column < half else "cos"
    return (function, 2 * i, width) if layout == "halves" else (function, i, max(half - 1, 1))


def _angle(position: int, base: float, top: float, bottom: float, angle: str) -> Expression:
    argument: Expression = Number(position) / Power(Number(base), Number(top) / Number(bottom))
    return argument * Number(math.pi) / Number(180) if angle == "degrees" else argument


def _cell(
    i: int, j: int, *, positions: Sequence[int], width: int, base: float, layout: str, angle: str, offset: int = 0
) -> Expression:
    wave = _wave(j, width, layout)
    if wave is None:
        return Number(0)
    function, top, bottom = wave
    return Call(function, (_angle(position_of(positions, i) + offset, base, top, bottom, angle),))


def _formula(inputs: int, *, base: float, layout: str, angle: str, offset: int = 0, **settings: object) -> Expression:
    exponent = Named("i") / (Named("d_model") / Number(2) - Number(1))
    if layout != "tensor2tensor":
        exponent = Number(2) * Named("i") / Named("d_model")
    position = Named("pos") if offset == 0 else Named("pos") + Number(offset)
    argument = position / Power(Number(base), exponent)
    unit = (phrase("in_degrees"),) if angle == "degrees" else ()
    return Call("words", (Call("sin", (argument,)), phrase("and"), Call("cos", (argument,)), *unit))


sinusoidal_positions = Operation(
    name="sinusoidal_positions",
    shapes="→ n×d",
    sizes=lambda shapes, positions, width, **settings: {"n": len(positions), "d": width},
    cell=_cell,
    formula=_formula,
    example={"positions": range(4), "width": 5, "base": 10000.0, "layout": "interleaved", "angle": "radians"},
)


def _partner(column: int, width: int, layout: str) -> int:
    """The other feature of the pair (sine, cosine) that shares its frequency with this one."""
    if layout == "interleaved":
        return column + 1 if column % 2 == 0 else column - 1
    half = width // 2
    return (column + half) % (2 * half)


def _turn(column: int, width: int, layout: str) -> tuple[str, float, float] | None:
    """As `_wave`; None also for a last sine that an odd width leaves without its cosine: it cannot be rotated."""
    return _wave(column, width, layout) if column < width - width % 2 else None


def _rotation_cell(i: int, j: int, *, offset: int, width: int, base: float, layout: str, angle: str) -> Expression:
    wave = _turn(i, width, layout)
    if wave is None:
        return Number(float(i == j))
    function, top, bottom = wave
    turn = _angle(offset, base, top, bottom, angle)
    if i == j:
        return Call("cos", (turn,))
    if j != _partner(i, width, layout):
        return Number(0)
    return Call("sin", (turn,)) if function == "sin" else -Call("sin", (turn,))


position_rotation = Operation(  # PE(pos + k) = M·PE(pos): each pair (sin, cos) turns by k times its frequency
    name="position_rotation",
    shapes="→ d×e",
    sizes=lambda shapes, width, **settings: {"d": width, "e": width},
    cell=_rotation_cell,
    formula=lambda inputs, offset, **settings: Call(
        "words", (phrase("rotation_of_pairs"), Number(offset), phrase("positions"))
    ),
    example={"offset": 2, "width": 6, "base": 10000.0, "layout": "interleaved", "angle": "radians"},
)
