"""Numbers and lists that would be read as something else than was meant are told of."""

from __future__ import annotations

import pytest

from walkthrough.scenario.schema.matrices import MatrixReader, TableReader
from walkthrough.scenario.schema.readers import Context, Reader, Real
from walkthrough.scenario.schema.values import MaskReader
from walkthrough.scenario.yaml.problems import Problem, Problems
from walkthrough.scenario.yaml.reading import read_nodes


def problems_of(text: str, reader: Reader) -> list[Problem]:
    problems = Problems()
    node = read_nodes(text, problems)
    assert node is not None
    reader.read(node, Context(problems, "w"))
    return problems.found


@pytest.mark.parametrize(
    ("number", "help"),
    [
        ("1e-400", "that is too small for a float64; write 0 if 0 will do"),
        ("-0.000001e-320", "that is too small for a float64; write 0 if 0 will do"),
        ("3e-324", "that is too small for a float64; write 0 if 0 will do"),
        ("1.2345e-320", "that is too small for a float64; write 0 if 0 will do"),
        ("1e-99999999999999999999", "that is too small for a float64; write 0 if 0 will do"),
        ("1e400", ""),
        ("-1e400", ""),
        ("1" + "0" * 309, ""),
    ],
)
def test_a_number_that_no_float_comes_near_is_no_other_number(number: str, help: str) -> None:
    for text, reader in [
        (number, Real(infinite=True)),
        (f"[[1, {number}]]", MatrixReader()),
        (f"[[1, {number}]]", MatrixReader(hidden=True, unknowns=True)),
    ]:
        (found,) = problems_of(text, reader)
        assert found.message.startswith("expected a ")
        assert found.help == help


@pytest.mark.parametrize(
    "number", ["0", "-0.0", "0e-400", "0x0", "5e-324", "2.2250738585072014e-308", "1e-308", "1e308"]
)
def test_other_small_and_large_numbers_are_fine(number: str) -> None:
    assert problems_of(f"[[1, {number}]]", MatrixReader()) == []


def test_digits_beyond_those_of_a_float_are_fine() -> None:
    assert problems_of("[[0.1234567890123456789012345]]", MatrixReader()) == []


HINT = "a comma separates numbers: write the decimal point as '.' if 1.5 is meant"


@pytest.mark.parametrize(
    ("text", "reader", "help"),
    [
        ("[[1,5, 2], [0.5, 2], [1, 1]]", MatrixReader(), HINT),
        ("[[1,5,2], [0.5, 2], [1, 1]]", MatrixReader(), HINT),
        ("[[-1,5, 2], [0.5, 2], [1, 1]]", MatrixReader(), HINT.replace("1.5", "-1.5")),
        ("[[1,5, 2], [1,5, 3], [1, 1]]", MatrixReader(), HINT),
        ("{a: [1,5, 2], b: [0.5, 2], c: [1, 1]}", TableReader(), HINT),
        ("[[1, 5, 2], [0.5, 2], [1, 1]]", MatrixReader(), ""),
        ("[[1,5], [3,4], [1]]", MatrixReader(), ""),
        ("[[1,-5, 2], [0.5, 2], [1, 1]]", MatrixReader(), ""),
    ],
)
def test_a_decimal_comma_is_guessed_where_a_row_is_too_long(text: str, reader: Reader, help: str) -> None:
    (found,) = problems_of(text, reader)
    assert "the others have" in found.message
    assert found.help == help


@pytest.mark.parametrize("mask", ["[none, causal]", "[causal, causal]", "[padding, none]"])
def test_of_two_masks_none_is_ignored(mask: str) -> None:
    assert {found.message.partition(",")[0] for found in problems_of(mask, MaskReader())} == {"expected causal"}


@pytest.mark.parametrize("mask", ["[none]", "[causal]", "[causal, padding]"])
def test_lists_of_masks(mask: str) -> None:
    assert problems_of(mask, MaskReader()) == []
