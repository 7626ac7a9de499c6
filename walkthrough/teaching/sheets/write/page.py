"""What pages for paper are made of: a frame, and tables that fit, with a field where a number is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path
from string import Template

import numpy as np

from walkthrough.expressions.tree.aliases import Flags
from walkthrough.languages.catalogue import Catalogue
from walkthrough.recording.values import Value
from walkthrough.teaching.sheets.sheet import Step
from walkthrough.teaching.sheets.write.texts import Cells, column_labels
from walkthrough.text import escape_label, escape_text
from walkthrough.views.page.assets import policy
from walkthrough.views.report.grid import runs_that_fit
from walkthrough.views.text.html import attribute
from walkthrough.views.text.wrapping import cell_width

_PAPER = 186.0
"""Millimetres between the margins of A4, less what a frame takes."""
_CHARACTER, _PADDING, _BOX, _WORD, _LABEL = 2.1, 2.8, 13.4, 24.4, 30.0
"""A character, what a cell has around it, a box for a number or a word, and the widest label; in millimetres."""
_TALL = 25
"""Rows of a table that may break between pages."""
_INDEX = re.compile(r"(?<=[^\W\d_²]|²)_([^\W²]+)")
_FRAME = Path(__file__).with_name("frame.html")


def html_text(text: str) -> str:
    """Any text of a scenario."""
    return escape(escape_text(text))


def title_html(title: str) -> str:
    """A title or a formula with its symbols as they are typeset: `Mean μ_1, norm 1`."""
    return _INDEX.sub(r"<sub>\1</sub>", html_text(title))


def tables(value: Value, words: Catalogue, step: Step | None = None, solved: bool = False) -> Iterator[str]:
    """The tables of a matrix. step: None where all its numbers are given; solved: with the answers"""
    cells = Cells(value, stand_there=step is None or not step.has_blanks)
    labels = column_labels(value, words)
    empty = np.zeros(value.shape, bool) if step is None or solved else step.blank
    for columns in _bands(value, cells.rows(), empty):
        header = "".join(f"<th>{html_text(labels[at])}" for at in columns)
        yield f"<table><thead><tr><td>{header}<tbody>\n"
        for row, label in enumerate(value.rows):
            line = "".join(
                f"<td{' class=word' if value.is_word(at) else ''}>"
                f"{_field(value, row, at) if empty[row, at] else html_text(cells.shown(row, at, words))}"
                for at in columns
            )
            yield f"<tr><th>{escape(escape_label(label))}{line}\n"
        yield "</table>"


def is_tall(value: Value) -> bool:
    """Whether its tables may break between pages."""
    return value.shape[0] > _TALL or value.shape[0] * value.shape[1] > 8 * _TALL


def _bands(value: Value, texts: Sequence[Sequence[str]], empty: Flags) -> list[range]:
    """The columns of each table: as many as fit on paper."""
    labels, names = (
        [min(cell_width(escape_label(label)) * _CHARACTER, _LABEL) + _PADDING for label in those]
        for those in (value.rows, value.columns)
    )
    widths = []
    for at, name in enumerate(names):
        boxes = (_WORD if value.is_word(at) else _BOX) if empty[:, at].any() else 0
        longest = max((cell_width(row[at]) for row in texts), default=0) if not boxes else 0
        widths.append(max(boxes, longest * _CHARACTER + _PADDING, name))
    return list(runs_that_fit(widths, _PAPER - max(labels, default=0)))


def _field(value: Value, row: int, column: int) -> str:
    """An empty cell to type in; the script says that a number's brings up the keys for numbers of a phone."""
    labels = (attribute(escape_label(label)) for label in (value.rows[row], value.columns[column]))
    return "<input data-path={} data-row={} data-column={}>".format(attribute(value.path), *labels)


def frame(title: str, language: str, style: Path, body: str, script: str = "") -> str:
    """A whole page. style: the file of its style sheet; script: the text of the one script in its body, if any"""
    texts = {"language": language, "policy": policy(script), "title": html_text(title), "style": _read(style)}
    return Template(_read(_FRAME)).substitute(texts, body=body)


@cache
def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8")
