"""A draft: a file that is read, and what it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from walkthrough.drafts import csv, html
from walkthrough.drafts.items import Item, Line
from walkthrough.drafts.lines import find_in_lines
from walkthrough.errors import UserError
from walkthrough.text import escape_label

_SUFFIXES = (".md", ".html", ".htm", ".tex", ".txt", ".csv")
_LARGEST = 32 * 2**20


class DraftError(UserError, ValueError):
    """A file that is no draft, or one in which nothing can be placed."""


def is_draft(name: str) -> bool:
    """Whether a file may be a draft, by its name."""
    return Path(name).suffix.lower() in _SUFFIXES


def read_draft(name: str) -> str:
    """The text of a draft. Raises DraftError where it is none, OSError where it cannot be read."""
    if not is_draft(name):
        raise DraftError(f"{escape_label(name)}: a draft is one of {', '.join(_SUFFIXES)}")
    with Path(name).open("rb") as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise DraftError(f"{escape_label(name)}: a draft has at most 32 MB")
    try:
        text = content.decode("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        raise DraftError(f"{escape_label(name)}: no text in UTF-8") from None
    if "\0" in text:
        raise DraftError(f"{escape_label(name)}: no text")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def items_of(text: str, name: str) -> Iterator[Item]:
    """What a draft is made of, in its order. Raises DraftError."""
    suffix = Path(name).suffix.lower() or name
    if suffix == ".csv":
        try:
            yield from csv.find(text)
        except csv.LongCellError as error:
            raise DraftError(f"{escape_label(name)}:{error.line}: {error}") from None
    elif suffix in (".html", ".htm"):
        for piece in html.pieces(text):
            if isinstance(piece, list):
                yield from find_in_lines(piece)
            else:
                yield piece
    else:
        lines = [Line(number, line) for number, line in enumerate(text.split("\n"), 1)]
        is_tex = suffix == ".tex"
        begin = next((at for at, line in enumerate(lines) if is_tex and "\\begin{document}" in line.text), 0)
        yield from find_in_lines(lines[begin:], is_tex)
