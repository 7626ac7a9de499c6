"""How far a calculation by hand, each step rounded, has drifted from the exact one."""

from __future__ import annotations

import math

import numpy as np

from walkthrough.explaining.worked import cell_name
from walkthrough.numbers import typeset
from walkthrough.recording.values import Value
from walkthrough.text import printable


def drift(value: Value, exact: Value | None, decimals: int) -> str:
    """The largest difference from the exact value, where it stands, and words that come out otherwise.

    Empty for a given matrix, and where the exact calculation has no such step (it may have gone another way).
    """
    if exact is None or value.operation is None or exact.shape != value.shape:
        return ""
    words = _other_words(value, exact) if value.names is not None else []
    first = 1 if value.holds_ids else 0
    differences = np.abs(value.array - exact.array)[:, first:]
    differences = np.where(np.isfinite(differences), differences, 0.0)
    largest = float(differences.max()) if differences.size else 0.0
    if largest == 0 and not words:
        return "drift: none"
    row, column = np.unravel_index(int(differences.argmax()), differences.shape)
    right = float(exact.array[row, column + first])
    finer = 10.0 ** -(decimals + 2)
    size = typeset(f"{largest:.{decimals + 2}f}" if largest >= finer else f"{largest:.1e}")
    where = f"{cell_name(value, int(row), int(column) + first)} is exactly {typeset(f'{right:.{decimals + 2}f}')}"
    return "; ".join([f"drift: up to {size}, where {where}", *words])


def _other_words(value: Value, exact: Value) -> list[str]:
    """The rows whose word is another one when nothing is rounded."""
    names = value.names or {}
    changed = []
    for row, (one, other) in enumerate(zip(value.array[:, 0], exact.array[:, 0], strict=True)):
        if one != other and not math.isnan(other):
            label, word = printable(value.rows[row]), printable(names.get(int(other), str(int(other))))
            changed.append(f"without rounding {label} gives {word}")
    return changed
