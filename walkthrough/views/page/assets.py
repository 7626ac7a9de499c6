"""The style sheets and scripts of a page, without what only their readers need: comments, blanks, long names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from walkthrough.views.page.shorter import shortened

_FOLDER = Path(__file__).parent / "live"


_CONDITION = re.compile(r"/[/*] Where a page has: (.*?)(?: \*/)?\n")


def needed(names: Iterable[str], page: str) -> tuple[str, ...]:
    """The files that a page needs: not those whose first line says what a page must have that this one has not."""
    return tuple(name for name in names if re.search(_condition(name), page))


@cache
def _condition(name: str) -> str:
    found = _CONDITION.match(_text(name))
    return found[1] if found else ""


@cache
def script(names: tuple[str, ...], **functions: tuple[str, ...]) -> str:
    """The scripts of these names as one. Those that come by a name of their own are the body of a function of it."""
    bodies = [f"function {name}() {{\n{_joined(inner)}\n}}" for name, inner in functions.items()]
    return shortened("\n".join([_joined(names), *bodies])) + "\n"


@cache
def style(*names: str) -> str:
    """Style sheets, one after the other: comments, and blanks around signs and between rules, gone."""
    text = re.sub(r"/\*.*?\*/", "", _joined(names), flags=re.DOTALL)
    pieces = re.split(r'("[^"]*")', text)  # every other one is a text
    pieces[::2] = [re.sub(r"\s*([{};,>])\s*", r"\1", re.sub(r"\s+", " ", piece)) for piece in pieces[::2]]
    return "".join(pieces).replace(";}", "}").strip()


def _joined(names: Iterable[str]) -> str:
    return "\n".join(map(_text, names))


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
