"""Numbers as people write them."""

from __future__ import annotations

import pytest

from walkthrough.numerals import plain_number


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("0.38", "0.38"),
        ("2.000", "2.000"),
        ("−0.38", "-0.38"),
        ("–0,38", "-0.38"),
        ("- 0.38", "-0.38"),
        ("≈ 0.38", "0.38"),
        ("2,581", "2.581"),
        ("1,234.5", "1234.5"),
        ("1.234,50", "1234.50"),
        ("1,234,567", "1234567"),
        ("6.03e-06", "6.03e-06"),
        ("3.2·10⁻⁴", "3.2e-4"),
        ("3,2 × 10^-4", "3.2e-4"),
        ("3.2*10^(-4)", "3.2e-4"),
        ("−10⁹", "-1e9"),
        ("10^{9}", None),
        ("−∞", "-inf"),
        ("-inf", "-inf"),
        (".5", ".5"),
        ("\u20110.5", "-0.5"),
    ],
)
def test_a_written_number_keeps_the_digits_it_shows(written: str, plain: str | None) -> None:
    assert plain_number(written) == plain


@pytest.mark.parametrize(
    "written",
    ["", "abc", "1/3", "0.3 0.4", "1,2,3", "5²", "--3", "1.2.3", "e5", "nan", "10^x", "0.295,", "0,123,456", "1.234.5"],
)
def test_what_is_no_number_is_none(written: str) -> None:
    assert plain_number(written) is None
