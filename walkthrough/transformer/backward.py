"""Backpropagation: from the gradient of the logits back to every parameter, recorded like any other calculation.

Rumelhart, Hinton and Williams 1986. Each operation says its own gradient; here the shares of a value that several steps
have used are added up, and everything gets its name: `gradient.` and the path of the value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from walkthrough.operations.definition import Backward, InputGradient, Operation
from walkthrough.operations.matrix import add
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value


def backpropagate(recorder: Recorder, start: Value, gradient: Value, trained: Iterable[Value]) -> dict[int, Value]:
    """Records the gradient of every trained parameter and of every value between them and `start`.

    start, gradient: the value where the way back begins, and its gradient
    Returns the gradients by the identity of their values.
    """
    return _Backpropagation(recorder, start, gradient, trained).run()


def title_of(value: Value) -> str:
    """The title of a value; of an updated parameter that of the parameter."""
    return value.kind.title.removeprefix("Update: ")


class _Backpropagation:
    def __init__(self, recorder: Recorder, start: Value, gradient: Value, trained: Iterable[Value]) -> None:
        self.recorder = recorder
        self.gradients = {id(start): gradient}
        self.shares: dict[int, list[tuple[Value, Value]]] = defaultdict(list)
        self.trained = {id(value) for value in trained}
        self.order = list(self._between(start))
        self.between = {id(value) for value in self.order}
        self.uses: dict[int, int] = defaultdict(int)
        for value in self.order:
            for given in dict.fromkeys(self._inputs(value)):
                self.uses[id(given)] += 1

    def run(self) -> dict[int, Value]:
        for value in reversed(self.order):
            if id(value) not in self.gradients:
                if not self.shares[id(value)]:
                    continue  # a mask: nobody hands it a gradient
                self.gradients[id(value)] = self._total(value)
            if id(value) not in self.trained:
                self._pass_on(value, self.gradients[id(value)])
        return self.gradients

    def _total(self, value: Value) -> Value:
        """The sum of the shares; a single share is the gradient itself."""
        name = self._name(value)
        shares = [share for _, share in self.shares[id(value)]]
        total = shares[0]
        if len(shares) > 1:
            total = self.recorder.record(self._step(value, name), add, *shares, like=value)
        for other in self.recorder.names_within(value):
            self.recorder.alias(f"gradient.{other}", total)
        return total

    def _pass_on(self, value: Value, gradient: Value) -> None:
        operation, inputs, settings = value.composite or (value.operation, value.inputs, value.settings)
        assert isinstance(operation, Operation)
        if operation.gradient is None:
            raise TypeError(f"{operation.name} has no gradient")
        for given, share in zip(inputs, operation.gradient(Backward(inputs, value, gradient, settings)), strict=True):
            if id(given) in self.between and share is not None:
                self.shares[id(given)].append((value, self._share(given, value, gradient, share)))

    def _share(self, given: Value, user: Value, gradient: Value, share: InputGradient) -> Value:
        """The share of one input, recorded under the input's name, or under the user's too where it has several."""
        if share.operation is None:
            return gradient
        operands = tuple(self._operand(given, user, at, part) for at, part in enumerate(share.operands))
        step = self._share_step(given, user)
        return self.recorder.record(step, share.operation, *operands, like=given, **share.settings)

    def _operand(self, given: Value, user: Value, at: int, part: Value | InputGradient) -> Value:
        """An operand of a share: a value, or a share of its own that is recorded first."""
        if isinstance(part, Value):
            return part
        assert part.operation is not None
        name = f"gradient.{self.recorder.name_within(user)}.scaled"
        known = self.recorder.trace.get(self.recorder.prefix + name)
        if known is not None:
            return known
        step = Kind(name, f"∂{user.kind.symbol}γ", "Gradient times γ", "What reaches the normalized vectors.")
        operands = tuple(self._operand(given, user, at, inner) for inner in part.operands)
        return self.recorder.record(step, part.operation, *operands, like=user, **part.settings)

    def _share_step(self, given: Value, user: Value) -> Kind:
        """The gradient of an input that is used once, or the part of it that comes back through this user."""
        name = self._name(given)
        if self.uses[id(given)] == 1:
            return self._step(given, name)
        through = self.recorder.name_within(user)
        symbol = f"∂{given.kind.symbol}{',' if '_' in given.kind.symbol else '_'}{user.kind.symbol.replace('_', '')}"
        title = f"Gradient: {title_of(given)}, one part of it"
        return Kind(f"{name}.through.{through}", symbol, title, f"What comes back through {through}.")

    def _name(self, value: Value) -> str:
        return f"gradient.{self.recorder.name_within(value)}"

    def _step(self, value: Value, name: str) -> Kind:
        purpose = f"How the loss changes with each number of {self.recorder.name_within(value)}."
        return Kind(name, f"∂{value.kind.symbol}", f"Gradient: {title_of(value)}", purpose)

    def _inputs(self, value: Value) -> tuple[Value, ...]:
        """What a value is computed from, seen from behind: softmax and layer norm are one step, parameters the end."""
        if id(value) in self.trained:
            return ()
        return value.composite[1] if value.composite is not None else value.inputs

    def _between(self, start: Value) -> Iterator[Value]:
        """The values on the way from trained parameters to `start`, each behind those it is computed from."""
        leads: dict[int, bool] = {}
        stack: list[tuple[Value, bool]] = [(start, False)]
        while stack:
            value, is_done = stack.pop()
            inputs = self._inputs(value)
            if is_done:
                leads[id(value)] = id(value) in self.trained or any(leads.get(id(given), False) for given in inputs)
                if leads[id(value)]:
                    yield value
            elif id(value) not in leads:
                leads[id(value)] = False
                stack.append((value, True))
                stack += [(given, False) for given in inputs if id(given) not in leads]
