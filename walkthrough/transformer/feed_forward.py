"""The position-wise feed-forward network. Vaswani et al. 2017, §3.3, eq. 2."""

from __future__ import annotations

from walkthrough.operations.activation import ACTIVATIONS
from walkthrough.recording.labels import Labels
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema import FeedForward
from walkthrough.transformer.build import Build

HIDDEN = Kind("hidden", "H", "Hidden layer", "Each vector spread out over more features.")
ACTIVATION = Kind("activation", "G", "Activation", "What of the hidden layer is let through.")
OUTPUT = Kind("output", "F", "Feed-forward output", "The features brought back to the width of the model.")
W_1, W_2 = (
    Kind(f"w_{x}", f"W_{x}", f"Weights W_{x}", "Learned: what the features are mixed into.", trained=True) for x in "12"
)
B_1, B_2 = (
    Kind(f"b_{x}", f"b_{x}", f"Bias b_{x}", "Learned: added to every row of the product.", trained=True) for x in "12"
)


def feed_forward(build: Build, recorder: Recorder, keys: FeedForward, x: Value, rows: Labels) -> Value:
    """Records activation(x·W_1 + b_1)·W_2 + b_2, n×d_model → n×d_ff → n×d_model."""
    given = build.given(recorder, OUTPUT, keys.output, rows=rows)
    if given is not None:
        return given
    w_1, b_1 = build.given(recorder, W_1, keys.w_1), build.given(recorder, B_1, keys.b_1)
    assert w_1 is not None
    hidden = build.project(recorder, HIDDEN, x, w_1, b_1)
    if keys.activation == "none":
        activated = recorder.alias(ACTIVATION.name, hidden)
    else:
        activated = recorder.record(ACTIVATION, ACTIVATIONS[keys.activation], hidden)
    activated = build.drop(recorder, "dropout", activated)
    w_2, b_2 = build.given(recorder, W_2, keys.w_2), build.given(recorder, B_2, keys.b_2)
    assert w_2 is not None
    return build.project(recorder, OUTPUT, activated, w_2, b_2)
