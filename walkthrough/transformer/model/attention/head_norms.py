"""Norms of queries, keys and outputs of heads: each head by itself, or all side by side. Henry et al. 2020."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from walkthrough.operations.matrix import concatenate
from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.resolved import head_norm_plan
from walkthrough.scenario.schema.keys import HeadNorm
from walkthrough.transformer.model.norms import Steps, check_keys, norm_steps, record_parameter
from walkthrough.transformer.scope import Scope

JOINED = Kind("joined", "H", "All heads side by side", words="all_heads")


def norm_of_each(s: Scope, norm: HeadNorm, width: Axis) -> Callable[[Scope, Value], Steps]:
    """A norm that each head has by itself, n×d → n×d; its parameters are recorded once for all of them."""
    plan = head_norm_plan(norm)
    s.check(check_keys, norm, norm.norm)
    given = {name: record_parameter(s, plan, name, width) for name in ("alpha", "gamma", "beta")}
    return lambda s, x: norm_steps(s, x, plan, given.get)


def norm_all(s: Scope, norm: HeadNorm, heads: Sequence[Value]) -> Steps:
    """A norm over all heads side by side, n×(heads·d): its last steps. OLMo 2 (2024), §3."""
    plan = head_norm_plan(norm)
    s.check(check_keys, norm, norm.norm)
    joined = s.record(JOINED, concatenate, *heads)
    width = joined.axes[1].with_symbol("(heads·d_k)")
    steps = norm_steps(s, joined, plan, lambda name: record_parameter(s, plan, name, width))
    return [step for step in steps if step.kind.name in ("normalized", "output")]
