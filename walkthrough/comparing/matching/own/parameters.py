"""The matrices that a scenario takes from a file: what their tensors are called, and what is computed with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from walkthrough.comparing.matching.files import TensorsError
from walkthrough.comparing.matching.readings import Reading
from walkthrough.operations.definition import Array
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.scenario.tensors.weights import take_matrix

_HEAD = re.compile(r"\bhead\.\d+(?=\.|$)")
_GIVEN_AS_RETURNED = ("positional_encoding", "segment_embedding")
"""Given matrices that are themselves what a module of embeddings returns."""

_WRAPPERS = ("module.", "_orig_mod.")


class Parameter(NamedTuple):
    """A given matrix, its path within its pass, and what its tensor is called in the file, unwrapped.

    computed: the path of what a module with this parameter returns; empty where no module is known by it
    """

    tensor: str
    path: str
    value: Value
    computed: str

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
    readers = _readers(trace)
    found: dict[int, Parameter] = {}
    for path, value in trace.items():
        tensor = getattr(value.matrix, "tensor_name", None) if value.operation is None else None
        if tensor:
            computed = _computed(path, readers.get(id(value), ()))
            found.setdefault(id(value), Parameter(unwrap(tensor), path, value, computed))
    return list(found.values())


def shared_parameters(trace: Trace) -> list[Parameter]:
    """Those that are a matrix under a second path too, such as the table in which both stacks look up."""
    readers = _readers(trace)
    found: list[Parameter] = []
    for first in parameters_of(trace):
        paths = (path for path, value in trace.aliases.items() if value is first.value)
        others = ((path, _computed(path, readers.get(id(first.value), ()))) for path in paths)
        found += [Parameter(first.tensor, path, first.value, computed) for path, computed in others if computed]
    return found


def _readers(trace: Trace) -> dict[int, list[str]]:
    """The paths of the steps that read each value, by its identity."""
    found: dict[int, list[str]] = {}
    for path, value in trace.items():
        for given in value.inputs:
            found.setdefault(id(given), []).append(path)
    return found


def _computed(path: str, readers: Iterable[str]) -> str:
    """The step of a parameter's own part that reads it, of a norm the last one; `head.*` where all heads do."""
    part, _, name = path.rpartition(".")
    if name in _GIVEN_AS_RETURNED:
        return path
    for reader in readers:
        of_part = reader if reader.startswith(f"{part}.") else _HEAD.sub("", reader).replace("..", ".")
        if part and not of_part.startswith(f"{part}."):
            continue
        step = reader if _HEAD.search(path) else _HEAD.sub("head.*", reader)
        return f"{step.rpartition('.')[0]}.output" if name in ("gamma", "beta", "alpha") else step
    return ""


def read_parameter(array: Array, parameters: Sequence[Parameter]) -> Reading:
    """A whole tensor of theirs, cut and transposed as the scenario does it; TensorsError where it has another shape."""
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
