"""The answers of a sheet in YAML that stand as the sheet was written, a cell a line: taken without a reader of YAML.

They are most of a sheet, and reading YAML is slow. Whatever is written in any other way is left to the reader.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from walkthrough.teaching.answers import Answer, answer_of
from walkthrough.text import as_word

_BLOCK = re.compile(r"^  answers:\n((?:    .*\n)+)", re.MULTILINE)
_LABEL = r"(?:(?P<word>[\w<][\w<>@./-]*)|'(?P<quoted>[^'\n]*)')"
_LINE = re.compile(rf"    (?P<inner>  )?{_LABEL}:(?: (?P<mark>'?)(?P<number>[-−+0-9.,/e∞]*[0-9∞][0-9.,/e]*)(?P=mark))?")

Cells = dict[tuple[str, str], Answer]
"""Answers by the labels of row and column."""


class Taken(NamedTuple):
    """A sheet without the answers that were taken: its text with the same lines, and these by the line of their key."""

    text: str
    answers: dict[int, Cells]


def taken(text: str) -> Taken:
    """Takes what can be."""
    found: dict[int, Cells] = {}
    parts, end, line = [], 0, 1
    for block in _BLOCK.finditer(text):
        cells = _cells(block[1])
        if cells is None:
            continue
        parts += [text[end : block.start(1)], "\n" * block[1].count("\n")]
        line += text.count("\n", end, block.start())
        found[line] = cells
        line += text.count("\n", block.start(), block.end())
        end = block.end()
    return Taken("".join([*parts, text[end:]]), found)


def _cells(lines: str) -> Cells | None:
    """The cells of a block; None where something is written in another way, or stands twice."""
    cells: Cells = {}
    rows: set[str] = set()
    row = ""
    for line in lines.splitlines():
        said = _LINE.fullmatch(line)
        if said is None:
            return None
        label = as_word(said["word"] if said["quoted"] is None else said["quoted"])
        if said["inner"]:
            if (row, label) in cells or not rows:
                return None
            cells[row, label] = answer_of(said["number"] or "")
        else:
            if label in rows or said["number"]:
                return None
            rows.add(label)
            row = label
    return cells
