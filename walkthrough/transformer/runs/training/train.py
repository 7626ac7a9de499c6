"""Training by gradient descent: its steps, recorded like everything else, and the table of the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from walkthrough.operations.matrix import concatenate
from walkthrough.operations.training.report import table_of
from walkthrough.recording.recorder import Pass, Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.transformer.calculation import Calculation
from walkthrough.transformer.dropout import Dropout, no_dropout
from walkthrough.transformer.model.model import Model
from walkthrough.transformer.model.output_head import logits_of
from walkthrough.transformer.runs.training.backward import find_reached
from walkthrough.transformer.runs.training.given import check_given
from walkthrough.transformer.runs.training.optimizers import State
from walkthrough.transformer.runs.training.schedules import check_schedule
from walkthrough.transformer.runs.training.step import Sentences, TrainingStep

RUN = Kind("training", "T", "Training run", series=True)
COLUMNS = ("loss", "right_probability", "largest_gradient")
"""Of the table of the run, which has a row for each step."""
Drop = Callable[[Recorder, str, Value], Value]
"""What is dropped of a matrix, under a name."""


def train(
    recorder: Recorder,
    scenario: Scenario,
    model: Model,
    keep: Sequence[str] | None = None,
    most_steps: int | None = None,
) -> None:
    """Records the steps of a training; with more than one, each under `train.K.`

    keep:  selectors of what is kept of each step, without the history behind it; None: everything, as of a single step
    most_steps: no more steps than these
    Raises a TrainingError where a loss is no number.
    """
    spec = scenario.spec.training
    assert spec is not None
    if spec.steps == 1:
        keep = None
    reports: list[Value] = []
    numbers: list[list[float]] = []
    sentences = _Sentences(scenario, model)
    states: dict[str, State] = {}
    before = "."
    for number in range(1, min(spec.steps, most_steps or spec.steps) + 1):
        recorder.trace.progress = f"training step {number:,} of {spec.steps:,}" if spec.steps > 1 else ""
        prefix = f"train.{number}." if spec.steps > 1 else ""
        step = TrainingStep(recorder.for_pass(Pass(prefix, before, prefix)), scenario, number, states)
        before = prefix
        step.run(sentences.of_step(step.recorder, number))
        if step.report and keep is None:
            reports += step.report
        elif step.report:  # of steps that the trace forgets three numbers each are kept
            reports = [value.bare() for value in step.report]
            numbers.append([float(value.array[0, 0]) for value in step.report])
        elif spec.gradients is None:  # nothing is trained: the logits are given
            return
        if keep is not None:
            for name, value in recorder.parameters.items():
                recorder.parameters[name] = value.without_history()
            for name, state in states.items():
                states[name] = {part: value.without_history() for part, value in state.items()}
            recorder.trace.forgotten = recorder.trace.forget(prefix, keep)
    recorder.trace.progress = ""
    if spec.gradients is not None:  # there is no loss to report
        return
    if number == spec.steps:
        last = Pass("trained.", before, "trained.", reuses=True)
        step = TrainingStep(recorder.for_pass(last), scenario, spec.steps + 1)
        step.loss(sentences.of_all(step.recorder))
        if keep is not None:
            recorder.trace.forgotten |= recorder.trace.forget("trained.", keep)
    _record_run(recorder, reports, numbers)


class _Sentences:
    """What the steps of a training read: the scenario's sentence, or some of its examples, each in a pass of its own.

    latest: of each example, by its number, the prefix of its latest pass
    """

    def __init__(self, scenario: Scenario, model: Model) -> None:
        self.scenario = scenario
        self.models = [model]
        if scenario.example is not None:
            self.models = [Model(Calculation(one)) for one in scenario.examples]
        self.latest: dict[int, str] = {}

    def of_step(self, recorder: Recorder, number: int) -> Sentences:
        """Those of a step, with its dropout: as many as a batch holds, in order, counted round.

        number: of the step, from 1
        """
        count, size = len(self.models), self.scenario.batch_size
        first = (number - 1) * size
        keys = self.scenario.spec.dropout
        drop = no_dropout
        if keys is not None and keys.rate != 0:
            drop = Dropout(keys, self.models[0].calculation.array, number).apply
        return self._read(recorder, [at % count + 1 for at in range(first, first + size)], drop)

    def of_all(self, recorder: Recorder) -> Sentences:
        """All of them, without dropout: for the loss after the last update."""
        return self._read(recorder, range(1, len(self.models) + 1), no_dropout)

    def _read(self, recorder: Recorder, numbers: Sequence[int], drop: Drop) -> Sentences:
        for number in numbers:
            self.models[number - 1].calculation.drop = drop
        if self.scenario.example is None:
            return [(recorder, self.models[0])]
        return [(recorder.for_pass(self._pass_of(recorder, number)), self.models[number - 1]) for number in numbers]

    def _pass_of(self, recorder: Recorder, number: int) -> Pass:
        """The pass of an example within that of its step, which holds the weights."""
        step = recorder.one_pass
        prefix, before = f"{step.prefix}example.{number}.", self.latest.get(number, ".")
        self.latest[number] = prefix
        return step.replace(prefix=prefix, before=before)


def check_training(
    recorder: Recorder, scenario: Scenario, forward: Callable[[Recorder], Value | None], problems: Problems
) -> None:
    """Notes what `update` names and training could not change, and gradients of nothing, after a first forward pass.

    No number is looked at: the pass may be one over shapes.
    """
    step = TrainingStep(recorder.for_pass(Pass(step="")), scenario, 1)
    prediction = forward(step.recorder)
    if step.spec.gradients is not None:
        step.check_update(check_given(step.recorder, scenario.spec, step.spec, problems), problems)
        check_schedule(step.spec, problems)
    elif prediction is not None:
        logits = logits_of(prediction)
        reached = set() if logits is None else find_reached(step.recorder, logits, step.trained)
        step.check_update(reached, problems)


def _record_run(recorder: Recorder, reports: Sequence[Value], numbers: Sequence[Sequence[float]]) -> None:
    """Records the table of the run, of the reports of all steps; of many steps of three columns of their numbers."""
    if not numbers:
        recorder.record(RUN, table_of, tuple(reports), {"width": len(COLUMNS)}, columns=COLUMNS)
        return
    kinds = (last.kind._replace(symbol=last.kind.symbol.partition("(")[0]) for last in reports)
    columns = zip(kinds, np.hsplit(np.array(numbers), len(COLUMNS)), strict=True)
    parts = tuple(Value(f"loss.{kind.name}", kind, column) for kind, column in columns)
    recorder.record(RUN, concatenate, parts, columns=COLUMNS)
