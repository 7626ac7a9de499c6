"""Backpropagation: from the gradient of the logits back to every parameter, recorded like any other calculation.

Rumelhart, Hinton and Williams 1986. Each operation says its own gradient; here what several steps contribute to the
gradient of a value is added up, and everything gets its name: `gradient.` and the path of the value.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from walkthrough.errors import UserError
from walkthrough.operations.definition import Backward, InputGradient, Operation
from walkthrough.operations.matrix import add
from walkthrough.operations.what_if import is_constant, what_if
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.selectors import pass_of
from walkthrough.recording.values import Kind, Value, with_index

ALWAYS_REACHED = ("input", "encoder.output")
"""What has a gradient wherever the loss depends on it, even where nothing before it is trained: authors print these."""


Starts = Mapping[Value, Callable[[], Value]]
"""The values where the backward pass begins, each with what records its gradient."""


def backpropagate(
    recorder: Recorder, starts: Starts, trained: Iterable[Value], examples: Sequence[Recorder] = ()
) -> dict[Value, Value]:
    """Records the gradient of every trained parameter and of every value between them and the starts.

    examples: the passes of several sentences; each has a gradient of every parameter, whose sum is the parameter's
    Returns the gradient of each of these values.
    """
    return _Backpropagation(recorder, starts, trained, examples).run()


def find_reached(recorder: Recorder, start: Value, trained: Iterable[Value]) -> set[Value]:
    """The parameters that have a gradient of `start`, by their operations' rules alone: no number is looked at."""
    trained, moved = set(trained), {start}
    order = list(_values_between([recorder], [start], trained))
    between = set(order)
    for value in reversed(order):
        if value in moved and not between.isdisjoint(_inputs(value, trained)):
            moved.update(given for given, contribution in _contributions(value, value) if contribution is not None)
    return trained & moved


def parameter_of(value: Value) -> Kind:
    """The kind of a value; of an updated parameter that of the parameter."""
    return value.kind.facts.get("parameter", value.kind)  # type: ignore[return-value]


def gradient_kind(value: Value, place: Recorder, words: str) -> Kind:
    """The kind of the gradient of a value in a pass."""
    name, of = place.name_within(value), parameter_of(value)
    facts = {"of": of, "path": name}
    return Kind(f"gradient.{name}", f"∂{value.kind.symbol}", f"Gradient: {of.title}", words=words, facts=facts)


class NoGradientError(UserError, TypeError):
    """The backward pass leads through a step that has no gradient: one with other numbers than it has calculated."""


