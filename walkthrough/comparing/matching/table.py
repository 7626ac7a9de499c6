"""A .csv file as one matrix: numbers between commas or semicolons, with or without labels."""

from __future__ import annotations

import csv
import math

import numpy as np

from walkthrough.numerals import plain_number
from walkthrough.operations.definition import Array
from walkthrough.text import escape_label

_Line = tuple[int, list[str]]
"""The number of a line in the file, and its cells."""


class TableError(ValueError):
    """Why a text is no matrix, with line and column."""


def read_table(text: str) -> Array:
    """The numbers of a table; a first line or column without any number is labels. Raises TableError."""
    lines = _lines(text)
    if not lines:
        raise TableError("it is empty")
    below = lines[1:] if len(lines) > 1 and _are_words(lines[0][1]) else lines
    width = len(below[0][1])
    is_labelled = width > 1 and _are_words([line[0] for _, line in below])
    for at, line in below:
        if len(line) != width:
            raise TableError(f"line {at} has {len(line)} cells, line {below[0][0]} has {width}")
    return np.array([[_read(line, at, column) for column in range(is_labelled, width)] for at, line in below])


def _lines(text: str) -> list[_Line]:
    """The lines that are not empty, cut at semicolons where there are any, else at commas."""
    reader = csv.reader(text.splitlines(), delimiter=";" if ";" in text else ",", skipinitialspace=True)
    try:
        return [(reader.line_num, line) for line in reader if any(cell.strip() for cell in line)]
    except csv.Error as error:
        raise TableError(f"line {reader.line_num}: {error}") from None


def _are_words(cells: list[str]) -> bool:
    return all(_number(cell) is None for cell in cells)


def _number(cell: str) -> float | None:
    """The number that a cell is, `nan` among them; None where it is none."""
    if cell.strip().lower() == "nan":
        return math.nan
    plain = plain_number(cell.strip())
    return float(plain) if plain is not None else None


def _read(line: list[str], at: int, column: int) -> float:
    number = _number(line[column])
    if number is None:
        found = f"'{escape_label(line[column][:40])}'" if line[column].strip() else "nothing"
        labels = "; labels are a first line, or a first column, of words alone" if at == 1 or column == 0 else ""
        raise TableError(f"line {at}, column {column + 1}: expected a number, found {found}{labels}")
    return number
