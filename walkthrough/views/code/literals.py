"""Matrices as Python writes them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from walkthrough.expressions.notations.code import Library
from walkthrough.operations.definition import Array
from walkthrough.recording.values import Value
from walkthrough.text import printable
from walkthrough.views.report.selection import Selection

LARGE = 1000
"""A matrix of more numbers is kept in a file beside the program."""
_MANY = 20_000
"""Where there are more recorded numbers than these, all that are only compared are kept there."""
WIDEST = 100


def kept_apart(values: Iterable[Value], held: Selection) -> set[Value]:
    """The values whose numbers are kept in a file of their own."""
    values = list(values)
    many = sum(value.array.size for value in values if not held.is_given(value)) > _MANY
    return {value for value in values if value.array.size > LARGE or (many and not held.is_given(value))}


def assigned(name: str, array: Array, library: Library, extra: str = "") -> Iterator[str]:
    """`W = np.array([[1.0, 0.5]])`, on a line for each row where that is long."""
    if not array.size:
        yield f"{name} = {library.module}.zeros(({array.shape[0]}, {array.shape[1]}){extra})"
        return
    rows = list(rows_of(array, library))
    line = f"{name} = {library.array}([{', '.join(rows)}]{extra})"
    if len(line) <= WIDEST and len(rows) < 8:
        yield line
        return
    yield f"{name} = {library.array}("
    yield "    ["
    for row in rows:
        yield from broken(row, "        ")
    yield f"    ],\n    {extra.removeprefix(', ')}," if extra else "    ]"
    yield ")"


def rows_of(array: Array, library: Library) -> Iterator[str]:
    """Each row as a list."""
    for row in array.tolist():
        yield f"[{', '.join(repr(one) if math.isfinite(one) else library.number(one) for one in row)}]"


def broken(row: str, indent: str) -> Iterator[str]:
    """A row of a matrix with a comma behind it, on several lines where it is long."""
    while len(row) > WIDEST - len(indent):
        at = row.rfind(" ", 0, WIDEST - len(indent))
        if at < 0:
            break
        yield indent + row[:at]
        row = " " + row[at + 1 :]
    yield f"{indent}{row},"


def labels(words: Sequence[str]) -> str:
    """The labels of rows, harmless and not too many."""
    few = ", ".join(map(printable, words[:_FEW]))
    return f"{few}, …" if len(words) > _FEW else few


_FEW = 8
