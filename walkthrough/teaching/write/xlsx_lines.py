"""Lines of text as cells of a spreadsheet hold them: no blank is dropped, and no cell is too long."""

from __future__ import annotations

import re
from collections.abc import Sequence

SPACE = "\N{SYMBOL FOR SPACE}"
"""Stands for spaces that a spreadsheet may drop: at the ends of a text, and after another space."""
LONGEST = 30_000
"""Characters in one cell."""
_SPACES = re.compile(r"^ +| +$|(?<= ) +")


def split_line(line: str) -> list[str]:
    """A line of text as cells hold it."""
    kept = _SPACES.sub(lambda found: SPACE * len(found[0]), line.replace(SPACE, "\\u2420"))
    cut = [kept[at : at + LONGEST] for at in range(0, len(kept), LONGEST)] or [SPACE]
    return [f"{part}\N{CONTINUOUS UNDERLINE SYMBOL}" if at < len(cut) - 1 else part for at, part in enumerate(cut)]


def join_pieces(parts: Sequence[str]) -> str:
    """The text that `split_line` made of its lines."""
    lines, before = [], ""
    for part in parts:
        if part.endswith("\N{CONTINUOUS UNDERLINE SYMBOL}"):
            before += part[:-1]
            continue
        lines.append((before + part).replace(SPACE, " "))
        before = ""
    return "\n".join(line if line.strip() else "" for line in lines)
