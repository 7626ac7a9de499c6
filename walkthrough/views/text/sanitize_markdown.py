"""Markdown that a scenario brings along: it stays Markdown, but without HTML, and does not reach beyond its end."""

from __future__ import annotations

import re

from walkthrough.text import escape_text

_SPANS = re.compile(r"\\[`\\]|(?<!`)(`+)(?!`)[^\n|]*?[^`\n|]\1(?!`)|<")
"""An escaped backtick, a code span on one line and in one cell of a table, or the beginning of HTML."""
_FENCE = re.compile(r"(?P<indent> *)(?P<marks>`{3,}|~{3,})(?P<rest>.*)")
_INSIDE = re.compile(r" *(?:(?:[-*+>]|\d+[.)]) *)+(?:`{3}|~{3})")
"""A fence after the mark of a list item or a quotation."""


def sanitize_markdown(markdown: str) -> str:
    """The Markdown with its HTML made text; a code span keeps its `<`.

    Where a backtick has no partner, no parser agrees with another on what is code: nothing keeps it then. Where it is
    unclear whether each fence is closed, there are none, and so with `$$`.
    """
    lines = [escape_text(line) for line in markdown.expandtabs(4).split("\n")]
    text = "\n".join(lines)
    if not _are_closed(lines):
        text = re.sub("`{3,}|~{3,}", lambda match: f"&#{ord(match[0][0])};" * len(match[0]), text)
    if text.count("$$") % 2:
        text = text.replace("$$", r"\$\$")
    if "`" in _SPANS.sub("", text):
        return text.replace("<", "&lt;")
    return _SPANS.sub(lambda match: "&lt;" if match[0] == "<" else match[0], text)


def _are_closed(lines: list[str]) -> bool:
    """Whether each fence is closed beyond doubt: at the same indentation, with nothing less indented before."""
    opened: re.Match[str] | None = None
    for line in lines:
        fence = _FENCE.fullmatch(line)
        if opened is None:
            if _INSIDE.match(line):
                return False
            if fence and not (fence["marks"][0] == "`" and "`" in fence["rest"]):
                opened = fence
        elif fence and fence["marks"].startswith(opened["marks"]) and not fence["rest"].strip():
            if fence["indent"] != opened["indent"]:
                return False
            opened = None
        elif line.strip() and not line.startswith(opened["indent"]):
            return False
    return opened is None
