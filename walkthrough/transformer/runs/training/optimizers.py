"""How a parameter is updated by its gradient: optimizers by name, each (state, gradient) → (state, update).

The state of a parameter is what an optimizer carries from step to step, as recorded values by name; empty at first.
Momentum: Polyak 1964, as torch.optim.SGD has it. Adam: Kingma and Ba 2015, algorithm 1. AdamW: Loshchilov and Hutter
2019, algorithm 2. Clipping to a global norm: Pascanu et al. 2013, as torch.nn.utils.clip_grad_norm_.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from walkthrough.operations.definition import Operation
from walkthrough.operations.normalization import scale_by_number
from walkthrough.operations.training.clipping import clip_factor, global_norm, sums_of_squares
from walkthrough.operations.training.update import (
    correct_moment,
    decay,
    direction,
    gradient_step,
    moment,
    velocity,
)
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema.keys import Adam, AdamW, Training
from walkthrough.transformer.runs.training.backward import parameter_of
from walkthrough.transformer.runs.training.schedules import base_rate

SQUARES = Kind("squares", "q", "Squared gradients", words="clip.squares")
NORM = Kind("norm", "N", "Norm of all gradients", words="clip.norm")
FACTOR = Kind("factor", "c", "Clipping factor", words="clip.factor")

State = Mapping[str, Value]

_MOMENTS = {"first_moment": ("m", "First moment"), "second_moment": ("v", "Second moment")}


class ParameterStep(NamedTuple):
    """One parameter in one training step: its old values, and the symbol that its new ones get.

    number: of the step, from 1
    rate:   the learning rate of this step, 1×1; None where it is the file's own
    """

    recorder: Recorder
    training: Training
    old: Value
    symbol: str
    number: int
    rate: Value | None

    def record(
        self,
        name: str,
        symbol: str,
        title: str,
        operation: Operation,
        inputs: tuple[Value, ...],
        settings: Mapping[str, Any],
        words: str = "",
        trained: bool = False,
    ) -> Value:
        """Records something of this parameter under `name.PATH`, for every name that it has.

        words: the key of its words, where that is not its name
        """
        path, of = f"{name}.{self.recorder.name_within(self.old)}", parameter_of(self.old)
        facts = {"parameter" if trained else "of": of}
        kind = Kind(path, symbol, f"{title}: {of.title}", trained=trained, words=words or name, facts=facts)
        made = self.recorder.record(kind, operation, inputs, settings, like=self.old)
        return self.recorder.alias_under(name, self.old, made)

    def at_rate(self, *inputs: Value, **settings: Any) -> tuple[tuple[Value, ...], dict[str, Any]]:
        """Inputs and settings of an operation that the learning rate belongs to: a recorded number or a setting."""
        if self.rate is not None:
            return (*inputs, self.rate), settings
        return inputs, {**settings, "rate": base_rate(self.training)}

    def update(self, moved: Value, what: str, old: Value | None = None) -> Value:
        """The old values minus the learning rate times what they are moved by.

        old: what takes their place, where they have decayed
        """
        inputs, settings = self.at_rate(old or self.old, moved)
        return self.record("update", self.symbol, "Update", gradient_step, inputs, settings, f"update.{what}", True)


def descend_with_momentum(s: ParameterStep, state: State, gradient: Value) -> tuple[State, Value]:
    """v = μ·v + g, old − η·v; before the first step v is 0, and its first value is the gradient itself."""
    before = state.get("velocity")
    if before is None:
        moved = s.recorder.alias_under("velocity", s.old, gradient)
    else:
        assert not isinstance(s.training.optimizer, str)  # its name alone is a mapping's key
        settings = {"momentum": s.training.optimizer.momentum}
        moved = s.record("velocity", f"v{s.old.kind.symbol}", "Velocity", velocity, (before, gradient), settings)
    return {"velocity": moved}, s.update(moved, "velocity")


def descend_with_adam(s: ParameterStep, state: State, gradient: Value) -> tuple[State, Value]:
    """m̂ / (√v̂ + ε) in place of the gradient: its running mean over its usual size."""
    after, moved = _adam_direction(s, state, gradient, _settings(s.training, "adam", Adam))
    return after, s.update(moved, "direction")


def descend_with_adamw(s: ParameterStep, state: State, gradient: Value) -> tuple[State, Value]:
    """The same, from old values that have decayed: (1 − η·λ)·old − η·m̂ / (√v̂ + ε)."""
    settings = _settings(s.training, "adamw", AdamW)
    after, moved = _adam_direction(s, state, gradient, settings)
    inputs, values = s.at_rate(s.old, decay=settings["weight_decay"])
    decayed = s.record("decayed", f"λ{s.old.kind.symbol}", "Decayed", decay, inputs, values)
    return after, s.update(moved, "direction", decayed)


def _settings(training: Training, name: str, section: type[Adam]) -> dict[str, float]:
    """An optimizer's settings by key; its name alone stands for the usual ones."""
    given = None if isinstance(training.optimizer, str) else getattr(training.optimizer, name)
    return {key: declared.default if given is None else getattr(given, key) for key, declared in section.KEYS.items()}


