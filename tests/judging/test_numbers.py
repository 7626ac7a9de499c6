"""The printed numbers of a step as arrays say what each of them says alone."""

from __future__ import annotations

import numpy as np
import pytest

import walkthrough as wt
from walkthrough.judging.digits import Printed, decimals_of
from walkthrough.judging.numbers import PrintedNumbers
from walkthrough.judging.prints import PrintedCell

VALUE = wt.trace(wt.load_scenario("chai"))["encoder.1.attention.head.1.query"]
TEXTS = ["0.5", "0.45", "-0.445", "0.450000", "12", "1e3", "0.525", "0.535", "-0.0", "123456.789", "6.03e-06", "-.inf"]


def printed(*texts: str, places: list[tuple[int, int]] | None = None) -> PrintedNumbers:
    """So many printed numbers, in the first cells."""
    places = places or list(np.ndindex(VALUE.shape))
    prints = [Printed(text, float(text.replace(".inf", "inf")), decimals_of(text) or 0) for text in texts]
    return PrintedNumbers(VALUE, [PrintedCell(VALUE, *at, one) for at, one in zip(places, prints, strict=False)])


@pytest.mark.parametrize("text", TEXTS)
def test_numbers_agree_with_a_print_as_each_does_alone(text: str) -> None:
    """Well within half a unit and beyond it, at ties, and a last bit beside them."""
    one = printed(text)
    alone = one.prints[0]
    for off in (0.0, 0.3, 0.5, 0.5 - 1e-15, 0.5 + 1e-15, 0.50002, 0.49998, 0.7, 1.0, np.inf, np.nan):
        for sign in (1, -1):
            number = alone.value + sign * off * 2 * alone.half_unit if off else alone.value
            array = np.full(VALUE.shape, number)
            assert one.agree_with(array).tolist() == [alone.is_rounded(number)], number


def test_the_first_of_two_prints_of_a_number_is_the_one_that_counts() -> None:
    twice = printed("0.1", "0.2", "0.3", places=[(0, 0), (0, 1), (0, 0)])
    assert {(cell.row, cell.column): cell.text for cell in twice.first.cells} == {(0, 0): "0.1", (0, 1): "0.2"}
