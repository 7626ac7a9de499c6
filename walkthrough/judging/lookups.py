"""What is known of numbers beside their margins: constants that were looked up, shares that can only be 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.expressions.bounds.forms import Forms
from walkthrough.expressions.tree.aliases import Flags
from walkthrough.expressions.tree.looked_up import has_looked_up
from walkthrough.operations.softmax import divide_rows, row_sum
from walkthrough.recording.rounding import Digits
from walkthrough.recording.values import Value


def looks_up(value: Value) -> bool:
    """Whether a step has constants that people look up: √d_k, sine and cosine of a rotation, a sigmoid."""
    return value.operation is not None and any(has_looked_up(piece.expression) for piece in value.fold())


def rounded_or_not(forms: Forms, digits: Digits) -> Forms:
    """What was looked up: rounded to these digits, or to more of them."""
    half = digits.unit(np.fmax(np.abs(forms.low), np.abs(forms.high))) / 2
    low, high = digits.round(forms.low), digits.round(forms.high)
    off = np.where(forms.low == forms.high, np.fmax(np.abs(low - forms.low), half / 10), half)
    low, high = np.minimum(low, forms.low - half / 10), np.maximum(high, forms.high + half / 10)
    return Forms(forms.centre, forms.coefficients, forms.rest + off, low, high)


def are_one(value: Value, parts: Sequence[Forms]) -> Flags | None:
    """Which shares can only be 1, however the number was rounded: it is divided by itself, all others are 0.

    parts: the forms of the inputs
    """
    if value.operation is not divide_rows or value.inputs[1].operation is not row_sum:
        return None
    if value.inputs[1].inputs != value.inputs[:1]:  # a sink is added
        return None
    is_some = (parts[0].low != 0) | (parts[0].high != 0)
    return np.asarray(is_some & (is_some.sum(axis=1, keepdims=True) == 1) & (parts[0].low > 0))
