"""Tables that a pair of signs encloses, over several lines: LaTeX environments, HTML tables, brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from walkthrough.drafts.find.brackets import find_brackets
from walkthrough.drafts.find.environments import find_environments, floats_in
from walkthrough.drafts.find.html import tables_in
from walkthrough.drafts.find.places import Found, Places
from walkthrough.drafts.items import Line, Table

MARK = "\x00"
"""Stands around the number of a table in the text that it has been taken from."""
_HTML = re.compile(r"<table\b.*?</table\s*>", re.DOTALL | re.IGNORECASE)
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")


def take_tables(lines: Sequence[Line], is_tex: bool) -> tuple[list[Line], list[Table]]:
    """The lines with a mark in the place of each enclosed table, and these tables."""
    text = "\n".join(line.text for line in lines)
    if is_tex:
        text = _COMMENT.sub(lambda found: " " * len(found[0]), text)
    if not any(sign in text for sign in ("\\begin", "[", "<table", "<TABLE")):
        return list(lines), []
    left, taken = _replaced(text, _outermost(text, Places(lines)))
    return [Line(line.number, rest) for line, rest in zip(lines, left.split("\n"), strict=True)], taken


def _outermost(text: str, places: Places) -> Iterator[Found]:
    """What is enclosed, in the order of the text, but for what is inside another; with the captions of floats."""
    floats, done = floats_in(text), 0
    found = [*find_environments(text, places), *_html_tables(text, places), *find_brackets(text, places)]
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if one.start >= done:
            said = next((caption for start, end, caption in floats if start <= one.start < end), "")
            for table in one.tables:
                table.caption = table.caption or said
            yield one
            done = one.end


def _replaced(text: str, found: Iterator[Found]) -> tuple[str, list[Table]]:
    """The text with marks for the tables, and as many lines as before."""
    taken: list[Table] = []
    pieces, done = [], 0
    for one in found:
        marks = [f"{MARK}{at}{MARK}" for at in range(len(taken), len(taken) + len(one.tables))]
        pieces += [text[done : one.start], *marks, "\n" * text.count("\n", one.start, one.end)]
        taken += one.tables
        done = one.end
    return "".join([*pieces, text[done:]]), taken


def _html_tables(text: str, places: Places) -> Iterator[Found]:
    """HTML within Markdown."""
    for found in _HTML.finditer(text):
        yield Found(found.start(), found.end(), tables_in(found[0], places.line(found.start())))
