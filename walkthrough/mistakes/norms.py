"""Mistakes in norms: left out, in another place, over the wrong axis, one kind for the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from walkthrough.mistakes.mistake import Instead, Variant, as_is, changed, turned
from walkthrough.operations.definition import Operation
from walkthrough.operations.matrix import add
from walkthrough.operations.normalization import (
    layer_norm,
    row_mean,
    standard_deviation,
    subtract_rows,
    variance_of_centered,
)
from walkthrough.operations.root_mean_square import rms_norm
from walkthrough.operations.rotation import rotate
from walkthrough.operations.softmax import divide_rows
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

Norm = tuple[Operation, tuple[Value, ...], Mapping[str, Any]]


def norm_of(value: Value) -> Norm | None:
    """The norm that a value is the result of: operation, what is normed with its parameters, settings."""
    return value.composite if value.composite is not None and value.composite[0] in (layer_norm, rms_norm) else None


def variants(value: Value, trace: Trace) -> Iterator[Variant]:
    """The usual mistakes in a step of a norm, the likelier first."""
    if value.operation is subtract_rows:
        yield "the mean is not subtracted: it is an RMS norm", as_is(value.inputs[0])
    norm = norm_of(value)
    if norm is None:
        return
    operation, (x, *given), settings = norm
    yield "the norm is missing", as_is(x)
    if x.operation is add and len(x.inputs) > 1:
        yield from _before_residual(norm)
    if operation is layer_norm:
        yield "normalized over the columns instead of the rows", _over_columns(value, x, settings)
    rotated = trace.get(value.path.replace("_norm.output", "_rotated"))
    if rotated is not None and rotated is not value and rotated.operation is rotate:
        turned_before = Instead(rotate, (x, rotated.inputs[1]), rotated.settings)
        yield "the norm comes after the rotation", Instead(operation, (turned_before, *given), settings)


def _before_residual(norm: Norm) -> Iterator[Variant]:
    """Only what is added to the residual is normed."""
    operation, (x, *given), settings = norm
    for at, one in enumerate(x.inputs):
        others = (*x.inputs[:at], *x.inputs[at + 1 :])
        yield (
            "the residual is added after the norm",
            Instead(add, (*others, Instead(operation, (one, *given), settings))),
        )


def _over_columns(value: Value, x: Value, settings: Mapping[str, Any]) -> Instead:
    """The norm of each feature over the positions, then gamma and beta as they are."""
    on_side = turned(x)
    centered = Instead(subtract_rows, (on_side, Instead(row_mean, (on_side,))))
    variance = Instead(variance_of_centered, (centered,), {"sample": settings["sample"]})
    kept = {name: settings[name] for name in ("epsilon", "on_std")}
    normalized = turned(Instead(divide_rows, (centered, Instead(standard_deviation, (variance,), kept))))
    return normalized if value.operation is divide_rows else changed(value, normalized, *value.inputs[1:])


def late_norms(value: Value, trace: Trace) -> Iterator[tuple[Norm, Value]]:
    """A norm that begins a part of a layer, with the residual after the part, where what is normed is added again."""
    norm = norm_of(value)
    if norm is None:
        return
    layer = value.path.rpartition(".")[0].rpartition(".")[0]
    for other in trace:
        if other.operation is add and other.path.startswith(f"{layer}.") and norm[1][0] in other.inputs:
            yield norm, other
