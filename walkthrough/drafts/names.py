"""Which steps a text names: by a path, a selector, a title in any language, or a symbol."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from walkthrough.drafts.markup import clean, code_in
from walkthrough.languages import LANGUAGES
from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Kind, Value

_PATH = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")
_ONE_WORD = re.compile(r"\s*(?:[0-9]+\.\s*)?([a-z_0-9]+)\s*(?:[─—-]{2,}.*)?")
_INDEXED = re.compile(r"(.+?)[\[(](.+)[\])]")
_NUMBERED = re.compile(r"\^?[({]*([0-9]{1,3})[)}]*")
_HEADS, _LAYERS = re.compile(r"\bhead\.(\d+)"), re.compile(r"\b(?:encoder|decoder)\.(\d+)")
_CLAUSE = re.compile(r"[,;:.]\s+(?![^\[(]*[\])])")
_EQUALS = re.compile(r"[=≈]")
_CALCULATED = re.compile(r"[+·×*/−]")
_RAISE = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_LOWERED = re.compile(r"(?<=[\w'′²])[₀-₉]+")
_SYNONYMS = {
    "softmax": ("weights", "probabilities"),
    "attention scores": ("scores",),
    "score matrix": ("scores",),
    "attention pattern": ("weights",),
    "attention matrix": ("weights",),
    "α": ("weights",),
    "gewichte": ("weights",),
    "aufmerksamkeitsgewichte": ("weights",),
    "embeddings": ("token_embedding", "embeddings", "input"),
    "embedding matrix": ("embeddings", "token_embedding"),
    "context": ("attention.head.output", "attention.output"),
    "x": ("input",),
}
"""What people call steps beside their titles, by words of paths."""
_PARTLY = re.compile(r"(.+?)\s*\((.+)\)")
Grouped = dict[str, tuple[Value, ...]]


class Named(NamedTuple):
    """The steps that a name may mean.

    row, column: the labels that it says, or empty
    is_plain:    not only named in a sentence that says what is done with it
    """

    name: str
    values: tuple[Value, ...]
    row: str = ""
    column: str = ""
    is_plain: bool = True


class Names:
    """The names of a trace's steps."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def by_path(self, texts: Sequence[str]) -> Named | None:
        """A path in texts: the nearest one in the letters of a typewriter, else the nearest one."""
        typed = ([one for word in code_in(text) if (one := self.by_word(word))] for text in texts)
        if found := next(filter(None, typed), None):
            return found[-1]
        return next(filter(None, map(self._any_path, texts)), None)

    def _any_path(self, text: str) -> Named | None:
        """The last path in a text; one of a single word only where it is alone on its line."""
        shown = clean(text)
        found = [one for word in _PATH.findall(shown) if (one := self.by_word(word))]
        if not found and (alone := _ONE_WORD.fullmatch(shown)) and (one := self.by_word(alone[1])):
            found = [one]
        return found[-1] if found else None

    def by_word(self, word: str) -> Named | None:
        """A word that is a path."""
        value = self.trace.get(word)
        return Named(word, (value,)) if value is not None else None

    def by_symbol(self, text: str) -> Named | None:
        """What stands before a table, as in `Q_1 =`: of an equation its left side, else of several names the last."""
        shown = readable(text)
        left, *others = _EQUALS.split(_CLAUSE.split(shown)[-1])
        parts = [part.strip(" &([,;") for part in re.split(r"[=≈:]", shown)]
        for part in filter(None, ([left.strip(" &([,;")] if any(others) else []) + parts[::-1]):
            one = self.by_last_words(part)
            if one is not None and not (one.row and _CALCULATED.search(part)):  # `v_1 + v_2` is no row
                return one
        return None

    def by_last_words(self, text: str) -> Named | None:
        """What a text ends with."""
        words = text.split()
        counts = [count for count in (len(words), 3, 2, 1) if 0 < count <= len(words)]
        for count in counts:
            name = " ".join(words[-count:])
            open_brackets = name.count("(") - name.count(")")
            if open_brackets < 0:  # `max(0, v_1)` is not v_1
                continue
            if one := self.by_name(name.lstrip("([") if open_brackets else name):
                return one
        return None

    def by_name(self, name: str) -> Named | None:
        """A symbol with its indices, a title, or a selector."""
        name = name.strip()
        if not name or len(name) > 80:
            return None
        return self._symbol(name) or self._title(name) or self._indexed(name) or self._selected(name)

    def _symbol(self, name: str) -> Named | None:
        symbol = normalize(name)
        values = self._symbols.get(symbol) or self._symbols_anyhow.get(symbol.lower())
        return Named(name, values) if values else None

    def _title(self, name: str) -> Named | None:
        values = self.titles.get(" ".join(name.lower().split()))
        return Named(name, values) if values else None

    def _indexed(self, name: str) -> Named | None:
        """`q_chai`, `Q_1`, `Q^(1)`, `S[chai, is]`."""
        symbol = normalize(name)
        if found := _INDEXED.fullmatch(symbol):
            base, (row, _, column) = found[1].rstrip("^_"), found[2].partition(",")
            if number := _NUMBERED.fullmatch(found[2]):
                is_head = symbol[len(base)] == "^"
                return self._numbered(name, base, number[1]) if is_head else self._in_brackets(name, base, number[1])
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
        """Of a head; where there is one head, of a layer; else a row, as of the vector `q_2`."""
        whole = self.by_name(base)
        if whole is None:
            return None
        if len(base) == 1 and base.islower() and base not in self._symbols:
            return Named(name, whole.values, row=number)  # a vector: a row of the matrix
        for pattern in (_HEADS, _LAYERS):
            numbers = {value: found[1] for value in whole.values if (found := pattern.search(value.path))}
            if len(set(numbers.values())) > 1 and number in numbers.values():
                return Named(name, tuple(value for value in whole.values if numbers.get(value) == number))
        row = int(number) + all(map(counts_from_0, whole.values))
        return Named(name, whole.values, row=str(row))

    def _in_brackets(self, name: str, base: str, number: str) -> Named | None:
        """A row that is called by a number, or that of a position, as in `PE(0)`."""
        whole = self.by_name(base)
        is_position = whole is not None and all(map(counts_from_0, whole.values))
        return self._numbered(name, base, number) if is_position else self._row(base, number, "")

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

    @cached_property
    def titles(self) -> Grouped:
        """The steps by titles in all languages, by the last words of paths, and by what people say."""
        return group((name, value) for value in self.trace for name in _titles(value))

    @cached_property
    def _symbols(self) -> Grouped:
        return group((normalize(value.kind.symbol), value) for value in self.trace)

    @cached_property
    def _symbols_anyhow(self) -> Grouped:
        return group((symbol.lower(), value) for symbol, values in self._symbols.items() for value in values)


