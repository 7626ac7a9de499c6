"""An engineer's own intermediates beside a trace: their names and layouts brought to those of its steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from walkthrough.checking.tensor_files import TensorsError, Unread, read_names, read_tensors
from walkthrough.operations.definition import Array
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import did_you_mean, printable

__all__ = ["ExternalTensor", "TensorsError", "matched", "read_names", "read_tensors"]


@dataclass(frozen=True, slots=True)
class ExternalTensor:
    """One of their matrices beside ours: its name, its numbers in our layout, or in theirs where it fits in none.

    epsilon, smallest: of its float type
    turned:            it is ours transposed
    """

    value: Value
    name: str
    array: Array
    epsilon: float
    smallest: float
    turned: bool = False

    @property
    def fits(self) -> bool:
        """Whether it has the shape of our step."""
        return self.array.shape == self.value.shape


def matched(tensors: dict[str, Any], names: dict[str, str], trace: Trace) -> tuple[list[ExternalTensor], list[str]]:
    """Their matrices that are steps of the trace, and what is to be said of the others."""
    if unknown := [name for name in names if name not in tensors]:
        help = did_you_mean(unknown[0], tensors)
        raise TensorsError(f"the file has no tensor '{printable(unknown[0])}'" + (f"; {help}" if help else ""))
    found: list[ExternalTensor] = []
    unused: list[str] = []
    for name, tensor in tensors.items():
        try:
            array = _array(tensor)
            found += list(_pieces(name, array, _values(names.get(name, name), array, trace)))
        except (SelectorError, TensorsError) as error:
            if name in names:
                raise
            unused.append(f"{printable(name)}: {error}")
    return found, unused


def _array(tensor: Any) -> Any:
    if isinstance(tensor, Unread):
        raise TensorsError(tensor.reason)
    return np.asarray(tensor)


def _values(path: str, array: Any, trace: Trace) -> list[Value]:
    """The step of a path or selector; of heads stacked in one tensor the steps of all heads."""
    if path in trace:
        return [trace[path]]
    values = trace.select(path)
    if len(values) > 1:
        values = [value for value in values if value.path.endswith(f".{path.rpartition('.')[2]}")] or values
    heads = {_without_head(value.path) for value in values}
    squeezed = _squeezed(array, 3)
    if len(values) > 1 and len(heads) == 1 and squeezed.ndim == 3 and squeezed.shape[0] == len(values):
        return values
    return [trace.only(path)]


def _without_head(path: str) -> str:
    words = path.split(".")
    return ".".join(word for at, word in enumerate(words) if at == 0 or words[at - 1] != "head")


def _squeezed(array: Any, dimensions: int) -> Any:
    """Without leading axes of one (a batch of one)."""
    while array.ndim > dimensions and array.shape[0] == 1:
        array = array[0]
    return array


def _pieces(name: str, array: Any, values: list[Value]) -> Iterator[ExternalTensor]:
    precision = _precision(array.dtype)
    parts = list(_squeezed(array, 3)) if len(values) > 1 else [array]
    for value, part in zip(values, parts, strict=True):
        laid_out, turned = _laid_out(np.asarray(part).astype(np.float64), value)
        yield ExternalTensor(value, name, laid_out, *precision, turned)


_HELD = {"O": "Python objects", "U": "text", "S": "text", "c": "complex numbers"}


def _precision(dtype: Any) -> tuple[float, float]:
    """The distance from 1 to the next number of a float type, and its smallest number; of whole numbers, float64's.

    Raises TensorsError for what holds no real numbers.
    """
    limits: Any
    if dtype.isbuiltin == 2:  # bfloat16 and its like, which numpy has learned
        import ml_dtypes

        limits = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    elif dtype.kind not in "biuf":
        raise TensorsError(f"it holds {_HELD.get(dtype.kind, 'no plain numbers')}, expected real numbers")
    else:
        limits = np.finfo(dtype if dtype.kind == "f" else np.float64)
    return float(limits.eps), float(limits.smallest_subnormal)


def _laid_out(array: Array, value: Value) -> tuple[Array, bool]:
    """The matrix in our layout, and whether it was transposed; as it is where its shape fits in no layout.

    A batch of one is unpacked, a vector is a row or a column.
    """
    array = _squeezed(array, 2)
    if array.ndim < 2:
        array = array.reshape(1, -1)
    turned = array.shape != value.shape or _weight_turned(array, value)
    if turned and array.shape[::-1] == value.shape:
        return array.T, 1 not in array.shape
    return array, False


def _weight_turned(array: Array, value: Value) -> bool:
    """Whether it is a square weight that is much nearer to ours the other way round: some keep weights as out×in."""
    is_weight = value.operation is None and value.kind.trained and value.shape[0] == value.shape[1]
    return is_weight and _off(array.T, value) < 1e-3 * _off(array, value)


def _off(array: Array, value: Value) -> float:
    """By how much finite numbers are off at most."""
    both = np.isfinite(value.array) & np.isfinite(array)
    return float(np.abs(array[both] - value.array[both]).max(initial=0.0))
