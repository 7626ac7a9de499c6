"""The style sheets and scripts of a page, without what only their readers need: comments, blanks, long names."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from walkthrough.views.shorter import shortened

_FOLDER = Path(__file__).parent / "live"


@cache
def script(*parts: tuple[str, ...]) -> str:
    """The scripts of these names as one. The names of each further part are its own, and it sees those before it."""
    joined = ["\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in part) for part in parts]
    return shortened("\n{\n".join(joined) + "\n}" * (len(parts) - 1)) + "\n"


@cache
def style(name: str) -> str:
    """A style sheet: comments, and blanks around brackets and between rules, gone."""
    text = re.sub(r"/\*.*?\*/", "", (_FOLDER / name).read_text(encoding="utf-8"), flags=re.DOTALL)
    pieces = re.split(r'("[^"]*")', text)  # every other one is a text
    pieces[::2] = [re.sub(r"\s*([{};,>])\s*", r"\1", re.sub(r"\s+", " ", piece)) for piece in pieces[::2]]
    return "".join(pieces).replace(";}", "}").strip()
