"""Mistakes in a mixture of experts: which are chosen, and what their outputs are multiplied by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from walkthrough.mistakes.mistake import Instead, Maker, Variant, as_is, change, mistake
from walkthrough.operations.activation import sigmoid
from walkthrough.operations.definition import Operation
from walkthrough.operations.experts.mixture import choose_largest, keep_chosen, mix, share_of_sum
from walkthrough.operations.scaling import scale_by
from walkthrough.operations.softmax import divide_rows, row_sum, softmax
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value


def _choice(value: Value, trace: Trace) -> Iterator[Variant]:
    count, (scores,) = value.settings["count"], value.inputs
    if count + 1 < scores.shape[1]:
        yield mistake("", "one expert too many is chosen"), change(value, count=count + 1)
    if count > 1:
        yield mistake("", "one expert too few is chosen"), change(value, count=count - 1)
    smallest = Instead(scale_by, (scores,), {"factor": -1.0})
    yield mistake("", "the experts with the smallest scores are chosen"), change(value, smallest)


def _keeping(value: Value, trace: Trace) -> Iterator[Variant]:
    """Kept scores, where nothing divides them by their sum."""
    scores, _ = value.inputs
    yield mistake("", "the scores of all experts are kept"), as_is(scores)
    if scores.operation is sigmoid:
        made = mistake("", "the scores are a softmax over the experts instead of a sigmoid of each logit")
        yield made, change(value, Instead(softmax, scores.inputs), value.inputs[1])
    elif scores.composite is not None and scores.composite[0] is softmax:
        made = mistake("", "the scores are a sigmoid of each logit instead of a softmax over the experts")
        yield made, change(value, Instead(sigmoid, scores.composite[1]), value.inputs[1])
    if f"{value.path.rpartition('.')[0]}.sum" not in trace:
        shares = Instead(divide_rows, (change(value), Instead(row_sum, (change(value),))))
        yield mistake("", "the softmax comes after the choice: the weights of the chosen experts add up to 1"), shares


def _shares(value: Value, trace: Trace) -> Iterator[Variant]:
    kept, _ = value.inputs
    factor = value.settings["factor"]
    undivided = Instead(scale_by, (kept,), {"factor": factor})
    yield mistake("not_divided.rows", "the weights of the chosen experts are not divided by their sum"), undivided
    chosen = kept.inputs[1]
    same = change(value, chosen, Instead(row_sum, (chosen,)))
    yield mistake("", "the chosen experts all have the same weight"), same
    if factor != 1:
        made = mistake("", "the factor {factor} of the weights is missing", factor=f"{factor:g}")
        yield made, change(value, factor=1.0)


def _mixture(value: Value, trace: Trace) -> Iterator[Variant]:
    weights, *outputs = value.inputs
    if len(outputs) > weights.shape[1]:
        yield mistake("", "the shared expert is left out"), change(value, weights, *outputs[:-1])
    chosen = trace.get(f"{weights.path.rpartition('.')[0]}.chosen")
    if chosen is not None:
        made = mistake("", "the outputs of the chosen experts are added up without their weights")
        yield made, change(value, chosen, *outputs)


MISTAKES: Mapping[Operation, Maker] = {
    choose_largest: _choice,
    keep_chosen: _keeping,
    share_of_sum: _shares,
    mix: _mixture,
}
