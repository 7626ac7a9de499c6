"""Formulas of spreadsheets, one for all cells that a folded expression stands for."""

from __future__ import annotations

from walkthrough.expressions.notations.spreadsheet import SheetPlace, formula
from walkthrough.expressions.tree.nodes import Call, Entry, IndexValue, Number

HERE = SheetPlace("s", 0, 0)


def test_a_label_that_moves_with_the_column_is_that_of_each_cell() -> None:
    """Beam and token of the only candidate that is left: 1 and 2."""
    one, other = (Entry(0, (row, 0, 0), (2, 0, 0)) for row in (0, 1))
    alone = Call("argmax", (IndexValue((1, 0, 1)), one))
    assert formula(alone, [HERE], HERE, (0, 1)).lines(range(1), range(2)) == [["1", "2"]]
    both = Call("argmax", (IndexValue((1, 0, 1)), one, Number(7), other))
    (first, second) = formula(both, [HERE], HERE, (0, 1)).lines(range(1), range(2))[0]
    assert ("CHOOSE(" in first, first.replace("1,7", "2,7")) == (True, second)
