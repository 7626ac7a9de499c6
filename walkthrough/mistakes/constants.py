"""Constants of the model that may have another value: which step has which, and what value gives somebody's numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from walkthrough.mistakes.mistake import Instead, change, mistake
from walkthrough.mistakes.search import Hypothesis, redo_all, try_changes
from walkthrough.operations.activation import soft_cap
from walkthrough.operations.definition import Array, Operation
from walkthrough.operations.matrix import add, product_transposed
from walkthrough.operations.normalization import root_of_mean_square
from walkthrough.operations.positions.distance import distance_bias
from walkthrough.operations.positions.rotation import rotary_angles
from walkthrough.operations.positions.yarn import ramp_of, yarn_frequencies
from walkthrough.operations.scaling import divide_by, divide_by_root, scale_by, scale_by_root
from walkthrough.operations.training.update import decay, direction, gradient_step, moment
from walkthrough.recording.graph import FAR_BACK, steps_not_given
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.selectors import pass_of
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

FEWEST, _MOST_NUMBERS = 4, 200_000
"""Numbers of a step that it takes to tell what was done to them, as fewer agree by chance, and that are looked at."""
_MOST_ALONE = 6
"""Steps with the same constant each of which is tried by itself."""
_REACH, _STARTS, _REFINED = 8.0, 65, 3
"""Powers of ten around the right value, in how many steps these are searched, and how many of the best are refined."""
_START_OF_NONE = 1e-4
"""Where the right value is 0, the search goes round this one."""
_DIGITS = 12
"""Of a constant that is said: float64 tells no more where sums have rounded it."""
_MOVE, _LEAST_MOVE, _MOST_MOVES = 1e-7, 1e-15, 25
"""Of the logarithm: to see how numbers follow a constant, the last step that float64 sees, and how many are made."""


class Site(NamedTuple):
    """A constant of a step: its name, the right value, the step with another one, and what such a one is above."""

    name: str
    right: float
    step: Value
    instead: Callable[[float], Instead]
    above: float = 0.0


def _rotation(value: Value, trace: Trace) -> Iterator[Site]:
    yield Site("rotary.base", value.settings["base"], value, lambda base: change(value, base=base), above=1.0)
    if value.settings["llama3"] is None:
        divisor = value.settings["divisor"]
        yield Site("rotary.scaling.linear", divisor, value, lambda other: change(value, divisor=other))


def _frequency(value: Value, trace: Trace) -> Iterator[Site]:
    """The ramp of YaRN goes by the base too."""
    width, yarn = value.settings["width"], value.settings["yarn"]

    def instead(base: float) -> Instead:
        return change(value, base=base, yarn=ramp_of(yarn.factor, width, base, yarn.limits))

    yield Site("rotary.base", value.settings["base"], value, instead, above=1.0)


def _root(value: Value, trace: Trace) -> Iterator[Site]:
    right = math.sqrt(value.settings["root_of"])
    if value.kind.name == "scaled_scores":
        yield Site("scale", right, value, lambda divisor: Instead(divide_by, value.inputs, {"divisor": divisor}))


def _division(value: Value, trace: Trace) -> Iterator[Site]:
    names = {"scaled_scores": "scale", "scaled_logits": "temperature"}
    if name := names.get(value.kind.name):
        yield Site(name, value.settings["divisor"], value, lambda divisor: change(value, divisor=divisor))


def _scores(value: Value, trace: Trace) -> Iterator[Site]:
    """Scores that are rightly not divided."""
    if value.kind.name == "scores" and f"{value.path.rpartition('.')[0]}.scaled_scores" not in trace:
        yield Site("scale", 1.0, value, lambda divisor: Instead(divide_by, (change(value),), {"divisor": divisor}))


def _factor(value: Value, trace: Trace) -> Iterator[Site]:
    if value.kind.name == "scaled_embedding":
        right = value.settings["factor"] if value.operation is scale_by else math.sqrt(value.settings["root_of"])
        yield Site("embedding_scale", right, value, lambda other: Instead(scale_by, value.inputs, {"factor": other}))
    elif value.kind.key == "scaled_branch":
        factor = value.settings["factor"]
        yield Site("residual_scale", factor, value, lambda other: change(value, factor=other))


def _residual(value: Value, trace: Trace) -> Iterator[Site]:
    """What a part has made, and what goes past it, rightly added as they are."""
    if ".residual_" not in f".{value.path}" or len(value.inputs) != 2 or value.inputs[1].kind.key == "scaled_branch":
        return
    x, part = value.inputs

    def scaled(one: Value) -> Callable[[float], Instead]:
        other = {x: part, part: x}[one]
        return lambda factor: change(value, other, Instead(scale_by, (one,), {"factor": factor}))

    yield Site("residual_scale", 1.0, value, scaled(part))
    yield Site("residual_input_scale", 1.0, value, scaled(x))


def _cap(value: Value, trace: Trace) -> Iterator[Site]:
    name = {"capped_scores": "score_cap", "capped_logits": "logit_cap"}[value.kind.name]
    yield Site(name, value.settings["cap"], value, lambda cap: change(value, cap=cap))


def _epsilon(value: Value, trace: Trace) -> Iterator[Site]:
    yield Site("epsilon", value.settings["epsilon"], value, lambda epsilon: change(value, epsilon=epsilon))


def _slope(value: Value, trace: Trace) -> Iterator[Site]:
    yield Site("alibi", value.settings["slope"], value, lambda slope: change(value, slope=slope))


def _rate(value: Value, trace: Trace) -> Iterator[Site]:
    old, gradient, *scheduled = value.inputs
    right = float(scheduled[0].array[0, 0]) if scheduled else value.settings["rate"]
    yield Site("learning_rate", right, value, lambda rate: change(value, old, gradient, rate=rate))


def _decay_rates(value: Value, trace: Trace) -> Iterator[Site]:
    old, *scheduled = value.inputs
    right = float(scheduled[0].array[0, 0]) if scheduled else value.settings["rate"]
    yield Site("learning_rate", right, value, lambda rate: change(value, old, rate=rate))
    yield Site("weight_decay", value.settings["decay"], value, lambda other: change(value, decay=other))


def _adam_epsilon(value: Value, trace: Trace) -> Iterator[Site]:
    yield Site("optimizer.epsilon", value.settings["epsilon"], value, lambda epsilon: change(value, epsilon=epsilon))


def _beta(value: Value, trace: Trace) -> Iterator[Site]:
    """Of a moment, and of its correction."""
    corrected = trace.get(value.path.replace("_moment.", "_moment_corrected.", 1))
    for step in (value, corrected):
        if step is not None:
            name, right = f"optimizer.beta_{value.settings['power']}", value.settings["beta"]
            yield Site(name, right, step, partial(_with_beta, step))


def _with_beta(step: Value, beta: float) -> Instead:
    return change(step, beta=beta)


_SITES: Mapping[Operation, Callable[[Value, Trace], Iterator[Site]]] = {
    rotary_angles: _rotation,
    yarn_frequencies: _frequency,
    divide_by_root: _root,
    divide_by: _division,
    product_transposed: _scores,
    scale_by_root: _factor,
    scale_by: _factor,
    add: _residual,
    soft_cap: _cap,
    root_of_mean_square: _epsilon,
    distance_bias: _slope,
    gradient_step: _rate,
    decay: _decay_rates,
    direction: _adam_epsilon,
    moment: _beta,
}
"""The constants of a step, by its operation."""


def other_constants(
    value: Value,
    found: Array,
    rounding: Array,
    replay: Recalculation,
    trace: Trace,
    is_over: Callable[[], bool] = lambda: False,
    common: Sequence[str] = (),
) -> Iterator[Hypothesis]:
    """Other values of constants, each solved for, that come nearest to somebody's numbers of a step.

    found:    their numbers
    rounding: what one rounding is in each row, n×1
    is_over:  whether there is no more time for it
    common:   names of the only ones that are sought, in all steps alike; without any all are, also in a step alone
    """
    if not FEWEST <= np.isfinite(found).sum() <= _MOST_NUMBERS:
        return
    for sites in _groups(value, replay, trace, common):
        solution = _Solution(sites, value, found, rounding, replay, is_over)
        ratio, digits = solution.solve() if solution.matters() else (1.0, 0)
        if digits:
            yield from solution.hypothesis(ratio, digits)


def known_constants(
    value: Value, found: Array, known: Mapping[tuple[str, float], float], replay: Recalculation, trace: Trace
) -> Iterator[Hypothesis]:
    """The same other values of constants as in steps before, by name and right value."""
    for sites in _groups(value, replay, trace) if known else ():
        if other := known.get((sites[0].name, sites[0].right)):
            solution = _Solution(sites, value, found, found, replay)
            yield from solution.hypothesis(other / (sites[0].right or _START_OF_NONE), _DIGITS)


def _groups(value: Value, replay: Recalculation, trace: Trace, common: Sequence[str] = ()) -> Iterator[list[Site]]:
    """The same constant in all steps before one that somebody did not give; then in each of few by itself."""
    groups: dict[tuple[str, float], list[Site]] = {}
    own = pass_of(value.path)
    for step in steps_not_given(value, replay.given, FAR_BACK):
        sites_of = _SITES.get(step.operation) if step.operation is not None else None
        for site in sites_of(step, trace) if sites_of is not None else ():
            if pass_of(step.path) == own or step.operation is moment:  # which goes on from pass to pass
                same = 0.0 if site.name == "alibi" else site.right  # each head has another slope: by the same factor
                groups.setdefault((site.name, same), []).append(site)
    order = {step: at for at, step in enumerate(trace)}
    for (name, _), sites in groups.items():
        sites.sort(key=lambda site: order[site.step])
        if not common or name in common:
            yield sites
    for sites in groups.values() if not common else ():
        if 1 < len(sites) <= _MOST_ALONE and sites[0].step.operation is not moment:  # all of them have one rate
            yield from ([site] for site in sites)


class _Solution:
    """One constant, at one value or another in some steps, beside somebody's numbers of a step computed from these."""

    def __init__(
        self,
        sites: Sequence[Site],
        value: Value,
        found: Array,
        rounding: Array,
        replay: Recalculation,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self._is_over = is_over
        self._sites, self._value, self._replay = sites, value, replay
        self._found, self._rounding = found, rounding
        self._start = sites[0].right or _START_OF_NONE

    def matters(self) -> bool:
        """Whether the numbers of the step depend on the constant."""
        rest, other = self._rest(0.0), self._rest(1.0)
        return rest is None or other is None or not np.allclose(rest, other, rtol=0, atol=1)

    def solve(self) -> tuple[float, int]:
        """By what the right value is multiplied, and how many digits of that are determined; none where none is."""
        reach = np.linspace(-_REACH, _REACH, _STARTS) * math.log(10)
        off = [self._off(float(at)) for at in reach]
        lowest = [at for at in range(1, _STARTS - 1) if off[at] <= min(off[at - 1], off[at + 1]) < math.inf]
        refined = [self._refine(float(reach[at])) for at in sorted(lowest, key=off.__getitem__)[:_REFINED]]
        least = min((rest for _, rest, _ in refined), default=math.inf)
        as_near = [(abs(log), log, digits) for log, rest, digits in refined if rest <= least + 1]
        _, log, digits = min(as_near, default=(0.0, 0.0, 0))  # an angle and a full turn more look the same
        return math.exp(log), digits

    def hypothesis(self, ratio: float, digits: int) -> Iterator[Hypothesis]:
        """What that value makes of the step, to the digits that are determined."""
        first, value = self._sites[0], float(f"{self._start * ratio:.{digits}g}")
        changes = self._changes(math.log(ratio))
        numbers = {"found": f"{value:.10g}", "right": f"{first.right:.10g}"}
        made = mistake("other.constant", name=first.name, **numbers).with_constant(first.name, value, first.right)
        if first.step is not self._value or len(self._sites) > 1:
            made = made.made_in(first.step, more=len(self._sites) > 1)
        if changes:
            yield from try_changes(made, first.step, changes, self._value, self._replay)

    def _changes(self, log: float) -> dict[Value, Array]:
        ratio = math.exp(log)
        if self._start * ratio <= self._sites[0].above:
            return {}
        places = [(site.step, site.instead((site.right or self._start) * ratio)) for site in self._sites]
        return redo_all(places, self._replay)[0]

    def _rest(self, log: float) -> Array | None:
        """By how many roundings each of their numbers is off what this value gives; None where it gives no numbers."""
        changes = self._changes(log) if not self._is_over() else {}
        if not changes:
            return None
        with np.errstate(all="ignore"):
            array = changes.get(self._value)
            if array is None:
                array = self._replay.with_changes(changes).compute(self._value)
            rest = (self._found - array) / self._rounding
        rest = np.where(np.isfinite(self._found), rest, 0.0)
        return rest.ravel() if np.isfinite(rest).all() else None

    def _off(self, log: float) -> float:
        rest = self._rest(log)
        return math.inf if rest is None else float(np.sqrt(np.mean(np.square(np.minimum(np.abs(rest), 1e100)))))

    def _refine(self, log: float) -> tuple[float, float, int]:
        """Gauss and Newton: where the numbers are nearest, how far they are there, and the digits this determines."""
        least, steepest = self._off(log), 0.0
        for _ in range(_MOST_MOVES):
            rest, ahead = self._rest(log), self._rest(log + _MOVE)
            if rest is None or ahead is None:
                break
            slope: Array = (rest - ahead) / _MOVE
            steepest = float(np.abs(slope).max())
            step = max(-0.5, min(0.5, float(rest @ slope) / max(float(slope @ slope), 1e-300)))
            step, off = self._shorten(log, step, least)
            if off >= least:
                break
            log, least = log + step, off
        digits = math.floor(math.log10(steepest)) if steepest > 1 else 0
        return log, least, min(digits, _DIGITS)

    def _shorten(self, log: float, step: float, least: float) -> tuple[float, float]:
        """A part of a step that leads nearer, and how far the numbers are there; as far as before where none does."""
        while abs(step) > _LEAST_MOVE:
            if (off := self._off(log + step)) < least:
                return step, off
            step /= 4
        return 0.0, least
