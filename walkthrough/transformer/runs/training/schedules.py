"""The learning rate of a training step: schedules by name, each from its section of the file to its settings.

Warm-up: Vaswani et al. 2017, eq. 3. Linear: Devlin et al. 2019, A.2, and cosine: Loshchilov and Hutter 2017, eq. 5, as
in transformers, whose steps count from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from walkthrough.operations.definition import Operation
from walkthrough.operations.training.schedule import cosine_rate, linear_rate, warmup_rate
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema.keys import Linear, Optimizer, Schedule, Training
from walkthrough.scenario.yaml.problems import Problems

RATE = Kind("learning_rate", "η", "Learning rate")


def _linear(section: Linear, training: Training, d_model: int) -> Mapping[str, Any]:
    return {"warmup": section.warmup_steps, "total": section.total or training.count(training.steps)}


SCHEDULES: dict[str, tuple[Operation, Callable[[Any, Training, int], Mapping[str, Any]]]] = {
    "warmup": (warmup_rate, lambda own, _, d_model: {"steps": own.steps, "d_model": own.d_model or d_model}),
    "linear": (linear_rate, _linear),
    "cosine": (cosine_rate, lambda own, *rest: {**_linear(own, *rest), "minimum": own.minimum}),
}
"""Every schedule by its key (`Schedule` of scenario/schema/keys.py): its operation, and the settings that come from its
section, the training and d_model."""


def record_rate(recorder: Recorder, training: Training, number: int, d_model: int) -> Value | None:
    """The learning rate of a training step, 1×1; None where it is the same in all of them.

    number: of the step, from 1
    """
    schedule = training.schedule
    if isinstance(schedule, str):
        return None
    name = schedule.chosen
    operation, settings_of = SCHEDULES[name]
    own = settings_of(getattr(schedule, name), training, d_model)
    settings = {"rate": base_rate(training), "step": training.count(number), **own}
    symbol = f"η({number})" if training.steps > 1 else "η"
    return recorder.record(RATE._replace(symbol=symbol, reason=f"learning_rate.{name}"), operation, (), settings)


def base_rate(training: Training) -> float:
    """What a schedule multiplies: the learning rate; with the paper's warm-up 1 unless the file says it."""
    is_paper = isinstance(training.schedule, Schedule) and training.schedule.has("warmup")
    return 1.0 if is_paper and training.node.get("learning_rate") is None else training.learning_rate


def check_schedule(training: Training, problems: Problems) -> None:
    """A line or a wave does not end before the training, nor before its own warm-up does; a first step is counted."""
    schedule = training.schedule
    if not isinstance(schedule, Schedule):
        optimizer = training.optimizer
        if optimizer == "sgd" or (isinstance(optimizer, Optimizer) and optimizer.has("momentum")):
            problems.idle(training, "first_step", "neither a schedule nor Adam counts the steps")
        return
    if training.gradients is not None and schedule.warmup is not None and schedule.warmup.d_model is None:
        problems.missing(schedule.warmup, "d_model", "of the formula, since the gradients are given without a model")
    section = schedule.linear or schedule.cosine
    if section is None:
        return
    last = training.count(training.steps)
    total = section.total or last
    for least, what in ((last, "steps of the training"), (section.warmup_steps, "steps of its warm-up")):
        if total < least:
            key = "total" if section.has("total") else "warmup_steps"
            message = f"the schedule ends at step {total}, before the {least} {what} are over"
            problems.fault(section, key, message, f"make total at least {least}")
            return
