"""What the search finds: headings of documents and course, scenarios, errata, and names of the library."""

from __future__ import annotations

import re
from collections.abc import Iterable

from docs.site.markdown import Heading
from docs.site.output import Output
from walkthrough.views.data import safe_json

INDEX = "search-index.js"
_WORD = re.compile(r"\w+")


class SearchIndex:
    """Entries: where it leads to, what it is called, where it stands, and the other words it is found by."""

    def __init__(self) -> None:
        self._entries: list[list[str]] = []

    def add(self, link: str, title: str, kind: str, words: str = "") -> None:
        """Adds an entry. link: from the folder of the site; kind: what is said below the title"""
        known = {*map(str.lower, _WORD.findall(f"{title} {kind}"))}
        more = {*map(str.lower, _WORD.findall(words))}
        self._entries.append([link, title, kind, " ".join(sorted(more - known))])

    def add_document(self, link: str, title: str, found: Iterable[Heading]) -> None:
        """Adds a document by its headings."""
        for heading in found:
            is_title = heading.level == 1
            place = link if is_title else f"{link}#{heading.anchor}"
            self.add(place, heading.text, "" if is_title else title, f"{heading.anchor} {heading.words}")

    def write(self, out: Output) -> None:
        """Writes it as a script, because a page in a folder can load nothing else."""
        out.write(INDEX, f"window.searchIndex = {safe_json(self._entries)};\n")
