"""Headings of the parts that steps are in, as the calculation goes from part to part."""

from __future__ import annotations

from walkthrough.languages.catalogue import Catalogue
from walkthrough.recording.parts import PartName, parts_of
from walkthrough.views.report.blocks import PartHeading


class Headings:
    """Follows a calculation, and says where another part begins."""

    def __init__(self, words: Catalogue) -> None:
        self.words = words
        self._names: tuple[PartName, ...] = ()
        self._titles: tuple[str, ...] = ()
        self._seen: set[str] = set()

    @property
    def depth(self) -> int:
        """How many parts the present step is in."""
        return len(self._names)

    def enter(self, path: str) -> list[PartHeading]:
        """The headings before the step of that path, where its parts are not those of the step before."""
        names = parts_of(path)
        if names == self._names and len(names) == len(self._titles):
            return []  # nor does a part that is none of the model stay open
        titles = tuple(self._title(at, name) for at, name in enumerate(names))
        heading = PartHeading(titles, self._titles, names[-1].path if names else "")
        self._names, self._titles = names, titles
        self._seen.update(name.path for name in names)
        return [heading]

    def open(self, title: str) -> list[PartHeading]:
        """The heading before steps that are in no part of the model, with a title of its own."""
        if self._titles == (title,):
            return []
        heading = PartHeading((title,), self._titles)
        self._names, self._titles = (), (title,)
        return [heading]

    def _title(self, at: int, name: PartName) -> str:
        if self._names[at : at + 1] == (name,):
            return self._titles[at]
        title = self.words.heading(name)
        return self.words("continued", title=title) if name.path in self._seen else title
