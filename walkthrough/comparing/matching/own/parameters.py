"""The matrices that a scenario takes from a file: what their tensors are called, and what is computed with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from walkthrough.comparing.matching.files import TensorsError
from walkthrough.comparing.matching.readings import Reading
from walkthrough.operations.definition import Array
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.scenario.tensors.weights import take_matrix

_PRODUCTS = {"w_q": "query", "w_k": "key", "w_v": "value", "w_o": "output"}
_PRODUCTS |= {"w_gate": "gate", "w_1": "hidden", "w_2": "output"}
_COMPUTED = {
    **_PRODUCTS,
    **{f"b{weight[1:]}": computed for weight, computed in _PRODUCTS.items()},
    "embeddings": "token_embedding",
    "position_table": "positional_encoding",
    "positional_encoding": "positional_encoding",
    "segment": "segment_embedding",
    "segment_embedding": "segment_embedding",
}
"""The last word of a parameter's path, and that of what a module computes with it."""
_JOINT = ("query_norm", "key_norm")
"""Norms whose parameters all heads have in common."""

_WRAPPERS = ("module.", "_orig_mod.")


class Parameter(NamedTuple):
    """A given matrix, its path within its pass, and what its tensor is called in the file, unwrapped."""

    tensor: str
    path: str
    value: Value

    @property
    def computed(self) -> str:
        """The path of what a module with this parameter returns; empty where no module is known by it."""
        before, _, name = self.path.rpartition(".")
        within = f"{before}." if before else ""
        if name in _COMPUTED:
            return within + _COMPUTED[name]
        part = before.rpartition(".")[2]
        if name in ("w", "b") and part in ("router", "output_head"):
            return f"{within}logits"
        if name in ("gamma", "beta", "alpha"):
            each = f"{before.removesuffix(part)}head.*.{part}" if part in _JOINT and ".head." not in before else before
            return f"{each}.output"
        return ""

    @property
    def cut(self) -> tuple[Any, ...]:
        """Which part of its tensor it is: what sorts the parts as they lie there."""
        tensor = self.value.matrix.tensor
        return tuple(tuple(map(tuple, ranges or ())) for ranges in (tensor.rows, tensor.columns))


def unwrap(name: str) -> str:
    """The name without what a compiled model, or one that runs in parallel, puts before it."""
    for wrapper in _WRAPPERS:
        name = name.removeprefix(wrapper)
    return name


def parameters_of(trace: Trace) -> list[Parameter]:
    """Those of the first pass, each once, whatever else it is called."""
    found: dict[int, Parameter] = {}
    for path, value in trace.items():
        tensor = getattr(value.matrix, "tensor_name", None) if value.operation is None else None
        if tensor:
            found.setdefault(id(value), Parameter(unwrap(tensor), path, value))
    return list(found.values())


def shared_parameters(trace: Trace) -> list[Parameter]:
    """Those that are a matrix under a second path too, such as the table in which both stacks look up."""
    found: list[Parameter] = []
    for first in parameters_of(trace):
        others = (Parameter(first.tensor, path, value) for path, value in trace.aliases.items() if value is first.value)
        found += [one for one in others if one.computed in trace and first.value in trace[one.computed].inputs]
    return found


def read_parameter(array: Array, parameters: Sequence[Parameter]) -> Reading:
    """A whole tensor of theirs, cut and turned as the scenario does it; TensorsError where it has another shape."""
    pieces = []
    for one in parameters:
        (row, column), (rows, columns) = one.value.corner, one.value.shape
        try:
            whole = np.atleast_2d(take_matrix(one.value.matrix, array))
        except IndexError:
            whole = np.zeros((0, 0))
        part = whole[row : row + rows, column : column + columns]
        if part.shape != one.value.shape:
            raise TensorsError(f"the scenario does not find the {rows}×{columns} of {one.path} in it")
        pieces.append((one.value, part))
    return Reading(tuple(pieces))
