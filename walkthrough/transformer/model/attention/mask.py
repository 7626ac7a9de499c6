"""Which keys a query may attend to: all, those before it, those that are no padding, those near it, or as given.

Causal: Vaswani et al. 2017, §3.2.3. Windows: Beltagy et al. 2020.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.operations.definition import Array
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema.keys import Attention
from walkthrough.scenario.schema.values import Mask
from walkthrough.scenario.yaml.nodes import quote
from walkthrough.scenario.yaml.problems import WeightsError
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import Stream

MASK = Kind("mask", "M", "Mask", fixed=True)


def mask_of(attention: Attention, causal: bool) -> Mask:
    """What an attention hides; `causal`: what is hidden where the file says nothing of a mask."""
    mask = attention.mask or Mask(causal=causal)
    return mask if attention.window is None else mask.replace(window=attention.window)


def record_mask(s: Scope, mask: Mask, queries: Stream, keys: Stream) -> Value | None:
    """The mask as a matrix of 0 (hidden) and 1, n×m; None where nothing is masked."""
    if not (mask.causal or mask.padding or mask.matrix or mask.window):
        return None

    def make() -> Array:
        return visible(mask, None if mask.matrix is None else s.calculation.array(mask.matrix), queries, keys)

    value = s.made(MASK, make, queries.n, keys.n, matrix=mask.matrix, fresh=queries.first > 0)
    s.check(check_mask, mask, queries, keys)
    return value


def visible(mask: Mask, given: Array | None, queries: Stream, keys: Stream) -> Array:
    """1 where a query may attend to a key, n×m: by the order of the tokens, by their positions, by padding."""
    found = np.ones((len(queries.places), len(keys.places))) if given is None else given
    if mask.causal:
        found = np.where(_differences(queries.places, keys.places) >= 0, found, 0.0)
    if mask.window is not None:
        found = np.where(np.abs(_differences(queries.positions, keys.positions)) < mask.window, found, 0.0)
    return np.where(np.array(keys.padding), 0.0, found) if mask.padding else found


def _differences(queries: Sequence[int], keys: Sequence[int]) -> Array:
    return np.asarray(np.array(queries)[:, None] - np.array(keys))


def check_mask(s: Scope, mask: Mask, queries: Stream, keys: Stream) -> None:
    """A mask of 0 and 1 that leaves every row something to attend to."""
    attention: Attention = s.section
    if mask.padding and not keys.names:
        s.problems.fault(attention, "mask", "mask: padding needs tokens, to know which are padding")
        return
    n, m = queries.n.size, keys.n.size
    if n is None or m is None:
        return
    given = None
    if mask.matrix is not None:
        given = _numbers(s, mask)
        if given is None or (mask.matrix.rows, mask.matrix.columns) != (n, m):
            return
    if given is None and not mask.padding and (mask.window is None or n <= m):
        return  # a causal mask leaves each row its first column, a window its own
    is_open = visible(mask, None if given is None else np.array(given), queries, keys).any(axis=1)
    names = queries.labels or ()
    for row in np.flatnonzero(~is_open).tolist():
        token = f" from {quote(names[row])}" if row < len(names) else ""
        message = f"the mask hides every column{token} (row {row + 1}): it has nothing to attend to"
        s.problems.fault(attention, "mask", message)


def _numbers(s: Scope, mask: Mask) -> list[list[float]] | None:
    """The numbers of a mask, 0 and 1 only; None where they cannot be had."""
    matrix = mask.matrix
    assert matrix is not None
    if matrix.numbers is not None:
        return matrix.numbers
    if matrix.rows is None or (matrix.init is None and matrix.tensor is None) or s.claims.is_exhausted:
        return None
    try:
        numbers: list[list[float]] = s.calculation.array(matrix).tolist()
    except WeightsError as error:
        s.problems.add(matrix, str(error), help=error.help)
        return None
    if all(number in (0, 1) for row in numbers for number in row):
        return numbers
    s.problems.add(matrix, "expected a mask of 0 (hidden) and 1 (visible), found other numbers")
    return None
