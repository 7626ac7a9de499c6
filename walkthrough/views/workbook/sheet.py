"""A sheet of XlsxWriter that is quick with many numbers and formulas, and keeps every digit of them."""

from __future__ import annotations

from functools import cache
from html import escape
from typing import Any

from walkthrough.expressions.notations.spreadsheet import letters


def sheet_class() -> type[Any]:
    """The class of sheets; XlsxWriter is loaded here.

    What XlsxWriter looks for in each formula (functions of newer spreadsheets, arrays) is in none of ours, and it would
    write numbers with 16 digits, where a float can need 17. Row spans may be left out of a file.
    """
    from xlsxwriter.worksheet import CellFormulaTuple, CellNumberTuple, Worksheet

    letters_of = cache(letters)

    class Sheet(Worksheet):  # type: ignore[misc]
        """A sheet with numbers and formulas of our own."""

        def reserve(self, top: int, left: int, bottom: int, right: int) -> None:
            """Says that there will be cells up to these; none of them is looked at again."""
            self._check_dimensions(top, left)
            self._check_dimensions(bottom, right)

        def put_number(self, row: int, column: int, number: float, format: Any) -> None:
            """A finite number, in a place that is reserved."""
            self.table[row][column] = CellNumberTuple(number, format)

        def put_formula(self, row: int, column: int, formula: str, format: Any, value: Any) -> None:
            """A formula without its `=`, in a place that is reserved; its present value, a number or an error."""
            self.table[row][column] = CellFormulaTuple(formula, format, value)

        def _calculate_spans(self) -> None:
            pass

        def _write_cell(self, row: int, col: int, cell: Any) -> None:
            if isinstance(cell, CellNumberTuple):
                inner = f"<v>{cell.number!r}</v>"
            elif isinstance(cell, CellFormulaTuple) and not isinstance(cell.value, str | bool):
                inner = f"<f>{escape(cell.formula, quote=False)}</f><v>{cell.value!r}</v>"
            else:
                super()._write_cell(row, col, cell)
                return
            self.fh.write(f'<c r="{letters_of(col)}{row + 1}" s="{cell.format._get_xf_index()}">{inner}</c>')

    return Sheet
