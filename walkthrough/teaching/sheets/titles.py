"""Titles that tell the matrices of a sheet apart: behind a comma the head, norm or residual, and the layer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Protocol

from walkthrough.languages.catalogue import Catalogue, catalogue
from walkthrough.recording.parts import PartName, parts_of
from walkthrough.recording.values import Kind, Value
from walkthrough.teaching.sheets.sheet import Sheet

_DIGITS = "0123456789"
_WITHIN_A_STEP = "softmax"
"""A part that is no more than a step in several pieces: its name tells nobody where the step is."""


class Name(Protocol):
    """What a step is called, or a cell of it: programs know it by its path, people by its title and symbol."""

    def __call__(self, value: Value, labels: str = "") -> str:
        """The name of a step, or of its cell with the labels `[tea, 1]`."""


def path_of(value: Value, labels: str = "") -> str:
    """The name for programs."""
    return f"{value.path}{labels}"


class Titles:
    """The titles of matrices that are shown together; a part is named where there are several of its kind."""

    def __init__(self, values: Iterable[Value], words: Catalogue) -> None:
        self.words = words
        known = list(values)
        self._behind = _tell_apart(known, {value: words.title(value.kind) for value in known})

    @classmethod
    def of(cls, sheet: Sheet, words: Catalogue | None = None) -> Titles:
        """Those of a sheet. words: None: in its language"""
        return cls(values_of(sheet), words or catalogue(sheet.language))

    def title(self, value: Value) -> str:
        """`Queries, head 2`."""
        return self._join(value, "")

    def with_symbol(self, value: Value, labels: str = "") -> str:
        """The title with the symbol, where the title does not have it: `Scores S, head 2`; `Scores S[a, b]`."""
        symbol = value.kind.symbol
        is_said = symbol in self.words.title(value.kind).split()
        return self._join(value, labels if is_said else f" {symbol}{labels}")

    def _join(self, value: Value, symbol: str) -> str:
        """Title, symbol and parts; a residual that is one of several is just `Residual 1`."""
        title, parts = self.words.title(value.kind), list(self._behind.get(value, ()))
        if parts and parts[0].path == value.path and parts[0].word == _counted_as(value):
            title += f" {parts.pop(0).number}"
        return ", ".join([f"{title}{symbol}", *map(self.words.part, parts)])


def values_of(sheet: Sheet) -> list[Value]:
    """The matrices of a sheet, in order."""
    return [*sheet.given, *(step.value for step in sheet.steps)]


def _tell_apart(values: Sequence[Value], titles: Mapping[Value, str]) -> dict[Value, list[PartName]]:
    """The parts that stand behind the title of each value, the innermost first."""
    chains = {value: _chain(value) for value in values}
    numbered = Counter(kind for kind, _ in {(_counted(part), part) for chain in chains.values() for part in chain})
    named = {value: [part for part in chains[value] if numbered[_counted(part)] > 1] for value in values}
    often = Counter(titles.values())
    for value, parts in named.items():
        if not parts and often[titles[value]] > 1:
            parts += _innermost(chains[value])
    for alike in _group(values, lambda value: (titles[value], *map(_said, named[value]))):
        _tell_alike_apart(alike, chains, named)
    return {value: sorted(named[value], key=chains[value].index) for value in values}


def _chain(value: Value) -> list[PartName]:
    """The parts that a value is in, the innermost first; `residual_1` is one of its own, as is the 1 of `head.1`.

    One that its title names already is left out: the scale of the weights W_1.
    """
    parts = [part for part in reversed(parts_of(value.path)) if part.word != _WITHIN_A_STEP]
    if parts and parts[0].path.rpartition(".")[2] == _made_for(value):
        del parts[0]
    above, _, name = value.path.rpartition(".")
    if name.isdigit() and parts and parts[0].path == above:
        parts[0] = PartName(value.path, parts[0].word, name)
    word, _, number = name.rpartition("_")
    if number.isdigit() and word == _counted_as(value):
        parts.insert(0, PartName(value.path, word, number))
    return parts


def _counted_as(value: Value) -> str:
    """The word of a step that is one of several in its layer: a residual is one."""
    return value.kind.key.partition(".")[0]


def _made_for(value: Value) -> str:
    """The name of the parameter that a step is a part of, as its title says; empty for others."""
    kind, of = value.kind, value.kind.facts.get("of")
    while isinstance(of, Kind):
        kind, of = of, of.facts.get("of")
    return "" if kind is value.kind else kind.name


def _counted(part: PartName) -> str:
    """What is counted by the number of a part: the same for all heads of an attention."""
    return part.path.rstrip(_DIGITS) if _is_numbered(part) else part.path


def _is_numbered(part: PartName) -> bool:
    return part.number[-1:].isdigit()


def _said(part: PartName) -> tuple[str, str]:
    return part.word, part.number


def _innermost(chain: Sequence[PartName]) -> list[PartName]:
    return [part for part in chain if not _is_numbered(part)][:1]


def _tell_alike_apart(
    alike: Sequence[Value], chains: Mapping[Value, list[PartName]], named: Mapping[Value, list[PartName]]
) -> None:
    """Names further parts where several values would have one title, from the innermost on until they differ."""
    shared = set.intersection(*(set(map(_said, chains[value])) for value in alike))
    while len(alike) > 1:
        waiting = {
            value: [one for one in chains[value] if _said(one) not in shared and one not in named[value]]
            for value in alike
        }
        if not any(waiting.values()):
            return
        for value in alike:
            named[value].extend(waiting[value][:1])
        alike = max(_group(alike, lambda value: tuple(map(_said, named[value]))), key=len)


def _group(values: Iterable[Value], key: Callable[[Value], Hashable]) -> list[list[Value]]:
    groups: defaultdict[Hashable, list[Value]] = defaultdict(list)
    for value in values:
        groups[key(value)].append(value)
    return list(groups.values())
