"""A sheet as one HTML page, paper and form in one: it prints on A4, and keeps what is typed. No request to anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import BinaryIO

from walkthrough.explaining.formulas import formula_text
from walkthrough.languages.catalogue import Catalogue, catalogue
from walkthrough.languages.meanings import pattern_for
from walkthrough.recording.values import Value
from walkthrough.teaching.sheets.sheet import Sheet, Step
from walkthrough.teaching.sheets.titles import Titles
from walkthrough.teaching.sheets.write.layout import Group, rows_of
from walkthrough.teaching.sheets.write.page import frame, html_text, is_tall, tables, title_html
from walkthrough.teaching.sheets.write.texts import (
    KeyLine,
    identity,
    instructions,
    key_lines,
    say_shape,
    stands_for,
)
from walkthrough.teaching.sheets.write.yaml import pieces_of
from walkthrough.views.data import safe_json
from walkthrough.views.text.html import attribute

_STYLE = Path(__file__).with_name("sheet.css")
KEYS = ("−", "/", "√", "∞", ",", ".")
"""What the pad for numbers of a phone lacks; of comma and point it has one at most."""


def write(sheets: Sequence[Sheet], out: BinaryIO, solved: bool = False) -> None:
    """Writes sheets, each beginning on a new page; `solved`: with their answers, and without a form."""
    first = sheets[0]
    words = catalogue(first.language)
    body = "\n".join(f"<article>\n{_SheetWriter(sheet, solved).article()}</article>" for sheet in sheets)
    title = f"{words('key' if solved else 'worksheet')}: {first.hand.title}"
    if solved:
        out.write(frame(title, first.language, _STYLE, body).encode())
    else:
        out.write(frame(title, first.language, _STYLE, f"{body}\n{form(first, words)}", script()).encode())


def write_key(sheets: Sequence[Sheet], out: BinaryIO) -> None:
    """Writes the answer key: a line for each step, a part for each student."""
    first = sheets[0]
    words = catalogue(first.language)
    title = f"{words('key')}: {first.hand.title}"
    body = f"<h1>{html_text(title)}</h1>\n{''.join(_key_part(sheet, words) for sheet in sheets)}"
    out.write(frame(title, first.language, _STYLE, body).encode())


def _key_part(sheet: Sheet, words: Catalogue) -> str:
    lines = "".join(map(_key_line, key_lines(sheet, words)))
    return f'<section class="key">\n{who(sheet, words, has_form=False)}{lines}</section>\n'


def _key_line(line: KeyLine) -> str:
    numbers = html_text(f"{line.symbol} {' | '.join(line.rows)}")
    return f'<p data-path="{html_text(line.path)}"><b>{html_text(line.title)}</b>, {numbers}</p>\n'


def who(sheet: Sheet, words: Catalogue, has_form: bool) -> str:
    """Whose sheet it is, and what identifies it. has_form: a name that is not known can be typed in"""
    shown = []
    for name, text in identity(sheet, words):
        field = '<input id="student">' if has_form else '<span class="line">&nbsp;</span>'
        shown.append(f"<span><b>{html_text(name)}:</b> {html_text(text) if text else field}</span>")
    return f'<p class="who">{"".join(shown)}</p>\n'


class _SheetWriter:
    """One sheet while it is written."""

    def __init__(self, sheet: Sheet, solved: bool) -> None:
        self.sheet = sheet
        self.solved = solved
        self.words: Catalogue = catalogue(sheet.language)
        self.titles = Titles.of(sheet)
        self.numbers = {step: number for number, step in enumerate(sheet.steps, 1)}

    def article(self) -> str:
        """The sheet: what to do, then its groups."""
        words, sheet = self.words, self.sheet
        head = f"<h1>{html_text(words('key' if self.solved else 'worksheet'))}: {html_text(sheet.hand.title)}</h1>\n"
        lines = "".join(f"<li>{html_text(line)}</li>" for line in instructions(sheet, words))
        rows = "".join(self._row(row) for row in rows_of(sheet))
        return f"{head}{who(sheet, words, not self.solved)}<ul>{lines}</ul>\n{rows}"

    def _row(self, row: Sequence[Group]) -> str:
        sizes = [attribute(_size(group)) for group in row]
        groups = "".join(
            f"<div class={size}>{''.join(self._group(group))}</div>\n" for size, group in zip(sizes, row, strict=True)
        )
        return groups if len(row) == 1 else f'<div class="row">{groups}</div>\n'

    def _group(self, group: Group) -> Iterator[str]:
        for value in group.given:
            title, small = title_html(self.titles.with_symbol(value)), say_shape(value, None, self.words)
            yield f'<section class="step given"><div class=said><h3>{title}</h3><small>{small}</small></div>'
            yield f"<div class=scroll>{''.join(tables(value, self.words))}</div></section>"
        if group.step is not None:
            yield from self._step(group.step)

    def _step(self, step: Step) -> Iterator[str]:
        value, words = step.value, self.words
        title = f"{self.numbers[step]}. {html_text(self.titles.title(value))}"
        about = "; ".join(filter(None, (stands_for(value, words), say_shape(value, step, words, between=" · "))))
        said = f"<i>{title_html(formula_text(value, words))}</i> <small>{html_text(about)}</small>"
        yield f"<section class=step><div class=said><h3>{title}</h3><p>{said}</p></div>"
        if step.is_left_out:
            yield f"<p>{html_text(words('side_by_side'))}</p></section>"
        else:
            yield f"<div class=scroll>{''.join(tables(value, words, step, self.solved))}</div></section>"


def _size(group: Group) -> str:
    """A group that is longer than a page may break between rows."""
    values: list[Value] = [*group.given, *([group.step.value] if group.step is not None else [])]
    return "group tall" if any(map(is_tall, values)) else "group"


@cache
def script() -> str:
    """The script of every page."""
    return Path(__file__).with_name("form.js").read_text(encoding="utf-8")


def form(sheet: Sheet, words: Catalogue) -> str:
    """The bar with keys and buttons, the answers to copy, what the script is told, and the script."""
    keys = "".join(f'<button type="button" data-key="{key}">{key}</button>' for key in KEYS)
    return (
        f'<section id="form" hidden><p>{escape(words("form_help"))}</p>'
        f'<p><button type="button" id="download">{escape(words("download"))}</button> '
        f'<button type="button" id="empty">{escape(words("empty"))}</button></p>'
        f'<label>{escape(words("to_copy"))}<textarea id="answers" readonly rows="8"></textarea></label></section>\n'
        f'<div id="bar" hidden>{keys}<button type="button" id="next" title="Enter">{escape(words("next_box"))}</button>'
        '<span id="filled" role="status"></span></div>\n'
        f'<script type="application/json" id="sheet">{_data(sheet, words)}</script>\n'
        f'<script type="module">{script()}</script>'
    )


def _data(sheet: Sheet, words: Catalogue) -> str:
    """Its pieces are the text of the sheet; a pair is a step to fill in, null the line with the student's name."""
    pieces: list[str | tuple[str, str] | None] = [] if sheet.student else [None]
    for piece in pieces_of(sheet, with_student=bool(sheet.student)):
        if isinstance(piece, str):
            pieces.append(piece)
        else:
            pieces.append((piece.value.path, str(pieces.pop()).partition("\n")[2]))  # its first line is the path
    filled = words("filled", count="{count}", all=len(sheet.places))
    texts = {"filled": filled, "sure": words("empty_sure"), "unreadable": words("unreadable_text")}
    data = {
        "infinity": pattern_for("infinity"),
        "name": sheet.name,
        "kept": f"walkthrough {sheet.name} {sheet.student} {sheet.digest}",
    }
    return safe_json({**data, "texts": texts, "pieces": pieces}).replace("<", "\\u003c")
