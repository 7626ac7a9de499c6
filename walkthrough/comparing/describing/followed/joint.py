"""An attention that is one call, as that of nn.MultiheadAttention: nothing but its inputs and its output is seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from walkthrough.comparing.capture import as_array
from walkthrough.comparing.describing.followed.calls import Call
from walkthrough.comparing.describing.followed.known import as_rows
from walkthrough.comparing.describing.guesses.closeness import Target
from walkthrough.comparing.describing.guesses.linears import Linear
from walkthrough.operations.definition import Array
from walkthrough.records import Record


class Joint(Record, eq=False):
    """Queries, keys and values out of one matrix, (3·d)×d, and the matrix of the output, d×d; with their biases.

    products: what the first makes of the queries' input and of that of the keys, n×(3·d) each; one where they are one
    """

    into: Linear
    out: Linear
    products: tuple[Array, ...]
    weight: Array
    bias: Array


class Projected(Target):
    """What the output matrix made of the numbers that are sought."""

    def __init__(self, array: Any, joint: Joint) -> None:
        super().__init__(array)
        self._joint = joint

    def off(self, found: Array, scale: Array | float = 0.0) -> float:
        """How far the output is off that comes of other numbers."""
        made = found @ self._joint.weight.T + self._joint.bias
        return super().off(made, np.maximum(scale, np.abs(found) @ np.abs(self._joint.weight.T)).max(axis=1)[:, None])


def find_joint(call: Call, parameters: Mapping[str, Any]) -> Joint | None:
    """The matrices of such a module, known by their shapes; None where it has others.

    parameters: its own and those of the modules in it, of which none was called
    """
    rows = [as_rows(one.array) for one in call.inputs[:2]]
    if not rows or any(one is None for one in rows) or as_rows(call.outputs[0].array) is None:
        return None
    width = rows[0].shape[1]
    by_shape = {tuple(one.shape): name for name, one in parameters.items()}
    shapes = {(3 * width, width), (width, width)}
    if not shapes <= by_shape.keys() <= shapes | {(3 * width,), (width,)} or len(by_shape) < len(parameters):
        return None
    arrays = {name: np.asarray(as_array(one), np.float64) for name, one in parameters.items()}
    into = Linear(by_shape[3 * width, width], by_shape.get((3 * width,), ""))
    out = Linear(by_shape[width, width], by_shape.get((width,), ""))
    zeros = np.zeros(1)
    read = rows[:1] if len(rows) == 1 or np.array_equal(rows[0], rows[1]) else rows
    products = tuple(one @ arrays[into.weight].T + arrays.get(into.bias, zeros) for one in read)
    return Joint(into, out, products, arrays[out.weight], arrays.get(out.bias, zeros))
