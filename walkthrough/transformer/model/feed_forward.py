"""The position-wise feed-forward network. Vaswani et al. 2017, §3.3, eq. 2; gated: Shazeer 2020, eq. 6."""

from __future__ import annotations

from walkthrough.operations.activation import ACTIVATIONS
from walkthrough.operations.experts.clamped import clamp, swish, times_plus_one
from walkthrough.operations.matrix import multiply
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.resolved import is_computed
from walkthrough.scenario.schema.feed_forward import ActivationOptions, ClampedSwiglu, FeedForward
from walkthrough.transformer.model.experts import mix_experts
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import Stream

HIDDEN = Kind(
    "hidden",
    "H",
    "Hidden layer",
    "Each vector expanded to d_ff features.",
    why=(
        "Attention moves information between tokens, but for given weights it only averages. Here each token is "
        "worked on by itself, and the wider layer has room for more features than the vector: the paper's is four "
        "times as wide."
    ),
    source="Vaswani et al. (2017), §3.3",
)
ACTIVATION = Kind(
    "activation",
    "G",
    "Activation",
    "The part of the hidden layer that passes.",
    why=(
        "Without it, two matrices one after the other are no more than one: W_1·W_2. A bend between them lets the "
        "network answer differently in different places; which bend it is matters less than that there is one."
    ),
    source="Vaswani et al. (2017), §3.3",
)
GATE = Kind(
    "gate",
    "G_0",
    "Gate",
    "For each vector, how much of each of its d_ff features may pass.",
    why=(
        "A fixed bend treats every feature alike. Here the vector itself decides, by a second matrix, how much of "
        "each feature is let through; in practice that trains better, and Shazeer offers no explanation for it."
    ),
    source="Shazeer (2020), §2",
)
GATE_ACTIVATION = Kind(
    "activation",
    "G",
    "Gate activation",
    "What each feature of the hidden layer is multiplied by.",
    why=(
        "Without a bend here, the gate times the hidden layer would be a plain product of two linear maps. The "
        "activation closes the gate for some features and opens it for others."
    ),
    source="Shazeer (2020), §2",
)
GATED = Kind(
    "gated",
    "H_G",
    "Gated hidden layer",
    "The hidden layer, multiplied by the gate.",
    why=(
        "Multiplying, rather than adding, lets one part of the vector switch another one off. A sum could only shift "
        "it."
    ),
    source="Shazeer (2020), §2",
)
OUTPUT = Kind(
    "output",
    "F",
    "Feed-forward output",
    "The features projected back to d_model.",
    why=(
        "The residual needs a vector as wide as the input. What each hidden feature has found is written back as a "
        "direction of the stream, and those that did not fire write nothing."
    ),
    source="Vaswani et al. (2017), §3.3",
)


CLAMPED_GATE = Kind(
    "clamped_gate",
    "G_c",
    "Clamped gate",
    "The gate, cut where it is above the limit.",
    why=(
        "Few numbers with few bits can hold very large ones, and one of them would spoil a whole row. Cut at a limit, "
        "the gate stays where such numbers are exact enough."
    ),
    source="Agarwal et al. (2025)",
)
CLAMPED_HIDDEN = Kind(
    "clamped_hidden",
    "H_c",
    "Clamped hidden layer",
    "The hidden layer, cut at the limit on both sides.",
    why=(
        "The product of gate and hidden layer may be far larger than either. With both within a limit, it is within "
        "bounds too."
    ),
    source="Agarwal et al. (2025)",
)
_SOURCES = dict.fromkeys(("gelu", "gelu_tanh", "silu"), "Hendrycks and Gimpel (2016), §2")
"""Of the activations that are younger than the paper."""


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
    s.check(check_size, hidden)
    return s.drop("dropout", hidden)


def _activate(s: Scope, kind: Kind, x: Value, name: str) -> Value:
    """The activation function of every number, n×d_ff."""
    if name == "none":
        return s.alias(kind, x)
    source = _SOURCES.get(name, kind.source) if kind is ACTIVATION else kind.source
    return s.record(kind._replace(source=source), ACTIVATIONS[name], x)


def _clamped(s: Scope, x: Value, options: ClampedSwiglu) -> Value:
    """g·sigmoid(alpha·g) ⊙ (h + 1), g = min(gate, limit), h = hidden layer within −limit and limit. gpt-oss (2025)."""
    gate, hidden = s.linear(GATE, x, "w_gate", "b_gate"), s.linear(HIDDEN, x, "w_1", "b_1")
    gate = s.record(CLAMPED_GATE, clamp, gate, settings={"limit": options.limit, "both": False})
    activation = s.record(GATE_ACTIVATION, swish, gate, settings={"alpha": options.alpha})
    hidden = s.record(CLAMPED_HIDDEN, clamp, hidden, settings={"limit": options.limit, "both": True})
    return s.record(GATED, times_plus_one, activation, hidden)


def check_gate(s: Scope, activation: str | ActivationOptions) -> None:
    """What is clamped is a gate."""
    if isinstance(activation, ActivationOptions) and not s.has("w_gate"):
        message = "clamped_swiglu is given without a w_gate: it is the activation of a gate"
        node = activation if activation not in s.problems else s.section
        s.problems.add(node, message, key=activation.path, help="give a w_gate, or another activation")


def check_size(s: Scope, hidden: Value) -> None:
    """The hidden layer can be held."""
    rows, columns = hidden.shape
    s.claims.reserve(rows * columns, s.section, s.section.path)
