"""Looking inside a pass: what the model would say after each part, and which part pushes which word.

Logit lens: the output head after every part, as if the model ended there. nostalgebraist 2020. Each state is normed by
its own statistics, as tuned-lens does; older programs took those of the last state.
Direct logit attribution: Elhage et al. 2021. What the last norm reads is a sum, and what follows it is linear once the
norm's deviation is taken as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from itertools import takewhile
from typing import NamedTuple

from walkthrough.operations.attribution import (
    Part,
    center_rows,
    logits_of_parts,
    scale_parts,
    take_parts,
)
from walkthrough.operations.matrix import add, concatenate, linear_out_in
from walkthrough.operations.norms import dyt, layer_norm
from walkthrough.operations.what_if import what_if
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.selectors import within_pass
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.resolved import NormPlan, final_norm
from walkthrough.scenario.schema.keys import OutputHead, ScenarioSpec, StackSpec
from walkthrough.scenario.schema.values import Inspection
from walkthrough.scenario.yaml.nodes import quote
from walkthrough.transformer.model.attention.attention import CONCAT, HEAD_OUTPUT, OUTPUT
from walkthrough.transformer.model.embedding import INPUT
from walkthrough.transformer.model.norms import norm_steps
from walkthrough.transformer.model.output_head import LOGITS, predict_from
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import Stream, find_row, near_rows, token_labels


class Inside:
    """What one pass has calculated.

    s:      the place of the whole model
    stream: what the output head has read
    """

    def __init__(self, s: Scope, stream: Stream) -> None:
        self.s = s
        self.stream = stream
        self.spec: ScenarioSpec = s.calculation.spec

    def own(self, path: str) -> Value | None:
        """The value that this pass has calculated under a path, which is without the prefix of the pass."""
        return self.s.recorder.trace.get(self.s.recorder.prefix + path)

    def given(self, path: str) -> Value | None:
        """A matrix of the file, which all passes share."""
        return self.own(path) or self.s.recorder.trace.get(path)

    @property
    def stack(self) -> StackSpec | None:
        """The stack that the output head follows; None where it follows none."""
        return self.spec.decoder or self.spec.encoder

    @property
    def stack_name(self) -> str:
        """How the paths of this stack begin."""
        return "decoder" if self.spec.decoder is not None else "encoder"

    @cached_property
    def logits(self) -> Value:
        """The logits, calculated by the output head (`why_no_stack`)."""
        found = self.own("output_head.logits")
        assert found is not None
        return found

    @property
    def norm_plan(self) -> NormPlan | None:
        """The norm after the last layer, where there is one."""
        return None if self.stack is None else final_norm(self.stack)

    @cached_property
    def input_path(self) -> str:
        """The path of what the first layer reads."""
        return "decoder.input" if self.spec.decoder is not None and self.spec.encoder is not None else "input"

    def of_layers(self, *names: str) -> Iterator[tuple[str, Value]]:
        """The values of these names, such as `residual_1`, in every layer of the stack that has them, with paths."""
        layers = getattr(self.stack, "layers", None) or []
        for number in range(1, len(layers) + 1):
            for name in names:
                path = f"{self.stack_name}.{number}.{name}"
                if (value := self.own(path)) is not None:
                    yield path, value

    @property
    def is_post(self) -> bool:
        """Whether each sum of the layers is normed, and the next part adds to what the norm makes of it."""
        return self.stack is not None and self.stack.norm_order == "post"

    def row_of(self, position: str) -> int | None:
        """The row of a position, from 0, which means the same token in every pass; None where no row is its.

        position: empty for the last row
        """
        if not position:
            return self.stream.places[-1] - self.stream.first if self.stream.places else None
        place = find_row(position, self.names)
        return None if place is None or place < self.stream.first else place - self.stream.first

    @property
    def names(self) -> tuple[str, ...]:
        """The labels of the scenario's own tokens."""
        return token_labels(self.s.calculation.scenario.target or self.s.calculation.scenario.sequence)

    def why_no_stack(self) -> str:
        """Why there is no sum that ends in logits; empty where there is one."""
        head: OutputHead | None = self.spec.output_head
        if head is None:
            return "there is no output_head, which makes the logits"
        logits = self.own("output_head.logits")
        if logits is None or logits.operation is None:
            return "the logits, or the probabilities, are given"
        if logits.operation is what_if:
            return "the logits are others than the model has calculated"
        if self.stack is None or not getattr(self.stack, "layers", None):
            return "the output head follows no layers"
        if self.own(self.input_path) is None:
            return "the layers have no input"
        return ""


