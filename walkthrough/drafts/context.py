"""What stands around a table: the headings above, and the text since the table before."""

from __future__ import annotations

import re
from functools import cache

from walkthrough.drafts.fit import Fit
from walkthrough.drafts.items import Heading, Text
from walkthrough.drafts.markup import clean
from walkthrough.languages.meanings import pattern_for, words_for

_LAYER, _HEAD, _PASS, _TRAINED = r"(?:encoder|decoder)\.(\d+)", r"head\.(\d+)", r"generate\.(\d+)", r"train\.(\d+)"
_PARTS = {"head": _HEAD, "layer": _LAYER, "norm": r"norm_(\d+)", "pass": _PASS, "training_step": _TRAINED}
"""What a number behind a word of this meaning says of a path."""
_PLACES = {
    "encoder": r"\bencoder\b", "decoder": r"\bdecoder\b", "self-attention": "self_attention",
    "cross-attention": "cross_attention", "feed-forward": "feed_forward", "feedforward": "feed_forward",
    "gradient": r"\bgradient\b", "update": r"\bupdate\b", "softmax": "softmax|weights|probabilities",
}  # fmt: skip
"""What a word says of a path."""
_NEAREST = 6
"""So many texts before a table may say which part it belongs to."""


@cache
def _numbered() -> re.Pattern[str]:
    return re.compile(rf"\b({pattern_for(*_PARTS)})s?\s*#?\s*(\d+)", re.IGNORECASE)


@cache
def _parts() -> dict[str, str]:
    """What a number behind a word says of a path."""
    return {word.lower(): path for meaning, path in _PARTS.items() for word in words_for(meaning)}


class Context:
    """headings: those above, the highest first; since: headings and texts since the table before"""

    def __init__(self) -> None:
        self.headings: list[Heading] = []
        self.since: list[Heading | Text] = []

    def read(self, item: Heading | Text) -> None:
        """A heading or a line of text."""
        if isinstance(item, Heading):
            while self.headings and self.headings[-1].level >= item.level:
                self.headings.pop()
            self.headings.append(item)
        self.since.append(item)

    @property
    def above(self) -> str:
        """The text right above; nothing where a heading or a table is."""
        return self.since[-1].text if self.since and isinstance(self.since[-1], Text) else ""

    def nearest(self) -> list[Heading | Text]:
        """The text since the table before and the last heading, nearest first; not what stands before the heading."""
        texts: list[Heading | Text] = []
        for text in reversed(self.since):
            texts.append(text)
            if isinstance(text, Heading):
                return texts
        return [*texts, *self.headings[-1:]]

    def in_these_parts(self, fits: list[Fit]) -> list[Fit]:
        """Those in the parts that headings and text name, such as head 2 of layer 1; all, where none is."""
        said: dict[str, str] = {}
        words: dict[str, None] = {}
        for text in (*self.headings, *self.since[-_NEAREST:]):
            shown = clean(text.text).lower()
            said.update({_parts()[word.lower()]: number for word, number in _numbered().findall(shown)})
            words.update({pattern: None for word, pattern in _PLACES.items() if word in shown})
        for pattern, number in said.items():
            fits = _with_number(fits, pattern, number) or _with_number(fits, pattern, "") or fits
        for pattern in words:
            fits = [one for one in fits if re.search(pattern, one.value.path)] or fits
        return fits


def _with_number(fits: list[Fit], pattern: str, number: str) -> list[Fit]:
    """Those in a part with this number, or in none."""
    found = [(one, re.search(pattern, one.value.path)) for one in fits]
    return [one for one, match in found if (match[1] if match else "") == number]
