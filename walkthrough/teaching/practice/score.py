"""How a round of practice went."""

from __future__ import annotations

from collections.abc import Iterator

from walkthrough.languages.catalogue import Catalogue


class Score:
    """Counts the cells asked, those that came right, those right on the first try; and the steps to repeat."""

    def __init__(self) -> None:
        self.asked = self.right = self.first = 0
        self._repeat: dict[str, None] = {}

    def note_right(self, at_first: bool) -> None:
        """Counts a right answer. at_first: on the first try"""
        self.right += 1
        self.first += at_first

    def note_mistake(self, path: str) -> None:
        """Notes a step as one to repeat."""
        self._repeat[path] = None

    def summarize(self, seconds: float, words: Catalogue) -> Iterator[str]:
        """What was right, how quickly, and what to repeat: a line each."""
        yield ""
        if not self.asked:
            yield words("nothing_asked")
            return
        minutes, rest = divmod(round(seconds), 60)
        time = words("minutes", minutes=minutes, seconds=rest) if minutes else words("seconds", count=rest)
        yield words("result", right=self.right, asked=self.asked, first=self.first, time=time)
        yield words("repeat", steps=", ".join(self._repeat)) if self._repeat else words("well")
