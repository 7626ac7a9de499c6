"""Numbers are written as people round and write them."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Context, Decimal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from walkthrough.notation import round_number, typeset, write_number, write_scientific, write_shortest
from walkthrough.recording.rounding import Digits

DECIMAL_NUMBERS = st.builds(
    lambda digits, places: Decimal(digits).scaleb(-places), st.integers(-(10**9), 10**9), st.integers(0, 9)
)


def by_school(number: Decimal, decimals: int) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


@given(DECIMAL_NUMBERS, st.integers(0, 6))
def test_rounds_as_taught_at_school(number: Decimal, decimals: int) -> None:
    assert round_number(float(number), decimals) == float(by_school(number, decimals))


@given(DECIMAL_NUMBERS.filter(lambda number: abs(number) < 9_999_999), st.integers(0, 6))
def test_writes_as_taught_at_school(number: Decimal, decimals: int) -> None:
    wanted = by_school(number, decimals)
    assert write_number(float(number), decimals) == f"{abs(wanted) if wanted == 0 else wanted:f}"


MAGNITUDES = st.builds(lambda mantissa, power: mantissa * 10.0**power, st.floats(-10, 10), st.integers(-18, 17))


def as_seen(number: float, decimals: int) -> Decimal:
    """The shortest decimal of a float, rounded half away from zero."""
    seen = Decimal(repr(number))
    return seen.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, Context(prec=400))


def is_residue(number: float, decimals: int) -> bool:
    """Whether a number lies so near below a half that only a calculation can have left it there."""
    units = abs(Decimal(repr(number))).scaleb(decimals)
    return units < 10**10 and 0 < Decimal("0.5") - units % 1 < Decimal("2e-9") + units * Decimal("4e-15")


@given(MAGNITUDES, st.integers(0, 15))
def test_rounds_the_shortest_decimal_of_any_float(number: float, decimals: int) -> None:
    assume(not is_residue(number, decimals))
    assert round_number(number, decimals) == float(as_seen(number, decimals))
    assert np.array_equal(Digits(decimals).round(np.array([number])), [float(as_seen(number, decimals))])


@given(MAGNITUDES.filter(lambda number: abs(number) < 9_999_999), st.integers(0, 15))
def test_writes_the_digits_of_any_float(number: float, decimals: int) -> None:
    assume(not is_residue(number, decimals))
    wanted = as_seen(number, decimals)
    assert write_number(number, decimals) == f"{abs(wanted) if wanted == 0 else wanted:f}"


@given(MAGNITUDES.filter(bool), st.integers(0, 15))
def test_writes_the_digits_of_any_float_with_a_power_of_ten(number: float, decimals: int) -> None:
    first = Decimal(repr(number)).adjusted()
    assume(not is_residue(number, decimals - first))
    text = write_scientific(number, decimals)
    mantissa, exponent = text.split("e")
    assert Decimal(text) == as_seen(number, decimals - first)
    assert 1 <= abs(Decimal(mantissa)) < 10
    assert len(mantissa.partition(".")[2]) == decimals
    assert len(exponent) >= 3


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**4), st.integers(0, 4))
def test_what_a_calculation_leaves_beside_a_half_is_a_half(number: int, factor: int, decimals: int) -> None:
    """A person who multiplies 0.35 by 1.5 gets 0.525, a computer 0.5249999999999999."""
    product = Decimal(number).scaleb(-decimals) * Decimal(factor).scaleb(-3)
    assert round_number(float(Decimal(number).scaleb(-decimals)) * (factor / 1000), decimals) == float(
        by_school(product, decimals)
    )


@given(st.floats(allow_nan=False), st.integers(0, 15))
def test_rounding_moves_by_half_a_unit_at_most_and_only_once(number: float, decimals: int) -> None:
    once = round_number(number, decimals)
    assert once == number or abs(once - number) <= 0.5 * 10.0**-decimals * (1 + 1e-6) + 2 * math.ulp(number)
    assert round_number(once, decimals) == once
    assert round_number(-number, decimals) == -once


@pytest.mark.parametrize(
    ("number", "decimals", "result"),
    [
        (0.525, 2, 0.53),
        (1.005, 2, 1.01),
        (2.675, 2, 2.68),
        (2.5, 0, 3),
        (-2.5, 0, -3),
        (-0.525, 2, -0.53),
        (0.5249, 2, 0.52),
        (0.1 + 0.2 + 0.225, 2, 0.53),
        (1 / 3, 15, 0.333333333333333),
        (2 / 3, 15, 0.666666666666667),
        (0.1234567890123455, 15, 0.123456789012346),
        (0.124999999996, 2, 0.12),
        (0.35 * 1.5, 2, 0.53),
        (0.0964999999999997, 3, 0.097),  # −1.001·−1.5 + 0.977·−2 + 1.023·2 − 0.998·1.5, which is 0.0965
        (12345678.12345675, 7, 12345678.1234568),
        (1250.0, -2, 1300.0),
        (5e11, 3, 5e11),
        (123456789012.3456, 4, 123456789012.3456),
        (1e300, 3, 1e300),
        (math.inf, 2, math.inf),
        (-math.inf, 2, -math.inf),
    ],
)
def test_rounds_half_away_from_zero(number: float, decimals: int, result: float) -> None:
    assert round_number(number, decimals) == result


def test_unknown_stays_unknown_and_nothing_is_negative_zero() -> None:
    assert math.isnan(round_number(math.nan, 2))
    assert math.copysign(1, round_number(-0.001, 2)) == 1


@pytest.mark.parametrize(
    ("number", "decimals", "text"),
    [
        (-0.2494, 3, "-0.249"),
        (-0.0004, 3, "0.000"),
        (-0.0, 2, "0.00"),
        (-0.4, 0, "0"),
        (2.5, 0, "3"),
        (9999999.4, 0, "9999999"),
        (1e7, 3, "1.000e+07"),
        (-1e9, 2, "-1.00e+09"),
        (1.25e9, 1, "1.3e+09"),
        (9.996e9, 2, "1.00e+10"),
        (123456.7, 15, "123456.700000000000000"),
        (1 / 3, 15, "0.333333333333333"),
        (math.inf, 3, "inf"),
        (-math.inf, 3, "-inf"),
        (math.nan, 3, "?"),
    ],
)
def test_written(number: float, decimals: int, text: str) -> None:
    assert write_number(number, decimals) == text


@pytest.mark.parametrize(
    ("number", "decimals", "text"),
    [
        (1.0, 3, "1"),
        (-1.5, 3, "-1.5"),
        (100.0, 0, "100"),
        (0.1004, 3, "0.100"),
        (0.0, 2, "0"),
        (1e9, 3, "1e+09"),
        (1.25e10, 3, "1.25e+10"),
    ],
)
def test_zeros_at_the_end_go_only_where_the_number_is_exact(number: float, decimals: int, text: str) -> None:
    assert write_shortest(number, decimals) == text


def test_powers_of_ten() -> None:
    assert write_scientific(0.000125, 3) == "1.250e-04"
    assert write_scientific(-0.0, 3) == "0"


@pytest.mark.parametrize(
    ("text", "typeset_text"),
    [
        ("-0.249", "−0.249"),
        ("1.250e-04", "1.250×10^(−4)"),
        ("-1e+09", "−1×10^9"),
        ("-inf", "−∞"),
        ("inf", "∞"),
        ("?", "?"),
    ],
)
def test_typeset(text: str, typeset_text: str) -> None:
    assert typeset(text) == typeset_text
