"""A sheet for paper, as Markdown: a table for each matrix, with empty cells where something is to be filled in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.languages.catalogue import Catalogue, catalogue
from walkthrough.notation import typeset
from walkthrough.recording.values import Value
from walkthrough.teaching.sheets.sheet import Sheet, Step
from walkthrough.teaching.sheets.titles import Titles
from walkthrough.teaching.sheets.write.texts import (
    Cells,
    KeyLine,
    formula,
    identity,
    instructions,
    key_lines,
    stands_for,
)
from walkthrough.text import escape_label
from walkthrough.views.markdown import escape_markdown

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
        yield f"`{value.path}` — {shape_text(value.shape)}"
        yield _table(value, Cells(value).rows(), words)
    yield f"## {words('steps')}"
    for number, step in enumerate(sheet.steps, 1):
        yield from _step(step, number, solved, titles)


def _step(step: Step, number: int, solved: bool, titles: Titles) -> Iterator[str]:
    value, words = step.value, titles.words
    yield f"### {number}. {escape_markdown(titles.title(value))}"
    digits = f", {words('to_digits', digits=words.digits(step.digits))}" if step.has_blanks else ""
    yield f"`{value.path}` — {shape_text(value.shape)}{digits}"
    yield escape_markdown(formula(value, words))
    if meanings := stands_for(value, words):
        yield escape_markdown(meanings)
    if step.is_left_out:
        yield words("side_by_side")
        return
    cells = Cells(value)
    rows = [
        ["" if step.blank[row, column] and not solved else cells.text(row, column) for column in range(value.shape[1])]
        for row in range(value.shape[0])
    ]
    yield _table(value, rows, words)


def _table(value: Value, rows: Sequence[Sequence[str]], words: Catalogue) -> str:
    named = [words.column(one) if value.names is not None else None for one in value.columns]
    header = ["", *(_label(name or one) for name, one in zip(named, value.columns, strict=True))]
    lines = [header, [":--", *("--:" for _ in value.columns)]]
    for label, row in zip(value.rows, rows, strict=True):
        lines.append([f"**{_label(label)}**", *(_cell(value, at, text, words) for at, text in enumerate(row))])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: Value, column: int, text: str, words: Catalogue) -> str:
    if not text:
        return _BLANK
    return _label(text) if value.is_word(column) else words.number(typeset(text))


def _label(text: str) -> str:
    return escape_markdown(escape_label(text))
