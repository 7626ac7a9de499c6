"""Causes that stand in the numbers themselves: dropout that is on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from walkthrough.checking.closeness import beyond
from walkthrough.checking.tensors import ExternalTensor
from walkthrough.operations.definition import Array

_FEWEST = 4
"""Numbers that it takes to tell."""


def by_itself(tensor: ExternalTensor, right: Array) -> str:
    """What can be seen by comparing the numbers with the right ones; empty where that is nothing."""
    return _dropped(tensor, right)


def _dropped(tensor: ExternalTensor, right: Array) -> str:
    """Some numbers are 0, and all others as many times too large as makes up for that."""
    found = tensor.array
    if tensor.value.operation is None or not np.isfinite(found).all() or not np.isfinite(right).all():
        return ""
    counts = right != 0
    dropped, kept = counts & (found == 0), counts & (found != 0)
    if not dropped.any() or kept.sum() < _FEWEST:
        return ""
    factor = float(np.median(found[kept] / right[kept]))
    if (
        factor <= 1.0
        or beyond(replace(tensor, array=np.where(dropped, 0.0, found)), np.where(dropped, 0.0, right * factor)).any()
    ):
        return ""
    return f"dropout is on: some numbers are 0, the others {factor:.4g} times too large (p = {1 - 1 / factor:.2g})"
