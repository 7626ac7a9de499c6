"""The tests' own calculator reads lines as a person does."""

from __future__ import annotations

import math

import pytest

from tests.calculator import calculated, chosen


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("1 + 2×3 − 4", 3),
        ("−2×3 − 1", -7),
        ("8 / 2×4", 16),
        ("8 / (2×4)", 1),
        ("−3²", -9),
        ("(−3)²", 9),
        ("2×3²", 18),
        ("10^(2 / 4)", 10**0.5),
        ("1.25×10^(−4)", 0.000125),
        ("6 / 1.5×10^2", 400),
        ("e^(1 − 1) + √16 / 2", 3),
        ("max(0, −2, 1×3)", 3),
        ("2 + −0.5 [12 smaller terms]", None),
        ("2 − 0.5 [12 smaller terms]", 1.5),
        ("1 / 0", math.inf),
        ("−∞ + 1", -math.inf),
        ("2×−3", None),
        ("2×", None),
        ("(2", None),
        ("2 3", None),
        ("x + 1", None),
    ],
)
def test_reads_from_left_to_right_and_refuses_what_a_person_would_stumble_over(line: str, value: float | None) -> None:
    if value is None:
        with pytest.raises(SyntaxError):
            calculated(line)
    else:
        assert calculated(line) == pytest.approx(value, rel=1e-15)


def test_chooses_the_first_largest() -> None:
    assert chosen("argmax(a: 0.1, ,: 0.3, .: 0.3, b: 2.5×10^(−5))") == ","
    assert chosen("argmax(a: nan, b: 0.3)") == "nan"
