"""What is remarked on the numbers of a step: that the calculation breaks down here, how far by hand it has drifted."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from walkthrough.explaining.worked import cell_name
from walkthrough.languages.catalogue import ENGLISH, Catalogue
from walkthrough.notation import typeset
from walkthrough.recording.values import Value
from walkthrough.text import escape_label


def breakdown(value: Value, words: Catalogue = ENGLISH) -> str:
    """What is wrong with a step that is not finite, though what it is computed from is; empty for all others.

    −∞ is a masked score, and an unknown number is known to be unknown: both are fine.
    """
    if (
        value.operation is None
        or value.unknown
        or not value.is_broken
        or any(given.is_broken for given in value.inputs)
    ):
        return ""
    return words("breakdown")


_NOISE = 1e-12
"""A drift of at most this, relative to 1 or the number, is what float64 leaves: it differs between machines."""


def drift(
    value: Value, exact: Value | None, decimals: int, rows: Sequence[int] | None = None, words: Catalogue = ENGLISH
) -> str:
    """The largest difference from the exact value among some rows, its cell, and words that differ.

    Empty for a given matrix, and where the exact calculation has no such step (it may have gone another way).
    """
    if exact is None or value.operation is None or exact.shape != value.shape:
        return ""
    shown = list(range(value.shape[0]) if rows is None else rows)
    others = _other_words(value, exact, shown, words) if value.names is not None else []
    columns = [column for column in range(value.shape[1]) if not value.is_id(column)]
    with np.errstate(invalid="ignore"):  # −∞ less −∞
        differences = np.abs(value.array - exact.array)[shown][:, columns]
    scale = np.maximum(1.0, np.abs(exact.array[shown][:, columns]))
    differences = np.where(np.isfinite(differences) & (differences > _NOISE * scale), differences, 0.0)
    largest = float(differences.max()) if differences.size else 0.0
    if largest == 0:
        return words("drift", said="; ".join(others) or words("drift_none"))
    at, place = np.unravel_index(int((differences >= largest - _NOISE).argmax()), differences.shape)
    row, column = shown[int(at)], columns[int(place)]
    sizes = {"most": largest, "found": float(value.array[row, column]), "right": float(exact.array[row, column])}
    texts = {name: words.number(_text(size, decimals + 2)) for name, size in sizes.items()}
    most = words("drift_most", cell=cell_name(value, row, column), **texts)
    return words("drift", said="; ".join([most, *others]))


def _text(number: float, decimals: int) -> str:
    """A number with two decimals more than are shown, or with a power of ten where that shows nothing of it."""
    return typeset(f"{number:.{decimals}f}" if abs(number) >= 10.0**-decimals or number == 0 else f"{number:.1e}")


def _other_words(value: Value, exact: Value, rows: Sequence[int], words: Catalogue) -> list[str]:
    """The rows whose word is another one when nothing is rounded."""
    names = value.names or {}
    changed = []
    for row in rows:
        one, other = float(value.array[row, 0]), float(exact.array[row, 0])
        if one != other and not math.isnan(other):
            label, word = escape_label(value.rows[row]), escape_label(names.get(int(other), str(int(other))))
            changed.append(words("drift_word", label=label, word=word))
    return changed
