"""The style sheets and scripts of a page, without what only their readers need: comments, indentation, blanks."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "live"
_TOKENS = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)
    |(?P<kept>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`
      |(?:(?<=[=(,:?&|!{};\n])|(?<=[=(,:?&|!{};]\ ))/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*)
    |(?P<blank>\s+)
    |(?P<word>[\w$]+)
    |(?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)


@cache
def script(name: str) -> str:
    """A script: comments gone, and blanks that part nothing. Lines stay lines, so that none is joined to the next."""
    text, last = "", ""
    for token in _TOKENS.finditer((_FOLDER / name).read_text(encoding="utf-8")):
        piece = token[0]
        if token.lastgroup == "comment":
            continue
        if token.lastgroup == "blank":
            last = "\n" if "\n" in piece or last == "\n" else " "
            continue
        if text and last:
            text += _between(text[-1], piece[0], last)
        text, last = text + piece.strip(), ""
    return text + "\n"


def _between(before: str, after: str, blank: str) -> str:
    """What has to stay of a blank between two characters."""
    if blank == "\n":
        return "" if before in "{;,([=&|?:+<>" or after in "}]),;.?:&|=<>" else "\n"
    is_word = (before.isalnum() or before in "_$") and (after.isalnum() or after in "_$")
    return " " if is_word or (before == after and before in "+-") else ""


@cache
def style(name: str) -> str:
    """A style sheet: comments, and blanks around brackets and between rules, gone."""
    text = re.sub(r"/\*.*?\*/", "", (_FOLDER / name).read_text(encoding="utf-8"), flags=re.DOTALL)
    pieces = re.split(r'("[^"]*")', text)  # every other one is a text
    pieces[::2] = [re.sub(r"\s*([{};,>])\s*", r"\1", re.sub(r"\s+", " ", piece)) for piece in pieces[::2]]
    return "".join(pieces).replace(";}", "}").strip()
