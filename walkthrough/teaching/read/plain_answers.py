"""The answers of a sheet in YAML that stand as the sheet was written, a cell a line: taken without a reader of YAML.

They are most of a sheet, and reading YAML is slow. Whatever is written in any other way is left to the reader; he need
not see what the blocks say to people.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from walkthrough.teaching.read.answer import EMPTY, Answer, answer_of
from walkthrough.text import as_word

_BLOCK = re.compile(r"^  answers:\n((?:    .*\n)+)", re.MULTILINE)
_LABEL = r"(?:(?P<word>[\w<][\w<>@./-]*)|'(?P<quoted>[^'\n]*)')"
_LINE = re.compile(
    rf"    (?P<inner>  )?{_LABEL}:(?: (?P<mark>'?)(?P<number>[-−]?\.?inf|[-−+0-9.,/e∞]*[0-9∞][0-9.,/e]*)(?P=mark))?"
)

_ITEM = r"(?:'(?:[^'\n]|'')*'|[\w<][^,\[\]{}:#'\"\n]*)"
_SAID = re.compile(
    rf"^  (?:title|formula|where|shape|digits|rows|columns): (?:{_ITEM}|\w[^:#\n]*|\[{_ITEM}(?:, {_ITEM})*\])\n"
    r"(?=(?:  |- )?[^\s#-]|$)",
    re.MULTILINE,
)
"""What a block says to people, on one line that nothing continues."""

Cells = dict[tuple[str, str], Answer]
"""Answers by the labels of row and column."""


class Taken(NamedTuple):
    """A sheet without the answers that were taken: its text with the same lines, and these by the line of their key."""

    text: str
    answers: dict[int, Cells]


def taken(text: str) -> Taken:
    """Takes what can be."""
    text = _without_words(text)
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


def _without_words(text: str) -> str:
    """The text with empty lines in the place of what its blocks say to people; the scenario's own text is left."""
    start = text.find("\ngiven:\n") + 1
    end = text.find("\ntext:", start) + 1 or len(text)
    return text[:start] + _SAID.sub("\n", text[start:end]) + text[end:] if start else text


def _cells(lines: str) -> Cells | None:
    """The cells of a block; None where something is written in another way, or stands twice."""
    cells: Cells = {}
    rows: set[str] = set()
    row = ""
    for line in lines.splitlines():
        said = _LINE.fullmatch(line)
        if said is None:
            return None
        inner, word, quoted, _, number = said.groups()
        label = word if quoted is None else quoted
        label = label if label.isascii() else as_word(label)
        if inner:
            if (row, label) in cells or not rows:
                return None
            cells[row, label] = answer_of(number) if number else EMPTY
        else:
            if label in rows or number:
                return None
            rows.add(label)
            row = label
    return cells
