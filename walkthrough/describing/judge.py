"""Judges what a scenario may say: small ones, over the module's tensors and what was seen, are calculated."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from walkthrough.checkpoints.yaml_text import yaml_text
from walkthrough.comparing.matching.tensors import precision_of, short_format
from walkthrough.comparing.thresholds import NEARER, OF_A_FORMAT, ROUNDINGS
from walkthrough.comparing.tolerance import excess_over, largest_of_rows
from walkthrough.describing.state import State
from walkthrough.mistakes.constants import other_constants
from walkthrough.mistakes.mistake import Constant
from walkthrough.operations.definition import Array
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.scenario.scenario import scenario_in
from walkthrough.scenario.sources import ScenarioSource
from walkthrough.scenario.tensors.arrays import matrices_in
from walkthrough.scenario.tensors.short_floats import short_float
from walkthrough.scenario.tensors.weights import take_matrix
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.transformer.runs.run import trace_into

Keys = dict[str, Any]

FLOAT32 = float(np.finfo(np.float32).eps)
"""Modules of float64, too, may keep something in float32, such as the angles of rotary positions."""
SOLVED = ("rotary.base", "scale", "score_cap")
"""Constants of an attention that may have any value."""
_DEVIATIONS = 3
"""Standard deviations that a factor may be off by that a least-squares fit has found."""


def off(found: Array, seen: Any, size: Array | float = 0.0) -> float:
    """How far calculated numbers are off those that were seen, in roundings on average; infinite where that is too far.

    seen: n×m in the float type of the module
    size: of the largest of the numbers that were added up in each row, where that may be larger
    """
    if found.shape != seen.shape or not np.isfinite(found).all() or not found.size:
        return np.inf
    right, short = np.asarray(seen, np.float64), short_format(seen.dtype)
    found = found.astype(seen.dtype).astype(np.float64) if short is None else short.round(found)
    epsilon, smallest = precision_of(seen.dtype)
    largest = np.maximum(largest_of_rows(right), size)
    most = ROUNDINGS * max(epsilon, FLOAT32) if short is None else OF_A_FORMAT * short.roundoff
    if excess_over(found, right, most * largest + smallest).any():
        return np.inf
    return float(np.sqrt(np.square((found - right) / (epsilon * largest + smallest)).mean()))


def factor_of(scaled: Array, numbers: Array) -> float:
    """What the second numbers have to be multiplied by to be the first, to the digits that the first determine."""
    square = float((numbers * numbers).sum())
    if not square:
        return 1.0
    found = float((scaled * numbers).sum()) / square
    unlike = float(np.square(scaled - found * numbers).sum()) / square / numbers.size
    slack = _DEVIATIONS * (math.sqrt(unlike) + abs(found) * float(np.finfo(np.float64).eps))
    rounded = (float(f"{found:.{digits}g}") for digits in range(1, 18))
    return next((one for one in rounded if abs(one - found) <= slack), found)


def leading_rows(found: Array, seen: Any) -> int:
    """How many of the first rows are as they were seen."""
    return next((at for at in range(len(seen)) if off(found[at : at + 1], seen[at : at + 1]) == np.inf), len(seen))


def is_alike(one: float, least: float) -> bool:
    """Whether numbers do not tell a candidate from the one that is off least; from an exact one only another such."""
    return one < np.inf and one <= NEARER * least


def best(candidates: Iterable[tuple[Keys, float]]) -> list[Keys]:
    """The first of the candidates that are off least, and those that numbers do not tell from it; empty: none fits."""
    fitting = [(keys, far) for keys, far in candidates if far < np.inf]
    least = min((far for _, far in fitting), default=0.0)
    return [keys for keys, far in fitting if is_alike(far, least)]


class Judge:
    """Calculates what candidates give."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._kept: dict[str, Array] = {}
        self._last: Trace | None = None

    def trace(self, keys: Keys, seen: Mapping[str, Any]) -> Trace | None:
        """The trace of a scenario over tensors of the module, and others that were seen; None where it cannot be."""
        problems = Problems()
        text = yaml_text({"title": "One part", "matrix_convention": "column", "weights_file": "-", **keys})
        scenario = scenario_in(ScenarioSource("", text, Path()), problems)
        if scenario is None or problems:
            return None
        try:
            for matrix in matrices_in(scenario.spec):
                name = matrix.tensor_name or ""
                whole = seen[name] if name in seen else self._array(name)
                array = scenario.arrays[matrix] = np.asarray(take_matrix(matrix, whole), np.float64)
                matrix.rows, matrix.columns = array.shape
            format = next((short_float(one.dtype) for one in seen.values() if one is not None), None)
            with np.errstate(all="ignore"):
                return trace_into(Trace, scenario, by_hand=format is not None, format=format)
        except (ValueError, IndexError):  # shapes that do not fit
            return None

    def _array(self, name: str) -> Array:
        """A tensor of the module; of those of the last few parts it is known."""
        if name not in self._kept:
            if len(self._kept) > 12:
                self._kept.clear()
            self._kept[name] = self._state.array(name)
        return self._kept[name]

    def norm(self, keys: Keys, x: Any, seen: Any) -> float:
        """How far a norm of the rows of x is off."""
        trace = self.trace(_read("x", x) | {"embedding_norm": keys}, {"x": x})
        return np.inf if trace is None else off(trace["embedding_norm.output"].array, seen)

    def head(self, keys: Keys, x: Any, seen: Any) -> float:
        """How far logits of x, or their softmax or its logarithm, are off; the least of these, of the last rows."""
        trace = self.trace(_head_of(x, keys), {"x": x})
        if trace is None:
            return np.inf
        found = [one.array for one in trace if one.path.startswith("output_head.") and one.operation is not None]
        with np.errstate(all="ignore"):
            logarithms = np.log(trace["output_head.probabilities"].array)
        of_logits = largest_of_rows(found[0][-len(seen) :])
        return min(off(logarithms[-len(seen) :], seen, of_logits), *(off(one[-len(seen) :], seen) for one in found))

    def temperature(self, keys: Keys, x: Any, seen: Any) -> float | None:
        """What logits of x have to be divided by to be those that were seen; None where no number does."""
        trace = self.trace(_head_of(x, keys), {"x": x})
        if trace is None or trace["output_head.logits"].shape[1:] != seen.shape[1:]:
            return None
        logits = trace["output_head.logits"].array[-len(seen) :]
        divisor = factor_of(logits, np.asarray(seen, np.float64))
        return divisor if divisor > 0 and self.head(keys | {"temperature": divisor}, x, seen) < np.inf else None

    def part(self, name: str, keys: Keys, x: Any, memory: Any = None) -> Value | None:
        """What comes out of an attention or a feed-forward network that reads x; a cross-attention reads memory too."""
        bias = {at: one for at, one in keys.items() if at == "relative_bias"}
        layer = {name: {at: one for at, one in keys.items() if at not in bias}}
        whole = {"decoder": {"norm_order": "none", "residual": False, **bias, "layers": [layer]}}
        if memory is None:
            self._last = self.trace(_read("x", x) | whole, {"x": x})
        else:
            encoder = {"encoder": {"output": {"tensor": "memory"}}, "decoder": _read("x", x) | whole["decoder"]}
            self._last = self.trace(_read("memory", memory) | encoder, {"x": x, "memory": memory})
        return None if self._last is None else self._last[f"decoder.1.{name}.output"]

    def constants(self, value: Value | None, seen: Any) -> Iterator[Constant]:
        """Other constants of the last part, solved for, with which what comes out of it are the numbers seen."""
        if value is None or self._last is None:
            return
        epsilon, smallest = precision_of(seen.dtype)
        found = np.asarray(seen, np.float64)
        rounding = epsilon * largest_of_rows(found) + smallest
        for one in other_constants(value, found, rounding, Recalculation(), self._last, common=SOLVED):
            if one.mistake.constant is not None:
                yield one.mistake.constant


def _head_of(x: Any, keys: Keys) -> Keys:
    """The keys of an output head that reads x."""
    return _read("x", x) | {"encoder": {"layers": [{}]}, "output_head": keys}


def _read(name: str, x: Any) -> Keys:
    """The keys of so many tokens, with these rows as their embeddings."""
    return {"tokens": [str(at + 1) for at in range(len(x))], "embeddings": {"tensor": name}}
