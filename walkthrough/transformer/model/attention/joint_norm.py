"""One norm over the queries or keys of all heads side by side. OLMo 2 (2024), §3."""

from __future__ import annotations

from collections.abc import Sequence

from walkthrough.operations.joint_norm import (
    joint_norm,
    joint_norm_with_gamma,
    mean_square_of_all,
    scale_by_columns,
)
from walkthrough.operations.normalization import root_of_mean_square
from walkthrough.operations.softmax import divide_rows
from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.scenario.resolved import NormPlan
from walkthrough.transformer.model.norms import (
    MEAN_SQUARE,
    RMS,
    RMS_NORMALIZED,
    RMS_OUTPUT,
    Steps,
    index_kinds,
    record_parameter,
)
from walkthrough.transformer.scope import Scope


class JointNorm(Record, eq=False):
    """What is common to all heads: what is normed, the gamma of all their features, and what they are divided by."""

    plan: NormPlan
    inputs: tuple[Value, ...]
    gamma: Value | None
    squares: Value
    rms: Value

    def record(self, s: Scope, at: int) -> Steps:
        """The normed queries or keys of one head, n×d_k; `at`: which of those that are normed, from 0."""
        x, kind, gamma = self.inputs[at], index_kinds(s), self.gamma
        first = sum(one.shape[1] for one in self.inputs[:at])
        settings = {"columns": (first, first + x.shape[1]), "plus_one": self.plan.name != "rms"}
        steps = [s.record(kind(RMS_OUTPUT if gamma is None else RMS_NORMALIZED), divide_rows, x, self.rms)]
        inside = {"rms": self.rms}
        if gamma is not None:
            inside["normalized"] = steps[-1]
            steps.append(s.record(kind(RMS_OUTPUT), scale_by_columns, steps[-1], gamma, settings=settings))
        whole, given = (joint_norm, ()) if gamma is None else (joint_norm_with_gamma, (gamma,))
        composed = {"epsilon": self.plan.epsilon, "at": at, **settings}
        s.recorder.compose(steps[-1], whole, (*given, *self.inputs), composed, inside)
        return steps


def record_joint(s: Scope, xs: Sequence[Value], plan: NormPlan) -> JointNorm:
    """The root of the mean square over the features of all heads, n×1."""
    sizes = [x.axes[1].size for x in xs]
    width = Axis("(heads·d_k)", None if None in sizes else sum(size or 0 for size in sizes))
    gamma, kind = record_parameter(s, plan, "gamma", width), index_kinds(s)
    squares = s.record(kind(MEAN_SQUARE), mean_square_of_all, *xs)
    rms = s.record(kind(RMS), root_of_mean_square, squares, settings={"epsilon": plan.epsilon})
    return JointNorm(plan, tuple(xs), gamma, squares, rms)
