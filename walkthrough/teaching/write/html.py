"""A sheet for paper, as one HTML page that prints on A4: answers go into boxes. No script, no request to anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import BinaryIO

from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.notation import typeset
from walkthrough.recording.values import Value
from walkthrough.teaching.catalogue import Catalogue, catalogue
from walkthrough.teaching.sheet import Sheet, Step
from walkthrough.teaching.write.cells import Cells, is_word, title_and_symbol
from walkthrough.teaching.write.formula import formula, stands_for
from walkthrough.teaching.write.instructions import identity, instructions
from walkthrough.text import escape_label, escape_text

_ACROSS, _NARROW = 8, 3
"""Columns that fit beside each other on paper, and in half a page; a wider table continues below."""

_PAGE = Path(__file__).with_name("sheet.html")


def write(sheets: Sequence[Sheet], out: BinaryIO, solved: bool = False) -> None:
    """Writes sheets, each beginning on a new page; `solved`: with their answers."""
    body = "\n".join(f"<article>\n{_lines(_article(sheet, solved))}</article>" for sheet in sheets)
    first = sheets[0]
    title = f"{catalogue(first.language)('key' if solved else 'worksheet')}: {first.hand.title}"
    out.write(
        Template(_PAGE.read_text(encoding="utf-8"))
        .substitute(language=first.language, title=_text(title), body=body)
        .encode()
    )


def _lines(parts: Iterator[str]) -> str:
    return "".join(f"{part}\n" for part in parts)


def _text(text: str) -> str:
    return escape(escape_text(text))


def _article(sheet: Sheet, solved: bool) -> Iterator[str]:
    words = catalogue(sheet.language)
    yield f"<h1>{_text(words('key' if solved else 'worksheet'))}: {_text(sheet.hand.title)}</h1>"
    yield '<p class="who">' + "".join(_known_by(name, text) for name, text in identity(sheet, words)) + "</p>"
    yield "<ul>" + "".join(f"<li>{_text(line)}</li>" for line in instructions(sheet, words)) + "</ul>"
    yield f"<h2>{_text(words('given'))}</h2>"
    for value in sheet.given:
        yield f'<section class="step{_size(value)}"><h3>{_text(title_and_symbol(value, words))}</h3>'
        yield f'<p class="path">{_text(value.path)} · {shape_text(value.shape)}</p>'
        yield from _tables(value, Cells(value).rows(), words)
        yield "</section>"
    yield f"<h2>{_text(words('steps'))}</h2>"
    for number, step in enumerate(sheet.steps, 1):
        yield from _step(step, number, solved, words)


def _known_by(name: str, text: str) -> str:
    shown = _text(text) if text else '<span class="line">&nbsp;</span>'
    return f"<span><b>{_text(name)}:</b> {shown}</span>"


def _size(value: Value) -> str:
    """Two narrow tables are side by side; a table longer than a page may break between rows."""
    if value.shape[0] * -(-value.shape[1] // _ACROSS) > 25:
        return " long"
    return " narrow" if value.shape[1] <= _NARROW else ""


def _step(step: Step, number: int, solved: bool, words: Catalogue) -> Iterator[str]:
    value = step.value
    digits = f" · {words('to_digits', digits=words.digits(step.digits))}" if step.is_asked else ""
    yield f'<section class="step{_size(value)}"><h3>{number}. {_text(words.title(value))}</h3>'
    yield f'<p class="path">{_text(value.path)} · {shape_text(value.shape)}{_text(digits)}</p>'
    meanings = _text(stands_for(value, words))
    small = f" <small>{meanings}</small>" if meanings else ""
    yield f'<p class="formula">{_text(formula(value, words))}{small}</p>'
    if step.is_left_out:
        yield f"<p>{_text(words('side_by_side'))}</p></section>"
        return
    cells = Cells(value)
    rows = [
        [
            None if step.to_fill[row, column] and not solved else cells.text(row, column)
            for column in range(value.shape[1])
        ]
        for row in range(value.shape[0])
    ]
    yield from _tables(value, rows, words)
    yield "</section>"


def _tables(value: Value, rows: Sequence[Sequence[str | None]], words: Catalogue) -> Iterator[str]:
    """The table of a matrix, in bands where it is wide."""
    for start in range(0, value.shape[1], _ACROSS):
        columns = range(start, min(start + _ACROSS, value.shape[1]))
        header = "".join(f'<th scope="col">{_label(value, at, words)}</th>' for at in columns)
        yield f"<table><thead><tr><th></th>{header}</tr></thead><tbody>"
        for label, row in zip(value.rows, rows, strict=True):
            cells = "".join(_cell(value, at, row[at], words) for at in columns)
            yield f'<tr><th scope="row">{_text(escape_label(label))}</th>{cells}</tr>'
        yield "</tbody></table>"


def _label(value: Value, column: int, words: Catalogue) -> str:
    label = value.columns[column]
    return _text(words(label) if value.names is not None and label in words.texts else escape_label(label))


def _cell(value: Value, column: int, text: str | None, words: Catalogue) -> str:
    if text is None:
        return '<td class="box"></td>'
    if is_word(value, column):
        return f'<td class="word">{_text(escape_label(text))}</td>'
    return f"<td>{_text(words.number(typeset(text)))}</td>"
