"""Training by gradient descent: its steps, recorded like everything else, and the table of the run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from walkthrough.recording.recorder import Pass, Recorder
from walkthrough.recording.values import Value
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.transformer.dropout import Dropout, no_dropout
from walkthrough.transformer.model.model import Model
from walkthrough.transformer.model.output_head import logits_of
from walkthrough.transformer.runs.backward import find_reached
from walkthrough.transformer.runs.optimizers import State
from walkthrough.transformer.runs.training_step import Forward, TrainingStep
from walkthrough.transformer.runs.training_table import LongRun, Run


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
    run = Run(recorder) if keep is None or spec.steps == 1 else LongRun(recorder)
    known: dict[str, Value] = {}
    states: dict[str, State] = {}
    before: Pass | None = None
    for number in range(1, min(spec.steps, most_steps or spec.steps) + 1):
        recorder.trace.progress = f"training step {number:,} of {spec.steps:,}" if spec.steps > 1 else ""
        prefix = f"train.{number}." if spec.steps > 1 else ""
        one_pass = Pass(prefix, before, known, {}, renames=True)
        before = Pass(prefix, None, {}, {})  # without what it knows, which would stay in memory
        step = TrainingStep(recorder.for_pass(one_pass), scenario, number, states)
        known = step.run(partial(_training_pass, model))
        if not step.report:  # nothing is trained: the logits are given
            return
        run.add(step.report)
        if keep is not None and spec.steps > 1:
            known = {path: value.without_history() for path, value in known.items()}
            for name, state in states.items():
                states[name] = {part: value.without_history() for part, value in state.items()}
            recorder.trace.forget(prefix, keep)
    if number == spec.steps:
        _record_trained(recorder, scenario, model, before, known)
        if keep is not None and spec.steps > 1:
            names = recorder.trace.forgotten
            recorder.trace.forget("trained.", keep)
            recorder.trace.forgotten = names | recorder.trace.forgotten
    recorder.trace.progress = ""
    run.record()


def _record_trained(
    recorder: Recorder, scenario: Scenario, model: Model, before: Pass | None, known: dict[str, Value]
) -> None:
    """The forward pass up to the loss once more, with the weights after the last update and without dropout."""
    model.calculation.drop = no_dropout
    one_pass = Pass("trained.", before, known, {}, renames=True, reuses=True)
    assert scenario.spec.training is not None
    step = TrainingStep(recorder.for_pass(one_pass), scenario, scenario.spec.training.steps + 1)
    step.record_loss(model.run(step.recorder))


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
    step = TrainingStep(recorder.for_pass(Pass("", None, {}, {}, renames=True)), scenario, 1)
    prediction = forward(step.recorder, 1)
    if prediction is not None:
        logits = logits_of(prediction)
        reached = set() if logits is None else find_reached(step.recorder, logits, step.trained)
        step.check_update(reached, problems)
