"""Mistakes in a mixture of experts: which are chosen, and what their outputs are multiplied by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from walkthrough.mistakes.mistake import Instead, Maker, Rearranged, Variant, as_is, change, mistake
from walkthrough.operations.activation import sigmoid
from walkthrough.operations.definition import Array, Operation
from walkthrough.operations.experts.mixture import choose_largest, keep_chosen, mix, share_of_sum
from walkthrough.operations.scaling import scale_by
from walkthrough.operations.softmax import divide_rows, row_sum, softmax
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_UNWEIGHTED, _EXCHANGED = mistake("other.experts_unweighted"), mistake("exchanged.experts")


def _choice(value: Value, trace: Trace) -> Iterator[Variant]:
    count, (scores,) = value.settings["count"], value.inputs
    if count + 1 < scores.shape[1]:
        yield mistake("other.one_expert_more"), change(value, count=count + 1)
    if count > 1:
        yield mistake("other.one_expert_less"), change(value, count=count - 1)
    yield mistake("other.smallest_experts"), change(value, Instead(scale_by, (scores,), {"factor": -1.0}))


def _keeping(value: Value, trace: Trace) -> Iterator[Variant]:
    """Kept scores, where nothing divides them by their sum."""
    scores, chosen = value.inputs
    yield _UNWEIGHTED, as_is(chosen)
    if f"{value.path.rpartition('.')[0]}.sum" not in trace:
        yield from _alike(chosen, 1.0)
    yield mistake("other.all_experts"), as_is(scores)
    if scores.operation is sigmoid:
        yield mistake("other.softmax_of_experts"), change(value, Instead(softmax, scores.inputs), value.inputs[1])
    elif scores.composite is not None and scores.composite[0] is softmax:
        yield mistake("other.sigmoid_of_experts"), change(value, Instead(sigmoid, scores.composite[1]), value.inputs[1])
    if f"{value.path.rpartition('.')[0]}.sum" not in trace:
        shares = Instead(divide_rows, (change(value), Instead(row_sum, (change(value),))))
        yield mistake("other.softmax_of_chosen"), shares


def _shares(value: Value, trace: Trace) -> Iterator[Variant]:
    kept, _ = value.inputs
    if kept.operation is not keep_chosen:  # a gradient is divided by the same sum
        return
    factor = value.settings["factor"]
    yield mistake("not_divided.experts"), Instead(scale_by, (kept,), {"factor": factor})
    chosen = kept.inputs[1]
    yield from _alike(chosen, factor)
    if factor != 1:
        yield mistake("other.experts_factor", factor=f"{factor:g}"), change(value, factor=1.0)


def _alike(chosen: Value, factor: float) -> Iterator[Variant]:
    """The same weight for each of the chosen experts."""
    share = factor / chosen.settings["count"]
    yield mistake("other.experts_alike", share=f"{share:.4g}"), Instead(scale_by, (chosen,), {"factor": share})


def _mixture(value: Value, trace: Trace) -> Iterator[Variant]:
    weights, *outputs = value.inputs
    if len(outputs) > weights.shape[1]:
        yield mistake("other.shared_expert"), change(value, weights, *outputs[:-1])
    chosen = trace.get(f"{weights.path.rpartition('.')[0]}.chosen")
    if chosen is not None:
        yield _UNWEIGHTED, change(value, chosen, *outputs)
        yield _EXCHANGED, change(value, Instead(Rearranged(_reversed), (weights, chosen)), *outputs)
        count = weights.shape[1]
        yield _EXCHANGED, change(value, weights, *outputs[:count][::-1], *outputs[count:])


def _reversed(weights: Array, chosen: Array) -> Array:
    """Of each token the weights of its experts in reverse order, as of two that are exchanged."""
    made = weights.copy()
    for row, is_chosen in zip(made, chosen != 0, strict=True):
        row[is_chosen] = row[is_chosen][::-1]
    return made


MISTAKES: Mapping[Operation, Maker] = {
    choose_largest: _choice,
    keep_chosen: _keeping,
    share_of_sum: _shares,
    mix: _mixture,
}
