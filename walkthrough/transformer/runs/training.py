"""Training by gradient descent: loss, gradients and updates of each step, recorded like everything else."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from walkthrough.operations.matrix import concatenate
from walkthrough.operations.scaling import divide_by
from walkthrough.operations.training.loss import cross_entropy, cross_entropy_gradient, sum_of_kept
from walkthrough.operations.training.report import largest_size, mean_at_targets, table_of
from walkthrough.recording.recorder import Pass, Recorder
from walkthrough.recording.selectors import no_match, resolve
from walkthrough.recording.values import Kind, Value
from walkthrough.records import NONE
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.yaml.nodes import ListNode
from walkthrough.scenario.yaml.problems import Positioned, Problems, ScenarioError
from walkthrough.transformer.dropout import Dropout
from walkthrough.transformer.model.model import Model
from walkthrough.transformer.model.output_head import logits_of
from walkthrough.transformer.runs.backward import backpropagate, find_reached, title_of
from walkthrough.transformer.runs.optimizers import ParameterStep, State, optimizer_of

PER_TOKEN = Kind(
    "per_token", "ℓ", "Loss per token", "How surprised the model is by the right word: −ln of its probability."
)
TOTAL = Kind("total", "ℓ_sum", "Total loss", "The sum of the losses of all positions that have a target.")
MEAN = Kind("mean", "ℓ_mean", "Mean loss", "The average loss of the positions that have a target.")
RIGHT = Kind(
    "right_probability", "p", "Probability of the right word", "The average over positions that have a target."
)
LARGEST = Kind("largest_gradient", "g", "Largest gradient", "The largest absolute value in any parameter's gradient.")
RUN = Kind(
    "training",
    "T",
    "Training run",
    "Loss, probability of the right word and largest gradient of each step.",
    series=True,
)
COLUMNS = ("loss", "right_probability", "largest_gradient")
"""Of the table of the run, which has a row for each step."""

Forward = Callable[[Recorder, int], Value | None]
"""One pass of the model, for a training step of this number; the prediction."""

Targets = tuple[int | None, ...]
"""The column of each position's target; None where it has none."""


class TrainingError(ScenarioError):
    """Training cannot go on."""


def train(
    recorder: Recorder,
    scenario: Scenario,
    model: Model,
    keep: Sequence[str] | None = None,
    most_steps: int | None = None,
) -> None:
    """Records the steps of a training; with more than one, each under `train.K.`

    keep:  selectors of what is kept of each step, without the history behind it; None: everything
    most_steps: no more steps than these
    Raises a TrainingError where a loss is no number.
    """
    spec = scenario.spec.training
    assert spec is not None
    run = _Run(recorder) if keep is None or spec.steps == 1 else _LongRun(recorder)
    known: dict[str, Value] = {}
    states: dict[str, State] = {}
    before: Pass | None = None
    for number in range(1, min(spec.steps, most_steps or spec.steps) + 1):
        recorder.trace.progress = f"training step {number:,} of {spec.steps:,}" if spec.steps > 1 else ""
        prefix = f"train.{number}." if spec.steps > 1 else ""
        one_pass = Pass(prefix, before, known, {}, renames=True)
        before = Pass(prefix, None, {}, {})  # without what it knows, which would stay in memory
        step = _TrainingStep(recorder.for_pass(one_pass), scenario, number, states)
        known = step.run(partial(_training_pass, model))
        run.add(step.report)
        if keep is not None and spec.steps > 1:
            known = {path: value.without_history() for path, value in known.items()}
            for name, state in states.items():
                states[name] = {part: value.without_history() for part, value in state.items()}
            recorder.trace.forget(prefix, keep)
    recorder.trace.progress = ""
    run.record()


def _training_pass(model: Model, recorder: Recorder, number: int) -> Value | None:
    """The pass of a training step, with its dropout."""
    keys = model.spec.dropout
    if keys is not None and keys.rate != 0:
        model.calculation.drop = Dropout(keys, model.calculation.array, number).apply
    return model.run(recorder)


