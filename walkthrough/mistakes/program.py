"""Mistakes in how the parts of a model are put together: another part's parameters, another input, a factor."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

from walkthrough.mistakes.mistake import Instead, Variant, changed
from walkthrough.mistakes.norms import norm_of
from walkthrough.mistakes.replay import Replay
from walkthrough.mistakes.wiring import is_in_layer, is_of_stream, other_states
from walkthrough.operations.definition import Array
from walkthrough.operations.matrix import linear, linear_out_in
from walkthrough.operations.normalization import scale_and_shift
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_PART = re.compile(r"(?P<part>.+?)\.(?P<head>head\.\d+\.)?(?P<name>\w+)")


def variants(value: Value, trace: Trace) -> Iterator[Variant]:
    """What a computed step is where the parts are put together otherwise."""
    if value.operation in (linear, linear_out_in, scale_and_shift):
        yield from _other_parameters(value, trace)
    norm = norm_of(value)
    if norm is not None:
        operation, (x, *given), settings = norm
        for words, other in other_states(value, x, trace):
            yield words, Instead(operation, (other, *given), settings)


def _other_parameters(value: Value, trace: Trace) -> Iterator[Variant]:
    """The parameters that another part has under the same names: of another layer, of another norm."""
    x, *own = value.inputs
    place = _PART.fullmatch(own[0].path) if own and own[0].operation is None else None
    for other in trace if place is not None else ():
        there = _PART.fullmatch(other.path)
        if there is None or place is None or there["part"] == place["part"]:
            continue
        if there.group("head", "name") != place.group("head", "name"):
            continue
        beside = [trace.get(f"{other.path.rpartition('.')[0]}.{one.path.rpartition('.')[2]}") for one in own]
        given = [one for one in beside if one is not None and one.operation is None]
        if [one.shape for one in given] == [one.shape for one in own]:
            yield f"with the parameters of {there['part']} instead of {place['part']}", changed(value, x, *given)


def scaled(steps: Iterable[Value], replay: Replay) -> Iterator[tuple[str, Value, Array]]:
    """Embeddings that are multiplied by a factor on their way to a step: words, the state, its numbers then."""
    near = dict.fromkeys(one for step in steps for one in (step, *step.inputs))
    for state in near:
        if is_of_stream(state) and not is_in_layer(state):
            width = state.shape[1]
            factors = {f"√{width}": math.sqrt(width), f"1/√{width}": 1 / math.sqrt(width), str(width): float(width)}
            for words, factor in {**factors, "2": 2.0, "1/2": 0.5}.items():
                yield f"{state.path} is multiplied by {words}", state, replay.array(state) * factor
