"""Goes through a draft and says of each table which step it is: by its name, its labels, its shape, its order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from walkthrough.drafts.cells import Entry, read_table
from walkthrough.drafts.fit import Fit, fit, shape_of
from walkthrough.drafts.items import Heading, Item, Table, Text
from walkthrough.drafts.markup import clean
from walkthrough.drafts.names import Named, Names
from walkthrough.judging.digits import decimals_of
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_MOST_NAMED = 3
_ENOUGH = 0.5
"""The share of numbers that agree where numbers decide between several names or steps."""
_LAYER, _HEAD, _PASS, _TRAINED = r"(?:encoder|decoder)\.(\d+)", r"head\.(\d+)", r"generate\.(\d+)", r"train\.(\d+)"
_PARTS = {
    "head": _HEAD, "kopf": _HEAD, "layer": _LAYER, "schicht": _LAYER, "block": _LAYER, "norm": r"norm_(\d+)",
    "pass": _PASS, "durchgang": _PASS, "training step": _TRAINED, "trainingsschritt": _TRAINED,
}  # fmt: skip
"""What a number behind a word says of a path."""
_PLACES = {
    "encoder": r"\bencoder\b", "decoder": r"\bdecoder\b", "self-attention": "self_attention",
    "cross-attention": "cross_attention", "feed-forward": "feed_forward", "feedforward": "feed_forward",
    "gradient": r"\bgradient\b", "update": r"\bupdate\b", "softmax": "softmax|weights|probabilities",
}  # fmt: skip
"""What a word says of a path."""
_SYMBOL = re.compile(r"(?:^|[\s,;(])([^\W\d][\w'′]*(?:[(\[]\w+[)\]])?)\s*[=≈]\s*$")
"""At the end of a name: a word, perhaps with an index, before the sign of equality."""
_NUMBERED = re.compile(rf"\b({'|'.join(_PARTS)})s?\s*#?\s*(\d+)", re.IGNORECASE)


class Placed(NamedTuple):
    """A table and the step it is."""

    table: Table
    fit: Fit


class NotPlaced(NamedTuple):
    """A table that fits nowhere: its line, its shape, and why."""

    line: int
    shape: tuple[int, int]
    why: str

    @property
    def shown_shape(self) -> str:
        """As in 2×3."""
        return "{}×{}".format(*self.shape)


def place(items: Iterable[Item], trace: Trace) -> Iterator[Placed | NotPlaced]:
    """Every table of a draft, in order."""
    placer = _Placer(trace)
    for item in items:
        if isinstance(item, Table):
            if (said := placer.place(item)) is not None:
                yield said
        else:
            placer.read(item)


class _Placer:
    """What has been read so far: the headings above, the text since the table before, the step placed last."""

    def __init__(self, trace: Trace) -> None:
        self.names = Names(trace)
        self.trace = trace
        self.order = {value: at for at, value in enumerate(trace)}
        self.headings: list[Heading] = []
        self.since: list[Heading | Text] = []
        self.last: Fit | None = None
        self.printed: set[tuple[int, int]] = set()

    def read(self, item: Heading | Text) -> None:
        """A heading or a line of text."""
        if isinstance(item, Heading):
            while self.headings and self.headings[-1].level >= item.level:
                self.headings.pop()
            self.headings.append(item)
        self.since.append(item)

    def place(self, table: Table) -> Placed | NotPlaced | None:
        """Where a table belongs; None where it is a line of text that is no matrix after all."""
        entries = read_table(table)
        if not any(entry.plain is not None for line in entries for entry in line):
            return None
        found = self._continued(entries) or self._find(table, entries)
        is_named = bool(table.name or table.ids)
        if isinstance(found, Fit):
            is_more = self.last is not None and self.last.value is found.value and not self.since
            cells = {(row, column) for row, column, _ in found.cells}
            self.printed = self.printed | cells if is_more else cells
            self.last, self.since = found, []
            return Placed(table, found)
        if table.is_line and (not is_named or not self.names.by_symbol(table.name)):
            if not (name := _SYMBOL.search(clean(table.name))):
                self.since.append(Text(table.line, table.name))
                return None
            found = f"no step is called {name[1]}"
        self.since = []
        return NotPlaced(table.line, shape_of(entries), found)

    def _continued(self, entries: Sequence[Sequence[Entry]]) -> Fit | None:
        """A further part of the step before, where nothing stands between and its labels say so."""
        if self.last is None or self.since or self.last.whole:
            return None
        found = fit(entries, self.last.value)
        if found is None or found.whole or {(row, column) for row, column, _ in found.cells} & self.printed:
            return None
        return found

    def _find(self, table: Table, entries: Sequence[Sequence[Entry]]) -> Fit | str:
        """The fit of the step that a table is; or why it is none."""
        first: Named | None = None
        nearest: Fit | str = ""
        for named in self._names(table, entries):
            first = first or named
            fits = [one for value in named.values if (one := fit(entries, value, named.row, named.column))]
            if table.is_line and not (table.name and self.names.by_symbol(table.name)):
                fits = [one for one in fits if one.labels == 2]  # prose may end in a number
            found = (self._choose(fits, is_named=True) or self._unlike(fits)) if fits else ""
            if isinstance(found, Fit) and _alike(found) >= _ENOUGH:
                return found
            nearest = nearest or found
        if nearest:
            return nearest
        if first is not None:
            return _expected(first)
        if table.is_line:
            return "it has no name"
        fits = [one for value in self.trace if (one := fit(entries, value))]
        if not fits:
            rows, columns = shape_of(entries)
            return f"no step is {rows}×{columns}"
        return self._choose(fits, is_named=False) or self._unlike(fits)

    def _names(self, table: Table, entries: Sequence[Sequence[Entry]]) -> Iterator[Named]:
        """What a table may be called: of the surest kind of name that it has, the nearest first."""
        for name in reversed(table.ids):
            if (value := self.trace.get(name)) is not None:
                yield Named(name, (value,))
                return
        above = self.since[-1].text if self.since and isinstance(self.since[-1], Text) else ""
        name = table.name or (above if clean(above).endswith("=") else "")
        if name and (named := self.names.by_symbol(name)):
            yield named
            return
        if table.caption and (said := self._in(table.caption)):
            yield from said
            return
        texts = self._texts()
        if by_path := self.names.by_path([text.text for text in texts if not isinstance(text, Heading)]):
            yield by_path
            return
        for text in texts:
            if said := self._in(text.text, isinstance(text, Heading)):
                yield from said
                return

    def _texts(self) -> list[Heading | Text]:
        """The text since the table before and the last heading, nearest first; not what stands before the heading."""
        texts: list[Heading | Text] = []
        for text in reversed(self.since):
            texts.append(text)
            if isinstance(text, Heading):
                return texts
        return [*texts, *self.headings[-1:]]

    def _in(self, text: str, is_heading: bool = False) -> list[Named]:
        by_path = self.names.by_path([text])
        return [by_path] if by_path else list(self.names.in_text(text, is_heading))[:_MOST_NAMED]

    def _choose(self, fits: list[Fit], is_named: bool) -> Fit | None:
        """Of several: by the parts that the text around names, by labels, by shape, by order, by numbers."""
        fits = self._in_these_parts(fits)
        best = max(one.labels for one in fits)
        fits = [one for one in fits if one.labels == best]
        fits = [one for one in fits if one.whole] or fits
        if len(fits) == 1 and (is_named or best == 2):
            return fits[0]
        behind = [one for one in fits if self.last and self.order[one.value] > self.order[self.last.value]]
        if len(behind) == 1 and is_named:
            return behind[0]
        return _most_alike(behind) or _most_alike(fits)

    def _in_these_parts(self, fits: list[Fit]) -> list[Fit]:
        """Those in the parts that headings and text name, such as head 2 of layer 1; all, where none is."""
        said: dict[str, str] = {}
        words: dict[str, None] = {}
        for text in (*(one.text for one in self.headings), *(one.text for one in self.since[-6:])):
            shown = clean(text).lower()
            said.update({_PARTS[word.lower()]: number for word, number in _NUMBERED.findall(shown)})
            words.update({pattern: None for word, pattern in _PLACES.items() if word in shown})
        for pattern, number in said.items():
            fits = (
                [one for one in fits if _number_in(one.value, pattern) == number]
                or [one for one in fits if _number_in(one.value, pattern) == ""]
                or fits
            )
        for pattern in words:
            fits = [one for one in fits if re.search(pattern, one.value.path)] or fits
        return fits

    def _unlike(self, fits: list[Fit]) -> str:
        few = ", ".join(one.value.path for one in fits[:3])
        return f"fewer than half of its numbers are those of a step of this shape ({few}{', …' if fits[3:] else ''})"


def _number_in(value: Value, pattern: str) -> str:
    found = re.search(pattern, value.path)
    return found[1] if found else ""


def _expected(named: Named) -> str:
    shapes = list(dict.fromkeys("{}×{}".format(*value.shape) for value in named.values))
    paths = named.values[0].path + (", …" if len(named.values) > 1 else "")
    return f"{clean(named.name)} is {' or '.join(shapes[:3])} ({paths})"


def _most_alike(fits: list[Fit]) -> Fit | None:
    """The first of those with which most numbers agree, if at least half do."""
    shares = [_alike(one) for one in fits]
    best = max(shares, default=0.0)
    return fits[shares.index(best)] if best >= _ENOUGH else None


def _alike(one: Fit) -> float:
    """The share of a table's numbers that agree with a step's, up to one unit of their last digit."""
    cells = [(row, column, entry) for row, column, entry in one.cells if entry.plain is not None]
    if not cells:
        return 0.5
    printed = np.array([float(entry.plain or 0) for *_, entry in cells])
    places = np.array([decimals_of(entry.plain or "") or 0 for *_, entry in cells])
    right = np.array([one.value.array[row, column] for row, column, _ in cells])
    with np.errstate(invalid="ignore", over="ignore"):
        units = np.power(10.0, -places)  # that of 1e400 is infinite too
        alike = (np.abs(printed - right) <= 0.75 * units) | (printed == right)
    return float(alike.mean())
