"""Single numbers that a text or a formula claims: `A[arrows, time] = 0.56`, `A_{arrows, time} = 0.56`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from walkthrough.drafts.cells import Entry, read_number
from walkthrough.drafts.context import Context
from walkthrough.drafts.fit import Fit, place_of
from walkthrough.drafts.items import Text
from walkthrough.drafts.markup import clean
from walkthrough.drafts.names import Names
from walkthrough.recording.values import Value
from walkthrough.text import in_quotes

_SYMBOL = r"(?<![\w\\.\]∂])(?P<symbol>(?:∂\s?)?[^\W\d_][\w'′²^]*?)"
_LABELS = (
    r"\[\s*(?P<row>[^\[\],=]+?)\s*,\s*(?P<column>[^\[\],=]+?)\s*\]",
    r"_[({]?(?P<row>[\w'’-]+)\s*,\s*(?P<column>[\w'’-]+)[)}]?",
)
_NUMBER = r"\s*[=≈]\s*(?P<number>[-−–+]?[0-9]+(?:[.,][0-9]+)?)(?![0-9]|[.,][0-9]|\s*[-×·*/+−–^=≈√(\\%])"
_CLAIMS = tuple(re.compile(_SYMBOL + labels + _NUMBER) for labels in _LABELS)
"""Behind the number no calculation goes on: a worked line claims its result, whose cell stands at its beginning."""

_CALCULATED = tuple("=≈+-−–×·*/^√(")


class Claim(NamedTuple):
    """One number of a text, and what it is said to be."""

    line: int
    symbol: str
    row: str
    column: str
    number: str

    @property
    def entry(self) -> Entry:
        """The number as that of a table."""
        return Entry(self.number, self.line, read_number(self.number))


def split_claims(text: str) -> tuple[str, str]:
    """A text up to the end of its last claim, and what stands behind that."""
    shown = clean(text)
    end = max((match.end() for claim in _CLAIMS for match in claim.finditer(shown)), default=0)
    return (shown[:end], shown[end:].lstrip(" .,;:")) if end else ("", text)


def find_claims(text: Text) -> Iterator[Claim]:
    """The claims of a line, in their order; a cell that a calculation ends with is none."""
    shown = clean(text.text)
    found = sorted((match for claim in _CLAIMS for match in claim.finditer(shown)), key=lambda match: match.start())
    for match in found:
        if not shown[: match.start()].rstrip().endswith(_CALCULATED):
            yield Claim(text.line, *match.group("symbol", "row", "column", "number"))


def place_claim(claim: Claim, names: Names, context: Context) -> Fit | str:
    """The cell that a claim is about, of several heads that of the heading; or why it is none."""
    named = names.by_name(claim.symbol)
    if named is None:
        return f"no step is called {claim.symbol}"
    fits = [fit for value in named.values if (fit := _fit(claim, value)) is not None]
    if not fits:
        return f"{claim.symbol} has no cell {in_quotes(f'{claim.row}, {claim.column}')}"
    found, *others = context.in_these_parts(fits)
    if others:
        return f"it may be of {found.value.path} or of {others[0].value.path}"
    return found


def _fit(claim: Claim, value: Value) -> Fit | None:
    row, column = place_of(claim.row, value.rows), place_of(claim.column, value.columns)
    if row is None or column is None:
        return None
    return Fit(value, ((row, column, claim.entry),), (row,), (column,), 2, False)
