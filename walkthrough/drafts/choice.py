"""Chooses the step that a table is: what it is called, then labels, shape, order, and what its numbers say to that."""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

from walkthrough.drafts import reasons
from walkthrough.drafts.context import Context
from walkthrough.drafts.fit import ENOUGH, Fit, ReadCells, fit, is_alike, is_right, most_alike, shapes_of, share
from walkthrough.drafts.items import Heading, Table
from walkthrough.drafts.markup import clean
from walkthrough.drafts.names import Named, Names
from walkthrough.drafts.prose import Prose
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_MOST_NAMED = 3
_PLAINLY = 0.25
"""By this share more numbers of another step must agree, unless all do."""


class _By(Enum):
    """What says the name, the surest first: a path, a heading or caption, a symbol, an equation, words, nothing."""

    PATH = auto()
    TITLE = auto()
    SYMBOL = auto()
    EQUATION = auto()
    WORDS = auto()
    NOTHING = auto()


class _Called(NamedTuple):
    """What a table may be called: of the surest kind of name that it has, the nearest first."""

    by: _By
    names: tuple[Named, ...] = ()


class Choice:
    """context: headings and text; last: what was placed last; seen: all steps placed so far"""

    def __init__(self, trace: Trace) -> None:
        self.names = Names(trace)
        self.prose = Prose(self.names)
        self.trace = trace
        self.order = {value: at for at, value in enumerate(trace)}
        self.context = Context()
        self.last: Fit | None = None
        self.seen: set[Value] = set()

    def has_symbol(self, table: Table) -> bool:
        """Whether the symbol of a step stands before a table."""
        return bool(table.name and self.names.by_symbol(table.name))

    def find(self, table: Table, entries: ReadCells) -> Fit | str:
        """The fit of the step that a table is; or why it is none."""
        called = self._called(table)
        if called.by in (_By.SYMBOL, _By.EQUATION) and called.names[0].row and len(entries[0]) == 1:
            entries = [list(column) for column in zip(*entries, strict=True)]  # a row may stand: q_2 = (1; 2)ᵀ
        found = self._named(table, entries, called.names) if called.names else self._unnamed(table, entries)
        if called.by is _By.PATH or table.is_line or (isinstance(found, Fit) and is_right(found)):
            return found
        if called.by is _By.TITLE and isinstance(found, Fit) and found.whole and found.labels:
            return found
        if called.by is _By.SYMBOL:
            return self._by_its_symbol(entries, found)
        return self._by_numbers(entries, found, called.by) or found

    def _called(self, table: Table) -> _Called:
        for name in reversed(table.ids):
            if (value := self.trace.get(name)) is not None:
                return _Called(_By.PATH, (Named(name, (value,)),))
        name = table.name or (self.context.above if clean(self.context.above).endswith("=") else "")
        if name and (named := self.names.by_symbol(name)):
            is_equation = any(sign in clean(name).rstrip("= ≈&") for sign in "=≈")
            return _Called(_By.EQUATION if is_equation else _By.SYMBOL, (named,))
        return (
            (self._in(table.caption, _By.TITLE) if table.caption else None) or self._in_texts() or _Called(_By.NOTHING)
        )

    def _in_texts(self) -> _Called | None:
        texts = self.context.nearest()
        if by_path := self.names.by_path([text.text for text in texts if not isinstance(text, Heading)]):
            return _Called(_By.PATH, (by_path,))
        ways = (_By.TITLE if isinstance(text, Heading) else _By.WORDS for text in texts)
        return next(filter(None, (self._in(text.text, by) for text, by in zip(texts, ways, strict=True))), None)

    def _in(self, text: str, by: _By) -> _Called | None:
        if by_path := self.names.by_path([text]):
            return _Called(_By.PATH, (by_path,))
        names = tuple(self.prose.named(text, by is _By.TITLE))[:_MOST_NAMED]
        return _Called(by, names) if names else None

    def _named(self, table: Table, entries: ReadCells, names: tuple[Named, ...]) -> Fit | str:
        """The first name with which at least half of the numbers agree; else the nearest that it fits."""
        nearest: Fit | str = ""
        for named in names:
            fits = [one for value in named.values if (one := fit(entries, value, named.row, named.column))]
            if table.is_line and not self.has_symbol(table):
                fits = [one for one in fits if one.labels == 2]  # prose may end in a number
            found = self._trusted(fits, entries, named) if fits else ""
            if isinstance(found, Fit) and share(found) >= ENOUGH:
                return found
            nearest = nearest or found
        return nearest or reasons.differs(names[0], entries)

    def _unnamed(self, table: Table, entries: ReadCells) -> Fit | str:
        if table.is_line:
            return reasons.NO_NAME
        fits = [one for value in self.trace if (one := fit(entries, value))]
        return self._trusted(fits, entries, None) if fits else reasons.fits_nowhere(list(self.trace), entries)

    def _trusted(self, fits: list[Fit], entries: ReadCells, named: Named | None) -> Fit | str:
        """The choice, unless its labels are others', or its name is only part of what a sentence does with it."""
        fits = self._likeliest(fits)
        found = self._choose(fits, named is not None)
        if found is not None and found.labels == 0 and not is_alike(found):
            return reasons.has_other_labels(found, entries)
        if found is None or (named is not None and not named.is_plain and share(found) < ENOUGH):
            return reasons.unlike(fits)
        return found

    def _likeliest(self, fits: list[Fit]) -> list[Fit]:
        """By the parts that the text around names, by labels, by shape."""
        fits = self.context.in_these_parts(fits)
        best = max(one.labels for one in fits)
        fits = [one for one in fits if one.labels == best]
        return [one for one in fits if one.whole] or fits

    def _choose(self, fits: list[Fit], is_named: bool) -> Fit | None:
        """By order; and at last by numbers, which an unnamed table needs."""
        behind = self._behind(fits)
        for some in (fits, behind):
            if len(some) == 1 and is_named:
                return some[0]
        return most_alike(behind, is_named) or most_alike(fits, is_named)

    def _behind(self, fits: list[Fit]) -> list[Fit]:
        return [one for one in fits if self.last and self.order[one.value] > self.order[self.last.value]]

    def _by_its_symbol(self, entries: ReadCells, found: Fit | str) -> Fit | str:
        """What a symbol names; nothing, where it is the author's for another step, with which all numbers agree.

        With what the step is computed from they agree too where its operation was forgotten: that is a mistake in it.
        """
        if not isinstance(found, Fit) or is_alike(found):
            return found
        known = self.seen.union(found.value.inputs)
        fits = (one for value in self.trace if value not in known and (one := fit(entries, value)) and one.whole)
        other = next((one for one in fits if share(one) == 1), None)
        return found if other is None else reasons.is_called_otherwise(found, other)

    def _by_numbers(self, entries: ReadCells, found: Fit | str, by: _By) -> Fit | str | None:
        """Another step, where the numbers are plainly its: words and equations say much beside what a table is."""
        shapes = shapes_of(entries)
        some = (one for value in self.trace if (one := fit(entries, value)))
        fits = [one for one in some if (one.value.shape in shapes or one.labels == 2) and is_alike(one)]
        best = max(map(share, fits), default=0.0)
        alike = self.context.in_these_parts([one for one in fits if share(one) == best])
        other = next(iter([*self._behind(alike), *alike]), None)
        held = share(found) if isinstance(found, Fit) else 0.0
        if other is None or (held >= ENOUGH and best < min(1.0, held + _PLAINLY)):
            return None
        if isinstance(found, Fit) and other.value in self.seen:
            return None if by is _By.EQUATION else reasons.is_another(found, other)
        return other
