"""Verdicts on somebody's numbers: one set for printed numbers, for a student's and for another program's."""

from __future__ import annotations

from enum import Enum, auto


class Verdict(Enum):
    """What somebody's number of a step is; each command says it in words of its own."""

    EXACT = auto()
    """The right number."""
    ROUNDING = auto()
    """What rounding on the way to it explains."""
    FOLLOWS = auto()
    """What numbers before it give of which one is wrong."""
    WRONG = auto()
    UNJUDGED = auto()
    """The right one is no number."""
    MISSING = auto()
    UNREADABLE = auto()
