"""What the numbers of one step are evidence of: rows and columns mixed up, numbers of one digit, large prints."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import walkthrough as wt
from walkthrough.mistakes.causes.candidates import copied, mixed_up
from walkthrough.mistakes.causes.slips import find_rounding_slip, transcription_slips
from walkthrough.mistakes.causes.written import Written
from walkthrough.recording.recalculation import Recalculation

VALUE = wt.trace(wt.load_scenario("chai"))["encoder.1.attention.head.1.weights"]


def written(numbers: np.ndarray, expected: np.ndarray, decimals: int) -> Written:
    unit = 10.0**-decimals
    is_wrong = np.abs(numbers - expected) > unit / 2
    shape = numbers.shape
    return Written(VALUE, numbers, expected, np.full(shape, unit), np.full(shape, float(decimals)), is_wrong)


def evident(one: Written) -> np.ndarray:
    found = [candidate.evident(one) for candidate in mixed_up(one)]
    return np.logical_or.reduce(found) if found else np.zeros(one.numbers.shape, dtype=bool)


@pytest.mark.parametrize("order", [[1, 0, 2], [2, 0, 1]])
@pytest.mark.parametrize("is_column", [False, True])
def test_rows_and_columns_in_each_others_place_are_seen(order: list[int], is_column: bool) -> None:
    expected = np.array([[0.212, 0.327, 0.461], [0.648, 0.155, 0.197], [0.289, 0.374, 0.337]])
    numbers = expected[:, order] if is_column else expected[order]
    one = written(numbers, expected, 3)
    assert (evident(one) == one.is_wrong).all()


def test_so_is_a_single_column_that_is_one_off() -> None:
    expected = np.array([[0.212], [0.648], [0.289], [0.374]])
    assert evident(written(np.roll(expected, 1, axis=0), expected, 3)).all()


def test_numbers_of_one_digit_are_no_evidence_of_another_place() -> None:
    expected = np.array([[0.3, 0.4, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4]])
    numbers = expected[[1, 1]]
    assert not evident(written(numbers, expected, 1)).any()


def written_once(number: float, expected: float, decimals: int, count: int = 1) -> Written:
    """So many numbers of a step; all others are right."""
    numbers, rights = np.full(VALUE.shape, round(0.6127, decimals)), np.full(VALUE.shape, 0.6127)
    numbers.flat[:count], rights.flat[:count] = number, expected
    return written(numbers, rights, decimals)


@pytest.mark.parametrize(("digits", "is_evidence"), [(2, False), (3, True)])
def test_a_number_of_another_step_is_told_by_three_digits(digits: int, is_evidence: bool) -> None:
    number, source = round(0.3479, digits), VALUE.inputs[0]
    replay = Recalculation({source: np.full(source.shape, number)})
    found = list(copied(written_once(number, 0.2, digits), replay))
    assert bool(found) == is_evidence


@pytest.mark.parametrize(("digits", "is_evidence"), [(1, False), (2, True)])
def test_a_slip_of_the_pen_is_told_by_two_digits(digits: int, is_evidence: bool) -> None:
    one = written_once(-round(0.3479, digits), 0.3479, digits)
    assert any(candidate.evident(one).any() for candidate in transcription_slips(one)) == is_evidence


@pytest.mark.parametrize(
    ("number", "count", "is_habit"), [(0.468, 2, False), (0.468, 3, True), (0.47, 3, True), (0.0, 3, False)]
)
def test_three_numbers_make_a_habit_of_cutting_off_and_of_zeros_put_behind(
    number: float, count: int, is_habit: bool
) -> None:
    one = written_once(number, 0.4689, 3, count)
    assert (find_rounding_slip({one: one.is_wrong}, Recalculation()) is not None) == is_habit


def test_memory_does_not_grow_with_the_pairs_of_rows() -> None:
    rng = np.random.default_rng(1)
    one = written(rng.uniform(0, 1, (60, 60)).round(3), rng.uniform(0, 1, (60, 60)), 3)
    tracemalloc.start()
    list(mixed_up(one))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5e6
