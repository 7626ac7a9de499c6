"""What is said to people in a language: its file has every text under a key, and is read when the first is asked for.

Where a text has blanks, `{path}`, whoever asks for it says what stands in them. The English titles of steps are where
these are recorded; all other words are in the files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Protocol

from walkthrough.languages.reading import read_words

FOLDER = Path(__file__).parent
"""Where the files are."""
_POINT = re.compile(r"(?<=[0-9])\.(?=[0-9])")
_SIGNS = str.maketrans(",.", ".,")


class Digits(Protocol):
    """How far a number is rounded: to so many decimals, or significant digits."""

    @property
    def count(self) -> int: ...
    @property
    def significant(self) -> bool: ...


class Kind(Protocol):
    """A kind of step: its English title, the keys of its words and of its reason, what stands in their blanks."""

    @property
    def title(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def facts(self) -> Mapping[str, object]: ...


class Phrase(Protocol):
    """A few words in a formula: their key, and what stands in their blanks."""

    @property
    def key(self) -> str: ...
    @property
    def facts(self) -> tuple[tuple[str, object], ...]: ...


class Part(Protocol):
    """A part of the model: the key of its name, and which of several it is."""

    @property
    def word(self) -> str: ...
    @property
    def number(self) -> str: ...


class Origin(Protocol):
    """Where given numbers come from."""

    @property
    def words(self) -> str: ...
    @property
    def facts(self) -> Mapping[str, object]: ...


class Catalogue:
    """One language, in the words of its file."""

    def __init__(self, language: str) -> None:
        self.language = language

    @cached_property
    def words(self) -> Mapping[str, Any]:
        """All words of the language, as its file has them."""
        return read_words(FOLDER / f"{self.language}.yaml")

    @property
    def texts(self) -> Mapping[str, str]:
        """What views write, by key."""
        texts: Mapping[str, str] = self.words["texts"]
        return texts

    @property
    def mistakes(self) -> Mapping[str, str]:
        """What somebody did, by the key of the mistake; by its word what is true of all that have it."""
        mistakes: Mapping[str, str] = self.words["mistakes"]
        return mistakes

    @cached_property
    def has_comma(self) -> bool:
        """Whether numbers have a decimal comma."""
        return bool(self.words["decimal_sign"] == ",")

    @property
    def controls(self) -> Mapping[str, str]:
        """What the scripts of the page say, by key."""
        controls: Mapping[str, str] = self.words["controls"]
        return controls

    @property
    def separator(self) -> str:
        """What is between the arguments of a function."""
        return "; " if self.has_comma else ", "

    def __call__(self, key: str, /, **facts: object) -> str:
        """A text with its blanks filled in."""
        return self.texts[key].format(**facts)

    def pluralize(self, key: str, count: int, **facts: object) -> str:
        """A text about one or several, with further blanks filled in."""
        return self(f"{key}_one", **facts) if count == 1 else self(key, count=self.whole(count), **facts)

    def title(self, kind: Kind) -> str:
        """The title of a step."""
        return self._say(kind, kind.key, "title") or kind.title

    def name(self, name: str) -> str:
        """The title of the step of this name, where the language has one; else the name, as in English."""
        title: str = self.words["steps"].get(name, {}).get("title", name)
        return title

    def purpose(self, kind: Kind) -> str:
        """What a step is for, or what a given matrix is; empty where nobody has said it."""
        return self._say(kind, kind.key, "purpose")

    def why(self, kind: Kind) -> str:
        """The reason that there is such a step, in two or three sentences; every computed one has one."""
        return self._say(kind, kind.reason or kind.key, "why")

    def source(self, kind: Kind) -> str:
        """Where a step was introduced: `Vaswani et al. (2017), §3.2.1`."""
        return self._say(kind, kind.reason or kind.key, "source")

    def _say(self, kind: Kind, key: str, what: str) -> str:
        """What is said of a step under a key; what `weights.beside_sink` lacks is said under `weights`.

        What a language lacks is said in English: sources, which are the same in all.
        """
        whole, steps = key, self.words["steps"]
        while key:
            text: str | None = steps.get(key, {}).get(what)
            if text is not None:
                return text.format(**{name: self._fact(fact) for name, fact in kind.facts.items()})
            key = key.rpartition(".")[0]
        return "" if self is ENGLISH else ENGLISH._say(kind, whole, what)

    def _fact(self, fact: Any) -> str:
        """What stands in a blank: the title of a kind of step, a number with the decimal sign, a name as it is."""
        if isinstance(fact, str):
            return fact
        if isinstance(fact, float):
            return self.number(f"{fact:g}")
        return str(fact) if isinstance(fact, int) else self.title(fact)

    def phrase(self, phrase: Phrase) -> str:
        """A few words of a formula."""
        text: str = self.words["phrases"][phrase.key]
        return text.format(**{name: self._fact(fact) for name, fact in phrase.facts})

    def origin(self, origin: Origin) -> str:
        """Where given numbers come from."""
        text: str = self.words["origins"][origin.words]
        return text.format(**{name: self._fact(fact) for name, fact in origin.facts.items()})

    def column(self, label: str) -> str | None:
        """The name of a column of words and ids, such as those of a prediction; None for another label."""
        name: str | None = self.words["columns"].get(label)
        return name

    def part(self, part: Part) -> str:
        """The name of a part within a line: `head 2`; of weights and biases the number is their symbol."""
        name = self.words["parts"].get(part.word) or part.word.replace("_", " ")
        return f"{name} {part.number}" if part.number else name

    def heading(self, part: Part) -> str:
        """The name of a part as a heading: `Head 2`."""
        text = self.part(part)
        return text[:1].upper() + text[1:]

    def digits(self, digits: Digits) -> str:
        """`3 decimals`, `3 significant digits`."""
        if digits.significant:
            return self.pluralize("significant", digits.count)
        return self.pluralize("decimals", digits.count) if digits.count else self("whole")

    def whole(self, count: int) -> str:
        """A whole number in groups of three digits."""
        text = f"{count:,}"
        return text.translate(_SIGNS) if self.has_comma else text

    def number(self, text: str) -> str:
        """A written number with the decimal sign of the language."""
        return _POINT.sub(",", text) if self.has_comma else text


@cache
def catalogue(language: str) -> Catalogue:
    """The catalogue of a language."""
    return Catalogue(language)


ENGLISH = catalogue("en")
