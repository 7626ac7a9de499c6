"""Practice as one HTML page, with the engine of the live page: the same questions, hints and words. No request."""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template
from typing import Any, BinaryIO

from walkthrough.languages.catalogue import catalogue
from walkthrough.teaching.lessons.practice import formula_line, given_operands
from walkthrough.teaching.sheets.read.answer import date_pattern
from walkthrough.teaching.sheets.sheet import Sheet
from walkthrough.teaching.sheets.titles import Titles
from walkthrough.teaching.sheets.write.html import KEYS
from walkthrough.teaching.sheets.write.page import frame
from walkthrough.text import escape_text
from walkthrough.views.data import safe_json
from walkthrough.views.page import assets
from walkthrough.views.page.data import page_json
from walkthrough.views.selection import Selection

_PAGE = Path(__file__).with_name("page")
_BUTTONS = (
    ("formula", "?", "hint_formula"),
    ("numbers", "??", "hint_numbers"),
    ("show", "!", "hint_show"),
    ("next", "↵", "hint_next"),
    ("step", "n", "hint_step"),
)
"""Each button: its id, what is typed for it on a terminal, and what it says."""
_TEXTS = (
    *("ask", "ask_word", "yes", "yes_follows", "no", "not_a_number", "answer_is", "skipped", "given_for", "result"),
    *("nothing_asked", "repeat", "well", "seconds", "minutes", "unreadable_text", "unreadable_word", "unreadable_date"),
)


def write(sheet: Sheet, out: BinaryIO) -> None:
    """Writes the page."""
    words = catalogue(sheet.language)
    script = assets.script("practice.js", _PAGE)
    on_page = {*sheet.given, *(step.value for step in sheet.steps)}
    selection = Selection(tuple(value for value in sheet.hand if value in on_page), frozenset())
    texts = {
        "title": escape(escape_text(sheet.hand.title)),
        "check": escape(words("check")),
        "keys": "".join(f'<button type="button" data-key="{key}">{key}</button>' for key in KEYS),
        "buttons": "".join(_button(name, sign, words(text)) for name, sign, text in _BUTTONS),
        "data": page_json(sheet.hand, selection, sheet.decimals),
        "practice": safe_json(_plan(sheet)).replace("<", "\\u003c"),
        "script": script,
    }
    body = Template(_PAGE.joinpath("body.html").read_text(encoding="utf-8")).substitute(texts)
    out.write(frame(sheet.hand.title, sheet.language, _PAGE / "practice.css", body, script).encode())


def _button(name: str, sign: str, text: str) -> str:
    return f'<button type="button" id="{name}" title="{escape(sign)}">{escape(text)}</button>'


def _plan(sheet: Sheet) -> dict[str, Any]:
    """What is asked, in order, and the words for it."""
    words, titles = catalogue(sheet.language), Titles.of(sheet)
    given = {step: list(given_operands(sheet, step.value)) for step in sheet.blank_steps}
    names = {value.path: titles.with_symbol(value) for values in given.values() for value in values}
    steps = [
        {
            "path": step.value.path,
            "title": titles.title(step.value),
            "formula": formula_line(step, words),
            "digits": words.digits(step.digits),
            "given": [value.path for value in given[step]],
            "cells": [[row, column] for _, row, column in step.places],
        }
        for step in sheet.blank_steps
    ]
    texts = {name: words.texts[name] for name in _TEXTS}
    return {"words": texts, "names": names, "steps": steps, "date": date_pattern().pattern}
