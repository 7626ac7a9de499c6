"""What the numbers of one step are evidence of: rows and columns mixed up, numbers of one digit, large prints."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import walkthrough as wt
from walkthrough.mistakes.causes.candidates import mixed_up
from walkthrough.mistakes.causes.written import Written

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


def test_memory_does_not_grow_with_the_pairs_of_rows() -> None:
    rng = np.random.default_rng(1)
    one = written(rng.uniform(0, 1, (60, 60)).round(3), rng.uniform(0, 1, (60, 60)), 3)
    tracemalloc.start()
    list(mixed_up(one))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5e6
