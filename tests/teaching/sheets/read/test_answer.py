"""What a person writes is read as a fair person would."""

from __future__ import annotations

import math

import pytest

from walkthrough.teaching.sheets.read.answer import answer_of, number_answer


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.295", 0.295), ("0,295", 0.295), (".295", 0.295), (",295", 0.295), ("295", 295), ("5.", 5), ("+0.3", 0.3),
        ("−0.5", -0.5), ("-0,5", -0.5), ("– 0,5", -0.5), ("- 0.5", -0.5), (" 0.3\u00a0", 0.3), ("=0.3", 0.3),
        ("≈ 0,3", 0.3),
        ("1/3", 1 / 3), ("-2/3", -2 / 3), ("−1 / 3", -1 / 3), ("0,862/2", 0.431),
        ("=1/3", 1 / 3),
        ("½", 0.5),
        ("1⁄4", 0.25),
        ("1e-3", 0.001), ("1.2E-3", 0.0012), ("1,2·10^-3", 0.0012),
        ("1.2×10^(−3)", 0.0012), ("1.2 * 10^-3", 0.0012),
        ("1,234.5", 1234.5), ("1.234,5", 1234.5), ("1 234,5", 1234.5), ("1'234'567", 1234567), ("29.5%", 0.295),
        ("1,234", 1.234),
        ("−∞", -math.inf), ("-inf", -math.inf), ("-.inf", -math.inf),
        ("∞", math.inf), ("-Infinity", -math.inf),
        ("１２,５", 12.5),
        ("3 1/2", 3.5), ("-3 1/2", -3.5), ("3½", 3.5), ("6/√2", 6 / math.sqrt(2)), ("√2/2", math.sqrt(2) / 2),
        ("3√2", 3 * math.sqrt(2)), ("3·sqrt(2)", 3 * math.sqrt(2)), ("−√0,5", -math.sqrt(0.5)),
        ("2/(3√2)", math.sqrt(2) / 3), ("(√2)/2", math.sqrt(0.5)), ("45 %", 0.45), ("~ 3", 3), ("ca. 3,2", 3.2),
        ("0.38*", 0.38), ("2,00 (gerundet)", 2), ("2.00 (to 2 digits)", 2), ("6/√2 ≈ 4,24", 4.24),
        ("1/3 = 0.333", 0.333),
        ("√½", math.sqrt(0.5)), ("−√.5", -math.sqrt(0.5)), ("3 √¾", 3 * math.sqrt(0.75)),
        ("\u20110,5", -0.5), ("1\u22153", 1 / 3),
    ],
)  # fmt: skip
def test_a_number_is_read(text: str, number: float) -> None:
    assert answer_of(text).number == pytest.approx(number, rel=1e-15)


@pytest.mark.parametrize(
    "text",
    [
        "?", "-", "abc", "1/0", "1/2/3", "0.3 or 0.4", "1..2", "e5", "__import__('os')", "1e999", "nan", "9" * 400,
        "3/1/26", "=SUM(A1)", "3 + 4", "3·4", "2^3", "5²", "e^1.5", "√-2", "2/3√2", "3 4/2", "(gerundet)", "1/3 =",
        "0.295,", "½√2",
    ],
)  # fmt: skip
def test_what_is_no_number_is_none(text: str) -> None:
    answer = answer_of(text)
    assert answer.number is None
    assert not answer.is_missing


@pytest.mark.parametrize("text", ["", "  ", "\u00a0", "\t"])
def test_nothing_is_missing(text: str) -> None:
    assert answer_of(text).is_missing


@pytest.mark.parametrize(
    ("text", "decimals"),
    [("0,30", 2), ("0.3", 1), ("3", 0), ("1e-3", 3), ("1/3", None), ("√2/2", None), ("6/√2 ≈ 4,24", 2)],
)
def test_digits_are_counted(text: str, decimals: int | None) -> None:
    assert answer_of(text).decimals == decimals


def test_a_spreadsheets_number_has_lost_its_zeros() -> None:
    assert (number_answer(0.3).text, number_answer(0.3).decimals) == ("0.3", 1)
    assert number_answer(0.1 + 0.2).text == "0.3"
    assert number_answer(2.0).text == "2"
