"""Expressions are values, built by the signs of arithmetic."""

from __future__ import annotations

import pytest

from walkthrough.expressions.tree.nodes import Cell, Difference, Negative, Number, Product, Quotient, Sum, total

A, B = Cell(0, 1, 2), Number(3)


def test_the_signs_of_arithmetic_build_nodes() -> None:
    built = [A + B, A - B, A * B, A / B, -A]
    assert built == [Sum((A, B)), Difference(A, B), Product((A, B)), Quotient(A, B), Negative(A)]


def test_equal_when_kind_and_parts_are() -> None:
    assert Cell(0, 1, 2) == A
    assert Cell(0, 2, 1) != A
    assert Sum((A, B)) != Product((A, B))
    assert len({A, Cell(0, 1, 2), B, A + B, Cell(0, 1, 2) + Number(3)}) == 3
    assert A != (0, 1, 2)


def test_parts_have_names_and_must_all_be_given() -> None:
    assert (A.operand, A.row, A.column, B.value) == (0, 1, 2, 3)
    assert repr(A / B) == "Quotient(Cell(0, 1, 2), Number(3))"
    with pytest.raises(TypeError, match="expected Cell"):
        Cell(0, 1)


def test_a_single_term_is_no_sum() -> None:
    assert total([A]) is A
    assert total(iter([A, B])) == Sum((A, B))
    assert total([]) == Sum(())
