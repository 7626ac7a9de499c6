"""Numbers and words of a matrix as they are set: with − and ∞."""

from __future__ import annotations

from walkthrough.explaining.shown import Shown
from walkthrough.languages.catalogue import Catalogue, catalogue
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import escape_label


def cell_text(shown: Shown, row: int, column: int, words: Catalogue) -> str:
    """A number with − and ∞; a word as it is printed."""
    text = shown.text(row, column)
    if shown.value.is_word(column):
        return escape_label(text)
    return words.number(text.replace("-", "−").replace("inf", "∞"))


def cell_texts(trace: Trace, value: Value, decimals: int | None) -> list[list[str]]:
    """All of them, row by row; `decimals` as in `Options`."""
    shown, words = Shown.of(value, trace, decimals), catalogue(trace.language)
    rows, columns = value.shape
    return [[cell_text(shown, i, j, words) for j in range(columns)] for i in range(rows)]
