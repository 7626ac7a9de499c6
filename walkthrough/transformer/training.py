"""Training by gradient descent: loss, gradients and updates of each step, recorded like everything else."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from walkthrough.operations.loss import (
    cross_entropy,
    cross_entropy_gradient,
    gradient_step,
    largest_size,
    mean_at_targets,
    sum_of_kept,
    table_of,
)
from walkthrough.operations.scaling import divide_by
from walkthrough.recording.recorder import Pass, Recorder
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.values import Step, Value
from walkthrough.scenario.schema import Training
from walkthrough.transformer.backward import backpropagate

PER_TOKEN = Step(
    "per_token", "ℓ", "Loss per token", "How surprised the model is by the right word: −ln of its probability."
)
TOTAL = Step("total", "ℓ_sum", "Total loss", "The losses of all positions that have a target.")
MEAN = Step("mean", "ℓ_mean", "Mean loss", "The average loss of the positions that have a target.")
RIGHT = Step(
    "right_probability", "p", "Probability of the right word", "On average over the positions that have a target."
)
LARGEST = Step("largest_gradient", "g", "Largest gradient", "The steepest slope among all parameters.")
RUN = Step(
    "training",
    "T",
    "Training run",
    "The loss, the probability of the right word and the largest gradient of each step.",
)

Forward = Callable[[Recorder], Value | None]


class TrainingError(ValueError):
    """Training cannot go on."""


def train(recorder: Recorder, keys: Training, padding: str, forward: Forward, forget: Callable[[str], None]) -> None:
    """Records the steps of a training; with more than one, each under `train.K.`

    forward:  one pass of the model, which gives the prediction
    forget:   lets go of a step that is over (by its prefix), where nobody has asked to keep it
    """
    known: dict[str, Value] = {}
    reports: list[Value] = []
    for number in range(1, keys.steps + 1):
        one = recorder
        if keys.steps > 1:
            one = recorder.again(Pass(f"train.{number}.", f"train.{number - 1}.", known, renames=True))
        step = _TrainingStep(one, keys, padding)
        known = step.run(forward)
        reports += step.report
        if keys.steps > 1:
            forget(f"train.{number}.")
    columns = ("loss", "right_probability", "largest_gradient")
    recorder.record(RUN, table_of, *reports, columns=columns, width=len(columns))


class _TrainingStep:
    """One step: forward, loss, backward, update."""

    def __init__(self, recorder: Recorder, keys: Training, padding: str) -> None:
        self.recorder = recorder
        self.keys = keys
        self.padding = padding
        self.report: list[Value] = []

    def run(self, forward: Forward) -> dict[str, Value]:
        """Records the step; the given matrices of the next one by path, updated where they are trained."""
        begin = len(self.recorder.trace)
        prediction = forward(self.recorder)
        assert prediction is not None
        probabilities = prediction.inputs[0]
        places = self._places(prediction)
        loss = self._loss(probabilities, places)
        self._check(loss, begin)
        assert probabilities.whole is not None
        logits = probabilities.whole[1][0]
        gradients = self._gradients(logits, probabilities, places)
        self._report(loss, probabilities, places, gradients)
        return self._updates(gradients)

    def _places(self, prediction: Value) -> tuple[int | None, ...]:
        """The column of each position's target; None where it has none."""
        targets = self.keys.targets
        assert targets is not None
        columns = prediction.inputs[0].columns
        known = {word: place for place, word in enumerate(columns)}
        return tuple(None if word in (None, self.padding) else known[word] for word in targets.known)

    def _loss(self, probabilities: Value, places: tuple[int | None, ...]) -> Value:
        """The loss that is differentiated: the mean or the total."""
        under = self.recorder.under("loss")
        per_token = under.record(PER_TOKEN, cross_entropy, probabilities, places=places)
        kept = tuple(row for row, place in enumerate(places) if place is not None)
        total = under.record(TOTAL, sum_of_kept, per_token, kept=kept)
        mean = under.record(MEAN, divide_by, total, divisor=float(len(kept)))
        return mean if self.keys.reduction == "mean" else total

    def _gradients(
        self, logits: Value, probabilities: Value, places: tuple[int | None, ...]
    ) -> list[tuple[Value, Value]]:
        """Every trained parameter with its gradient, in the order of the calculation."""
        trained = self._trained()
        kept = sum(place is not None for place in places)
        count = kept if self.keys.reduction == "mean" else 1
        name = f"gradient.{self.recorder.name_within(logits)}"
        step = Step(
            name, f"∂{logits.step.symbol}", f"Gradient: {logits.step.title}", "The shares, less 1 at the right word."
        )
        start = self.recorder.record(step, cross_entropy_gradient, probabilities, places=places, count=count)
        found = backpropagate(self.recorder, logits, start, trained)
        return [(value, found[id(value)]) for value in trained if id(value) in found]

    def _trained(self) -> list[Value]:
        """The parameters of this step, whatever their names: given matrices that training changes."""
        prefix = self.recorder.prefix
        trace = self.recorder.trace
        own = [value for path, value in trace.items() if path.startswith(prefix) and value.operation is None]
        updated = [
            value for path, value in trace.aliases.items() if path.startswith(prefix) and self._is_parameter(value)
        ]
        chosen = {id(value) for value in self._selected([*own, *updated])} if self.keys.update != "all" else set()
        return [value for value in dict.fromkeys([*own, *updated]) if value.step.trained or id(value) in chosen]

    @staticmethod
    def _is_parameter(value: Value) -> bool:
        return value.operation is None or value.operation is gradient_step

    def _selected(self, values: Sequence[Value]) -> list[Value]:
        """The given matrices that the scenario names for training."""
        from walkthrough.recording.selectors import is_selected, parse_words

        found: list[Value] = []
        for selector in self.keys.update:
            fitting = [
                value for value in values if is_selected(self.recorder.name_within(value), parse_words(selector))
            ]
            if not fitting:
                raise SelectorError(f"training.update: no parameter is called {selector!r}")
            found += fitting
        return found

    def _updates(self, gradients: Sequence[tuple[Value, Value]]) -> dict[str, Value]:
        """Records the updates; every given matrix by its path, updated where it is trained."""
        trace, prefix = self.recorder.trace, self.recorder.prefix
        chosen = None
        if self.keys.update != "all":
            chosen = {id(value) for value in self._selected([value for value, _ in gradients])}
        after: dict[int, Value] = {}
        for value, gradient in gradients:
            if chosen is None or id(value) in chosen:
                step = Step(
                    f"update.{self.recorder.name_within(value)}",
                    value.step.symbol,
                    f"Update: {value.step.title}",
                    "The old numbers, less the learning rate times their gradient.",
                    trained=True,
                )
                rate = self.keys.learning_rate
                after[id(value)] = self.recorder.record(step, gradient_step, value, gradient, rate=rate, like=value)
        given = [
            (path, value) for path, value in trace.items() if path.startswith(prefix) and self._is_parameter(value)
        ]
        return {path.removeprefix(prefix): after.get(id(value), value) for path, value in given}

    def _report(
        self,
        loss: Value,
        probabilities: Value,
        places: tuple[int | None, ...],
        gradients: Sequence[tuple[Value, Value]],
    ) -> None:
        under = self.recorder.under("loss")
        right = under.record(RIGHT, mean_at_targets, probabilities, places=places)
        largest = under.record(LARGEST, largest_size, *(gradient for _, gradient in gradients))
        self.report = [loss, right, largest]

    def _check(self, loss: Value, begin: int) -> None:
        """A loss that is no number ends the training: say where it began."""
        if math.isfinite(float(loss.array[0, 0])):
            return
        import numpy as np

        values = list(self.recorder.trace)[begin:]
        kept = [value for value in values if not value.path.startswith(f"{self.recorder.prefix}loss.")]
        first = next((value.path for value in kept if np.isnan(value.array).any()), loss.path)
        where = f"step {self.recorder.prefix.split('.')[1]}" if self.recorder.prefix else "the step"
        raise TrainingError(
            f"the loss of {where} is {float(loss.array[0, 0])}; first at {first}: try a smaller learning_rate"
        )
