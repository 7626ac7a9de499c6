"""Which steps a text names: by a path, a selector, a title in any language, or a symbol."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib import import_module
from typing import NamedTuple

from walkthrough.drafts.markup import clean, code_in
from walkthrough.languages import LANGUAGES
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_PATH = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")
_ONE_WORD = re.compile(r"\s*(?:[0-9]+\.\s*)?([a-z_0-9]+)\s*(?:[─—-]{2,}.*)?")
_MATH = re.compile(
    r"\$+([^$]+)\$+|\\\((.+?)\\\)|`([^`]+)`|\\(?:mathbf|mathrm|boldsymbol|bm)\{([^{}]+)\}|\*\*([^*]+)\*\*"
)
_PLAIN_SYMBOL = re.compile(
    r"(?<![\w\\])([A-Za-zμσγβαℓŷ∂](?:[²'′])?_[A-Za-z0-9]+|[B-HJ-Zμσℓŷ][²'′]?(?=\s*(?:\)|:|=|$)))(?!\w)"
)
_INDEXED = re.compile(r"(.+?)[\[(](.+)[\])]")
_NUMBERED = re.compile(r"\^?[({]*([0-9]{1,3})[)}]*")
_HEADS, _LAYERS = re.compile(r"\bhead\.(\d+)"), re.compile(r"\b(?:encoder|decoder)\.(\d+)")
_SYNONYMS = {
    "softmax": ("weights", "probabilities"),
    "attention scores": ("scores",),
    "attention pattern": ("weights",),
    "embeddings": ("token_embedding", "embeddings", "input"),
    "embedding matrix": ("embeddings", "token_embedding"),
    "context": ("attention.head.output", "attention.output"),
    "x": ("input",),
}
"""What people call steps beside their titles, by words of paths."""
_CLAUSE = re.compile(r"[,;:.]\s+(?![^\[(]*[\])])")
_EQUALS = re.compile(r"[=≈]")
_EQUATION = re.compile(r"(?<![<>!=])=(?!=)(?:(?!\s[a-zäöüß]{2,}(?![\w(.])).)*")
"""From the sign of equality to the next word of prose."""
_CLAUSE_END = re.compile(r"[,;:.](?=\s|$)(?![^\[(]*[\])])|$")
_LETTER = re.compile(r"[^\W\d_]")
_PARTLY = re.compile(r"(.+?)\s*\((.+)\)")


class Named(NamedTuple):
    """The steps that a name may mean. row, column: the labels that it says, or empty"""

    name: str
    values: tuple[Value, ...]
    row: str = ""
    column: str = ""


class Names:
    """The names of a trace's steps."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def by_path(self, texts: Sequence[str]) -> Named | None:
        """A path in texts: the nearest one in the letters of a typewriter, else the nearest one."""
        for find in (self._typed_path, self._any_path):
            for text in texts:
                if one := find(text):
                    return one
        return None

    def _typed_path(self, text: str) -> Named | None:
        found = [one for word in code_in(text) if (one := self._path(word))]
        return found[-1] if found else None

    def _any_path(self, text: str) -> Named | None:
        """The last path in a text; one of a single word only where it is alone on its line."""
        shown = clean(text)
        found = [one for word in _PATH.findall(shown) if (one := self._path(word))]
        if not found and (alone := _ONE_WORD.fullmatch(shown)) and (one := self._path(alone[1])):
            found = [one]
        return found[-1] if found else None

    def _path(self, word: str) -> Named | None:
        value = self.trace.get(word)
        return Named(word, (value,)) if value is not None else None

    def by_symbol(self, text: str) -> Named | None:
        """What stands before a table, as in `Q_1 =`: of an equation its left side, else of several names the last."""
        readable = _readable(text)
        left, *others = _EQUALS.split(_CLAUSE.split(readable)[-1])
        parts = [part.strip(" &([,;") for part in re.split(r"[=≈:]", readable)]
        for part in filter(None, ([left.strip(" &([,;")] if any(others) else []) + parts[::-1]):
            if one := self._by_last_words(part):
                return one
        return None

    def _by_last_words(self, text: str) -> Named | None:
        words = text.split()
        counts = [count for count in (len(words), 3, 2, 1) if 0 < count <= len(words)]
        named = (self.by_name(" ".join(words[-count:])) for count in counts)
        return next(filter(None, named), None)

    def by_name(self, name: str) -> Named | None:
        """A symbol with its indices, a title, or a selector."""
        name = name.strip()
        if not name or len(name) > 80:
            return None
        return self._symbol(name) or self._title(name) or self._indexed(name) or self._selected(name)

    def _symbol(self, name: str) -> Named | None:
        symbol = _normalize(name)
        for known in (self._symbols, self._symbols_anyhow):
            key = symbol if known is self._symbols else symbol.lower()
            if values := known.get(key):
                return Named(name, values)
        return None

    def _title(self, name: str) -> Named | None:
        values = self._titles.get(" ".join(name.lower().split()))
        return Named(name, values) if values else None

    def _indexed(self, name: str) -> Named | None:
        """`q_chai`, `Q_1`, `Q^(1)`, `S[chai, is]`."""
        symbol = _normalize(name)
        if found := _INDEXED.fullmatch(symbol):
            base, (row, _, column) = found[1].rstrip("^_"), found[2].partition(",")
            if number := _NUMBERED.fullmatch(found[2]):
                return self._numbered(name, base, number[1]) if symbol[len(base)] == "^" else self._row(base, row, "")
            return self._row(base, row.strip(), column.strip())
        for sign in ("_", "^"):
            base, found_sign, index = symbol.rpartition(sign)
            if not found_sign or not base:
                continue
            if number := _NUMBERED.fullmatch(index):
                return self._numbered(name, base, number[1])
            if one := self._row(base, index, ""):
                return one
        return None

    def _numbered(self, name: str, base: str, number: str) -> Named | None:
        """Of a head; where there is one head, of a layer; else a row."""
        whole = self.by_name(base)
        if whole is None:
            return None
        for pattern in (_HEADS, _LAYERS):
            numbers = {value: found[1] for value in whole.values if (found := pattern.search(value.path))}
            if len(set(numbers.values())) > 1 and number in numbers.values():
                return Named(name, tuple(value for value in whole.values if numbers.get(value) == number))
        return Named(name, whole.values, row=number)

    def _row(self, base: str, row: str, column: str) -> Named | None:
        whole = self.by_name(base)
        values = tuple(value for value in whole.values if _has(value.rows, row)) if whole else ()
        return Named(f"{base}_{row}", values, row, column) if values else None

    def _selected(self, name: str) -> Named | None:
        selector = "_".join(name.split()).lower() if " " in name else name
        if not re.fullmatch(r"[\w.]{3,}", selector) or selector.isdigit():
            return None
        try:
            return Named(name, tuple(self.trace.select(selector)))
        except SelectorError:
            return None

    def in_text(self, text: str, is_heading: bool = False) -> Iterator[Named]:
        """All names in a text, the last first."""
        shown = clean(text)
        if len(shown) > 2000:
            shown = shown[-2000:]
        found: dict[int, Named] = {}
        prose = _without_equations(text, shown)
        for equation, end, named in list(self._equations(prose)):
            found[end] = named  # nearer than what else its clause names
            prose = prose[: equation.start] + " " * (equation.stop - equation.start) + prose[equation.stop :]
        for match in self._titles_in.finditer(prose.lower()):
            found[match.start()] = Named(match[0], self._titles[" ".join(match[0].split())])
        for match in _MATH.finditer(text):
            inside = next(filter(None, match.groups()))
            left, equals, _ = inside.partition("=")
            if one := self.by_name(_readable(left)) or (None if equals else self._path(clean(inside))):
                found[max(shown.rfind(clean(inside)), 0)] = one
        for match in _PLAIN_SYMBOL.finditer(prose):
            is_alone = prose[match.end() :].lstrip()[:1] in (")", ":", "")
            if (is_heading or is_alone or "_" in match[1]) and (one := self.by_name(match[1])):
                found.setdefault(match.start(), one)
        yield from (found[at] for at in sorted(found, reverse=True))

    def _equations(self, prose: str) -> Iterator[tuple[slice, int, Named]]:
        """The equations in prose: where the right side is, where the clause ends, and what the left side names.

        What is equal to a number is none: it is no matrix.
        """
        begin = 0
        for end in _CLAUSE_END.finditer(prose):
            found = _EQUATION.search(prose, begin, end.start())
            is_number = found and found[0][1:].strip() and not _LETTER.search(found[0])
            if found and not is_number and (named := self._by_last_words(prose[begin : found.start()])):
                yield slice(*found.span()), end.start(), named
            begin = end.end()

    @cached_property
    def _symbols(self) -> dict[str, tuple[Value, ...]]:
        return _group((_normalize(value.kind.symbol), value) for value in self.trace)

    @cached_property
    def _symbols_anyhow(self) -> dict[str, tuple[Value, ...]]:
        return _group((symbol.lower(), value) for symbol, values in self._symbols.items() for value in values)

    @cached_property
    def _titles(self) -> dict[str, tuple[Value, ...]]:
        """By titles in all languages, by the last words of paths, and by what people say."""
        named = [(title.lower(), value) for value in self.trace for title in _titles_of(value.kind.title)]
        for value in self.trace:
            last = value.path.rpartition(".")[2]
            if not last.isdigit() and len(last) > 2:
                named += [(last.lower(), value), (last.replace("_", " ").lower(), value)]
            named += [(name, value) for name, words in _SYNONYMS.items() if any(_ends(value, word) for word in words)]
        return _group(named)

    @cached_property
    def _titles_in(self) -> re.Pattern[str]:
        names = sorted((name for name in self._titles if len(name) > 2), key=len, reverse=True)
        several = "|".join(r"\s+".join(map(re.escape, name.split())) for name in names)
        return re.compile(rf"(?<![\w.])(?:{several})(?!\w|\.\w)" if names else r"(?!)")


