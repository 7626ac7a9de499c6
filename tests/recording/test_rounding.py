"""By-hand arithmetic rounds as people do."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import walkthrough as wt
from tests.test_notation import DECIMAL_NUMBERS, MAGNITUDES, as_seen, by_school, is_residue
from walkthrough.notation import round_number
from walkthrough.recording.rounding import Digits, Rounding


def one(digits: Digits, number: float) -> float:
    return float(digits.round(np.array([[number]]))[0, 0])


@given(st.lists(DECIMAL_NUMBERS, max_size=6), st.integers(0, 6))
def test_decimals_as_taught_at_school(numbers: list[Decimal], decimals: int) -> None:
    found = Digits(decimals).round(np.array([[float(number) for number in numbers]]))
    np.testing.assert_array_equal(found, [[float(by_school(number, decimals)) for number in numbers]])


@given(DECIMAL_NUMBERS, st.integers(1, 6))
def test_significant_digits_as_taught_at_school(number: Decimal, count: int) -> None:
    unit = Decimal(1).scaleb(number.adjusted() - count + 1)
    wanted = Decimal(0) if number == 0 else (number / unit).quantize(Decimal(1), ROUND_HALF_UP) * unit
    assert one(Digits(count, True), float(number)) == float(wanted)


@given(MAGNITUDES.filter(bool), st.integers(1, 15))
def test_significant_digits_of_any_float(number: float, count: int) -> None:
    places = count - 1 - Decimal(repr(number)).adjusted()
    assert one(Digits(count, True), number) == round_number(number, places)
    assume(not is_residue(number, places))
    assert one(Digits(count, True), number) == float(as_seen(number, places))


@given(st.floats(), st.integers(0, 15))
def test_a_matrix_is_rounded_as_one_number_is(number: float, decimals: int) -> None:
    np.testing.assert_array_equal(one(Digits(decimals), number), round_number(number, decimals))


@given(st.floats(), st.integers(1, 8), st.booleans())
def test_what_is_rounded_stays(number: float, count: int, significant: bool) -> None:
    digits = Digits(count, significant)
    once = one(digits, number)
    np.testing.assert_array_equal(one(digits, once), once)
    np.testing.assert_array_equal(one(digits, -number), -once)


@pytest.mark.parametrize(
    ("digits", "numbers", "results"),
    [
        (Digits(2), [0.525, -0.525, 1.005, 0.5249, 2.675], [0.53, -0.53, 1.01, 0.52, 2.68]),
        (Digits(0), [2.5, -2.5, 0.4999, 0.5], [3, -3, 0, 1]),
        (Digits(3, True), [31.817, 0.00060349, -3.4649, 12345.0, 9.996], [31.8, 0.000603, -3.46, 12300, 10]),
        (Digits(1, True), [0.25, 95.0, 1000.0, 0.0], [0.3, 100, 1000, 0]),
        (Digits(3, True), [1e-320, 1.234567e300, 5e-324], [1e-320, 1.23e300, 5e-324]),
        (Digits(3), [1e12, -1e12, 1e300, 5e11, 123456789.12345], [1e12, -1e12, 1e300, 5e11, 123456789.123]),
        (Digits(2), [-np.inf, np.inf, np.nan, 0.0], [-np.inf, np.inf, np.nan, 0]),
        (Digits(2, True), [-np.inf, np.inf, np.nan], [-np.inf, np.inf, np.nan]),
    ],
    ids=str,
)
def test_rounds_half_away_from_zero(digits: Digits, numbers: list[float], results: list[float]) -> None:
    np.testing.assert_array_equal(digits.round(np.array([numbers])), [results])


def test_nothing_rounds_to_negative_zero() -> None:
    assert not np.signbit(Digits(2).round(np.array([-0.001, -0.0]))).any()


@pytest.mark.parametrize(
    ("digits", "number", "text"),
    [
        (Digits(2), 0.5, "0.50"),
        (Digits(0), 3.0, "3"),
        (Digits(3, True), 31.8, "31.8"),
        (Digits(3, True), 9.996, "10.0"),
        (Digits(3, True), 0.5, "0.500"),
        (Digits(3, True), 0.000603, "0.000603"),
        (Digits(3, True), 12300.0, "12300"),
        (Digits(3, True), 1.23e12, "1.23e+12"),
        (Digits(3, True), -1.23e-20, "-1.23e-20"),
        (Digits(3, True), 4e-322, "4.00e-322"),
        (Digits(2, True), 0.0, "0.00"),
        (Digits(2, True), -np.inf, "-inf"),
        (Digits(2, True), np.nan, "?"),
    ],
    ids=str,
)
def test_a_rounded_number_is_written_with_its_digits(digits: Digits, number: float, text: str) -> None:
    assert digits.text(number) == text


def test_of_the_steps_an_exact_path_wins_and_else_the_last_that_fits() -> None:
    path = "encoder.1.attention.head.1.softmax.exp"
    exact, general, last = Digits(1), Digits(2), Digits(4, True)
    assert Rounding(3).digits(path) == Digits(3)
    assert Rounding(3, {"norm": general}).digits(path) == Digits(3)
    assert Rounding(3, {"softmax": general, "encoder.1.exp": last}).digits(path) == last
    assert Rounding(3, {"encoder.1.exp": last, "softmax": general}).digits(path) == general
    assert Rounding(3, {path: exact, "softmax": general, "exp": last}).digits(path) == exact


def test_a_step_whose_exact_path_stands_there_is_meant_alone() -> None:
    names = {"encoder.output": "encoder.1.norm_2.output", "encoder.1.norm_2.output": "encoder.1.norm_2.output"}
    rounding = Rounding(3, {"encoder.output": Digits(1)}, names)
    assert rounding.digits("encoder.1.norm_2.output") == Digits(1)
    assert rounding.digits("encoder.1.attention.head.1.output") == Digits(3)
    assert rounding.digits("train.7.encoder.1.norm_2.output") == Digits(1)


def test_an_input_of_the_encoder_is_not_that_of_the_decoder() -> None:
    text = wt.load_scenario("not-on-your-life").source.text
    trace = wt.trace(
        wt.parse_scenario(f"{text}\nrounding: {{decimals: 3, steps: {{input: 1, encoder.output: 0}}}}"),
        arithmetic="by-hand",
    )
    found = {value.path: value.digits.count for value in trace if value.digits is not None and value.digits.count != 3}
    assert found == {trace["input"].path: 1, trace["encoder.output"].path: 0}


def test_cooking_by_hand_gives_what_its_author_printed() -> None:
    trace = wt.trace(wt.load_scenario("cooking"), arithmetic="by-hand")
    shown = {name: trace.only(name).array[0].tolist() for name in ("scaled_scores", "weights", "head.output")}
    assert shown == {
        "scaled_scores": [3.46, 2.31, 3.46],
        "weights": [0.431, 0.137, 0.431],
        "head.output": [0.862, 0.568, 0.568],
    }
    exponentials = trace.only("attention.softmax.exp")
    assert [exponentials.digits.text(number) for number in exponentials.array[0]] == ["31.8", "10.1", "31.8"]
    assert trace.only("attention.softmax.sum").array[0, 0] == 73.7
