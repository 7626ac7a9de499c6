"""Breaks long lines: prose at spaces, arithmetic before its operators; a number or a label is never cut."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.cells import cell_len

_OPERATORS = ("=", "+", "−", "-", "/", "⊙", "(.)", "→", "->", "and", "where", "else", "is")
_DEEPEST = 9
_NARROWEST = 20


def cell_width(text: str) -> int:
    """How many columns of a terminal a text takes; it has no control characters."""
    return len(text) if text.isascii() else cell_len(text)


def wrap_prose(text: str, width: int, indent: int = 0, hanging: int = 0) -> list[str]:
    """Prose in lines of at most `width`; a longer word stays whole."""
    return textwrap.wrap(
        text,
        width=max(width, indent + hanging + _NARROWEST),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hanging),
        break_long_words=False,
        break_on_hyphens=False,
    )


def wrap_arithmetic(parts: Sequence[str], width: int, indent: int = 0, hanging: int = 4) -> list[str]:
    """`name = arithmetic = result`, given as its parts, in lines that begin with an operator.

    A line is broken outside of brackets where that is enough; the name is never broken.
    """
    room = max(width - indent - hanging, _NARROWEST)
    name, *rest = parts
    units = [name, *(unit for part in rest for unit in _units(f"= {part}", room))]
    return fill_lines(units, width, " ", indent, hanging)


def _units(text: str, room: int, depth: int = 0) -> list[str]:
    """What stays on one line: as little broken up as fits into the room."""
    if depth and (cell_width(text) <= room or " " not in text or depth > _DEEPEST):
        return [text]
    return [unit for piece in _split(text, depth) for unit in _units(piece, room, depth + 1)]


def _split(text: str, deepest: int) -> list[str]:
    """The text at its spaces inside at most `deepest` brackets; an operator stays with what follows it."""
    pieces, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if character == " " and depth <= deepest and text[start:at] not in _OPERATORS and text[at + 1 : at + 2] != "[":
            pieces.append(text[start:at])
            start = at + 1
    return [*pieces, text[start:]]


def fill_lines(units: Sequence[str], width: int, gap: str = "  ", indent: int = 0, hanging: int = 4) -> list[str]:
    """Texts side by side, as many as fit into a line; none of them is broken."""
    lines = [" " * indent + units[0]]
    for unit in units[1:]:
        if cell_width(lines[-1]) + len(gap) + cell_width(unit) <= width:
            lines[-1] += gap + unit
        else:
            lines.append(" " * (indent + hanging) + unit)
    return lines
