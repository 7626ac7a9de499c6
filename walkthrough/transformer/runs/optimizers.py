"""How a parameter is updated by its gradient: optimizers by name, each (state, gradient) → (state, update).

The state of a parameter is what an optimizer carries from step to step, as recorded values by name; empty at first.
Momentum: Polyak 1964, as torch.optim.SGD has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from walkthrough.operations.training.update import gradient_step, velocity
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema.keys import Training
from walkthrough.transformer.runs.backward import title_of

State = Mapping[str, Value]

_WHY_UPDATE = (
    "The gradient points to where the loss rises most steeply, so a step against it lowers the loss. The step has to "
    "be small, because the gradient is that of this point only: a little further on it is another."
)
_WHY_VELOCITY = (
    "In a narrow valley of the loss, gradients point from side to side and hardly along it. Added up over the steps, "
    "what points to and fro cancels, and what always points the same way grows."
)


class ParameterStep(NamedTuple):
    """One parameter in one training step: its old values, and the symbol that its new ones get."""

    recorder: Recorder
    training: Training
    old: Value
    symbol: str

    @property
    def names(self) -> list[str]:
        """Its names within the step: several, where heads share keys and values."""
        return self.recorder.names_within(self.old)

    def kind(
        self, name: str, symbol: str, title: str, purpose: str, why: str, source: str, trained: bool = False
    ) -> Kind:
        """What a reader is told about something of this parameter, recorded under `name.PATH`."""
        path, title = f"{name}.{self.names[0]}", f"{title}: {title_of(self.old)}"
        return Kind(path, symbol, title, purpose, trained=trained, why=why, source=source)

    def alias_all(self, name: str, value: Value) -> Value:
        """Lets a value answer to `name.PATH` for every name of the parameter."""
        for path in self.names:
            self.recorder.alias(f"{name}.{path}", value)
        return value

    def update(self, direction: Value, what: str) -> Value:
        """The old values minus the learning rate times a direction."""
        purpose = f"The old values minus the learning rate times their {what}."
        kind = self.kind(
            "update", self.symbol, "Update", purpose, _WHY_UPDATE, "Robbins and Monro (1951)", trained=True
        )
        settings = {"rate": self.training.learning_rate}
        update = self.recorder.record(kind, gradient_step, (self.old, direction), settings, like=self.old)
        return self.alias_all("update", update)


def descend(s: ParameterStep, state: State, gradient: Value) -> tuple[State, Value]:
    """Plain gradient descent: old − η·g."""
    return state, s.update(gradient, "gradient")


def descend_with_momentum(s: ParameterStep, state: State, gradient: Value) -> tuple[State, Value]:
    """v = μ·v + g, old − η·v; before the first step v is 0, and its first value is the gradient itself."""
    before = state.get("velocity")
    if before is None:
        moved = s.alias_all("velocity", gradient)
    else:
        purpose = "What is left of the velocity of the step before, and the gradient."
        kind = s.kind("velocity", f"v{s.old.kind.symbol}", "Velocity", purpose, _WHY_VELOCITY, "Polyak (1964)")
        assert not isinstance(s.training.optimizer, str)  # its name alone is a mapping's key
        settings = {"momentum": s.training.optimizer.momentum}
        moved = s.recorder.record(kind, velocity, (before, gradient), settings, like=s.old)
        s.alias_all("velocity", moved)
    return {"velocity": moved}, s.update(moved, "velocity")


OPTIMIZERS: dict[str, Callable[[ParameterStep, State, Value], tuple[State, Value]]] = {
    "sgd": descend,
    "momentum": descend_with_momentum,
}
"""Every optimizer by the name that the file gives it (`Optimizer` of scenario/schema/keys.py)."""


def optimizer_of(training: Training) -> Callable[[ParameterStep, State, Value], tuple[State, Value]]:
    """The optimizer of a training: a word, or a mapping whose one key is its name."""
    if isinstance(training.optimizer, str):
        return OPTIMIZERS[training.optimizer]
    return next(OPTIMIZERS[name] for name in training.optimizer.KEYS if training.optimizer.has(name))
