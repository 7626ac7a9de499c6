"""Backpropagation: from the gradient of the logits back to every parameter, recorded like any other calculation.

Rumelhart, Hinton and Williams 1986. Each operation says its own gradient; here the shares of a value that several steps
have used are added up, and everything gets its name: `gradient.` and the path of the value.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from walkthrough.operations.definition import Backward, InputGradient, Operation
from walkthrough.operations.matrix import add
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value

OF_INTEREST = ("input", "encoder.output")
"""What has a gradient wherever the loss depends on it, even where nothing before it is trained: authors print these."""


SOURCE = "Rumelhart et al. (1986)"
_WHY = (
    "Training needs to know of every number in which direction the loss falls. The chain rule gives that backwards, "
    "step by step: each turns the gradient of its result into those of its inputs, and nothing is calculated twice."
)
_WHY_PART = (
    "A value that is used in several places influences the loss in several ways. The way through each user is found by "
    "itself, and their sum is the whole gradient."
)
_WHY_INSIDE = (
    "Softmax and norms are gone back through in one step, which is shorter than through each of their parts. This is "
    "what that step needs, and what several of its numbers share."
)


def backpropagate(recorder: Recorder, starts: Mapping[Value, Value], trained: Iterable[Value]) -> dict[Value, Value]:
    """Records the gradient of every trained parameter and of every value between them and the starts.

    starts: the values where the way back begins, each with its gradient
    Returns the gradient of each of these values.
    """
    return _Backpropagation(recorder, starts, trained).run()


def find_reached(recorder: Recorder, start: Value, trained: Iterable[Value]) -> set[Value]:
    """The parameters that have a gradient of `start`, by their operations' rules alone: no number is looked at."""
    trained, moved = set(trained), {start}
    order = list(_values_between(recorder, [start], trained))
    between = set(order)
    for value in reversed(order):
        if value in moved and not between.isdisjoint(_inputs(value, trained)):
            moved.update(given for given, share in _shares(value, value) if share is not None)
    return trained & moved


def title_of(value: Value) -> str:
    """The title of a value; of an updated parameter that of the parameter."""
    return value.kind.title.removeprefix("Update: ")


class _Backpropagation:
    def __init__(self, recorder: Recorder, starts: Mapping[Value, Value], trained: Iterable[Value]) -> None:
        self.recorder = recorder
        self.gradients = dict(starts)
        self.shares: dict[Value, list[Value]] = defaultdict(list)
        self.trained = set(trained)
        self.order = list(_values_between(recorder, list(starts), self.trained))
        self.between = set(self.order)
        self.uses = Counter(given for value in self.order for given in dict.fromkeys(_inputs(value, self.trained)))

    def run(self) -> dict[Value, Value]:
        for value in reversed(self.order):
            if value not in self.gradients:
                if not self.shares[value]:
                    continue  # a mask: nobody hands it a gradient
                self.gradients[value] = self._total(value)
            if not self.between.isdisjoint(_inputs(value, self.trained)):
                self._pass_on(value, self.gradients[value])
        return self.gradients

    def _total(self, value: Value) -> Value:
        """The sum of the shares; a single share is the gradient itself."""
        total, *others = shares = self.shares[value]
        if others:
            total = self.recorder.record(self._kind(value, self._name(value)), add, tuple(shares), like=value)
        return self.recorder.alias_under("gradient", value, total)

    def _pass_on(self, value: Value, gradient: Value) -> None:
        for given, share in _shares(value, gradient):
            if given in self.between and share is not None:
                self.shares[given].append(self._share(given, value, gradient, share))

    def _share(self, given: Value, user: Value, gradient: Value, share: InputGradient) -> Value:
        """The share of one input, recorded under the input's name, or under the user's too where it has several."""
        if share.operation is None:
            return gradient
        operands = [self._operand(user, operand) for operand in share.operands]
        return self.recorder.record(
            self._share_kind(given, user), share.operation, tuple(operands), share.settings, like=given
        )

    def _operand(self, user: Value, operand: Value | InputGradient) -> Value:
        """An operand of a share: a value, or a gradient inside the user that is recorded first."""
        if isinstance(operand, Value):
            return operand
        assert operand.operation is not None
        assert operand.kind is not None
        name = f"{self._name(user)}.{operand.kind.name}"
        known = self.recorder.trace.get(self.recorder.prefix + name)
        if known is not None:
            return known
        symbol = f"∂{user.kind.symbol}{operand.kind.mark}"
        kind = Kind(name, symbol, operand.kind.title, operand.kind.purpose, why=_WHY_INSIDE, source=SOURCE)
        operands = [self._operand(user, inner) for inner in operand.operands]
        return self.recorder.record(kind, operand.operation, tuple(operands), operand.settings, like=user)

    def _share_kind(self, given: Value, user: Value) -> Kind:
        """The gradient of an input that is used once, or the part of it that flows back through this user."""
        name = self._name(given)
        if self.uses[given] == 1:
            return self._kind(given, name)
        through = self.recorder.name_within(user)
        symbol = f"∂{given.kind.symbol}{',' if '_' in given.kind.symbol else '_'}{user.kind.symbol.replace('_', '')}"
        title = f"Gradient: {title_of(given)} (one part)"
        purpose = f"The part of the gradient that flows back through {through}."
        return Kind(f"{name}.through.{through}", symbol, title, purpose, why=_WHY_PART, source=SOURCE)

    def _name(self, value: Value) -> str:
        return f"gradient.{self.recorder.name_within(value)}"

    def _kind(self, value: Value, name: str) -> Kind:
        purpose = f"How the loss changes with each number of {self.recorder.name_within(value)}."
        return Kind(name, f"∂{value.kind.symbol}", f"Gradient: {title_of(value)}", purpose, why=_WHY, source=SOURCE)


def _inputs(value: Value, trained: set[Value]) -> tuple[Value, ...]:
    """What a value is computed from, seen from behind: softmax and layer norm are one step, parameters the end."""
    if value in trained:
        return ()
    return value.composite[1] if value.composite is not None else value.inputs


def _shares(value: Value, gradient: Value) -> list[tuple[Value, InputGradient | None]]:
    """Each input of a computed value, and what its operation says of the input's gradient."""
    operation, inputs, settings = value.composite or (value.operation, value.inputs, value.settings)
    assert isinstance(operation, Operation)
    if operation.gradient is None:
        raise TypeError(f"{operation.name} has no gradient")
    return list(zip(inputs, operation.gradient(Backward(inputs, value, gradient, settings)), strict=True))


def _values_between(recorder: Recorder, starts: list[Value], trained: set[Value]) -> Iterator[Value]:
    """The values on the way from where it ends to the starts, each behind those it is computed from."""
    ends = trained | {recorder.trace.get(recorder.prefix + name) for name in OF_INTEREST}
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
