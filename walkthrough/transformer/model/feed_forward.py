"""The position-wise feed-forward network. Vaswani et al. 2017, §3.3, eq. 2; gated: Shazeer 2020, eq. 6."""

from __future__ import annotations

import math

from walkthrough.operations.activation import ACTIVATIONS, silu
from walkthrough.operations.experts.clamped import clamp, times_plus_one
from walkthrough.operations.matrix import multiply
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.resolved import is_computed
from walkthrough.scenario.schema.feed_forward import ActivationOptions, ClampedSwiglu, FeedForward
from walkthrough.transformer.model.experts import mix_experts
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import Stream

HIDDEN = Kind("hidden", "H", "Hidden layer")
ACTIVATION = Kind("activation", "G", "Activation")
GATE = Kind("gate", "G_0", "Gate")
GATE_ACTIVATION = Kind("activation", "G", "Gate activation", words="gate_activation")
GATED = Kind("gated", "H_G", "Gated hidden layer")
OUTPUT = Kind("output", "F", "Feed-forward output", words="feed_forward.output")


CLAMPED_GATE = Kind("clamped_gate", "G_c", "Clamped gate")
CLAMPED_HIDDEN = Kind("clamped_hidden", "H_c", "Clamped hidden layer")


def feed_forward(s: Scope, stream: Stream) -> Value:
    """One network for all tokens, or a mixture of experts: n×d_model → n×d_model."""
    if not is_computed(s.section):
        return s.given_output(OUTPUT, stream)
    x = stream.x
    assert x is not None
    if s.has("experts"):  # where these or the router are not there, that has been noted, and nothing else is missing
        return mix_experts(s, x, _network) if s.section.experts and s.section.router is not None else x
    if not s.has("output"):
        return _network(s, x, s.section)
    _hidden_layer(s, x, s.section)
    return s.given_output(OUTPUT, stream)


def _network(s: Scope, x: Value, part: FeedForward) -> Value:
    """activation(x·W_1 + b_1)·W_2 + b_2: n×d_model → n×d_ff → n×d_model.

    Gated: (activation(x·W_gate + b_gate) ⊙ (x·W_1 + b_1))·W_2 + b_2.
    part: whose activation it has, where it says nothing of its own
    """
    return s.linear(OUTPUT, _hidden_layer(s, x, part), "w_2", "b_2", default=x.axes[1])


def _hidden_layer(s: Scope, x: Value, part: FeedForward) -> Value:
    """What the contraction reads, n×d_ff."""
    activation = getattr(s.section, "activation", None) or part.activation
    s.check(check_gate, activation)
    if not s.has("w_gate"):
        activation = activation if isinstance(activation, str) else "none"  # that there is no gate has been noted
        hidden = _activate(s, ACTIVATION, s.linear(HIDDEN, x, "w_1", "b_1"), activation)
    elif isinstance(activation, ActivationOptions):
        hidden = _clamped(s, x, activation.clamped_swiglu)
    else:
        gate = _activate(s, GATE_ACTIVATION, s.linear(GATE, x, "w_gate", "b_gate"), activation)
        hidden = s.record(GATED, multiply, gate, s.linear(HIDDEN, x, "w_1", "b_1"))
    s.reserve(math.prod(hidden.shape))
    return s.drop("dropout", hidden)


def _activate(s: Scope, kind: Kind, x: Value, name: str) -> Value:
    """The activation function of every number, n×d_ff."""
    if name == "none":
        return s.alias(kind, x)
    if kind is ACTIVATION:  # some activations are younger than the paper
        kind = kind._replace(reason=f"activation.{name}")
    return s.record(kind, ACTIVATIONS[name], x)


def _clamped(s: Scope, x: Value, options: ClampedSwiglu) -> Value:
    """g·sigmoid(alpha·g) ⊙ (h + 1), g = min(gate, limit), h = hidden layer within −limit and limit. gpt-oss (2025)."""
    gate, hidden = s.linear(GATE, x, "w_gate", "b_gate"), s.linear(HIDDEN, x, "w_1", "b_1")
    gate = s.record(CLAMPED_GATE, clamp, gate, settings={"limit": options.limit, "both": False})
    activation = s.record(GATE_ACTIVATION, silu, gate, settings={"alpha": options.alpha})
    hidden = s.record(CLAMPED_HIDDEN, clamp, hidden, settings={"limit": options.limit, "both": True})
    return s.record(GATED, times_plus_one, activation, hidden)


def check_gate(s: Scope, activation: str | ActivationOptions) -> None:
    """What is clamped is a gate."""
    if isinstance(activation, ActivationOptions) and not s.has("w_gate"):
        message = "clamped_swiglu is given without a w_gate: it is the activation of a gate"
        node = activation if activation not in s.problems else s.section
        s.problems.add(node, message, key=activation.path, help="give a w_gate, or another activation")