class _Backpropagation:
    """The backward pass, from the values behind all examples to each of these, and to what they share.

    place: the pass that is gone through now
    shared: the parameters of all examples, and what is calculated of nothing else, such as a weight with its
        low-rank change: the backward pass through each example goes on to them
    contributions: of a value what its users add to its gradient; of a shared one those of one example at a time
    totals: of a parameter the gradients through each example
    """

    def __init__(
        self, recorder: Recorder, starts: Starts, trained: Iterable[Value], examples: Sequence[Recorder]
    ) -> None:
        self.recorder = self.place = recorder
        self.examples = {one.prefix: one for one in examples}
        self.starts = starts
        self.gradients: dict[Value, Value] = {}
        self.contributions: dict[Value, list[Value]] = defaultdict(list)
        self.totals: dict[Value, list[Value]] = defaultdict(list)
        self.trained = set(trained)
        self.order = list(_values_between((recorder, *examples), list(starts), self.trained))
        self.between = set(self.order)
        self.shared = self._find_shared()
        self.uses = Counter(
            (given, place)
            for value in self.order
            for given in dict.fromkeys(_inputs(value, self.trained))
            for place in (self._places(value) if given in self.shared else (self._place(given),))
        )

    def run(self) -> dict[Value, Value]:
        for value, record_start in self.starts.items():
            if value not in self.between:  # given logits: nothing comes before them
                self.gradients[value] = record_start()
        for place, values in self._by_place().items():
            self.place = place
            for value in values:
                if value not in self.shared:
                    self._go_through(value)
                elif contributions := self.contributions.pop(value, None):
                    self._go_through_shared(value, self._total(value, contributions, place))
        for value, totals in self.totals.items():
            self.gradients[value] = self._total(value, totals, self.recorder)
        return self.gradients

    def _by_place(self) -> dict[Recorder, list[Value]]:
        """The values from behind, those of no example first; each example has all that is shared among its own."""
        found: dict[Recorder, list[Value]] = {place: [] for place in (self.recorder, *self.examples.values())}
        for value in reversed(self.order):
            for place in self._places(value):
                found[place].append(value)
        return found

    def _find_shared(self) -> set[Value]:
        shared: set[Value] = set()
        for value in self.order if self.examples else ():
            needed = self.between.intersection(_inputs(value, self.trained))
            if self._place(value) is self.recorder and needed <= shared:
                shared.add(value)
        return shared

    def _go_through(self, value: Value) -> None:
        """Records the gradient of a value, and hands it on to what it was computed from."""
        if value in self.starts:
            self.gradients[value] = self.starts[value]()
        elif self.contributions[value]:
            self.gradients[value] = self._total(value, self.contributions[value], self.place)
        else:
            return  # a mask: nobody hands it a gradient
        if not self.between.isdisjoint(_inputs(value, self.trained)):
            self._pass_on(value, self.gradients[value])

    def _go_through_shared(self, value: Value, gradient: Value) -> None:
        if value in self.trained:
            self.totals[value].append(gradient)
        else:
            self._pass_on(value, gradient)

    def _places(self, value: Value) -> Iterable[Recorder]:
        """The passes in which a value has a gradient."""
        return self.examples.values() if value in self.shared else (self._place(value),)

    def _place(self, value: Value) -> Recorder:
        """The pass that a value is of: that of an example, or the one around them, as parameters are."""
        if value in self.trained or not self.examples:
            return self.recorder
        return self.examples.get(pass_of(value.path), self.recorder)

    def _total(self, value: Value, contributions: list[Value], place: Recorder) -> Value:
        """The sum of the contributions; a single one is the gradient itself."""
        total, *others = contributions
        if others:
            total = place.record(self._kind(value, place, add), add, tuple(contributions), like=value)
        return place.alias_under("gradient", value, total)

    def _pass_on(self, value: Value, gradient: Value) -> None:
        for given, contribution in _contributions(value, gradient):
            if given in self.between and given not in self.starts and contribution is not None:
                self.contributions[given].append(self._contribution(given, value, gradient, contribution))

    def _contribution(self, given: Value, user: Value, gradient: Value, contribution: InputGradient) -> Value:
        """What a user contributes to an input's gradient, under the input's name; of several users under theirs too."""
        if contribution.operation is None:
            return gradient
        operands = [self._operand(user, operand) for operand in contribution.operands]
        place = self.place if given in self.shared else self._place(given)
        return place.record(
            self._contribution_kind(given, user, place, contribution.operation),
            contribution.operation,
            tuple(operands),
            contribution.settings,
            like=given,
        )

    def _operand(self, user: Value, operand: Value | InputGradient) -> Value:
        """An operand of a contribution: a value, or a gradient inside the user that is recorded first."""
        if isinstance(operand, Value):
            return operand
        assert operand.operation is not None
        assert operand.kind is not None
        place = self.place
        name = f"gradient.{place.name_within(user)}.{operand.kind.name}"
        known = place.trace.get(place.prefix + name)
        if known is not None:
            return known
        symbol = f"∂{user.kind.symbol}{operand.kind.mark}"
        title, words = f"Gradient times {operand.kind.factor}", f"gradient.inside.{operand.kind.of}"
        kind = Kind(name, symbol, title, words=words, facts={"factor": operand.kind.factor})
        operands = [self._operand(user, inner) for inner in operand.operands]
        return place.record(kind, operand.operation, tuple(operands), operand.settings, like=user)

    def _contribution_kind(self, given: Value, user: Value, place: Recorder, operation: Operation) -> Kind:
        """The gradient of an input that is used once, or the part of it that flows back through this user."""
        if self.uses[given, place] == 1:
            return self._kind(given, place, operation)
        through = place.name_within(user)
        symbol = f"∂{given.kind.symbol}{',' if '_' in given.kind.symbol else '_'}{user.kind.symbol.replace('_', '')}"
        of = parameter_of(given)
        name, title = f"gradient.{place.name_within(given)}.through.{through}", f"Gradient: {of.title} (one part)"
        return Kind(name, symbol, title, words="gradient.part", facts={"of": of, "user": through})

    def _kind(self, value: Value, place: Recorder, operation: Operation) -> Kind:
        """What is told of a gradient; of that of a shared value through one of several examples, its number."""
        kind = gradient_kind(value, place, "gradient")._replace(reason=reason_of(operation))
        if value in self.shared and len(self.examples) > 1 and place is not self.recorder:
            return kind._replace(symbol=with_index(kind.symbol, place.example), words="gradient.example")
        return kind


