"""The norms by name, step by step: each is one function of a scope, a matrix and its settings.

Layer norm: Ba et al. 2016. RMS norm: Zhang and Sennrich 2019. 1 + gamma: Gemma's code. Dynamic tanh: Zhu et al. 2025,
§4. Where norms are in a layer: stack.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from walkthrough.operations.normalization import (
    mean_square,
    root_of_mean_square,
    row_mean,
    scale_and_shift,
    scale_by_number,
    subtract_rows,
    tanh,
)
from walkthrough.operations.norms import dyt, layer_norm, rms_norm
from walkthrough.operations.scaling import scale_by
from walkthrough.operations.softmax import divide_rows
from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.resolved import NormPlan
from walkthrough.scenario.schema.keys import NORMS as KEYS
from walkthrough.scenario.schema.sections import Section
from walkthrough.transformer.scope import Scope, kind_of, parameter_of

MEAN = Kind("mean", "μ", "Mean")
CENTERED = Kind("centered", "D", "Centered")
VARIANCE = Kind("variance", "σ²", "Variance")
STD = Kind("std", "σ", "Standard deviation")
NORMALIZED = Kind("normalized", "N", "Normalized", words="layer_norm.normalized")
OUTPUT = Kind("output", "Y", "Layer norm", words="layer_norm.output")
MEAN_SQUARE = Kind("mean_square", "m", "Mean square")
RMS = Kind("rms", "r", "Root mean square")
RMS_NORMALIZED = Kind("normalized", "N", "Normalized", words="rms_norm.normalized")
RMS_OUTPUT = Kind("output", "Y", "RMS norm", words="rms_norm.output")
STEEPNESS = Kind("scaled", "Z", "Scaled", words="dyt.scaled")
SQUASHED = Kind("normalized", "N", "Normalized", words="dyt.normalized")
DYT_OUTPUT = Kind("output", "Y", "Dynamic tanh", words="dyt.output")
ALPHA = 0.5
"""Where none is given: the paper's first value."""

ALL_KEYS = {name for keys in KEYS.values() for name in keys}

Steps = list[Value]
"""What is recorded for a norm, or for a head, in order; the last is what the model goes on with."""

_INDICES = {
    "final_norm": "f",
    "embedding_norm": "e",
    "query_norm": "q",
    "key_norm": "k",
    "kv_norm": "kv",
    "output_norm": "o",
    "norm": "l",
}
"""A layer has several norms: the symbols of each have an index, its number or a letter."""


ParameterOf = Callable[[str], Value | None]
"""Records the gamma or beta of a norm, 1×d, where the file gives one."""


def record_norm(s: Scope, x: Value, plan: NormPlan) -> Value:
    """The norm of each row of x, n×d → n×d."""
    d_model = x.axes[1].with_symbol("d_model")
    s.check(check_keys, plan.section, plan.name)
    return norm_steps(s, x, plan, lambda name: record_parameter(s, plan, name, d_model))[-1]


def norm_steps(s: Scope, x: Value, plan: NormPlan, parameter: ParameterOf) -> Steps:
    """The steps of a norm by its name, the last of them its output."""
    return NORMS[plan.name](s, x, plan, parameter)


def record_parameter(s: Scope, plan: NormPlan, name: str, width: Axis) -> Value | None:
    """The gamma or beta of a norm, 1×d, or its alpha, 1×1, where the file gives one."""
    if plan.section is None:
        return None
    section, matrix = Scope(s.calculation, s.recorder, plan.section), getattr(plan.section, name)
    if parameter_of(plan.section, name).axes[1] == "1":
        width = Axis("1", 1)
    if matrix is None:
        return None
    return section.given(index_kinds(s)(kind_of(plan.section, name)), matrix, Axis("1", 1), width)


def record_layer_norm(s: Scope, x: Value, plan: NormPlan, parameter: ParameterOf) -> Steps:
    """γ ⊙ (x − μ)/σ + β, σ = √(variance + epsilon)."""
    s.check(check_variance, plan, x.axes[1])
    kind = index_kinds(s)
    mean = s.record(kind(MEAN), row_mean, x)
    centered = s.record(kind(CENTERED), subtract_rows, x, mean)
    variance = s.record(kind(VARIANCE), mean_square, centered, settings={"sample": plan.sample})
    of_std = {"epsilon": plan.epsilon, "on_std": plan.on_std}
    std = s.record(kind(STD), root_of_mean_square, variance, settings=of_std)
    given = {name: value for name in ("gamma", "beta") if (value := parameter(name)) is not None}
    parts = {"parts": " ".join(given)}
    steps = [mean, centered, variance, std, s.record(kind(NORMALIZED if given else OUTPUT), divide_rows, centered, std)]
    inside = {"centered": centered, "variance": variance, "std": std}
    if given:
        inside["normalized"] = steps[-1]
        steps.append(s.record(kind(OUTPUT), scale_and_shift, steps[-1], *given.values(), settings=parts))
    whole = {**of_std, "sample": plan.sample, **parts}
    s.recorder.compose(steps[-1], layer_norm, (x, *given.values()), whole, inside)
    return steps


