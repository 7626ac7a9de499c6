"""Long lines are broken where a person would break them, and lose nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from walkthrough.views.text.wrapping import wrap_arithmetic, wrap_prose

SUM = ["Z[Fuchs, 2]", "0.424×0.577 + 0.382×0.429 + 0.194×(−1.559) + 0×(−1.467) + 0×(−0.800)", "0.106"]


def test_a_short_line_stays_one() -> None:
    assert wrap_arithmetic(["x", "1 + 2", "3"], 80) == ["x = 1 + 2 = 3"]


def test_a_sum_is_broken_before_its_operators() -> None:
    assert wrap_arithmetic(SUM, 60, indent=4) == [
        "    Z[Fuchs, 2] = 0.424×0.577 + 0.382×0.429 + 0.194×(−1.559)",
        "        + 0×(−1.467) + 0×(−0.800) = 0.106",
    ]


def test_brackets_are_broken_only_where_they_do_not_fit() -> None:
    formula = "sin(pos / 10000^(2×i / d_model)) and cos(pos / 10000^(2×i / d_model))"
    assert wrap_arithmetic(["PE", formula], 60, indent=4) == [
        "    PE = sin(pos / 10000^(2×i / d_model))",
        "        and cos(pos / 10000^(2×i / d_model))",
    ]
    assert wrap_arithmetic(["PE", formula], 38, indent=4) == [
        "    PE = sin(pos",
        "        / 10000^(2×i / d_model))",
        "        and cos(pos",
        "        / 10000^(2×i / d_model))",
    ]


def test_the_arguments_of_a_function_are_broken_after_commas() -> None:
    assert wrap_arithmetic(["p", "max(0.111, 0.222, 0.333, 0.444)", "0.444"], 26) == [
        "p = max(0.111, 0.222,",
        "    0.333, 0.444) = 0.444",
    ]


def test_a_name_is_never_broken() -> None:
    assert wrap_arithmetic(["S[a ( b, c d]", "1 + 2", "3"], 15) == ["S[a ( b, c d]", "    = 1 + 2 = 3"]


def test_the_rest_of_a_shortened_sum_keeps_its_note() -> None:
    lines = wrap_arithmetic(["F", "0.699×0 + 0.644×0 + 0.5 [2 smaller terms]", "0.454"], 28)
    assert lines == ["F = 0.699×0 + 0.644×0", "    + 0.5 [2 smaller terms]", "    = 0.454"]


ARITHMETIC = st.text("0123456789.+−×/^()[] ,", min_size=1, max_size=80).map(lambda text: " ".join(text.split()) or "0")


@given(ARITHMETIC, ARITHMETIC, st.integers(1, 90), st.integers(0, 8))
def test_nothing_is_lost_and_no_number_cut(arithmetic: str, result: str, width: int, indent: int) -> None:
    """The lines put together are the line; one wider than the page has nothing to break, or little room."""
    lines = wrap_arithmetic(["S[a, b]", arithmetic, result], width, indent)
    assert " ".join(" ".join(map(str.strip, lines)).split()) == f"S[a, b] = {arithmetic} = {result}"
    for line in lines[1:]:
        words = line.split()
        assert cell_len(line) <= max(width, indent + 24) or len(words) <= 3


def test_prose() -> None:
    assert wrap_prose("- one two three four five six", 24, indent=2, hanging=2) == [
        "  - one two three four",
        "    five six",
    ]
    assert wrap_prose("a" * 70, 30) == ["a" * 70]
    assert wrap_prose("", 30) == []