def _adam_direction(s: ParameterStep, state: State, gradient: Value, settings: dict[str, float]) -> tuple[State, Value]:
    """Both moments, corrected for having begun at 0, and the direction that they give."""
    after, corrected = {}, []
    for power, (name, (symbol, title)) in enumerate(_MOMENTS.items(), 1):
        beta = settings[f"beta_{power}"]
        symbol = f"{symbol}{s.old.kind.symbol}"
        inputs = (gradient, state[name]) if name in state else (gradient,)
        after[name] = s.record(name, symbol, title, moment, inputs, {"beta": beta, "power": power})
        title, values = f"Corrected {title.lower()}", {"beta": beta, "step": s.training.count(s.number)}
        path, symbol, inputs = f"{name}_corrected", f"{symbol[0]}'{symbol[1:]}", (after[name],)
        corrected.append(s.record(path, symbol, title, correct_moment, inputs, values, f"corrected_moment.{name}"))
    values = {"epsilon": settings["epsilon"]}
    return after, s.record("direction", f"δ{s.old.kind.symbol}", "Direction", direction, tuple(corrected), values)


OPTIMIZERS: dict[str, Callable[[ParameterStep, State, Value], tuple[State, Value]]] = {
    "sgd": lambda s, state, gradient: (state, s.update(gradient, "gradient")),  # old − η·g
    "momentum": descend_with_momentum,
    "adam": descend_with_adam,
    "adamw": descend_with_adamw,
}
"""Every optimizer by the name that the file gives it (`Optimizer` of scenario/schema/keys.py)."""


def optimizer_of(training: Training) -> Callable[[ParameterStep, State, Value], tuple[State, Value]]:
    """The optimizer of a training: a word, or a mapping whose one key is its name."""
    return OPTIMIZERS[training.optimizer if isinstance(training.optimizer, str) else training.optimizer.chosen]


def clip_gradients(recorder: Recorder, gradients: Mapping[Value, Value], clip: float) -> dict[Value, Value]:
    """Records norm and factor, and the gradient of each parameter times the factor; these gradients.

    gradients: of the parameters that are updated
    """
    under = recorder.under("clip")
    names = tuple(recorder.name_within(value) for value in gradients)
    squares = under.record(SQUARES, sums_of_squares, tuple(gradients.values()), rows=names)
    factor = under.record(FACTOR, clip_factor, (under.record(NORM, global_norm, (squares,)),), {"clip": clip})
    return {value: _clip(recorder, value, gradient, factor) for value, gradient in gradients.items()}


def _clip(recorder: Recorder, value: Value, gradient: Value, factor: Value) -> Value:
    name, symbol = f"clipped.{recorder.name_within(value)}", f"g{value.kind.symbol}"
    of = parameter_of(value)
    kind = Kind(name, symbol, f"Clipped: {of.title}", words="clip.clipped", facts={"of": of})
    clipped = recorder.record(kind, scale_by_number, (gradient, factor), like=value)
    return recorder.alias_under("clipped", value, clipped)
