"""A sheet for paper, as Markdown: a table for each matrix, with empty cells where something is to be filled in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

import numpy as np

from walkthrough.explaining.formulas import formula_text
from walkthrough.languages.catalogue import Catalogue, catalogue
from walkthrough.recording.values import Value
from walkthrough.teaching.sheets.sheet import Sheet, Step
from walkthrough.teaching.sheets.titles import Titles
from walkthrough.teaching.sheets.write.texts import (
    Cells,
    KeyLine,
    column_labels,
    identity,
    instructions,
    key_lines,
    say_shape,
    stands_for,
)
from walkthrough.text import escape_label
from walkthrough.views.markdown import escape_markdown, pipes

_BLANK = "&nbsp;" * 6


def write(sheets: Sequence[Sheet], out: BinaryIO, solved: bool = False) -> None:
    """Writes sheets, one after the other; `solved`: with their answers."""
    out.write("\n".join("\n\n".join(_parts(sheet, solved)) + "\n" for sheet in sheets).encode())


def write_key(sheets: Sequence[Sheet], out: BinaryIO) -> None:
    """Writes the answer key: a line for each step, a part for each student."""
    first = sheets[0]
    words = catalogue(first.language)
    parts = [f"# {words('key')}: {escape_markdown(first.hand.title)}"]
    for sheet in sheets:
        if sheet.student:
            parts.append(f"## {escape_markdown(sheet.student)}")
        about = [(name, text) for name, text in identity(sheet, words) if text and text != sheet.student]
        parts.append(" · ".join(f"{name}: {escape_markdown(text)}" for name, text in about))
        parts.append("\n".join(map(_key_line, key_lines(sheet, words))))
    out.write(("\n\n".join(parts) + "\n").encode())


def _key_line(line: KeyLine) -> str:
    rows = " | ".join(map(escape_markdown, line.rows))
    return f"- **{escape_markdown(line.title)}**, {escape_markdown(line.symbol)} {rows}"


def _parts(sheet: Sheet, solved: bool) -> Iterator[str]:
    words, titles = catalogue(sheet.language), Titles.of(sheet)
    yield f"# {words('key' if solved else 'worksheet')}: {escape_markdown(sheet.hand.title)}"
    yield "\\\n".join(f"{name}: {escape_markdown(text) if text else '_' * 30}" for name, text in identity(sheet, words))
    yield "\n".join(f"- {line}" for line in instructions(sheet, words))
    yield f"## {words('given')}"
    for value in sheet.given:
        yield f"### {escape_markdown(titles.with_symbol(value))}"
        yield f"`{value.path}` — {say_shape(value, None, words)}"
        yield _table(value, words)
    yield f"## {words('steps')}"
    for number, step in enumerate(sheet.steps, 1):
        yield from _step(step, number, solved, titles)


def _step(step: Step, number: int, solved: bool, titles: Titles) -> Iterator[str]:
    value, words = step.value, titles.words
    yield f"### {number}. {escape_markdown(titles.title(value))}"
    yield f"`{value.path}` — {say_shape(value, step, words)}"
    yield escape_markdown(formula_text(value, words))
    if meanings := stands_for(value, words):
        yield escape_markdown(meanings)
    yield words("side_by_side") if step.is_left_out else _table(value, words, step, solved)


def _table(value: Value, words: Catalogue, step: Step | None = None, solved: bool = False) -> str:
    """The table of a matrix. step: None where all its numbers are given; solved: with the answers"""
    cells = Cells(value, stand_there=step is None or not step.has_blanks)
    empty = np.zeros(value.shape, bool) if step is None or solved else step.blank
    rows = []
    for row, label in enumerate(value.rows):
        texts = (
            _BLANK if empty[row, column] else escape_markdown(cells.shown(row, column, words))
            for column in range(value.shape[1])
        )
        rows.append([f"**{escape_markdown(escape_label(label))}**", *texts])
    header = ["", *map(escape_markdown, column_labels(value, words))]
    return pipes(header, [":--", *("--:" for _ in value.columns)], rows)