def record_rms_norm(s: Scope, x: Value, plan: NormPlan, parameter: ParameterOf, plus_one: bool = False) -> Steps:
    """γ ⊙ x/r, r = √(mean of squares + epsilon); plus_one: γ counts from 1."""
    gamma, kind = parameter("gamma"), index_kinds(s)
    squares = s.record(kind(MEAN_SQUARE), mean_square, x, settings={"sample": False})
    rms = s.record(kind(RMS), root_of_mean_square, squares, settings={"epsilon": plan.epsilon, "on_std": False})
    steps = [squares, rms, s.record(kind(RMS_OUTPUT if gamma is None else RMS_NORMALIZED), divide_rows, x, rms)]
    inside = {"rms": rms}
    inputs: tuple[Value, ...] = (x,)
    if gamma is not None:
        inside["normalized"], inputs = steps[-1], (x, gamma)
        settings = {"parts": "gamma", "plus_one": plus_one}
        steps.append(s.record(kind(RMS_OUTPUT), scale_and_shift, steps[-1], gamma, settings=settings))
    s.recorder.compose(steps[-1], rms_norm, inputs, {"epsilon": plan.epsilon, "plus_one": plus_one}, inside)
    return steps


def record_dyt(s: Scope, x: Value, plan: NormPlan, parameter: ParameterOf) -> Steps:
    """γ ⊙ tanh(alpha·x) + β."""
    kind = index_kinds(s)
    given = {name: value for name in ("alpha", "gamma", "beta") if (value := parameter(name)) is not None}
    whole, alpha = tuple(given.items()), given.pop("alpha", None)
    if alpha is None:
        scaled = s.record(kind(STEEPNESS), scale_by, x, settings={"factor": ALPHA})
    else:
        scaled = s.record(kind(STEEPNESS), scale_by_number, x, alpha)
    steps = [scaled, s.record(kind(SQUASHED if given else DYT_OUTPUT), tanh, scaled)]
    inside = {}
    if given:
        inside["normalized"], parts = steps[-1], {"parts": " ".join(given)}
        steps.append(s.record(kind(DYT_OUTPUT), scale_and_shift, steps[-1], *given.values(), settings=parts))
    settings = {"parts": " ".join(name for name, _ in whole), "factor": ALPHA}
    s.recorder.compose(steps[-1], dyt, (x, *(value for _, value in whole)), settings, inside)
    return steps


NORMS: dict[str, Callable[[Scope, Value, NormPlan, ParameterOf], Steps]] = {
    "layer": record_layer_norm,
    "rms": record_rms_norm,
    "rms_plus_one": partial(record_rms_norm, plus_one=True),
    "dyt": record_dyt,
}
"""Every norm by the name that the file gives it (`NORMS` of scenario/schema/keys.py)."""


def index_kinds(s: Scope) -> Callable[[Kind], Kind]:
    """Gives the kinds of a norm's steps the index of the norm that is recorded."""
    name = s.recorder.prefix.rstrip(".").rpartition(".")[2]
    index = _INDICES.get(name, name.rpartition("_")[2])
    return lambda kind: kind._replace(symbol=f"{kind.symbol}_{index}")


def check_variance(s: Scope, plan: NormPlan, width: Axis) -> None:
    """A sample variance needs two numbers."""
    section = plan.variance_in
    if plan.sample and width.size == 1 and section is not None:
        message = "the sample variance divides by d − 1: it needs vectors of at least two numbers, these have one"
        s.problems.fault(section, "variance", message)


def check_keys(s: Scope, norm: Section | None, kind: str) -> None:
    """A norm has the keys of its kind and no other."""
    for name in norm.KEYS if norm is not None else ():
        if norm is not None and name in ALL_KEYS and name not in KEYS[kind] and getattr(norm, name) is not None:
            message = f"norm: {kind} has no {name}; it has {', '.join(KEYS[kind])}"
            s.problems.fault(norm, name, message, "remove it, or choose another norm")
