"""Training by gradient descent: loss, gradients and updates of each step, recorded like everything else."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

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
from walkthrough.recording.selectors import SelectorError, is_selected, parse_words, unknown
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema import Training
from walkthrough.transformer.backward import backpropagate, title_of

PER_TOKEN = Kind("per_token", "ℓ", "Loss per token", "How surprised the model is by the right word: −ln of its share.")
TOTAL = Kind("total", "ℓ_sum", "Total loss", "The losses of all positions that have a target.")
MEAN = Kind("mean", "ℓ_mean", "Mean loss", "The average loss of the positions that have a target.")
RIGHT = Kind(
    "right_probability", "p", "Probability of the right word", "The average over positions that have a target."
)
LARGEST = Kind("largest_gradient", "g", "Largest gradient", "The steepest slope among all parameters.")
RUN = Kind(
    "training",
    "T",
    "Training run",
    "Loss, probability of the right word and largest gradient of each step.",
    series=True,
)

Forward = Callable[[Recorder, int], Value | None]
"""One pass of the model, for a training step of this number; the prediction."""

Targets = tuple[int | None, ...]
"""The column of each position's target; None where it has none."""


class TrainingError(ValueError):
    """Training cannot go on."""


def train(
    recorder: Recorder, keys: Training, padding: str, forward: Forward, keep: Sequence[str] | None = None
) -> None:
    """Records the steps of a training; with more than one, each under `train.K.`

    keep:  selectors of what is kept of each step, without the history behind it; None: everything
    """
    known: dict[str, Value] = {}
    reports: list[Value] = []
    for number in range(1, keys.steps + 1):
        prefix = f"train.{number}." if keys.steps > 1 else ""
        one_pass = Pass(prefix, f"train.{number - 1}.", known, renames=True)
        step = _TrainingStep(recorder.again(one_pass), keys, padding, number)
        known = step.run(forward)
        reports += step.report
        if keep is not None and keys.steps > 1:
            known = {path: value.without_history() for path, value in known.items()}
            reports[-3:] = [report.bare() for report in step.report]
            recorder.trace.forget(prefix, keep)
    columns = ("loss", "right_probability", "largest_gradient")
    recorder.record(RUN, table_of, *reports, columns=columns, width=len(columns))


