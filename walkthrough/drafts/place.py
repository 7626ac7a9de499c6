"""Goes through a draft and says of each table which step it is: by its name, its labels, its shape, its order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from walkthrough.drafts.cells import read_table
from walkthrough.drafts.choice import Choice
from walkthrough.drafts.claims import find_claims, place_claim, split_claims
from walkthrough.drafts.fit import Fit, ReadCells, fit, shape_of
from walkthrough.drafts.items import Cell, Item, Table, Text
from walkthrough.drafts.markup import clean
from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.recording.trace import Trace

_SYMBOL = re.compile(r"(?:^|[\s,;(])([^\W\d][\w'′]*(?:[(\[]\w+[)\]])?)\s*[=≈]\s*$")
"""At the end of a name: a word, perhaps with an index, before the sign of equality."""


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
        return shape_text(self.shape)


def place(items: Iterable[Item], trace: Trace) -> Iterator[Placed | NotPlaced]:
    """Every table of a draft, and every number that its texts claim, in order."""
    placer = _Placer(trace)
    for item in items:
        if isinstance(item, Text):
            yield from placer.place_claims(item)
        elif isinstance(item, Table) and item.is_line:  # `A[a, b] = 0.5, and q_2 = (1, 2)`
            claims, item.name = split_claims(item.name)
            yield from placer.place_claims(Text(item.line, claims))
        if not isinstance(item, Table):
            placer.context.read(item)
        elif (said := placer.place(item)) is not None:
            yield said


class _Placer:
    """What has been read so far: the text around, the step placed last, and which of its cells are printed."""

    def __init__(self, trace: Trace) -> None:
        self.choice = Choice(trace)
        self.context = self.choice.context
        self.printed: set[tuple[int, int]] = set()

    def place_claims(self, text: Text) -> Iterator[Placed | NotPlaced]:
        """Where the single numbers belong that a text claims."""
        last = self.choice.last
        for claim in find_claims(text):
            found = place_claim(claim, self.choice.names, self.context, last.value if last else None)
            if isinstance(found, Fit):
                yield Placed(Table([[Cell(claim.number, claim.line)]], is_line=True), found)
            else:
                yield NotPlaced(claim.line, (1, 1), found)

    def place(self, table: Table) -> Placed | NotPlaced | None:
        """Where a table belongs; None where it is a line of text that is no matrix after all."""
        entries = read_table(table)
        if not any(entry.plain is not None for line in entries for entry in line):
            return None
        found = self._continued(entries) or self.choice.find(table, entries)
        if isinstance(found, Fit):
            self._remember(found)
            return Placed(table, found)
        if table.is_line and not self.choice.has_symbol(table):
            if not (name := _SYMBOL.search(clean(table.name))):
                self.context.since.append(Text(table.line, table.name))
                return None
            found = f"no step is called {name[1]}"
        self.context.since.clear()
        return NotPlaced(table.line, shape_of(entries), found)

    def _continued(self, entries: ReadCells) -> Fit | None:
        """A further part of the step before, where nothing stands between and its labels say so."""
        last = self.choice.last
        if last is None or self.context.since or last.whole:
            return None
        found = fit(entries, last.value)
        if found is None or found.whole or {(row, column) for row, column, _ in found.cells} & self.printed:
            return None
        return found

    def _remember(self, found: Fit) -> None:
        last = self.choice.last
        is_more = last is not None and last.value is found.value and not self.context.since
        cells = {(row, column) for row, column, _ in found.cells}
        self.printed = self.printed | cells if is_more else cells
        self.choice.last = found
        self.choice.seen.add(found.value)
        self.context.since.clear()
