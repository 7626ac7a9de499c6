"""The position-wise feed-forward network. Vaswani et al. 2017, §3.3, eq. 2."""

from __future__ import annotations

from walkthrough.operations.activation import ACTIVATIONS
from walkthrough.recording.axes import Axis
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema import FeedForward
from walkthrough.transformer.calculation import Calculation, Stream, some

HIDDEN = Kind("hidden", "H", "Hidden layer", "Each vector spread out over more features.")
ACTIVATION = Kind("activation", "G", "Activation", "The part of the hidden layer that passes.")
OUTPUT = Kind("output", "F", "Feed-forward output", "The features brought back to the width of the model.")
W_1, W_2 = (
    Kind(f"w_{x}", f"W_{x}", f"Weights W_{x}", "Learned: what the features are mixed into.", trained=True) for x in "12"
)
B_1, B_2 = (
    Kind(f"b_{x}", f"b_{x}", f"Bias b_{x}", "Learned: added to every row of the product.", trained=True) for x in "12"
)


def feed_forward(calculation: Calculation, recorder: Recorder, part: FeedForward, stream: Stream) -> Value | None:
    """Records activation(x·W_1 + b_1)·W_2 + b_2, n×d_model → n×d_ff → n×d_model."""
    if part.has("output"):
        return calculation.output(recorder, OUTPUT, part, stream)
    x, dimensions = some(stream.x), calculation.spec.dimensions
    d_ff, d_model = Axis("d_ff", dimensions.d_ff if dimensions else None), Axis("d_model")
    w_1 = some(calculation.weight(recorder, W_1, part.w_1, x.axes[1], d_ff, needed=(part, "w_1", "")))
    b_1 = calculation.vector(recorder, B_1, part.b_1, d_ff)
    hidden = calculation.project(recorder, HIDDEN, x, w_1, b_1)
    if part.activation == "none":
        activated = recorder.alias(ACTIVATION.name, hidden)
    else:
        activated = recorder.record(ACTIVATION, ACTIVATIONS[part.activation], hidden)
    activated = calculation.drop(recorder, "dropout", activated)
    calculation.settle(part.w_2, d_model, stream.width)
    w_2 = some(calculation.weight(recorder, W_2, part.w_2, d_ff, d_model, needed=(part, "w_2", "")))
    calculation.check_size(part, stream.n, d_ff)
    b_2 = calculation.vector(recorder, B_2, part.b_2, d_model)
    return calculation.project(recorder, OUTPUT, activated, w_2, b_2)