def _inputs(value: Value, trained: set[Value]) -> tuple[Value, ...]:
    """What a value is computed from, seen from behind: softmax and layer norm are one step, parameters the end.

    Numbers that a step has in place of its own are an end too: nothing before it moves them.
    """
    if value in trained or (value.operation is what_if and is_constant(value.settings["change"])):
        return ()
    return value.composite[1] if value.composite is not None else value.inputs


def _contributions(value: Value, gradient: Value) -> list[tuple[Value, InputGradient | None]]:
    """Each input of a computed value, and what its operation says of the input's gradient."""
    operation, inputs, settings = value.composite or (value.operation, value.inputs, value.settings)
    assert operation is not None
    if operation.gradient is None:
        reason = "no gradient passes a step that has other numbers, here or within it"
        raise NoGradientError(f"{value.path}: {reason}; replace it by 0 instead")
    return list(zip(inputs, operation.gradient(Backward(inputs, value, gradient, settings)), strict=True))


def _values_between(passes: Iterable[Recorder], starts: list[Value], trained: set[Value]) -> Iterator[Value]:
    """The values on the way from where it ends to the starts, each behind those it is computed from."""
    ends = trained | {one.trace.get(one.prefix + name) for one in passes for name in ALWAYS_REACHED}
    leads: dict[Value, bool] = {}
    stack: list[tuple[Value, bool]] = [(start, False) for start in starts]
    while stack:
        value, is_done = stack.pop()
        inputs = _inputs(value, trained)
        if is_done:
            leads[value] = value in ends or any(leads.get(given, False) for given in inputs)
            if leads[value]:
                yield value
        elif value not in leads:
            leads[value] = False
            stack.append((value, True))
            stack += [(given, False) for given in inputs if given not in leads]


_REASONS = {
    **dict.fromkeys(("matrix_product", "product_transposed"), "product"),
    "transposed_product": "weight",
    "column_sum": "bias",
    **dict.fromkeys(("relu_gradient", "gelu_gradient", "gelu_tanh_gradient", "silu_gradient"), "activation"),
    **dict.fromkeys(("norm_gradient", "rms_norm_gradient"), "norm"),
    "softmax_gradient": "softmax",
    **dict.fromkeys(("divide_by_root", "scale_by_root", "scale_by", "divide_by"), "scale"),
    "keep_visible": "hidden",
    "add_to_rows": "rows",
    "add": "sum",
}


def reason_of(operation: Operation) -> str:
    """The key of the reason that a gradient is computed so; without one of its own that of all gradients."""
    reason = _REASONS.get(operation.name)
    return f"gradient.{reason}" if reason else "gradient"