def check_training(recorder: Recorder, scenario: Scenario, forward: Forward, problems: Problems) -> None:
    """Notes what `update` names and training could not change, after the forward pass of a first step.

    No number is looked at: the pass may be one over shapes.
    """
    step = _TrainingStep(recorder.for_pass(Pass("", None, {}, {}, renames=True)), scenario, 1)
    prediction = forward(step.recorder, 1)
    if prediction is not None:
        step.check_update(find_reached(step.recorder, logits_of(prediction), step.trained), problems)


class _Run:
    """The table of the run, of the recorded numbers of each step."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.reports: list[Value] = []

    def add(self, report: Sequence[Value]) -> None:
        """Takes loss, probability and largest gradient of a step."""
        self.reports += report

    def record(self) -> None:
        """Records the table."""
        self.recorder.record(RUN, table_of, tuple(self.reports), {"width": len(COLUMNS)}, columns=COLUMNS)


class _LongRun(_Run):
    """The same where the steps are let go: of each step three numbers are kept, which make up three columns."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(recorder)
        self.numbers: list[float] = []

    def add(self, report: Sequence[Value]) -> None:
        self.reports = [value.bare() for value in report]
        self.numbers += [float(value.array[0, 0]) for value in report]

    def record(self) -> None:
        table = np.array(self.numbers).reshape(-1, len(COLUMNS))
        columns = [self._column(last, table[:, [at]]) for at, last in enumerate(self.reports)]
        self.recorder.record(RUN, concatenate, tuple(columns), columns=COLUMNS)

    def _column(self, last: Value, numbers: np.ndarray) -> Value:
        """One number of every step, under the name that it has in each."""
        kind = last.kind._replace(symbol=last.kind.symbol.partition("(")[0])
        return Value(f"loss.{kind.name}", kind, numbers)


