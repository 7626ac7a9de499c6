"""The numbers of one value as affine forms over the noise symbols of a calculation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from walkthrough.expressions.bounds.affine import Forms
from walkthrough.expressions.bounds.intervals import Interval
from walkthrough.expressions.tree.aliases import Array, Flags, Places

_MOST = 1000
"""Symbols of one value; of more, the smallest are put together, one for each cell."""
_TINY = 1e-10
"""A rest this small needs no symbol to be remembered by."""


@dataclass(slots=True, eq=False)
class Known:
    """What is known of the cells of a value, row by row.

    ids, forms: their forms, and the symbols that these are over
    exact:      which of them are the trace's own numbers
    own, half:  the symbol of each cell's own rounding, and how far that may go; −1: none
    held:       the numbers that were printed, nan elsewhere; None where none was
    """

    ids: Places
    forms: Forms
    exact: Flags
    own: Places | None = None
    half: Array | None = None
    held: Array | None = None

    def interval(self, at: int) -> Interval:
        """The interval of one cell."""
        return float(self.forms.low[at]), float(self.forms.high[at])


class Symbols:
    """All symbols of the calculations, each with the share of it that the author chose freely by rounding.

    The rest of it stands for what is bent, of which it is not known that every value is taken.
    """

    def __init__(self) -> None:
        self._free = np.zeros(1024)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def free(self, ids: Places) -> Array:
        """The free shares of symbols."""
        shares: Array = self._free[ids]
        return shares

    def new(self, free: Array) -> Places:
        """So many more symbols."""
        while self._count + len(free) > len(self._free):
            self._free = np.concatenate([self._free, np.zeros(len(self._free))])
        ids = np.arange(self._count, self._count + len(free))
        self._free[ids] = free
        self._count += len(free)
        return ids

    def varied(self, known: Known, half: Array) -> Known:
        """The numbers, each off by up to half a unit more: a symbol of its own, which takes up its rest too."""
        forms, ids = known.forms, known.ids
        coefficients, rest = forms.coefficients, forms.rest
        if coefficients is not None and len(ids) > _MOST:
            coefficients, ids, boxed = _condensed(coefficients, ids)
            rest = rest + boxed
        low, high = forms.low - half, forms.high + half
        own = np.isfinite(rest) & ((half > 0) | (rest > _TINY * (1 + np.abs(forms.centre))))
        size = np.where(own, half + rest, 0.0)
        rest = np.where(own, 0.0, rest)
        symbols = np.full(len(size), -1)
        if own.any():
            new = np.zeros((len(size), int(own.sum())))
            new[own, np.arange(new.shape[1])] = size[own]
            coefficients = new if coefficients is None else np.hstack([coefficients, new])
            symbols[own] = self.new((half / np.where(own, size, 1.0))[own])
            ids = np.concatenate([ids, symbols[own]])
        forms = Forms(forms.centre, coefficients, rest, low, high)
        return Known(ids, forms, known.exact & (half == 0), symbols, half, known.held)


def _condensed(coefficients: Array, ids: Places) -> tuple[Array, Places, Array]:
    """The coefficients of the most important half of the symbols, and what the others come to in each cell."""
    order = np.argsort(np.abs(coefficients).sum(axis=0))
    few, many = order[: -_MOST // 2], np.sort(order[-_MOST // 2 :])
    return coefficients[:, many], ids[many], np.abs(coefficients[:, few]).sum(axis=1)


def unlinked(forms: Forms, exact: Flags) -> Known:
    """Cells that share nothing with others."""
    return Known(np.zeros(0, dtype=np.intp), forms, exact)


def joined(parts: Sequence[Known]) -> Known:
    """The cells of several values one after the other, over the symbols of all of them."""
    ids = [part.ids for part in parts if part.forms.coefficients is not None]
    together = np.unique(np.concatenate(ids)) if ids else np.zeros(0, dtype=np.intp)
    size = sum(len(part.forms) for part in parts)
    coefficients = np.zeros((size, len(together))) if len(together) else None
    start = 0
    for part in parts:
        stop = start + len(part.forms)
        if coefficients is not None and part.forms.coefficients is not None:
            coefficients[start:stop, np.searchsorted(together, part.ids)] = part.forms.coefficients
        start = stop
    columns = [
        np.concatenate([getattr(part.forms, name) for part in parts]) for name in ("centre", "rest", "low", "high")
    ]
    forms = Forms(columns[0], coefficients, columns[1], columns[2], columns[3])
    return Known(together, forms, np.concatenate([part.exact for part in parts]))


def gathered(places: Sequence[Places], parts: Sequence[Forms], ids: Places, exact: Flags) -> Known:
    """One value's cells out of those of its batches."""
    size = len(exact)
    columns = [np.zeros(size) for _ in range(4)]
    some = any(part.coefficients is not None for part in parts)
    coefficients = np.zeros((size, len(ids))) if some else None
    for at, part in zip(places, parts, strict=True):
        for column, one in zip(columns, (part.centre, part.rest, part.low, part.high), strict=True):
            column[at] = one
        if coefficients is not None and part.coefficients is not None:
            coefficients[at] = part.coefficients
    used = np.zeros(len(ids), dtype=bool) if coefficients is None else coefficients.any(axis=0)
    ids, coefficients = ids[used], None if coefficients is None or not used.any() else coefficients[:, used]
    return Known(ids, Forms(columns[0], coefficients, columns[1], columns[2], columns[3]), exact)
