"""The texts of worksheets, marking and practice in a language; a language is one file in `languages/`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module

from walkthrough.recording.rounding import Digits
from walkthrough.recording.values import Value
from walkthrough.records import Record

_POINT = re.compile(r"(?<=[0-9])\.(?=[0-9])")


class Catalogue(Record):
    """One language.

    texts:    by name; titles: of steps, by their English ones
    prefixes: what titles of several steps begin with
    parts:    of the model as they stand behind a comma of a title, by their English names
    phrases:  words within formulas, by their English ones
    mistakes: what to say of a mistake, by its key; two texts where it is said differently of a class and of a cell
    """

    language: str
    texts: Mapping[str, str]
    titles: Mapping[str, str]
    prefixes: Mapping[str, str]
    parts: Mapping[str, str]
    phrases: Mapping[str, str]
    mistakes: Mapping[str, str | tuple[str, str]]
    has_comma: bool = False

    def __call__(self, name: str, /, **words: object) -> str:
        """A text with its words put in."""
        return self.texts[name].format(**words)

    def pluralize(self, name: str, count: int) -> str:
        """A text about one or several."""
        return self(f"{name}_one") if count == 1 else self(name, count=count)

    def title(self, value: Value) -> str:
        """The title of a step."""
        return self._title(value.kind.title)

    def _title(self, title: str) -> str:
        for prefix, said in self.prefixes.items():
            if title.startswith(prefix):
                return said + self._title(title.removeprefix(prefix))
        part = " (one part)"
        if title.endswith(part) and part in self.titles:
            return self._title(title.removesuffix(part)) + self.titles[part]
        return self.titles.get(title, title)

    def part(self, title: str) -> str:
        """The name of a part behind a title: `Head 2` is head 2."""
        name, blank, number = title.rpartition(" ") if title[-1:].isdigit() else (title, "", "")
        return f"{self.parts.get(name, name)}{blank}{number}"

    def digits(self, digits: Digits) -> str:
        """`3 decimals`, `3 significant digits`."""
        if digits.significant:
            return self.pluralize("significant", digits.count)
        return self("whole" if not digits.count else "decimal" if digits.count == 1 else "decimals", count=digits.count)

    def number(self, text: str) -> str:
        """A written number with the decimal sign of the language."""
        return _POINT.sub(",", text) if self.has_comma else text

    def formula(self, text: str) -> str:
        """A formula with its words, and the decimal sign, of the language."""
        for phrase, said in self.phrases.items():
            text = text.replace(phrase, said)
        return self.number(text)

    def arithmetic(self, text: str) -> str:
        """A line of arithmetic: where numbers have commas, a semicolon separates them."""
        return self.number(text.replace(", ", "; ")) if self.has_comma else text


@cache
def catalogue(language: str) -> Catalogue:
    """The catalogue of a language."""
    module = import_module(f"walkthrough.languages.{language}")
    texts = (module.TEXTS, module.TITLES, module.PREFIXES, module.PARTS, module.PHRASES, module.MISTAKES)
    return Catalogue(language, *texts, has_comma=module.DECIMAL_COMMA)