class _TrainingStep:
    """One step: forward, loss, backward, update.

    states: what the optimizer carries from step to step, by the name of the parameter
    """

    def __init__(
        self, recorder: Recorder, scenario: Scenario, number: int, states: dict[str, State] | None = None
    ) -> None:
        assert scenario.spec.training is not None
        self.recorder = recorder
        self.scenario = scenario
        self.spec = scenario.spec.training
        self.number = number
        self.states = {} if states is None else states
        self.report: list[Value] = []

    def run(self, forward: Forward) -> dict[str, Value]:
        """Records the step; the given matrices of the next one by path, updated where they are trained."""
        prediction = forward(self.recorder, self.number)
        assert prediction is not None
        probabilities = prediction.inputs[0]
        targets = self._targets(probabilities)
        loss = self._loss(probabilities, targets)
        self._check(loss)
        gradients = self._gradients(prediction, targets, loss)
        self._report(loss, probabilities, targets, gradients)
        return self._updated(gradients)

    @property
    def _given(self) -> Mapping[str, Value]:
        """The given matrices of this step, by their path without its prefix."""
        assert self.recorder.one_pass is not None
        return self.recorder.one_pass.given

    def _targets(self, probabilities: Value) -> Targets:
        assert self.spec.targets is not None
        left_out = (None, self.scenario.spec.padding_token)
        column = {word: at for at, word in enumerate(probabilities.columns)}
        return tuple(None if word in left_out else column[word] for word in self.spec.targets.known)

    def _loss(self, probabilities: Value, targets: Targets) -> Value:
        """The loss that is differentiated: the mean or the total."""
        under = self.recorder.under("loss")
        per_token = under.record(PER_TOKEN, cross_entropy, (probabilities,), {"targets": targets})
        kept = tuple(row for row, target in enumerate(targets) if target is not None)
        total = under.record(self._numbered(TOTAL), sum_of_kept, (per_token,), {"kept": kept})
        mean = under.record(self._numbered(MEAN), divide_by, (total,), {"divisor": float(len(kept))})
        return mean if self.spec.reduction == "mean" else total

    def _gradients(self, prediction: Value, targets: Targets, loss: Value) -> dict[Value, Value]:
        """Every trained parameter with its gradient, in the order of the calculation."""
        probabilities, logits = prediction.inputs[0], logits_of(prediction)
        kept = sum(target is not None for target in targets)
        count = kept if self.spec.reduction == "mean" else 1
        name = f"gradient.{self.recorder.name_within(logits)}"
        title, purpose = f"Gradient: {title_of(logits)}", "The probabilities, minus 1 at the right word."
        kind = Kind(name, f"∂{logits.kind.symbol}", title, purpose)
        start = self.recorder.record(
            kind, cross_entropy_gradient, (probabilities,), {"targets": targets, "count": count}
        )
        start.loss = loss
        found = backpropagate(self.recorder, logits, start, self.trained)
        return {value: found[value] for value in self.trained if value in found}

    @property
    def trained(self) -> list[Value]:
        """The parameters: given matrices that training changes, and others that the scenario names by themselves."""
        selected = {value for selector in self._selectors for value in self._selected(selector)}
        return [value for value in self._given.values() if value.kind.trained or value in selected]

    @property
    def _selectors(self) -> Sequence[str]:
        return () if isinstance(self.spec.update, str) else self.spec.update

    def _selected(self, selector: str) -> list[Value]:
        """The given matrices that a selector of `update` names; its words mean parameters where there are such."""
        found = resolve(selector, ((value, self.recorder.names_within(value)) for value in self._given.values()))
        return [value for value in found if value.kind.trained] or found

    def _updated(self, gradients: Mapping[Value, Value]) -> dict[str, Value]:
        """Records the updates; the given matrices of the next step by path."""
        chosen = set(gradients)
        if self.spec.update != "all":
            chosen &= {value for selector in self._selectors for value in self._selected(selector)}
        after = {value: self._updated_by(value, gradient) for value, gradient in gradients.items() if value in chosen}
        return {path: after.get(value, value) for path, value in self._given.items()}

    def _updated_by(self, value: Value, gradient: Value) -> Value:
        """Records the update of a parameter, and takes down what its optimizer carries to the next step."""
        step = ParameterStep(self.recorder, self.spec, value, self._next(value.kind.symbol))
        name = self.recorder.name_within(value)
        self.states[name], update = optimizer_of(self.spec)(step, self.states.get(name, NONE), gradient)
        return update

    def check_update(self, reached: set[Value], problems: Problems) -> None:
        """Notes every selector of `update` that names no parameter on which the loss depends."""
        for at, selector in enumerate(self._selectors):
            if reached.isdisjoint(self._selected(selector)):
                names = [name for value in reached for name in self.recorder.names_within(value)]
                message, _, help = str(no_match(selector, names, "parameter")).partition("; ")
                written = self.spec.at("update")
                node = written.items[at] if isinstance(written, ListNode) else written
                problems.add(node, message, key=self.spec.key_of("update"), help=help)

    def _next(self, symbol: str) -> str:
        """W_Q' of one step; W_Q(2), W_Q(3), … of several."""
        return f"{symbol.partition('(')[0]}({self.number + 1})" if self.spec.steps > 1 else f"{symbol}'"

    def _numbered(self, kind: Kind) -> Kind:
        """A number of the report, its symbol with the number of this step of the training."""
        return kind._replace(symbol=f"{kind.symbol}({self.number})") if self.spec.steps > 1 else kind

    def _report(self, loss: Value, probabilities: Value, targets: Targets, gradients: Mapping[Value, Value]) -> None:
        under = self.recorder.under("loss")
        right = under.record(self._numbered(RIGHT), mean_at_targets, (probabilities,), {"targets": targets})
        largest = under.record(self._numbered(LARGEST), largest_size, tuple(gradients.values()))
        self.report = [loss, right, largest]

    def _check(self, loss: Value) -> None:
        """A loss that is no number ends the training: say where it began. −ln 0 is infinite, but can be trained on."""
        number = float(loss.array[0, 0])
        if math.isfinite(number):
            return
        first = self.recorder.trace.first_broken(self.recorder.prefix)
        if first.startswith(f"{self.recorder.prefix}loss.") and number == math.inf:
            return
        message = (
            f"the loss of training step {self.number} is not a finite number; the first non-finite number is in {first}"
        )
        node: Positioned = self.spec
        key, help = self.spec.path, ""
        if self.number > 1:  # the first step has the weights that the file gives
            node, key = self.spec.at("learning_rate"), self.spec.key_of("learning_rate")
            help = "a smaller learning_rate may help"
        if loss.unknown:
            message = f"the loss of training step {self.number} is unknown; the first unknown number is in {first}"
            help = "null is an unknown number: training needs to know every number"
        raise TrainingError.at(self.scenario.source, node, message, key=key, help=help)
