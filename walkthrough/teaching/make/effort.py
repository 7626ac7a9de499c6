"""How much work a sheet is: the products that people write down."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from walkthrough.expressions.tree.aliases import Array, Places
from walkthrough.recording.values import Value


def effort(values: Iterable[Value]) -> int:
    """How many products of two factors other than 0 the matrix products among some steps take."""
    return sum(_products(value) for value in values)


def _products(value: Value) -> int:
    """Σ over k of the numbers other than 0 in column k of the first factor times those in row k of the second."""
    if value.operation is None or len(value.inputs) < 2:
        return 0
    first, second = (given.array for given in value.inputs[:2])
    return sum(int(_filled(first, one) @ _filled(second, other)) for one, other in value.operation.summed)


def _filled(array: Array, axis: int) -> Places:
    """The numbers other than 0 at each place of an axis."""
    return np.asarray(np.count_nonzero(array, axis=1 - axis))
