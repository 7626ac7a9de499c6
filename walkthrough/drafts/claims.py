"""Single numbers that a text or a formula claims: `A[arrows, time] = 0.56`, `A_{2,1} = 4.1 / 7.3 = 0.56`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from walkthrough.drafts.cells import ReadCell, read_number
from walkthrough.drafts.context import Context
from walkthrough.drafts.fit import Fit, place_of
from walkthrough.drafts.items import Text
from walkthrough.drafts.names import Names, counts_from_0, readable
from walkthrough.recording.values import Value
from walkthrough.text import in_quotes

_SYMBOL = r"(?<![\w\\.,\]∂])(?P<symbol>(?:[∂δλ]\s?)?[^\W\d_][\w'′²^]*?)"
_LABELS = (
    r"\[\s*(?P<row>[^\[\],=]+?)\s*,\s*(?P<column>[^\[\],=]+?)\s*\]",
    r"_[({]?(?P<row>[\w'’-]+)\s*,\s*(?P<column>[\w'’-]+)[)}]?",
    r"_(?P<row>[0-9])(?P<column>[0-9])(?![0-9])",
)
_TERM = r"_\w++,\w++(?![\[(])|[^=≈\[\],.;:]|[,.](?=[0-9])|\[[^\[\]=≈]*\]"
_WORKING = rf"(?:(?:(?!(?<=[\w)\]])\s+[^\W\d_])(?:{_TERM})){{1,400}}+[=≈][\s&]*+){{0,8}}?"
"""What a number is calculated from; where a word stands behind a blank, another sentence or equation begins."""
_NUMBER = r"(?P<number>[-−–+]?[0-9]+(?:[.,][0-9]+)?)(?![0-9]|[.,][0-9]|\s*[-×·*/+−–^=≈√(\\%])"
"""Behind it no calculation goes on; the result stands at the end, its cell at the beginning."""
_CLAIMS = tuple(re.compile(rf"{_SYMBOL}{labels}[\s&]*[=≈][\s&]*+{_WORKING}{_NUMBER}") for labels in _LABELS)

_MATH = re.compile(r"\\[()]|\\\\")
"""Signs of LaTeX that part a formula from a text, and one line of it from the next."""
_CALCULATED = tuple("=≈+-−–×·*/^√(")


class Claim(NamedTuple):
    """One number of a text, and what it is said to be."""

    line: int
    symbol: str
    row: str
    column: str
    number: str

    @property
    def entry(self) -> ReadCell:
        """The number as that of a table."""
        return ReadCell(self.number, self.line, read_number(self.number))


def split_claims(text: str) -> tuple[str, str]:
    """A text up to the end of its last claim, and what stands behind that."""
    shown = _shown(text)
    end = max((match.end() for claim in _CLAIMS for match in claim.finditer(shown)), default=0)
    return (shown[:end], shown[end:].lstrip(" .,;:")) if end else ("", text)


def find_claims(text: Text) -> Iterator[Claim]:
    """The claims of a line, in their order; a cell that a calculation ends with is none."""
    shown = _shown(text.text)
    found = sorted((match for claim in _CLAIMS for match in claim.finditer(shown)), key=lambda match: match.start())
    for match in found:
        if not shown[: match.start()].rstrip().endswith(_CALCULATED):
            yield Claim(text.line, *match.group("symbol", "row", "column", "number"))


def _shown(text: str) -> str:
    """A text as it is read, indices as LaTeX has them."""
    return readable(_MATH.sub(" ; ", text))


def place_claim(claim: Claim, names: Names, context: Context, last: Value | None) -> Fit | str:
    """The cell that a claim is about, of several heads that of the heading; or why it is none.

    last: the step of the table above, which a number without further words is of
    """
    named = names.by_name(claim.symbol)
    if named is None:
        return f"no step is called {claim.symbol}"
    fits = [fit for value in named.values if (fit := _fit(claim, value)) is not None]
    if not fits:
        return f"{claim.symbol} has no cell {in_quotes(f'{claim.row}, {claim.column}')}"
    found, *others = [fit for fit in fits if fit.value is last] or context.in_these_parts(fits)
    if others:
        return f"it may be of {found.value.path} or of {others[0].value.path}"
    return found


def _fit(claim: Claim, value: Value) -> Fit | None:
    labels = claim.row, claim.column
    if counts_from_0(value) and all(label.isdigit() for label in labels):
        labels = str(int(claim.row) + 1), str(int(claim.column) + 1)
    row, column = place_of(labels[0], value.rows), place_of(labels[1], value.columns)
    if row is None or column is None:
        return None
    return Fit(value, ((row, column, claim.entry),), (row,), (column,), 2, False)
