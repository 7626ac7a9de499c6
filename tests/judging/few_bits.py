"""How an honest author keeps weights in few bits: whole numbers times a scale, worked out in Decimal."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Decimal

Number = Decimal | None
Rows = list[list[Number]]
ZERO, ONE = Decimal(0), Decimal(1)
_SHORT = Decimal("1e-20")


def shares(w: Rows, share: str, size: int | None) -> list[list[list[Number]]]:
    """The numbers of each share."""
    if share == "tensor":
        return [[[cell for row in w for cell in row]]]
    if share == "row":
        return [[row] for row in w]
    if share == "column":
        return [[list(column) for column in zip(*w, strict=True)]]
    assert size is not None
    return [[row[at : at + size] for at in range(0, len(row), size)] for row in w]


def of_share(common: Rows, row: int, column: int, share: str, size: int | None) -> Number:
    """What the share of a number has in common."""
    if share == "group":
        return common[row][column // (size or 1)]
    return common[row if share == "row" else 0][column if share == "column" else 0]


def nearest(number: Number) -> Number:
    """The nearest whole number, of two the even one; a scale such as 1/3 has been cut somewhere."""
    return None if number is None else number.quantize(_SHORT).to_integral_value(ROUND_HALF_EVEN)


def scales(step: Callable[[list[Decimal], int], Decimal]) -> Callable[..., Rows]:
    """The scale of each share, 1 where it would be 0."""

    def scale(cells: list[Number], bits: int) -> Number:
        known = [cell for cell in cells if cell is not None]
        return (step(known, bits) or ONE) if len(known) == len(cells) else None

    return lambda w, share, size, bits: [[scale(cells, bits) for cells in row] for row in shares(w, share, size)]


def _absmax(cells: list[Decimal], bits: int) -> Decimal:
    return max(map(abs, cells)) / (2 ** (bits - 1) - 1)


def _range(cells: list[Decimal], bits: int) -> Decimal:
    return (max(ZERO, *cells) - min(ZERO, *cells)) / (2**bits - 1)


def zero_points(w: Rows, s: Rows, share: str, size: int | None, bits: int) -> Rows:
    """The whole number of each share that stands for 0."""

    def zero(cells: list[Number], scale: Number) -> Number:
        if scale is None or scale == 0 or None in cells:
            return None
        lowest = nearest(min(ZERO, *(cell for cell in cells if cell is not None)) / scale)
        return None if lowest is None else -(2 ** (bits - 1)) - lowest

    return [[zero(*pair) for pair in zip(*rows, strict=True)] for rows in zip(shares(w, share, size), s, strict=True)]


def _by_share(rule: Callable[..., Number]) -> Callable[..., Rows]:
    """Each number by a rule, with what its share has in common; none where one of them is none."""

    def rows(w: Rows, *common: Rows, share: str, size: int | None, **settings: int) -> Rows:
        def cell(row: int, column: int) -> Number:
            known = [w[row][column], *(of_share(one, row, column, share, size) for one in common)]
            return None if None in known else rule(*known, **settings)

        return [[cell(row, column) for column in range(len(w[0]))] for row in range(len(w))]

    return rows


def _kept(w: Decimal, s: Decimal, *z: Decimal, bits: int) -> Number:
    whole = None if s == 0 else nearest(w / s)
    if whole is None or not z:
        return whole
    return max(Decimal(-(2 ** (bits - 1))), min(Decimal(2 ** (bits - 1) - 1), whole + z[0]))


RULES: dict[str, Callable[..., Rows]] = {
    "absmax_scale": scales(_absmax),
    "range_scale": scales(_range),
    "zero_point": zero_points,
    "quantize": _by_share(_kept),
    "dequantize": _by_share(lambda q, s, *z: (q - sum(z)) * s),
}
"""The author's arithmetic, by the operation."""
