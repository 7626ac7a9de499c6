"""Rounding to a number format, against fractions and against the types of other libraries."""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from tests.examples import some
from walkthrough.number_formats import FLOAT_NAMES, FLOATS, FloatFormat, IntFormat, number_format

BITS = {"float32": (8, 23), "float16": (5, 10), "bfloat16": (8, 7), "float8_e4m3fn": (4, 3), "float8_e5m2": (5, 2)}
LARGEST = {
    "float32": 3.4028234663852886e38,
    "float16": 65504.0,
    "bfloat16": 3.3895313892515355e38,
    "float8_e4m3fn": 448.0,
    "float8_e5m2": 57344.0,
}


def by_fractions(x: float, name: str) -> float:
    """One rounding, half to even, in exact arithmetic: the nearest of the format's numbers."""
    exponent_bits, mantissa_bits = BITS[name]
    if x == math.inf and name == "float8_e4m3fn":
        return math.nan
    if not math.isfinite(x) or x == 0:
        return x
    exact, least = abs(Fraction(x)), 2 - 2 ** (exponent_bits - 1)
    power = least
    while exact >= Fraction(2) ** (power + 1):
        power += 1
    unit = Fraction(2) ** (power - mantissa_bits)
    found = round(exact / unit) * unit
    if found > Fraction(LARGEST[name]):
        return math.nan if name == "float8_e4m3fn" else math.copysign(math.inf, x)
    return math.copysign(float(found), x)


def numbers(name: str, count: int = some(40, 300)) -> list[float]:
    """Drawn numbers, small and large, halves between two numbers of the format, and those beside them."""
    random, (exponent_bits, mantissa_bits) = Random(1), BITS[name]
    powers = 2 ** (exponent_bits - 1)
    drawn = [random.uniform(-2, 2) * 2.0 ** random.uniform(-powers - mantissa_bits, powers) for _ in range(count)]
    halves = [
        (2 * random.randrange(2**mantissa_bits, 2 ** (mantissa_bits + 1)) + 1)
        * 2.0 ** random.randrange(-powers - mantissa_bits, powers - mantissa_bits)
        for _ in range(count)
    ]
    beside = [math.nextafter(x, to) for x in halves for to in (0, math.inf)]
    special = [0.0, -0.0, math.inf, -math.inf, 5e-324, 1e308, -1e308, LARGEST[name], -LARGEST[name], 464.0, 465.0]
    return [*drawn, *halves, *beside, *special]


def assert_bits(found: np.ndarray, wanted: np.ndarray) -> None:
    """The same numbers to the last bit, with the sign of a zero."""
    np.testing.assert_array_equal(found, wanted)
    known = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found)[known], np.signbit(wanted)[known])


@pytest.mark.parametrize("name", FLOAT_NAMES)
def test_a_number_is_rounded_once_to_the_nearest_halves_to_even(name: str) -> None:
    drawn = np.array([numbers(name)])
    wanted = np.array([[by_fractions(x, name) for x in drawn[0]]])
    assert_bits(number_format(name).round(drawn), wanted)  # type: ignore[union-attr]


@pytest.mark.parametrize(("name", "kind"), [("float32", np.float32), ("float16", np.float16)])
def test_a_number_becomes_what_numpy_makes_of_it(name: str, kind: type) -> None:
    drawn = np.array([numbers(name)])
    with np.errstate(all="ignore"):
        assert_bits(number_format(name).round(drawn), drawn.astype(kind).astype(np.float64))  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_a_number_of_float32_becomes_what_ml_dtypes_makes_of_it(name: str) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    with np.errstate(all="ignore"):
        drawn = np.array([[x for x in numbers(name) if x > -math.inf]]).astype(np.float32)
        drawn[np.isinf(drawn)] = 1
        wanted = drawn.astype(getattr(ml_dtypes, name)).astype(np.float64)
    assert_bits(number_format(name).round(drawn.astype(np.float64)), wanted)  # type: ignore[union-attr]


def test_the_second_rounding_of_those_who_go_by_way_of_float32_is_not_made() -> None:
    beside = np.array([[1 + 2.0**-8 + 2.0**-40]])
    assert number_format("bfloat16").round(beside) == 1.0078125  # type: ignore[union-attr]
    assert number_format("bfloat16").round(beside.astype(np.float32).astype(np.float64)) == 1  # type: ignore[union-attr]


def test_what_a_format_cannot_hold_is_infinite_or_no_number_and_what_hides_a_score_stays() -> None:
    array = np.array([[464.0, 465.0, -465.0, -np.inf, np.nan]])
    found = number_format("float8_e4m3fn").round(array)  # type: ignore[union-attr]
    np.testing.assert_array_equal(found, [[448, np.nan, np.nan, -np.inf, np.nan]])
    found = number_format("float8_e5m2").round(np.array([[61439.0, 61440.0, -1e9, -np.inf]]))  # type: ignore[union-attr]
    np.testing.assert_array_equal(found, [[57344, np.inf, -np.inf, -np.inf]])


@pytest.mark.parametrize("form", [one for one in FLOATS if one.exponent + one.mantissa == 7], ids=lambda one: one.name)
def test_all_numbers_of_eight_bits_stay_and_have_their_own_bits(form: FloatFormat) -> None:
    for code in range(256):
        sign, exponent, mantissa = code >> 7, code >> form.mantissa & (2**form.exponent - 1), code % 2**form.mantissa
        fraction = mantissa / 2**form.mantissa
        size = 2.0 ** (exponent - form.bias) * (1 + fraction) if exponent else 2.0 ** (1 - form.bias) * fraction
        if size <= form.largest:
            number = math.copysign(size, -sign)
            assert_bits(form.round(np.array([[number]])), np.array([[number]]))
            assert form.bits(number).replace(" ", "") == f"{code:08b}"
    assert form.bits(math.nan) == ("0 1111 111" if form.ends_in_nan else "0 11111 10")


@pytest.mark.parametrize(("name", "code"), [("float32", ">f"), ("float16", ">e")])
def test_bits_are_those_that_a_computer_stores(name: str, code: str) -> None:
    form = number_format(name)
    assert isinstance(form, FloatFormat)
    for number in form.round(np.array(numbers(name, 50))).tolist():
        stored = "".join(f"{byte:08b}" for byte in struct.pack(code, number))
        assert form.bits(number).replace(" ", "") == stored


def test_whole_multiples_share_the_scale_of_their_matrix() -> None:
    form, array = IntFormat(4), np.array([[1.75, -0.875, 0.125, -np.inf, np.nan]])
    np.testing.assert_array_equal(form.round(array), [[1.75, -1, 0, -np.inf, np.nan]])
    np.testing.assert_array_equal(form.round(np.zeros((2, 2))), np.zeros((2, 2)))
    mask = np.array([[0.0, 1.0], [1.0, 1.0]])
    for count in range(2, 17):
        np.testing.assert_array_equal(IntFormat(count).round(mask), mask)


def test_names() -> None:
    assert [getattr(number_format(name), "name", None) for name in FLOAT_NAMES] == list(FLOAT_NAMES)
    assert number_format("int8") == IntFormat(8)
    assert [number_format(name) for name in ("int1", "int17", "int08", "int", "fp16", "float8", "")] == [None] * 7