def why_no_lens(inside: Inside) -> str:
    """Why there are no states that the output head could read; empty where there are."""
    if reason := inside.why_no_stack():
        return reason
    if inside.stack is not None and not inside.stack.residual:
        return "without residuals there is no state that the parts add to"
    return ""


def record_lens(inside: Inside, wanted: Inspection) -> None:
    """Norm, logits, probabilities and prediction of every state; of the last they are the output head's own."""
    *before, (last, _) = _states(inside)
    for path, state in before:
        _record_state(inside, _place_of(inside, path), state)
    recorder, place = inside.s.recorder, _place_of(inside, last).recorder
    if inside.norm_plan is not None:
        _name_again(place.under("norm"), recorder.under(inside.stack_name).under("final_norm"))
    _name_again(place, recorder.under("output_head"))


def _states(inside: Inside) -> list[tuple[str, Value]]:
    """What the stack holds after its input and after each part, with paths: sums, in post-LN normed ones."""
    first = inside.own(inside.input_path)
    assert first is not None
    name = "norm_{}.output" if inside.is_post else "residual_{}"
    return [(inside.input_path, first), *inside.of_layers(*(name.format(number) for number in (1, 2, 3)))]


def _place_of(inside: Inside, path: str) -> Scope:
    return Scope(inside.s.calculation, inside.s.recorder.under(f"lens.{path}"), inside.spec.output_head)


def _record_state(inside: Inside, s: Scope, state: Value) -> None:
    plan, logits = inside.norm_plan, inside.logits
    assert logits.operation is not None
    if plan is not None:
        at = f"{inside.stack_name}.final_norm"
        state = norm_steps(s.under("norm"), state, plan, lambda name: inside.given(f"{at}.{name}"))[-1]
    predict_from(
        s, s.record(LOGITS, logits.operation, state, *logits.inputs[1:], columns=logits.columns), inside.stream
    )


def _name_again(place: Recorder, part: Recorder) -> None:
    """Lets what a part has calculated answer to the same names in another place."""
    newest = takewhile(lambda value: not value.path.startswith(place.prefix), reversed(part.trace.values.values()))
    own = [value for value in newest if value.path.startswith(part.prefix) and value.operation is not None]
    for value in reversed(own):
        place.alias_all(value, part)


PARTS = Kind("parts", "C", "Parts of the sum", words="attribution.parts")
PARTS_OF_LAST = PARTS._replace(words="attribution.parts.last")
CENTERED = Kind("centered", "C_0", "Centered parts", words="attribution.centered")
SCALED = Kind("scaled", "C_s", "Scaled parts", words="attribution.scaled")
PUSHED = Kind("logits", "L_c", "Logits by part", words="attribution.logits")


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
    s, norm = inside.s.under("attribution", inside.spec.output_head), _last_norm(inside)
    parts = _record_parts(inside, s, [one for part in _sum_of(inside, norm) for one in _summands(*part, row)])
    if norm is not None:
        parts = _through_norm(s, parts, norm, row)
    _record_logits(inside, s, parts, norm)


def _check_position(s: Scope, inside: Inside, wanted: Inspection) -> None:
    if inside.row_of(wanted.position) is None and wanted.node is not None:
        message = f"{quote(wanted.position)} is none of the tokens"
        help = partial(near_rows, wanted.position, inside.names)
        s.problems.add(wanted.node, message, key="inspect.attribution", help=help)


def _last_norm(inside: Inside) -> Value | None:
    """The norm that the output head reads: the final one, or in post-LN that of the last part; None without one."""
    read = inside.logits.inputs[0]
    has_norm = inside.norm_plan is not None or (inside.is_post and not _is_input(inside, read))
    return read if has_norm else None


def _is_input(inside: Inside, value: Value) -> bool:
    return value is inside.own(inside.input_path)


def _sum_of(inside: Inside, norm: Value | None) -> list[tuple[str, Value]]:
    """The parts of what the last norm reads, or the output head where there is none, each with its path: a value, or
    the output of an attention, which is the sum of its heads'.
    """
    whole = inside.logits.inputs[0]
    if norm is not None:
        assert norm.composite is not None
        whole = norm.composite[1][0]
    parts: list[tuple[str, Value]] = []
    sums = {value for _, value in inside.of_layers("residual_1", "residual_2", "residual_3")}
    while whole in sums and whole.operation is add:
        whole, *added = whole.inputs
        parts[:0] = [(within_pass(value.path), value) for value in added]
        if inside.is_post:  # what it is added to is normed, and no sum
            return [(inside.input_path if _is_input(inside, whole) else within_pass(whole.path), whole), *parts]
    return [*_first_parts(inside, whole), *parts]


