"""Mistakes in how parts are put together: another input, another part's parameters, a norm before instead of after."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping

from walkthrough.mistakes.mistake import Instead, Maker, Mistake, Variant, change, mistake
from walkthrough.mistakes.operations.normalization import norm_of
from walkthrough.mistakes.places import place_in_layer
from walkthrough.operations.definition import Array, Operation
from walkthrough.operations.matrix import add, linear, linear_out_in
from walkthrough.operations.normalization import scale_and_shift
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.selectors import pass_of, within_pass
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_OUTPUT_HEAD = "output_head."
_PARAMETER = re.compile(r"(?P<part>.+?)\.(?P<head>head\.\d+\.)?(?P<name>\w+)")
_STATES = re.compile(r"(?:.*\.)?(?:token_embedding|scaled_embedding|input|residual_\d|norm_\d\.output|output)")


def _linear(value: Value, trace: Trace) -> Iterator[Variant]:
    yield from _other_products(value, trace)
    yield from _normed_first(value, trace)
    yield from _other_inputs(value, 0, trace)
    yield from _tied_table(value, trace)


def _sum(value: Value, trace: Trace) -> Iterator[Variant]:
    if ".residual_" in f".{value.path}":
        for at in range(len(value.inputs)):
            yield from _other_inputs(value, at, trace)


def _other_products(value: Value, trace: Trace) -> Iterator[Variant]:
    """Another product of the same input: queries for keys, a gate for the hidden layer, one head for another."""
    parent, _, name = value.path.rpartition(".")
    for other in trace:
        is_alike = other.operation is value.operation and other.shape == value.shape and other is not value
        if is_alike and other.inputs[0] is value.inputs[0]:
            its_parent, _, its_name = other.path.rpartition(".")
            if its_parent == parent:
                yield mistake("exchanged.products", one=name, other=its_name), change(other)
            else:
                yield mistake("exchanged.part", cell=other), change(other)


def _normed_first(value: Value, trace: Trace) -> Iterator[Variant]:
    """Its input is normed: the layer is built pre-LN."""
    x, part = value.inputs[0], _part_of(value)
    for other in trace if part else ():
        norm = norm_of(other)
        if norm is None or not other.path.startswith(part) or norm[1][0] is x or other is x:
            continue
        operation, (_, *given), settings = norm
        if all(one.shape[1] == x.shape[1] for one in given):
            made = mistake("norm.before_part", norm=other)
            yield made, change(value, Instead(operation, (x, *given), settings), *value.inputs[1:])


def _other_inputs(value: Value, at: int, trace: Trace) -> Iterator[Variant]:
    """Another state in the place of one that is read."""
    for made, other in _other_states(value, value.inputs[at], trace):
        yield made, change(value, *value.inputs[:at], other, *value.inputs[at + 1 :])


def _other_states(value: Value, x: Value, trace: Trace) -> Iterator[tuple[Mistake, Value]]:
    """States of the same width, of the same layer, of the inputs, or of the encoder, that may be read instead."""
    part = _part_of(value)
    read = {one for step in trace if step.path.startswith(part) for one in step.inputs} if part else ()
    for other in trace if part else ():
        if other is value:
            return
        if other is x or other.shape[1] != x.shape[1] or not _is_state(other):
            continue
        if other not in read and not _is_near(other, value, part):
            continue
        norm = norm_of(x)
        is_before = norm is not None and norm[1][0] is other
        yield mistake("exchanged.unnormed" if is_before else "exchanged.state", other=other, one=x), other


def _is_near(other: Value, value: Value, part: str) -> bool:
    """Whether a state may be taken for another: it is of the same part, of no layer, or any before the output head."""
    if pass_of(other.path) not in ("", pass_of(value.path)):
        return False
    return other.path.startswith(part) or not _part_of(other) or within_pass(part) == _OUTPUT_HEAD


def _part_of(value: Value) -> str:
    """What the paths of the layer that a step is in begin with, or those of the output head; else nothing."""
    place = place_in_layer(value.path)
    if place is not None:
        return f"{place.stack}.{place.number}."
    is_in_head = within_pass(value.path).startswith(_OUTPUT_HEAD)
    return f"{pass_of(value.path)}{_OUTPUT_HEAD}" if is_in_head else ""


def _is_state(value: Value) -> bool:
    """Whether it is a state between the parts of a model."""
    return ".head." not in value.path and any(_STATES.fullmatch(name) for name in (value.path, *value.also))


def _tied_table(value: Value, trace: Trace) -> Iterator[Variant]:
    """The table of embeddings in the place of the head's own matrix, or of another that fits."""
    x, weight, *bias = value.inputs
    table = trace.get("embeddings")
    if value.path.endswith("output_head.logits") and table is not None and table is not weight:
        operation = linear_out_in if table.shape[1] == x.shape[1] else linear
        for rest in dict.fromkeys((tuple(bias), ())):
            yield mistake("exchanged.weights"), Instead(operation, (x, table, *rest))


MISTAKES: Mapping[Operation, Maker] = {linear: _linear, linear_out_in: _linear, add: _sum}


def rewire(value: Value, trace: Trace) -> Iterator[Variant]:
    """What a computed step is with the parameters of another part, or a norm of another state: rarer mistakes."""
    if value.operation in (linear, linear_out_in, scale_and_shift):
        yield from _other_parameters(value, trace)
    norm = norm_of(value)
    if norm is not None:
        operation, (x, *given), settings = norm
        for made, other in _other_states(value, x, trace):
            yield made, Instead(operation, (other, *given), settings)


def _other_parameters(value: Value, trace: Trace) -> Iterator[Variant]:
    """The parameters that another part has under the same names: of another layer, of another norm."""
    x, *own = value.inputs
    here = _PARAMETER.fullmatch(own[0].path) if own and own[0].operation is None else None
    for other in trace if here is not None else ():
        there = _PARAMETER.fullmatch(other.path)
        if there is None or here is None or there["part"] == here["part"]:
            continue
        if there.group("head", "name") != here.group("head", "name"):
            continue
        beside = [trace.get(f"{other.path.rpartition('.')[0]}.{one.path.rpartition('.')[2]}") for one in own]
        given = [one for one in beside if one is not None and one.operation is None]
        if [one.shape for one in given] == [one.shape for one in own]:
            yield mistake("other.parameters", other=there["part"], one=here["part"]), change(value, x, *given)


def scaled_states(steps: Iterable[Value], replay: Recalculation) -> Iterator[tuple[Mistake, Value, Array]]:
    """Embeddings that are multiplied by a factor on their way to a step: the mistake, the state, its numbers then."""
    near = dict.fromkeys(one for step in steps for one in (step, *step.inputs))
    for state in near:
        if _is_state(state) and not _part_of(state):
            width = state.shape[1]
            factors = {f"√{width}": math.sqrt(width), f"1/√{width}": 1 / math.sqrt(width), str(width): float(width)}
            for words, factor in {**factors, "2": 2.0, "1/2": 0.5}.items():
                made = mistake("other.state_multiplied", state=state, factor=words)
                if state.path.rpartition(".")[2] == "token_embedding":
                    made = made.with_constant("embedding_scale", factor, 1.0)
                yield made, state, replay.array(state) * factor
