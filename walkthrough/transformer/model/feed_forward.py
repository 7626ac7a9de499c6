"""The position-wise feed-forward network. Vaswani et al. 2017, §3.3, eq. 2; gated: Shazeer 2020, eq. 6."""

from __future__ import annotations

from walkthrough.operations.activation import ACTIVATIONS
from walkthrough.operations.matrix import multiply
from walkthrough.recording.axes import Axis
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema.keys import FeedForward
from walkthrough.transformer.calculation import Calculation, Stream, some

HIDDEN = Kind("hidden", "H", "Hidden layer", "Each vector expanded to d_ff features.")
ACTIVATION = Kind("activation", "G", "Activation", "The part of the hidden layer that passes.")
GATE = Kind("gate", "G_0", "Gate", "For each vector, how much of each of its d_ff features may pass.")
OPENED = Kind("activation", "G", "Gate activation", "What each feature of the hidden layer is multiplied by.")
GATED = Kind("gated", "H_G", "Gated hidden layer", "The hidden layer, multiplied by the gate.")
OUTPUT = Kind("output", "F", "Feed-forward output", "The features projected back to d_model.")
W_1, W_2 = (
    Kind(f"w_{x}", f"W_{x}", f"Weights W_{x}", "Learned: how the features are combined.", trained=True) for x in "12"
)
B_1, B_2 = (
    Kind(f"b_{x}", f"b_{x}", f"Bias b_{x}", "Learned: added to every row of the product.", trained=True) for x in "12"
)


W_GATE = Kind("w_gate", "W_G", "Weights W_G", "Learned: how the gate is computed from the input.", trained=True)
B_GATE = Kind("b_gate", "b_G", "Bias b_G", "Learned: added to every row of the product.", trained=True)


def feed_forward(calculation: Calculation, recorder: Recorder, part: FeedForward, stream: Stream) -> Value | None:
    """Records activation(x·W_1 + b_1)·W_2 + b_2, n×d_model → n×d_ff → n×d_model.

    Gated, it is (activation(x·W_gate + b_gate) ⊙ (x·W_1 + b_1))·W_2 + b_2.
    """
    if part.has("output"):
        return calculation.output(recorder, OUTPUT, part, stream)
    x, dimensions = some(stream.x), calculation.spec.dimensions
    d_ff, d_model = Axis("d_ff", dimensions.d_ff if dimensions else None), Axis("d_model")
    opened = None
    if part.has("w_gate"):
        gate = _projected(calculation, recorder, part, x, (W_GATE, B_GATE, GATE), d_ff)
        opened = _activated(recorder, OPENED, part, gate)
    hidden = _projected(calculation, recorder, part, x, (W_1, B_1, HIDDEN), d_ff)
    if opened is None:
        activated = _activated(recorder, ACTIVATION, part, hidden)
    else:
        activated = recorder.record(GATED, multiply, (opened, hidden))
    activated = calculation.drop(recorder, "dropout", activated)
    calculation.settle(part.w_2, d_model, stream.width)
    w_2 = some(calculation.weight(recorder, W_2, part.w_2, d_ff, d_model, needed=(part, "w_2", "")))
    calculation.check_size(part, stream.n, d_ff)
    b_2 = calculation.vector(recorder, B_2, part.b_2, d_model)
    return calculation.project(recorder, OUTPUT, activated, w_2, b_2)


def _projected(
    calculation: Calculation,
    recorder: Recorder,
    part: FeedForward,
    x: Value,
    kinds: tuple[Kind, Kind, Kind],
    d_ff: Axis,
) -> Value:
    """x·W + b, of the hidden layer or of its gate: n×d_model → n×d_ff."""
    weight_kind, bias_kind, kind = kinds
    matrix, needed = getattr(part, weight_kind.name), (part, weight_kind.name, "")
    weight = some(calculation.weight(recorder, weight_kind, matrix, x.axes[1], d_ff, needed=needed))
    bias = calculation.vector(recorder, bias_kind, getattr(part, bias_kind.name), d_ff)
    return calculation.project(recorder, kind, x, weight, bias)


def _activated(recorder: Recorder, kind: Kind, part: FeedForward, x: Value) -> Value:
    if part.activation == "none":
        return recorder.alias(kind.name, x)
    return recorder.record(kind, ACTIVATIONS[part.activation], (x,))
