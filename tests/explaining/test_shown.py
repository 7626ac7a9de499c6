"""The numbers of one matrix are shown with one precision."""

from __future__ import annotations

import numpy as np
import pytest

from walkthrough.explaining.shown import Shown
from walkthrough.recording.rounding import Digits
from walkthrough.recording.values import Kind, Value


def value(*numbers: float, ids: bool = False) -> Value:
    return Value("x", Kind("x", "X", "", "", ids=ids), np.array([numbers]))


def shown(given: Value, decimals: int = 2) -> list[str]:
    return [Shown(given, decimals).text(0, column) for column in range(given.shape[1])]


@pytest.mark.parametrize(
    ("numbers", "texts"),
    [
        ((1.0, -2.0, 0.0), ["1", "-2", "0"]),
        ((1.0, 0.525), ["1.00", "0.53"]),
        ((1.0, -np.inf), ["1", "-inf"]),
        ((1.5, -np.inf), ["1.50", "-inf"]),
        ((1e-4, -2.5e-6, 0.0), ["1.00e-04", "-2.50e-06", "0"]),
        ((1e-4, 0.1), ["0.00", "0.10"]),
        ((1e8, 1.0), ["1.00e+08", "1.00"]),
        ((1.0, np.nan), ["1", "?"]),
        ((-np.inf, -np.inf), ["-inf", "-inf"]),
    ],
    ids=str,
)
def test_numbers(numbers: tuple[float, ...], texts: list[str]) -> None:
    assert shown(value(*numbers)) == texts


def test_another_number_is_written_like_those_of_the_matrix() -> None:
    assert Shown(value(1.0, 2.0), 2).number(3.0) == "3"
    assert Shown(value(1.0, 2.0), 2).number(2.5) == "2.50"
    assert Shown(value(1.0, 0.5), 2).number(3.0) == "3.00"


def test_a_nan_is_unknown_only_where_it_comes_from_an_unknown_number() -> None:
    computed = value(1.0, np.nan)
    computed._unknown = False
    assert shown(computed) == ["1", "nan"]


def test_by_hand_what_was_rounded_is_what_is_shown() -> None:
    rounded = value(31.8, 1.0)
    rounded.digits = Digits(3, True)
    assert shown(rounded) == ["31.8", "1.00"]
    rounded.digits = Digits(1)
    assert shown(rounded, 4) == ["31.8", "1.0"]


def test_ids_are_whole_numbers_and_have_words() -> None:
    ids = value(3.0, 0.5, ids=True)
    assert shown(ids) == ["3", "0.50"]
    ids.names = {3: "tea"}
    assert shown(ids) == ["tea", "0.50"]
    unknown = value(np.nan, 0.5, ids=True)
    unknown.names = {3: "tea"}
    assert shown(unknown) == ["?", "0.50"]
