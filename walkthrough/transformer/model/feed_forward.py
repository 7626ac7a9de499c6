"""The position-wise feed-forward network. Vaswani et al. 2017, §3.3, eq. 2; gated: Shazeer 2020, eq. 6."""

from __future__ import annotations

from walkthrough.operations.activation import ACTIVATIONS
from walkthrough.operations.matrix import multiply
from walkthrough.recording.values import Kind, Value
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import Stream

HIDDEN = Kind("hidden", "H", "Hidden layer", "Each vector expanded to d_ff features.")
ACTIVATION = Kind("activation", "G", "Activation", "The part of the hidden layer that passes.")
GATE = Kind("gate", "G_0", "Gate", "For each vector, how much of each of its d_ff features may pass.")
GATE_ACTIVATION = Kind("activation", "G", "Gate activation", "What each feature of the hidden layer is multiplied by.")
GATED = Kind("gated", "H_G", "Gated hidden layer", "The hidden layer, multiplied by the gate.")
OUTPUT = Kind("output", "F", "Feed-forward output", "The features projected back to d_model.")


def feed_forward(s: Scope, stream: Stream) -> Value:
    """activation(x·W_1 + b_1)·W_2 + b_2: n×d_model → n×d_ff → n×d_model.

    Gated: (activation(x·W_gate + b_gate) ⊙ (x·W_1 + b_1))·W_2 + b_2.
    """
    if s.has("output"):
        return s.given_output(OUTPUT, stream)
    x = stream.x
    assert x is not None
    if s.has("w_gate"):
        gate = _activate(s, GATE_ACTIVATION, s.linear(GATE, x, "w_gate", "b_gate"))
        hidden = s.record(GATED, multiply, gate, s.linear(HIDDEN, x, "w_1", "b_1"))
    else:
        hidden = _activate(s, ACTIVATION, s.linear(HIDDEN, x, "w_1", "b_1"))
    s.check(check_size, hidden)
    hidden = s.drop("dropout", hidden)
    return s.linear(OUTPUT, hidden, "w_2", "b_2", default=stream.width)


def _activate(s: Scope, kind: Kind, x: Value) -> Value:
    """The activation function of every number, n×d_ff."""
    name = s.section.activation
    return s.alias(kind, x) if name == "none" else s.record(kind, ACTIVATIONS[name], x)


def check_size(s: Scope, hidden: Value) -> None:
    """The hidden layer can be held."""
    rows, columns = hidden.shape
    s.claims.reserve(rows * columns, s.section, s.section.path)