def _first_parts(inside: Inside, x: Value) -> list[tuple[str, Value]]:
    """Token, position and segment, where what the layers add to is their sum; else what it is."""
    if x.kind == INPUT and x.operation is add:
        return [(within_pass(value.path), value) for value in x.inputs]
    is_one = _is_input(inside, x) and (x.operation is None or x.composite is not None)
    return [(inside.input_path if is_one else within_pass(x.path), x)]


class _Summand(NamedTuple):
    """A row of a value: times the rows of a weight from `start` on, or as it is, in the columns from there on."""

    label: str
    value: Value
    row: int
    weight: Value | None = None
    start: int = 0


def _summands(label: str, value: Value, row: int) -> Iterator[_Summand]:
    """A part as it is; an attention head by head: each output times its rows of W_O, and then b_O."""
    if value.kind not in (OUTPUT, CONCAT, HEAD_OUTPUT) or value.operation in (None, what_if):
        yield _Summand(label, value, row)
        return
    concat, w_o, *b_o = value.inputs if value.kind == OUTPUT else (value, None)
    start = 0
    for head in concat.inputs if concat.operation is concatenate else (concat,):
        yield _Summand(within_pass(head.path).rpartition(".")[0], head, row, w_o, start)
        start += head.shape[1]
    for bias in b_o:
        yield _Summand(within_pass(bias.path), bias, 0)


def _record_parts(inside: Inside, s: Scope, summands: Sequence[_Summand]) -> Value:
    """The rows, p×d_model."""
    numbers: dict[Value, int] = {}
    taken: list[Part] = []
    for one in summands:
        weight = -1 if one.weight is None else numbers.setdefault(one.weight, len(numbers))
        taken.append((numbers.setdefault(one.value, len(numbers)), one.row, weight, one.start))
    width = inside.logits.inputs[0].shape[1]
    settings = {"taken": tuple(taken), "width": width, "out_in": s.calculation.out_in}
    kind, rows = PARTS_OF_LAST if inside.is_post else PARTS, tuple(one.label for one in summands)
    return s.record(kind, take_parts, *numbers, settings=settings, rows=rows)


def _through_norm(s: Scope, parts: Value, norm: Value, row: int) -> Value:
    """The parts as the norm has changed their sum, but for its beta."""
    assert norm.composite is not None
    whole, _, settings = norm.composite
    deviation = norm.parts["std" if whole is layer_norm else "rms"]
    if whole is layer_norm:
        parts = s.record(CENTERED, center_rows, parts)
    options = {"row": row, "plus_one": settings.get("plus_one", False)}
    return s.record(SCALED, scale_parts, parts, deviation, _parameters(norm).get("gamma"), settings=options)


def _parameters(norm: Value) -> dict[str, Value]:
    """The gamma and beta of a norm, where it has them."""
    assert norm.composite is not None
    _, (_, *given), settings = norm.composite
    return dict(zip(settings.get("parts", "gamma").split(), given, strict=False))


def _record_logits(inside: Inside, s: Scope, parts: Value, norm: Value | None) -> None:
    """What each part pushes the logits by, then what beta and the bias do, then the sum, q×vocabulary."""
    _, w, *b = inside.logits.inputs
    beta = _parameters(norm).get("beta") if norm is not None else None
    rows = [("beta", "beta", beta)] if beta is not None else []
    rows += [("b", "output_head.b", value) for value in b]
    labels = (*parts.rows, *(label for _, label, _ in rows), "sum")
    settings = {"adds": tuple(name for name, _, _ in rows), "out_in": inside.logits.operation is linear_out_in}
    added = [value for _, _, value in rows]
    s.record(PUSHED, logits_of_parts, parts, w, *added, settings=settings, rows=labels, columns=inside.logits.columns)


WAYS: dict[str, tuple[Callable[[Inside], str], Callable[[Inside, Inspection], None]]] = {
    "lens": (why_no_lens, record_lens),
    "attribution": (why_no_attribution, record_attribution),
}
"""The ways to look inside: why one does not apply, empty where it does; and its steps."""


def inspect(s: Scope, stream: Stream) -> None:
    """Records what the scenario asks to see of a pass that has been calculated.

    stream: what the output head has read
    """
    inside = Inside(s, stream)
    for wanted in s.calculation.spec.inspect or ():
        why_not, record = WAYS[wanted.name]
        reason = why_not(inside)
        if not reason:
            record(inside, wanted)
        elif s.calculation.is_checking and wanted.node is not None:
            s.problems.add(wanted.node, f"{wanted.name} does not apply: {reason}", key="inspect", help="leave it out")