def _without_equations(text: str, shown: str) -> str:
    """What is shown of a text, with blanks in the place of equations: their name is on their left."""
    for match in _MATH.finditer(text):
        equation = clean(match[0])
        if "=" in equation:
            shown = shown.replace(equation, " " * len(equation), 1)
    return shown


def _ends(value: Value, words: str) -> bool:
    path = (value.path, *value.also)
    first, _, last = words.rpartition(".")
    return any(one.rpartition(".")[2] == last and first.partition(".")[0] in one for one in path)


def _titles_of(title: str) -> set[str]:
    """A title in every language, with and without what is in brackets."""
    titles = {title}
    for language in LANGUAGES:
        words = import_module(f"walkthrough.languages.{language}")
        titles.add(words.TITLES.get(title, title))
        titles.update(
            said + words.TITLES.get(title.removeprefix(prefix), title.removeprefix(prefix))
            for prefix, said in words.PREFIXES.items()
            if title.startswith(prefix)
        )
    for one in list(titles):
        if found := _PARTLY.fullmatch(one):
            titles.update((found[1], found[2]))
    return titles


def _group(named: Iterable[tuple[str, Value]]) -> dict[str, tuple[Value, ...]]:
    """By name; each value once."""
    found: dict[str, dict[Value, None]] = {}
    for name, value in named:
        found.setdefault(name, {})[value] = None
    return {name: tuple(values) for name, values in found.items()}


def _has(labels: Iterable[str], label: str) -> bool:
    return label.lower() in {one.lower().partition("@")[0] for one in labels} | {one.lower() for one in labels}


def _readable(text: str) -> str:
    return clean(text.replace("\\top", "ᵀ"))


def _normalize(symbol: str) -> str:
    """`W^{Q}`, `W_{Q}` and `W Q` as `W_Q`; primes as one sign."""
    plain = _readable(symbol).replace("′", "'").replace("’", "'").replace(" ", "")
    plain = plain.replace("^'", "'").replace("^2", "²")
    return re.sub(r"\^([A-Za-z])", r"_\1", plain)
