"""Layer normalization, step by step. Ba et al. 2016; where it stands in a layer: Vaswani et al. 2017, §3.1."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

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
from walkthrough.scenario.schema import LayerNorm, Norm
from walkthrough.transformer.build import Build

MEAN = Kind("mean", "μ", "Mean", "The average of each token's vector.")
CENTERED = Kind("centered", "D", "Centered", "How far each number lies from its vector's mean.")
VARIANCE = Kind("variance", "σ²", "Variance", "The average of the squared distances from the mean.")
STD = Kind("std", "σ", "Standard deviation", "How far the numbers of a vector typically lie from their mean.")
NORMALIZED = Kind("normalized", "N", "Normalized", "Each vector brought to mean 0 and deviation 1.")
OUTPUT = Kind("output", "Y", "Layer norm", "Each vector brought to one scale, ready for the next part.")
GAMMA = Kind("gamma", "γ", "Gamma", "The learned scale of each feature.", trained=True)
BETA = Kind("beta", "β", "Beta", "The learned shift of each feature.", trained=True)

T = TypeVar("T")

_INDICES = {"final_norm": "f", "embedding_norm": "e"}
"""A layer has several norms: the symbols of each have an index, its number or a letter."""

EPSILON = 1e-5
"""PyTorch's default."""


def layer_norm(build: Build, recorder: Recorder, x: Value, norm: Norm | None, options: LayerNorm | None) -> Value:
    """Records the layer norm of each row of x, n×d → n×d; what the norm itself does not say, `options` say."""
    epsilon = _first(EPSILON, norm and norm.epsilon, options and options.epsilon)
    sample = _first("population", norm and norm.variance, options and options.variance) == "sample"
    on_std = _first("variance", norm and norm.epsilon_in, options and options.epsilon_in) == "std"
    step = _of_norm(recorder)
    mean = recorder.record(step(MEAN), row_mean, x)
    centered = recorder.record(step(CENTERED), subtract_rows, x, mean)
    variance = recorder.record(step(VARIANCE), variance_of_centered, centered, sample=sample)
    std = recorder.record(step(STD), standard_deviation, variance, epsilon=epsilon, on_std=on_std)
    gamma = build.given(recorder, step(GAMMA), norm.gamma if norm else None)
    beta = build.given(recorder, step(BETA), norm.beta if norm else None)
    named = {kind.name: value for kind, value in ((GAMMA, gamma), (BETA, beta)) if value is not None}
    given, parts = list(named.values()), " ".join(named)
    if given:
        normalized = recorder.record(step(NORMALIZED), divide_rows, centered, std)
        output = recorder.record(step(OUTPUT), scale_and_shift, normalized, *given, parts=parts)
    else:
        output = recorder.record(step(OUTPUT), divide_rows, centered, std)
    settings = {"epsilon": epsilon, "on_std": on_std, "sample": sample, "parts": parts}
    output.composite = (whole_layer_norm, (x, *given), settings)
    return output


def _of_norm(recorder: Recorder) -> Callable[[Kind], Kind]:
    """Gives the kinds of a norm's steps the index of the norm that is recorded."""
    name = recorder.prefix.rstrip(".").rpartition(".")[2]
    index = _INDICES.get(name, name.rpartition("_")[2])
    return lambda kind: kind._replace(symbol=f"{kind.symbol}_{index}")


def _first(default: T, *values: T | None) -> T:
    """The first value that is said, or the default."""
    return next((value for value in values if value is not None), default)
