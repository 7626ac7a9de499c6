"""Lines of Python that are not too long: assignments, and matrices with all of their digits."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import pairwise

from walkthrough.expressions.notations.code import Library
from walkthrough.operations.definition import Array
from walkthrough.text import escape_label

WIDEST = 100
_MOST_ROWS, _MOST_LABELS = 7, 8
"""Rows of a matrix on one line, and labels in a comment."""


def assignment(name: str, code: str) -> list[str]:
    """`name = code`, on several lines where it is long: a call is opened, anything else is put in brackets."""
    line = f"{name} = {code}"
    if len(line) <= WIDEST:
        return [line]
    if _arguments(code) is not None:
        return list(_open(f"{name} = ", code, ""))
    return [f"{name} = (", *(f"    {part}" for part in _fold(code, "    ")), ")"]


def _fold(code: str, indent: str) -> list[str]:
    return textwrap.wrap(code, WIDEST - len(indent) - 1, break_long_words=False, break_on_hyphens=False)


def _open(before: str, code: str, indent: str) -> Iterator[str]:
    """A long call or list: what is between its brackets is indented, one argument a line if need be."""
    inner = _arguments(code)
    if len(indent + before + code) < WIDEST:
        yield indent + before + code
        return
    if inner is None:  # within brackets of others a line may end at any space
        yield from (indent + part for part in _fold(code, indent))
        return
    together = ", ".join(inner)
    yield indent + before + code[: -len(together) - 1]
    if len(indent) + 4 + len(together) <= WIDEST:
        yield f"{indent}    {together}"
    else:
        for part in inner:
            *lines, last = _open("", part, f"{indent}    ")
            yield from lines
            yield f"{last},"
    yield indent + code[-1]


def _arguments(code: str) -> list[str] | None:
    """The arguments of a call, or the items of a list, where a piece of code is nothing else."""
    begin = re.match(r"[\w.]+\(|\[", code)
    if begin is None:
        return None
    depth, commas = 0, [begin.end() - 1]
    for at, character in enumerate(code):
        depth += (character in "([") - (character in ")]")
        if depth == 1 and character == ",":
            commas.append(at)
        if depth == 0 and at >= begin.end():
            break
    if at < len(code) - 1:
        return None
    return [code[one + 1 : other].strip() for one, other in pairwise([*commas, at])]


def matrix_assignment(name: str, array: Array, library: Library, extra: str = "") -> Iterator[str]:
    """`W = np.array([[1.0, 0.5]])`, on a line for each row where that is long."""
    if not array.size:
        yield f"{name} = {library.module}.zeros(({array.shape[0]}, {array.shape[1]}){extra})"
        return
    rows = list(rows_of(array, library))
    line = f"{name} = {library.array}([{', '.join(rows)}]{extra})"
    if len(line) <= WIDEST and len(rows) <= _MOST_ROWS:
        yield line
        return
    yield f"{name} = {library.array}("
    yield "    ["
    for row in rows:
        yield from wrap_row(row, "        ")
    yield f"    ],\n    {extra.removeprefix(', ')}," if extra else "    ]"
    yield ")"


def rows_of(array: Array, library: Library) -> Iterator[str]:
    """Each row as a list."""
    for row in array.tolist():
        yield f"[{', '.join(repr(one) if math.isfinite(one) else library.number(one) for one in row)}]"


def wrap_row(row: str, indent: str) -> Iterator[str]:
    """A row of a matrix followed by a comma, on several lines where it is long."""
    while len(row) > WIDEST - len(indent):
        at = row.rfind(" ", 0, WIDEST - len(indent))
        if at < 0:
            break
        yield indent + row[:at]
        row = " " + row[at + 1 :]
    yield f"{indent}{row},"


def label_list(words: Sequence[str]) -> str:
    """The labels of rows, harmless and not too many."""
    few = ", ".join(map(escape_label, words[:_MOST_LABELS]))
    return f"{few}, …" if len(words) > _MOST_LABELS else few
