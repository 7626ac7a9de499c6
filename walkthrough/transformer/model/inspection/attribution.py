"""Direct logit attribution: which part of the model pushes which word, at one position. Elhage et al. 2021.

What the last norm reads is a sum, and what follows it is linear once the norm's deviation is taken as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from walkthrough.operations.inspection.attribution import (
    Part,
    center_rows,
    logits_of_parts,
    logits_of_parts_out_in,
    scale_parts,
    take_parts,
)
from walkthrough.operations.inspection.what_if import what_if
from walkthrough.operations.matrix import add, concatenate
from walkthrough.operations.norms import dyt, layer_norm, rms_norm_plus_one
from walkthrough.recording.selectors import within_pass
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema.values import Inspection
from walkthrough.scenario.yaml.nodes import quote
from walkthrough.transformer.model.attention.attention import CONCAT, HEAD_OUTPUT, OUTPUT
from walkthrough.transformer.model.embedding import INPUT
from walkthrough.transformer.model.inspection.inside import Inside
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import near_rows

PARTS = Kind("parts", "C", "Parts of the sum", words="attribution.parts")
PARTS_OF_LAST = PARTS._replace(words="attribution.parts.last")
CENTERED = Kind("centered", "C_0", "Centered parts", words="attribution.centered")
SCALED = Kind("scaled", "C_s", "Scaled parts", words="attribution.scaled")
PUSHED = Kind("logits", "L_c", "Logits by part", words="attribution.logits")


class Sum(NamedTuple):
    """What the output head reads, of all rows: the vectors that are added up, and the norm behind them.

    parts: of the sum, each with its path: a value, or the output of an attention, which is the sum of its heads'
    norm:  None where there is none
    """

    parts: list[tuple[str, Value]]
    norm: Value | None


def why_no_attribution(inside: Inside) -> str:
    """Why the logits are not what the parts add up to; empty where they are."""
    if reason := inside.why_no_stack():
        return reason
    norm = _last_norm(inside)
    if norm is not None and norm.composite is None:
        return "the last norm has other numbers than it has calculated"
    if norm is not None and norm.composite is not None and norm.composite[0] is dyt:
        return "the last norm is dyt, a tanh: what it makes of a sum is not the sum of what it makes of the parts"
    return ""


def record_attribution(inside: Inside, wanted: Inspection) -> None:
    """The parts of one position through the last norm to the logits; no row in a pass that lacks the position."""
    inside.s.check(_check_position, inside, wanted)
    row = inside.row_of(wanted.position)
    if row is None:
        return
    s, found = inside.s.under("attribution", inside.spec.output_head), _sum_of(inside)
    record = _Parts(inside, row)
    for label, value in found.parts:
        record.add(label, value)
    parts = record.record(s)
    if found.norm is not None:
        parts = _through_norm(s, parts, found.norm, row)
    _record_logits(inside, s, parts, found.norm)


def _check_position(s: Scope, inside: Inside, wanted: Inspection) -> None:
    if inside.row_of(wanted.position) is None and wanted.node is not None:
        message = f"{quote(wanted.position)} is none of the tokens"
        help = partial(near_rows, wanted.position, inside.names)
        s.problems.add(wanted.node, message, key="inspect.attribution", help=help)


def _last_norm(inside: Inside) -> Value | None:
    """The norm that the output head reads: the final one, or in post-LN that of the last part; None without one."""
    assert inside.stack is not None
    assert inside.logits is not None
    read = inside.logits.inputs[0]
    has_norm = inside.norm_plan is not None or (inside.stack.norm_order == "post" and not _is_input(inside, read))
    return read if has_norm else None


def _is_input(inside: Inside, value: Value) -> bool:
    return value is inside.own(inside.input_path)


def _sum_of(inside: Inside) -> Sum:
    """The summands of what the last norm reads, or of what the output head reads where there is none."""
    assert inside.logits is not None
    assert inside.stack is not None
    norm = _last_norm(inside)
    whole = inside.logits.inputs[0]
    if norm is not None:
        assert norm.composite is not None
        whole = norm.composite[1][0]
    parts: list[tuple[str, Value]] = []
    sums = {value for _, value in inside.residuals()}
    while whole in sums and whole.operation is add:
        whole, *added = whole.inputs
        parts[:0] = [(within_pass(value.path), value) for value in added]
        if inside.stack.norm_order == "post":  # what it is added to is normed, and no sum
            label = inside.input_path if _is_input(inside, whole) else within_pass(whole.path)
            return Sum([(label, whole), *parts], norm)
    return Sum([*_first_parts(inside, whole), *parts], norm)


def _first_parts(inside: Inside, x: Value) -> list[tuple[str, Value]]:
    """Token, position and segment, where what the layers add to is their sum; else what it is."""
    if x.kind == INPUT and x.operation is add:
        return [(within_pass(value.path), value) for value in x.inputs]
    is_one = _is_input(inside, x) and (x.operation is None or x.composite is not None)
    return [(inside.input_path if is_one else within_pass(x.path), x)]


class _Parts:
    """The rows of `parts`, and the values that they are taken from."""

    def __init__(self, inside: Inside, row: int) -> None:
        self.inside = inside
        self.row = row
        self.inputs: dict[Value, int] = {}
        self.taken: list[Part] = []
        self.labels: list[str] = []

    def add(self, label: str, value: Value) -> None:
        """Adds a summand: an attention head by head, anything else as it is."""
        if value.kind in (OUTPUT, CONCAT, HEAD_OUTPUT) and value.operation not in (None, what_if):
            for label_of_head, part in self._heads(value):
                self._note(label_of_head, part)
        else:
            self._note(label, (self._number(value), self.row, -1, 0))

    def _heads(self, value: Value) -> Iterator[tuple[str, Part]]:
        """What each head adds: its output times its rows of W_O, then b_O; without W_O the columns of its own."""
        concat, weight, bias = value, -1, None
        if value.kind == OUTPUT:
            concat, w_o, *b_o = value.inputs
            weight, bias = self._number(w_o), b_o[0] if b_o else None
        start = 0
        for head in concat.inputs if concat.operation is concatenate else (concat,):
            yield within_pass(head.path).rpartition(".")[0], (self._number(head), self.row, weight, start)
            start += head.shape[1]
        if bias is not None:
            yield within_pass(bias.path), (self._number(bias), 0, -1, 0)

    def _number(self, value: Value) -> int:
        return self.inputs.setdefault(value, len(self.inputs))

    def _note(self, label: str, part: Part) -> None:
        self.labels.append(label)
        self.taken.append(part)

    def record(self, s: Scope) -> Value:
        """The rows, p×d_model."""
        assert self.inside.logits is not None
        width = self.inside.logits.inputs[0].shape[1]
        settings = {"taken": tuple(self.taken), "width": width, "out_in": s.calculation.out_in}
        assert self.inside.stack is not None
        kind = PARTS_OF_LAST if self.inside.stack.norm_order == "post" else PARTS
        return s.record(kind, take_parts, *self.inputs, settings=settings, rows=tuple(self.labels))


def _through_norm(s: Scope, parts: Value, norm: Value, row: int) -> Value:
    """The parts as the norm has changed their sum, but for its beta."""
    assert norm.composite is not None
    whole, (_, *given), settings = norm.composite
    deviation = norm.parts["std" if whole is layer_norm else "rms"]
    if whole is layer_norm:
        parts = s.record(CENTERED, center_rows, parts)
    named = settings["parts"].split() if whole is layer_norm else ["gamma"]
    gamma = [value for name, value in zip(named, given, strict=False) if name == "gamma"]
    options = {"row": row, "plus_one": whole is rms_norm_plus_one}
    return s.record(SCALED, scale_parts, parts, deviation, *gamma, settings=options)


def _record_logits(inside: Inside, s: Scope, parts: Value, norm: Value | None) -> None:
    """What each part pushes the logits by, then what beta and the bias do, then the sum, q×vocabulary."""
    assert inside.logits is not None
    _, w, *b = inside.logits.inputs
    rows: list[tuple[str, str, Value]] = []
    if norm is not None and norm.composite is not None and norm.composite[0] is layer_norm:
        named = zip(norm.composite[2]["parts"].split(), norm.composite[1][1:], strict=True)
        rows += [("beta", "beta", value) for name, value in named if name == "beta"]
    rows += [("b", "output_head.b", value) for value in b]
    labels = (*parts.rows, *(label for _, label, _ in rows), "sum")
    settings = {"adds": tuple(name for name, _, _ in rows)}
    by = (
        logits_of_parts_out_in if inside.logits.operation is not None and _is_out_in(inside.logits) else logits_of_parts
    )
    added = [value for _, _, value in rows]
    s.record(PUSHED, by, parts, w, *added, settings=settings, rows=labels, columns=inside.logits.columns)


def _is_out_in(logits: Value) -> bool:
    """Whether the output weights have a row for each word, as a tied table has."""
    assert logits.operation is not None
    return logits.operation.name == "linear_out_in"
