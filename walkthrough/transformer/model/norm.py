"""The norms of the layers, step by step. Ba et al. 2016; where they stand in a layer: Vaswani et al. 2017, §3.1."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from walkthrough.operations.normalization import layer_norm as whole_layer_norm
from walkthrough.operations.normalization import (
    row_mean,
    scale_and_shift,
    standard_deviation,
    subtract_rows,
    variance_of_centered,
)
from walkthrough.operations.softmax import divide_rows
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.resolved import NormPlan
from walkthrough.transformer.calculation import Calculation
from walkthrough.transformer.model.rms_norm import record_rms_norm

MEAN = Kind("mean", "μ", "Mean", "The average of each token's vector.")
CENTERED = Kind("centered", "D", "Centered", "How far each number lies from its vector's mean.")
VARIANCE = Kind("variance", "σ²", "Variance", "The average of the squared distances from the mean.")
STD = Kind("std", "σ", "Standard deviation", "How far the numbers of a vector typically lie from their mean.")
NORMALIZED = Kind("normalized", "N", "Normalized", "Each vector with mean 0 and standard deviation 1.")
OUTPUT = Kind("output", "Y", "Layer norm", "Each vector brought to the same scale, ready for the next part.")
GAMMA = Kind("gamma", "γ", "Gamma", "The learned scale of each feature.", trained=True)
BETA = Kind("beta", "β", "Beta", "The learned shift of each feature.", trained=True)

_INDICES = {"final_norm": "f", "embedding_norm": "e", "query_norm": "q", "key_norm": "k"}
"""A layer has several norms: the symbols of each have an index, its number or a letter."""


def norm(calculation: Calculation, recorder: Recorder, x: Value, plan: NormPlan) -> Value:
    """Records the norm of each row of x, n×d → n×d: a layer norm, or an RMS norm."""
    if not plan.is_rms:
        return layer_norm(calculation, recorder, x, plan)
    kind = of_norm(recorder)
    gamma = calculation.vector(recorder, kind(GAMMA), plan.gamma, x.axes[1].named("d_model"))
    return record_rms_norm(recorder, x, gamma, plan.epsilon, kind)["output"]


def layer_norm(calculation: Calculation, recorder: Recorder, x: Value, plan: NormPlan) -> Value:
    """Records the layer norm of each row of x, n×d → n×d."""
    d_model, kind = x.axes[1].named("d_model"), of_norm(recorder)
    calculation.check_norm(plan, d_model)
    mean = recorder.record(kind(MEAN), row_mean, (x,))
    centered = recorder.record(kind(CENTERED), subtract_rows, (x, mean))
    variance = recorder.record(kind(VARIANCE), variance_of_centered, (centered,), {"sample": plan.sample})
    std = recorder.record(kind(STD), standard_deviation, (variance,), {"epsilon": plan.epsilon, "on_std": plan.on_std})
    gamma = calculation.vector(recorder, kind(GAMMA), plan.gamma, d_model)
    beta = calculation.vector(recorder, kind(BETA), plan.beta, d_model)
    named = {"gamma": gamma, "beta": beta}
    given = {name: value for name, value in named.items() if value is not None}
    parts = " ".join(given)
    output = normalized = recorder.record(kind(NORMALIZED if given else OUTPUT), divide_rows, (centered, std))
    if given:
        output = recorder.record(kind(OUTPUT), scale_and_shift, (normalized, *given.values()), {"parts": parts})
    settings = {"epsilon": plan.epsilon, "on_std": plan.on_std, "sample": plan.sample, "parts": parts}
    output.composite = (whole_layer_norm, (x, *given.values()), settings)
    output.parts = {"centered": centered, "variance": variance, "std": std}
    if given:  # else it is the output, which would hold on to itself
        output.parts["normalized"] = normalized
    return output


def of_norm(recorder: Recorder) -> Callable[[Kind], Kind]:
    """Gives the kinds of a norm's steps the index of the norm that is recorded."""
    name = recorder.prefix.rstrip(".").rpartition(".")[2]
    index = _INDICES.get(name, name.rpartition("_")[2])
    return lambda kind: _with_index(kind, index)


@cache
def _with_index(kind: Kind, index: str) -> Kind:
    return kind._replace(symbol=f"{kind.symbol}_{index}")
