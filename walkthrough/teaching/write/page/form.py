"""The form of a page: what its script is told, so that it writes the answers as a .yaml sheet."""

from __future__ import annotations

from functools import cache
from html import escape
from pathlib import Path

from walkthrough.languages.catalogue import Catalogue
from walkthrough.languages.meanings import pattern_for
from walkthrough.teaching.sheet import Sheet
from walkthrough.teaching.write.yaml import pieces_of
from walkthrough.views.data import safe_json

KEYS = ("−", "/", "√", "∞", ",", ".")
"""What the pad for numbers of a phone lacks; of comma and point it has one at most."""


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
