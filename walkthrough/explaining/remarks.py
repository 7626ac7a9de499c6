"""What is remarked on numbers: that a calculation breaks down, how far by hand it has drifted, how they are stored."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from walkthrough.explaining.worked import cell_name
from walkthrough.languages.catalogue import ENGLISH, Catalogue
from walkthrough.notation import typeset
from walkthrough.number_formats import IntFormat
from walkthrough.operations.definition import Array
from walkthrough.recording.cells import CellAt
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


_DECIMALS = 10
"""Those of a number before it was rounded to a format."""
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
    columns = [column for column in range(value.shape[1]) if not value.is_id(column)]
    others = _beyond(value, exact, shown, columns, decimals, words)
    others += _other_words(value, exact, shown, words) if value.names is not None else []
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


def _beyond(
    value: Value, exact: Value, rows: Sequence[int], columns: Sequence[int], decimals: int, words: Catalogue
) -> list[str]:
    """Of each kind of number that is none, where the exact one is finite, the first cell."""
    found: dict[str, str] = {}
    is_lost = ~np.isfinite(value.array) & np.isfinite(exact.array)
    for row in rows:
        for column in np.flatnonzero(is_lost[row]).tolist():
            if column in columns:
                cell, right = cell_name(value, row, column), float(exact.array[row, column])
                number = str(float(value.array[row, column]))
                texts = {"found": number, "cell": cell, "right": words.number(_text(right, decimals + 2))}
                found.setdefault(number, words("drift_beyond", **texts))
    return list(found.values())


def stored(cell: CellAt, exact: Value | None, words: Catalogue = ENGLISH) -> str:
    """How the number format of a calculation holds a number, and what it was before; empty where there is none.

    `bfloat16: 0 01111110 1010010 = 0.8203125, from 0.8212890630`: sign, exponent, mantissa; `int8: 54 × 0.0152`.
    exact: the same step without rounding, which has given numbers as they were
    """
    value, form = cell.value, cell.value.format
    if form is None or value.is_id(cell.column):
        return ""
    before = _before_rounding(value, exact)
    if value.unknown and np.isnan(before[cell.row, cell.column]):
        return ""
    if isinstance(form, IntFormat):
        if not math.isfinite(cell.number):
            return f"{form.name}: {_all_digits(cell.number)}"
        scale = form.scale(value.quantities(before))
        multiple = typeset(str(round(cell.number / scale) if scale else 0))
        return f"{form.name}: {multiple} × {words.number(_ten_decimals(scale))}"
    number, was = _all_digits(cell.number), _ten_decimals(float(before[cell.row, cell.column]))
    bits = form.bits(cell.number)
    if not bits:  # −∞ of a hidden score
        return f"{form.name}: {number}"
    numbers = {"number": words.number(number), "before": words.number(was)}
    return f"{form.name}: {words('stored', bits=bits, **numbers)}"


def _before_rounding(value: Value, exact: Value | None) -> Array:
    """What the operation gives for a step; the numbers of a given matrix as they were."""
    if value.operation is None:
        return value.array if exact is None else exact.array
    with np.errstate(all="ignore"):
        return value.operation.forward(*(given.array for given in value.inputs), **value.settings)


def _all_digits(number: float) -> str:
    """The shortest decimal that is the number."""
    return typeset(str(number).removesuffix(".0"))


def _ten_decimals(number: float) -> str:
    """Ten decimals, or all digits where it has fewer; with a power of ten where they would show little of it."""
    text = str(number)
    if "e" in text or not math.isfinite(number) or len(text.partition(".")[2]) <= _DECIMALS:
        return _all_digits(float(f"{number:.{_DECIMALS}e}"))
    return typeset(f"{number:.{_DECIMALS}f}")


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
