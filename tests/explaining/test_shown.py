"""The numbers of one matrix are shown with one precision."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import pytest

import walkthrough as wt
from tests.examples import slow
from walkthrough.explaining.residue import shown_number
from walkthrough.explaining.shown import Shown, decimals_of
from walkthrough.expressions.tree.evaluate import evaluate
from walkthrough.expressions.tree.nodes import Cell
from walkthrough.operations import OPERATIONS
from walkthrough.recording import Trace
from walkthrough.recording.rounding import Digits
from walkthrough.recording.values import Kind, Origin, Source, Value


def value(*numbers: float, ids: tuple[int, ...] = ()) -> Value:
    return Value("x", Kind("x", "X", "", ids=ids), np.array([numbers]))


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


def test_shares_of_which_most_rows_would_be_zeros_are_told_apart() -> None:
    """Probabilities of 128,256 words; one word of all rows may be likely."""
    kind = Kind("probabilities", "P", "", is_distribution=True)
    flat, sure = [2.5e-4, 1e-5, 0.0], [0.75, 1e-5, 0.0]
    texts = [Shown(Value("p", kind, np.array(rows)), 3).text(0, 0) for rows in ([flat, flat, sure], [flat, sure])]
    assert texts == ["2.500e-04", "0.000"]


class Table:
    """What stands for a matrix of a large file: it notes how many rows are read at once, and that it is read whole."""

    shape = 128_256, 2048

    def __init__(self) -> None:
        self.read: list[int] = []

    def __getitem__(self, key: slice | tuple[int, int]) -> Any:
        if isinstance(key, tuple):
            return 0.25
        rows = len(range(*key.indices(self.shape[0])))
        self.read.append(rows)
        return np.full((rows, self.shape[1]), 0.25)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise AssertionError("read whole")


def test_of_a_table_in_a_file_no_more_is_read_than_tells_how_its_numbers_are_shown() -> None:
    table = Table()
    numbers: Any = table
    given = Value("w", Kind("w", "W", ""), numbers)
    given.source = Source(Origin("file"))
    assert Shown(given, 3).text(37, 1) == "0.250"
    assert set(table.read) == {100_000 // 2048}
    assert len(table.read) <= 2


def test_ids_beside_small_numbers_do_not_make_them_zeros() -> None:
    """A probability among 50,257 words."""
    prediction = value(11.0, 2e-5, ids=(0,))
    assert [shown(prediction, decimals=3)[column] for column in (0, 1)] == ["11", "2.000e-05"]


@pytest.mark.parametrize(
    ("probabilities", "texts"),
    [((6e-4, 2e-4, 3e-4), ["6.000e-04", "2.000e-04", "3.000e-04"]), ((0.6, 0.3, 3e-4), ["0.600", "0.300", "0.000"])],
)
def test_where_most_probabilities_beside_ids_would_be_0_all_have_a_power_of_ten(
    probabilities: tuple[float, ...], texts: list[str]
) -> None:
    rows = Value("x", Kind("x", "X", "", ids=(0,)), np.array([[11.0, one] for one in probabilities]))
    assert [Shown(rows, 3).text(row, 1) for row in range(3)] == texts


@pytest.mark.parametrize(
    ("terms", "texts"),
    [
        (((0.1 + 0.2, 1.0), (-0.3, 1.0)), ["0", "2"]),  # 5.6e-17: what is left of 0.3 − 0.3
        (((1.0, 0.5), (1.0, 0.25)), ["2.00", "0.75"]),
        (((1e-20, 1.0), (2e-20, 1.0)), ["0.00", "2.00"]),  # nothing cancels
        (((1e-20, 0.0), (2e-20, 0.0)), ["3.00e-20", "0"]),
        (((0.1 + 0.2, 1.1), (0.7, 2.2)), ["1.00", "3.30"]),
        (((0.1 + 0.2, 1.1), (0.7, 0.9)), ["1", "2"]),
        (((0.1 + 0.2, 5e-17), (-0.3, 3e-17)), ["0", "8.00e-17"]),
        (((0.1 + 0.2, -np.inf), (-0.3, 0.0)), ["0", "-inf"]),
    ],
    ids=str,
)
def test_last_bits_do_not_show(terms: tuple[tuple[float, ...], ...], texts: list[str]) -> None:
    given = [value(*numbers) for numbers in terms]
    total = Value("s", Kind("s", "S", ""), given[0].array + given[1].array, OPERATIONS["add"], tuple(given))
    assert shown(total) == texts


def test_what_is_no_sum_stays_however_small() -> None:
    powers = Value("u", Kind("u", "U", ""), np.exp([[-50.0, -60.0]]), OPERATIONS["exp"], (value(-50.0, -60.0),))
    assert shown(powers) == ["1.93e-22", "8.76e-27"]


def test_what_comes_from_nothing_but_rounding_is_0_too() -> None:
    mean = Value("m", Kind("m", "μ", ""), np.array([[1.85e-17]]), OPERATIONS["row_mean"], (value(0.1, 0.2, -0.3),))
    joined = Value("j", Kind("j", "J", ""), mean.array, OPERATIONS["concatenate"], (mean,))
    twice = Value("t", Kind("t", "T", ""), 2 * mean.array, OPERATIONS["scale_by"], (mean,), {"factor": 2.0})
    assert [shown(one) for one in (mean, joined, twice)] == [["0"], ["0"], ["0"]]


def scaled(*numbers: float) -> Value:
    """Numbers that a calculation has given, by one multiplication."""
    array = np.array([numbers])
    return Value("d", Kind("d", "D", ""), array, OPERATIONS["scale_by"], (value(*numbers),), {"factor": 1.0})


@pytest.mark.parametrize(
    ("number", "seen"),
    [
        (0.1 + 0.2, 0.3),
        (-0.525 * (1 - 1.9e-15), -0.525),
        (0.525 * (1 + 3e-15), 0.525 * (1 + 3e-15)),
        (12345.6785 * (1 + 1e-13), 12345.6785 * (1 + 1e-13)),
        (0.3671654011109255, 0.3671654011109255),
        (1e300 / 3, 1e300 / 3),
        (5e-324, 5e-324),
    ],
)
def test_a_computed_number_is_the_short_decimal_that_it_misses_by_its_last_bits(number: float, seen: float) -> None:
    given, computed = value(number), scaled(number)
    assert shown_number(computed, 0, 0) == seen
    assert shown_number(given, 0, 0) == number  # written by somebody
    assert computed.array[0, 0] == number


def test_digits_behind_the_twelfth_are_the_numbers_own() -> None:
    assert shown(scaled(0.3671654011109255, 0.5 * (1 + 1e-15)), 15) == ["0.367165401110926", "0.500000000000000"]
    assert shown(scaled(2 * (1 + 1e-13), 3.0), 15) == ["2.000000000000200", "3.000000000000000"]  # not whole


@pytest.mark.parametrize(("terms", "is_short"), [(1, False), (5, False), (6, True)])
def test_the_last_bits_of_a_sum_are_as_many_as_its_terms(terms: int, is_short: bool) -> None:
    number, given = 0.3 * (1 + 1.1e-14), value(*[0.3 / terms] * terms)
    total = Value("s", Kind("s", "S", ""), np.array([[number]]), OPERATIONS["row_sum"], (given,))
    assert shown_number(total, 0, 0) == (0.3 if is_short else number)


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
    ids = value(3.0, 0.5, ids=(0,))
    assert shown(ids) == ["3", "0.50"]
    ids.names = {3: "tea"}
    assert shown(ids) == ["tea", "0.50"]
    unknown = value(np.nan, 0.5, ids=(0,))
    unknown.names = {3: "tea"}
    assert shown(unknown) == ["?", "0.50"]


@pytest.mark.parametrize(
    ("numbers", "texts"),
    [
        ((0.125, 1.0, -0.5), ["0.125", "1.000", "-0.500"]),
        ((1.0, 2.0), ["1", "2"]),
        ((0.1, -np.inf, np.nan), ["0.1", "-inf", "?"]),
        ((1e-9, 0.25), ["0.000000001", "0.250000000"]),
        ((1e-20, 0.1), ["1e-20", "0.1"]),
        ((12345678.5, 3.0), ["12345678.5", "3"]),
        ((0.1 + 0.2, 0.5), ["0.30000000000000004", "0.5"]),
        ((-0.0, 0.5), ["0.0", "0.5"]),
    ],
    ids=str,
)
def test_by_hand_given_numbers_have_all_their_digits(numbers: tuple[float, ...], texts: list[str]) -> None:
    trace, given = Trace(decimals=3), value(*numbers)
    assert decimals_of(given, trace) == 3
    assert decimals_of(given, trace, 5) == 5
    trace.exact = Trace()
    assert shown(given, decimals_of(given, trace, 5)) == texts
    given.digits = Digits(2)
    assert decimals_of(given, trace) == 3


def read(text: str, number: float) -> float:
    """A number as somebody reads it off a table; an unknown one and a word stay what they are."""
    try:
        return float(text)
    except ValueError:
        return number


@pytest.mark.parametrize(
    ("name", "decimals"),
    [
        *((name, None) for name in ("cooking", "masked-scores", "help-me")),
        ("chai", 4),
        *(slow(name, None) for name in ("chai", "cooking-multihead", "cat-sat")),
        slow("chai", 1),
    ],
)
def test_by_hand_every_number_can_be_redone_from_the_tables_shown(name: str, decimals: int | None) -> None:
    trace = wt.trace(wt.load_scenario(name), arithmetic="by-hand", decimals=decimals)
    tables = {}
    for one in trace:
        texts = Shown(one, decimals_of(one, trace))
        cells = [(i, j) for i in range(one.shape[0]) for j in range(one.shape[1])]
        read_off = [read(texts.text(i, j), float(one.array[i, j])) for i, j in cells]
        tables[one] = np.array(read_off).reshape(one.shape)
    for one in trace:
        assert np.array_equal(tables[one], one.array, equal_nan=True), one.path
        if one.digits is None or one.operation is None or one.kind.ids:
            continue

        def number(at: Cell, inputs: tuple[Value, ...] = one.inputs) -> float:
            return float(tables[inputs[at.operand]][at.row, at.column])

        for i, j in np.ndindex(one.shape):
            redone = float(one.digits.round(np.array(evaluate(one.cell(i, j), number))))
            assert redone == pytest.approx(one.array[i, j], rel=1e-15, nan_ok=True), f"{one.path} {i} {j}"


def test_numbers_near_the_largest_float_are_shown() -> None:
    """Their square is none any more."""
    given = value(1e200, -1e200)
    twice = Value("t", Kind("t", "T", ""), 2 * given.array, OPERATIONS["scale_by"], (given,), {"factor": 2.0})
    assert shown(twice, 3) == ["2.000e+200", "-2.000e+200"]


def test_numbers_whose_product_is_infinite_are_shown() -> None:
    head = "{q: [[1.0e+300]], k: [[1.0e+300]], v: [[1]]}"
    trace = wt.trace(wt.parse_scenario(f"title: Large\ntokens: [a]\nattention: {{heads: [{head}]}}"))
    scores = trace["attention.head.1.scores"]
    assert Shown(scores, 3).text(0, 0) == "inf"
