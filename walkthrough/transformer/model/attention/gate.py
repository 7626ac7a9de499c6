"""The output gate: what lets the output of each head through. Qiu et al. 2025, §2.2."""

from __future__ import annotations

from walkthrough.operations.activation import sigmoid
from walkthrough.operations.matrix import multiply
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.resolved import HeadPlan, HeadSlice, Projection
from walkthrough.transformer.model.attention.heads import Heads

GATE_ACTIVATION = Kind("gate_activation", "G", "Activated output gate", words="output_gate.activation")
GATED = Kind("gated", "Z_G", "Gated output", words="gated_heads")


def let_through(heads: Heads, plan: HeadPlan, output: Value) -> Value:
    """output ⊙ sigmoid(x·W_gate + b_gate), n×d_v, x the rows of the queries; the output itself without a gate."""
    if not heads.s.has("w_gate"):
        return output
    part = Projection("gate", heads.attention, HeadSlice(plan.number - 1, len(heads.plans), "heads"))
    s, gate = heads.scope(plan), heads.projected(plan, part)[-1]
    heads.settle_widths(plan, part)
    return s.record(GATED, multiply, output, s.record(GATE_ACTIVATION, sigmoid, gate))