def counts_from_0(value: Value) -> bool:
    """Whether its rows are called by their positions, the first of which is 0: PE(0) is that of the first token."""
    return value.path.rpartition(".")[2] == "positional_encoding"


def _has(labels: Iterable[str], label: str) -> bool:
    return label.lower() in {one.lower().partition("@")[0] for one in labels} | {one.lower() for one in labels}


def _titles(value: Value) -> Iterator[str]:
    yield from sorted(title.lower() for title in _in_all_languages(value.kind))
    last = value.path.rpartition(".")[2]
    if not last.isdigit() and len(last) > 2:
        yield from (last.lower(), last.replace("_", " ").lower())
    yield from (name for name, words in _SYNONYMS.items() if any(_ends(value, word) for word in words))


def _ends(value: Value, words: str) -> bool:
    path = (value.path, *value.also)
    first, _, last = words.rpartition(".")
    return any(one.rpartition(".")[2] == last and first.partition(".")[0] in one for one in path)


def _in_all_languages(kind: Kind) -> frozenset[str]:
    """A title in every language, with and without what is in brackets."""
    found = {catalogue(language).title(kind) for language in LANGUAGES}
    return frozenset(found).union(*(parts.groups() for one in found if (parts := _PARTLY.fullmatch(one))))


def group(named: Iterable[tuple[str, Value]]) -> Grouped:
    """By name; each value once."""
    found: dict[str, dict[Value, None]] = {}
    for name, value in named:
        found.setdefault(name, {})[value] = None
    return {name: tuple(values) for name, values in found.items()}


def pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Any of these names in a text, the longest first."""
    longest = sorted((name for name in names if len(name) > 2), key=len, reverse=True)
    several = "|".join(r"\s+".join(map(re.escape, name.split())) for name in longest)
    return re.compile(rf"(?<![\w.])(?:{several})(?!\w|\.\w)" if longest else r"(?!)")


def readable(text: str) -> str:
    """A name without its markup: `q₂` as `q_2`."""
    shown = clean(text.replace("\\top", "ᵀ"))
    return _LOWERED.sub(lambda found: "_" + found[0].translate(_RAISE), shown)


def normalize(symbol: str) -> str:
    """`W^{Q}`, `W_{Q}` and `W Q` as `W_Q`; primes as one sign."""
    plain = readable(symbol).replace("′", "'").replace("’", "'").replace(" ", "")
    plain = plain.replace("^'", "'").replace("^2", "²")
    return re.sub(r"\^([A-Za-z])", r"_\1", plain)
