"""What is said to people in a language; a language is one file in this folder.

Texts that views write have a name, and are in every language. What is written where a step is recorded (titles,
purposes, reasons, words in formulas) and in the scripts of the page is found by its English text, which needs no entry.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Protocol

from walkthrough.records import Record

_POINT = re.compile(r"(?<=[0-9])\.(?=[0-9])")
_NUMBER = re.compile(r"[-−]?[0-9]+\.[0-9]+")
_BLANK = re.compile(r"\{(\w+)\}")
_SIGNS = str.maketrans(",.", ".,")
_ONE_PART = " (one part)"


class Digits(Protocol):
    """How far a number is rounded: to so many decimals, or significant digits."""

    @property
    def count(self) -> int: ...
    @property
    def significant(self) -> bool: ...


class Table:
    """Translations by the English text; in one with `{name}`, anything may stand there: a path, a number."""

    def __init__(self, texts: Mapping[str, str], has_comma: bool = False) -> None:
        self.texts = texts
        self.has_comma = has_comma
        self._patterns: list[tuple[re.Pattern[str], str]] | None = None

    def __call__(self, text: str) -> str:
        """The translation; the text itself where there is none."""
        if not text or not self.texts or text in self.texts:
            return self.texts.get(text, text)
        if self._patterns is None:
            self._patterns = [(_pattern(one), said) for one, said in self.texts.items() if "{" in one]
        found = ((pattern.fullmatch(text), said) for pattern, said in self._patterns)
        return next((said.format(**self._words(match)) for match, said in found if match), text)

    def _words(self, match: re.Match[str]) -> dict[str, str]:
        """What stands in the blanks; a number with the decimal sign of the language."""
        words = match.groupdict()
        return {name: decimal_comma(word) for name, word in words.items()} if self.has_comma else words


def decimal_comma(text: str) -> str:
    """A text with a comma for the point, where it is a number with one."""
    return _POINT.sub(",", text) if _NUMBER.fullmatch(text) else text


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(_BLANK.sub(r"(?P<\1>.+)", re.sub(r"([.()\[\]+*?^$|\\])", r"\\\1", text)))


class Catalogue(Record):
    """One language.

    texts:    by name
    titles:   of steps; prefixes: what titles of several steps begin with
    parts:    of the model, as they stand within a line
    phrases:  words within formulas
    prose:    purposes and reasons of steps, and where given numbers come from
    controls: what the scripts of the page say
    mistakes: what to say of a mistake, by its key; two texts where it is said differently of a class and of a cell
    """

    language: str
    texts: Mapping[str, str]
    titles: Mapping[str, str]
    prefixes: Mapping[str, str]
    parts: Mapping[str, str]
    phrases: Table
    prose: Table
    controls: Mapping[str, str]
    mistakes: Mapping[str, str | tuple[str, str]]
    has_comma: bool = False

    @property
    def separator(self) -> str:
        """What is between the arguments of a function."""
        return "; " if self.has_comma else ", "

    def __call__(self, name: str, /, **words: object) -> str:
        """A text with its words put in."""
        return self.texts[name].format(**words)

    def pluralize(self, name: str, count: int, **words: object) -> str:
        """A text about one or several, with further words put in."""
        return self(f"{name}_one", **words) if count == 1 else self(name, count=self.whole(count), **words)

    def title(self, title: str) -> str:
        """The title of a step."""
        for prefix, said in self.prefixes.items():
            if title.startswith(prefix):
                return said + self.title(title.removeprefix(prefix))
        if title.endswith(_ONE_PART) and _ONE_PART in self.titles:
            return self.title(title.removesuffix(_ONE_PART)) + self.titles[_ONE_PART]
        return self.titles.get(title, title)

    def part(self, title: str) -> str:
        """The name of a part within a line: `Head 2` is head 2; a parameter has its title."""
        name, blank, number = title.rpartition(" ")
        if not number.isdigit():
            name, blank, number = title, "", ""
        return f"{self.parts.get(name) or self.title(name)}{blank}{number}"

    def heading(self, title: str) -> str:
        """The name of a part as a heading."""
        part = self.part(title)
        return part[:1].upper() + part[1:]

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
    """The catalogue of a language; its file is imported when somebody asks for it."""
    file = import_module(f"walkthrough.languages.{language}")
    comma: bool = file.DECIMAL_COMMA
    tables = Table(file.PHRASES, comma), Table(file.PROSE, comma)
    texts = (file.TEXTS, file.TITLES, file.PREFIXES, file.PARTS, *tables, file.CONTROLS, file.MISTAKES)
    return Catalogue(language, *texts, has_comma=comma)


ENGLISH = catalogue("en")
