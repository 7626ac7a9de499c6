"""What has to be compared before a verdict can be trusted: every step with a matrix of the scenario, a number, some."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from walkthrough.checkpoints.paths import RETURNED
from walkthrough.comparing.unmoved import gradient_of
from walkthrough.mistakes.places import in_every_head
from walkthrough.operations.matrix import (
    concatenate,
    linear,
    linear_out_in,
    matrix_product,
    product_transposed,
    select_rows,
)
from walkthrough.operations.positions.relative import take_buckets
from walkthrough.recording.parts import is_backwards
from walkthrough.recording.selectors import batch_of, pass_of, within_pass
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import whole_number

Required = str | int | Sequence[str]
"""`all`, the least number of steps that are not trivial, or selectors."""

_USES = (linear, linear_out_in, matrix_product, product_transposed, select_rows, take_buckets)
"""What multiplies with a matrix, or looks up in one."""
_PART = re.compile(r"(.*?\b(?:attention|self_attention|cross_attention|linear_attention|feed_forward))\.")
_TRIVIAL = ("token_ids", "token_embedding", "positional_encoding", "segment_embedding")
_OUTPUTS = (*RETURNED, "output_head.probabilities")
_SHOWN_BY = {
    "output_head.logits": _OUTPUTS,
    "token_embedding": ("scaled_embedding",),
}
"""The endings of steps that another shows: modules may give only that, as the embeddings of a Gemma do."""


class Demands(NamedTuple):
    """What a comparison has to hold.

    required:  what has to be compared; nothing said: the output, and where no tensor is that, `all`
    tolerance: numbers are the same that are off by at most so much, times the largest of their row where that is above
               1; None: by what their float type explains
    """

    required: tuple[Required, ...] = ()
    tolerance: float | None = None


NO_DEMANDS = Demands()


def is_trivial(value: Value) -> bool:
    """Whether a step says nothing of a calculation: a given matrix, ids, and what is looked up for them."""
    return value.operation is None or (value.path.rpartition(".")[2] in _TRIVIAL and not is_backwards(value.path))


def read_requirements(written: Sequence[str]) -> tuple[Required, ...]:
    """`all`, numbers and selectors, as they are written on a command line."""
    numbers = (whole_number(one) for one in written)
    return tuple(one if number is None else number for one, number in zip(written, numbers, strict=True))


def has_output_head(trace: Trace) -> bool:
    """Whether the scenario says what becomes of its last state, so that what a model returns is a step of it."""
    return any(within_pass(value.path) in _OUTPUTS for value in trace if value.operation is not None)


def model_outputs(one_pass: str, trace: Trace) -> list[Value]:
    """What a pass puts out: the last of its logits and their probabilities, or without an output head its last step."""
    steps = [value for value in trace if value.operation is not None and pass_of(value.path) == one_pass]
    forward = [value for value in steps if not is_backwards(value.path)]
    return [value for value in forward if within_pass(value.path) in _OUTPUTS][-2:] or forward[-1:]


def default_requirement(compared: Collection[Value], trace: Trace) -> Required:
    """Some step, where what the scenario puts out is among those compared: logits, or the last step; else `all`.

    Of training on examples no call of a module is one pass: there it is the first step's gradients, or updates.
    """
    first = pass_of(next(iter(trace)).path)
    outputs, covered = model_outputs(first, trace), {value.path for value in compared}
    covers = _Covers(trace, covered)
    if any(one.path in covered or covers.holds(one) for one in outputs):
        return 1
    if any(f"{first}{path}" in covered for path in RETURNED):  # logits without the cap or the temperature after them
        return (outputs[0].path,)
    step = batch_of(first)
    return "all" if step == first else tuple(_gradients_of_step(step, compared, trace)) or "all"


def _gradients_of_step(step: str, compared: Collection[Value], trace: Trace) -> Iterator[str]:
    """The gradient of each parameter that a step trains; where only the update was compared, or a later one, this."""
    updates = [value for value in trace if within_pass(value.path).startswith("update.")]
    shown = {within_pass(one.path): one.path for one in updates if one in compared}
    for update in updates:
        if update.path.startswith(f"{step}update."):
            gradient = gradient_of(update, trace)
            yield gradient.path if gradient in compared else shown.get(within_pass(update.path), gradient.path)


def missing_steps(
    required: Required, compared: Collection[Value], trace: Trace, unread: Collection[Value] = ()
) -> list[Value]:
    """The steps that had to be compared, and were not. SelectorError for a selector that selects nothing.

    unread: steps that they gave in a shape that is not theirs: for these nothing else stands
    """
    if isinstance(required, int):
        return []
    wanted = _every_use(compared, trace) if required == "all" else _selected(required, trace)
    covers = _Covers(trace, {value.path for value in compared})
    lacking = [value for value in wanted if value not in compared]
    return [value for value in lacking if required != "all" or value in unread or not covers.holds(value)]


def _selected(required: str | Sequence[str], trace: Trace) -> Iterator[Value]:
    selectors = (required,) if isinstance(required, str) else required
    for selector in selectors:
        found = trace.select(selector)
        yield from [value for value in found if value.operation is not None] or found


def _every_use(compared: Collection[Value], trace: Trace) -> Iterator[Value]:
    """The steps that use a matrix of the scenario: of the first pass, and of others of which anything was compared."""
    uses = [value for value in trace if _uses_a_matrix(value)]
    seen = [value for value in compared if not is_backwards(value.path)] + uses[:1]
    passes = {pass_of(value.path) for value in seen}
    yield from (value for value in uses if pass_of(value.path) in passes)


def _uses_a_matrix(value: Value) -> bool:
    """Whether a step reads a matrix of the scenario, as it is given or after a step of training."""
    if value.operation is None or is_backwards(value.path):
        return False
    is_norm = value.path.endswith(".output") and any(one.path.endswith(".gamma") for one in value.inputs)
    return is_norm or (value.operation in _USES and any(one.kind.trained for one in value.inputs))


class _Covers:
    """What the output of a part stands for: the steps within it, where their program has no module for them.

    covered: the paths of what was compared; a logarithm goes by that of its step
    """

    def __init__(self, trace: Trace, covered: Collection[str]) -> None:
        self._trace, self._covered = trace, covered

    def holds(self, value: Value) -> bool:
        """Whether another step that was compared stands for it."""
        for ending, later in _SHOWN_BY.items():
            if value.path.endswith(ending):
                before = value.path.removesuffix(ending)
                return any(
                    self._trace[before + one].path in self._covered for one in later if before + one in self._trace
                )
        if ".relative_bias." in f".{value.path}":
            return all(map(self._is_covered, self._parts_that_read(value)))
        part = _PART.match(value.path)
        return part is not None and self._is_covered(part[1])

    def _is_covered(self, part: str) -> bool:
        """Whether what a part ends with was compared."""
        output = self._trace.get(f"{part}.output")
        if output is not None and output.path in self._covered:
            return True
        heads = in_every_head(self._trace, f"{part}.head.", "output")
        ends_with_heads = output is None or output in heads or output.operation is concatenate  # there is no W_O
        return ends_with_heads and bool(heads) and all(head.path in self._covered for head in heads)

    def _parts_that_read(self, value: Value) -> set[str]:
        """The attentions that add a relative bias to their scores."""
        own = pass_of(value.path)
        found = (_PART.match(one.path) for one in self._trace if value in one.inputs and pass_of(one.path) == own)
        return {part[1] for part in found if part is not None}
