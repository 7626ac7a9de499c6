"""Where enclosed tables were found in a text, and which line of the draft a place of it is on."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from walkthrough.drafts.items import Line, Table


class Found(NamedTuple):
    """Tables from one place of the text to another."""

    start: int
    end: int
    tables: list[Table]


class Places:
    """Which line of the draft a place of the text is on."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.starts = [0]
        for line in lines[:-1]:
            self.starts.append(self.starts[-1] + len(line.text) + 1)

    def index(self, at: int) -> int:
        """Which of the lines it is."""
        return bisect_right(self.starts, at) - 1

    def line(self, at: int) -> int:
        """The number of its line."""
        return self.lines[self.index(at)].number
