"""Mistakes in activations and gates: another function, one too many, one in another place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from walkthrough.mistakes.mistake import Instead, Maker, Variant, as_is, change, mistake
from walkthrough.operations.activation import ACTIVATIONS
from walkthrough.operations.definition import Operation
from walkthrough.operations.matrix import add, multiply
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_SLOPE = 1.702
"""Of the steep SiLU that stands for a GELU: Hendrycks and Gimpel 2016, §2, their other approximation."""


def _activation(value: Value, trace: Trace) -> Iterator[Variant]:
    for name, other in ACTIVATIONS.items():
        if other is not value.operation:
            yield mistake("activation.name", name=name), Instead(other, value.inputs)
    yield mistake("activation.quick_gelu"), Instead(ACTIVATIONS["silu"], value.inputs, {"alpha": _SLOPE})
    relu = Instead(ACTIVATIONS["relu"], value.inputs)
    yield mistake("activation.squared_relu"), Instead(multiply, (relu, relu))
    yield mistake("activation.twice"), Instead(value.operation, (change(value),), value.settings)


def _gating(value: Value, trace: Trace) -> Iterator[Variant]:
    opened, hidden = value.inputs
    if opened.operation is None or opened.operation.name not in ACTIVATIONS:
        return
    gate = opened.inputs[0]
    other = Instead(opened.operation, (hidden,), opened.settings)
    yield mistake("exchanged.gate", one="gate", other="hidden"), Instead(multiply, (other, gate))
    product = Instead(multiply, (gate, hidden))
    yield mistake("activation.none"), product
    yield mistake("activation.late"), Instead(opened.operation, (product,), opened.settings)
    yield mistake("added.gate"), Instead(add, (opened, hidden))
    yield mistake("left_out.up", one="hidden"), as_is(opened)
    for without in (as_is(hidden), other):
        yield mistake("left_out.gate", one="gate"), without


MISTAKES: Mapping[Operation, Maker] = {**dict.fromkeys(ACTIVATIONS.values(), _activation), multiply: _gating}
