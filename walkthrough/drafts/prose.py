"""Which steps a sentence names, and whether it says what a matrix is or what is done with others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, cached_property

from walkthrough.drafts.markup import clean
from walkthrough.drafts.names import Named, Names, pattern, readable
from walkthrough.languages.meanings import pattern_for

_MATH = re.compile(
    r"\$+([^$]+)\$+|\\\((.+?)\\\)|`([^`]+)`|\\(?:mathbf|mathrm|boldsymbol|bm)\{([^{}]+)\}|\*\*([^*]+)\*\*"
)
_PLAIN_SYMBOL = re.compile(
    r"(?<![\w\\])([A-Za-zμσγβαℓŷ∂](?:[²'′])?_[A-Za-z0-9]+|[B-HJ-Zμσℓŷ][²'′]?(?=\s*(?:\)|:|=|$)))(?!\w)"
)
_EQUATION = re.compile(r"(?<![<>!=])=(?!=)(?:(?!\s[a-zäöüß]{2,}(?![\w(])).)*")
"""From the sign of equality to the next word of prose."""
_CLAUSE_END = re.compile(r"[,;:.](?=\s|$)(?![^\[(]*[\])])|$")
_SENTENCE_END = re.compile(r"[.;:!?](?=\s)")
_LETTER = re.compile(r"[^\W\d_]")
_LONGEST = 2000


@cache
def _calculated() -> re.Pattern[str]:
    """The words with which a sentence says what is done with the steps that it names."""
    return re.compile(rf"[×·√]|\b(?:{pattern_for('calculated')})\b")


class Prose:
    """The steps that texts name, by the names of a trace."""

    def __init__(self, names: Names) -> None:
        self.names = names

    @cached_property
    def _titles(self) -> re.Pattern[str]:
        return pattern(self.names.titles)

    def named(self, text: str, is_heading: bool = False) -> Iterator[Named]:
        """All names in a text, the last first."""
        shown = clean(text)[-_LONGEST:]
        found: dict[int, Named] = {}
        prose = _without_equations(text, shown)
        for equation, end, named in list(self._equations(prose)):
            found[end] = named  # nearer than what else its clause names
            prose = prose[: equation.start] + " " * (equation.stop - equation.start) + prose[equation.stop :]
        found.update(self._in_words(prose.lower()))
        found.update(self._in_math(text, shown))
        for at, named in self._symbols(prose, is_heading):
            found.setdefault(at, named)
        yield from (found[at] for at in sorted(found, reverse=True))

    def _in_words(self, prose: str) -> Iterator[tuple[int, Named]]:
        """Titles; of a sentence that says what is done with them, none is plainly the matrix's."""
        matches = list(self._titles.finditer(prose))
        rest = self._titles.sub(lambda title: " " * len(title[0]), prose)
        for match in matches:
            begin = max((end.end() for end in _SENTENCE_END.finditer(rest, 0, match.start())), default=0)
            end = _SENTENCE_END.search(rest, match.end())
            is_plain = not _calculated().search(rest, begin, end.start() if end else len(rest))
            yield match.start(), Named(match[0], self.names.titles[" ".join(match[0].split())], is_plain=is_plain)

    def _in_math(self, text: str, shown: str) -> Iterator[tuple[int, Named]]:
        for match in _MATH.finditer(text):
            inside = next(filter(None, match.groups()))
            left, equals, _ = inside.partition("=")
            if one := self.names.by_name(readable(left)) or (None if equals else self.names.by_word(clean(inside))):
                yield max(shown.rfind(clean(inside)), 0), one

    def _symbols(self, prose: str, is_heading: bool) -> Iterator[tuple[int, Named]]:
        for match in _PLAIN_SYMBOL.finditer(prose):
            is_alone = prose[match.end() :].lstrip()[:1] in (")", ":", "")
            if (is_heading or is_alone or "_" in match[1]) and (one := self.names.by_name(match[1])):
                yield match.start(), one

    def _equations(self, prose: str) -> Iterator[tuple[slice, int, Named]]:
        """The equations in prose: where the right side is, where the clause ends, and what the left side names.

        What is equal to a number is none: it is no matrix.
        """
        begin = 0
        for end in _CLAUSE_END.finditer(prose):
            found = _EQUATION.search(prose, begin, end.start())
            is_number = found and found[0][1:].strip() and not _LETTER.search(found[0])
            if found and not is_number and (named := self.names.by_last_words(prose[begin : found.start()])):
                yield slice(*found.span()), end.start(), named
            begin = end.end()


def _without_equations(text: str, shown: str) -> str:
    """What is shown of a text, with blanks in the place of equations: their name is on their left."""
    for match in _MATH.finditer(text):
        equation = clean(match[0])
        if "=" in equation:
            shown = shown.replace(equation, " " * len(equation), 1)
    return shown