class _TrainingStep:
    """One step: forward, loss, backward, update."""

    def __init__(self, recorder: Recorder, keys: Training, padding: str, number: int) -> None:
        self.recorder = recorder
        self.keys = keys
        self.padding = padding
        self.number = number
        self.report: list[Value] = []

    def run(self, forward: Forward) -> dict[str, Value]:
        """Records the step; the given matrices of the next one by path, updated where they are trained."""
        begin = len(self.recorder.trace)
        prediction = forward(self.recorder, self.number)
        assert prediction is not None
        probabilities = prediction.inputs[0]
        targets = self._targets(probabilities)
        loss = self._loss(probabilities, targets)
        self._check(loss, begin)
        gradients = self._gradients(probabilities, targets)
        self._report(loss, probabilities, targets, gradients)
        return self._updated(gradients)

    @property
    def _given(self) -> Mapping[str, Value]:
        """The given matrices of this step, by their path without its prefix."""
        assert self.recorder.one_pass is not None
        return self.recorder.one_pass.given

    def _targets(self, probabilities: Value) -> Targets:
        assert self.keys.targets is not None
        column = {word: at for at, word in enumerate(probabilities.columns)}
        return tuple(None if word in (None, self.padding) else column[word] for word in self.keys.targets.known)

    def _loss(self, probabilities: Value, targets: Targets) -> Value:
        """The loss that is differentiated: the mean or the total."""
        under = self.recorder.under("loss")
        per_token = under.record(PER_TOKEN, cross_entropy, probabilities, targets=targets)
        kept = tuple(row for row, target in enumerate(targets) if target is not None)
        total = under.record(self._numbered(TOTAL), sum_of_kept, per_token, kept=kept)
        mean = under.record(self._numbered(MEAN), divide_by, total, divisor=float(len(kept)))
        return mean if self.keys.reduction == "mean" else total

    def _gradients(self, probabilities: Value, targets: Targets) -> list[tuple[Value, Value]]:
        """Every trained parameter with its gradient, in the order of the calculation."""
        assert probabilities.composite is not None
        logits = probabilities.composite[1][0]
        kept = sum(target is not None for target in targets)
        count = kept if self.keys.reduction == "mean" else 1
        said = "The probabilities, less 1 at the right word."
        name = f"gradient.{self.recorder.name_within(logits)}"
        step = Kind(name, f"∂{logits.kind.symbol}", f"Gradient: {title_of(logits)}", said)
        start = self.recorder.record(step, cross_entropy_gradient, probabilities, targets=targets, count=count)
        trained = self._trained()
        found = backpropagate(self.recorder, logits, start, trained)
        return [(value, found[id(value)]) for value in trained if id(value) in found]

    def _trained(self) -> list[Value]:
        """The parameters: given matrices that training changes, and others that the scenario names by themselves."""
        given = list(self._given.values())
        parameters = [value for value in given if value.kind.trained]
        found = {id(value) for value in parameters}
        for selector in self.keys.update if self.keys.update != "all" else ():
            if not self._named(selector, parameters):
                found |= {id(value) for value in self._named(selector, given)}
        return [value for value in given if id(value) in found]

    def _named(self, selector: str, values: Iterable[Value]) -> list[Value]:
        words = parse_words(selector)
        return [
            value
            for value in values
            if any(name == selector or is_selected(name, words) for name in self.recorder.names_within(value))
        ]

    def _updated(self, gradients: Sequence[tuple[Value, Value]]) -> dict[str, Value]:
        """Records the updates; the given matrices of the next step by path."""
        chosen = self._chosen([value for value, _ in gradients])
        after = {id(value): self._update(value, gradient) for value, gradient in gradients if id(value) in chosen}
        return {path: after.get(id(value), value) for path, value in self._given.items()}

    def _chosen(self, values: Sequence[Value]) -> set[int]:
        """The identities of those that are updated; a SelectorError for a selector that names none of them."""
        if self.keys.update == "all":
            return set(map(id, values))
        chosen: set[int] = set()
        for selector in self.keys.update:
            fitting = self._named(selector, values)
            if not fitting:
                names = [name for value in values for name in self.recorder.names_within(value)]
                raise SelectorError(f"training.update: {unknown(selector, names, 'parameter')}")
            chosen.update(map(id, fitting))
        return chosen

    def _update(self, value: Value, gradient: Value) -> Value:
        name = f"update.{self.recorder.name_within(value)}"
        said = "The old numbers, less the learning rate times their gradient."
        step = Kind(name, self._next(value.kind.symbol), f"Update: {title_of(value)}", said, trained=True)
        return self.recorder.record(step, gradient_step, value, gradient, rate=self.keys.learning_rate, like=value)

    def _next(self, symbol: str) -> str:
        """W_Q' of one step; W_Q(2), W_Q(3), … of several."""
        return f"{symbol.partition('(')[0]}({self.number + 1})" if self.keys.steps > 1 else f"{symbol}'"

    def _numbered(self, step: Kind) -> Kind:
        """A step of the report, its symbol with the number of this step of the training."""
        return step._replace(symbol=f"{step.symbol}({self.number})") if self.keys.steps > 1 else step

    def _report(
        self, loss: Value, probabilities: Value, targets: Targets, gradients: Sequence[tuple[Value, Value]]
    ) -> None:
        under = self.recorder.under("loss")
        right = under.record(self._numbered(RIGHT), mean_at_targets, probabilities, targets=targets)
        largest = under.record(self._numbered(LARGEST), largest_size, *(gradient for _, gradient in gradients))
        self.report = [loss, right, largest]

    def _check(self, loss: Value, begin: int) -> None:
        """A loss that is no number ends the training: say where it began. −ln 0 is infinite, but can be trained on."""
        number_of_loss = float(loss.array[0, 0])
        if math.isfinite(number_of_loss):
            return
        values = islice(self.recorder.trace, begin, None)
        first = next((value.path for value in values if _is_broken(value)), None)
        if first is None and number_of_loss == math.inf:
            return
        raise TrainingError(
            f"the loss of training step {self.number} is {number_of_loss}; the first number that is none stands in "
            f"{first or loss.path}; a smaller learning_rate may help"
        )


def _is_broken(value: Value) -> bool:
    """Whether a value in front of the loss holds what is no number."""
    return value.kind.name not in (PER_TOKEN.name, TOTAL.name, MEAN.name) and value.is_broken
