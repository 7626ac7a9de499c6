"""Gradients that the file gives: the backward pass begins there, and no loss is needed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from walkthrough.operations.definition import Shape
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Value
from walkthrough.scenario.schema.keys import ScenarioSpec, Training
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.text import did_you_mean, escape_label, in_quotes, pluralize
from walkthrough.transformer.calculation import Calculation
from walkthrough.transformer.model.alone import parameters_of
from walkthrough.transformer.runs.training.backward import NoGradientError, find_reached, gradient_kind

Part = tuple[Matrix, tuple[int, int]]
"""A gradient of the file: what is behind a corner of a matrix."""


def given_starts(
    recorder: Recorder, training: Training, calculation: Calculation, number: int
) -> dict[Value, Callable[[], Value]]:
    """The values with a given gradient, each with what records that of a training step. `number`: of the step."""
    return {
        recorder.trace[recorder.prefix + path]: partial(_record, recorder, path, given, calculation, number)
        for path, given in (training.gradients or {}).items()
    }


def ends_of(recorder: Recorder) -> list[Value]:
    """Where the backward pass ends: whatever is given, parameters or numbers in their place, and can change."""
    values = recorder.parameters.values()
    return [one for one in values if not (one.kind.fixed or (one.matrix is not None and one.matrix.is_derived))]


def _record(recorder: Recorder, path: str, given: list[Matrix], calculation: Calculation, number: int) -> Value:
    value = recorder.trace[recorder.prefix + path]
    rows, columns = value.shape
    parts = _by_step(given, value.shape)
    matrix, (row, column) = parts[min(number, len(parts)) - 1]
    array, source = calculation.numbers(matrix)
    kind, labels = gradient_kind(value, recorder, "gradient.given"), (value.rows, value.columns)
    numbers = array[row : row + rows, column : column + columns]
    made = recorder.record_given(kind, numbers, *labels, source, corner=(row, column), fresh=True)
    return recorder.alias_under("gradient", value, made)


def _by_step(given: list[Matrix], shape: Shape) -> list[Part]:
    """The gradient of each step, or the one of all of them; none where it has not the shape of its value."""
    rows, columns = given[0].rows or 0, given[0].columns or 0
    if all((one.rows, one.columns) == shape for one in given):
        return [(one, (0, 0)) for one in given]
    if len(given) == 1 and shape == (1, columns):
        return [(given[0], (row, 0)) for row in range(rows)]
    if len(given) == 1 and shape == (1, 1) and rows == 1:
        return [(given[0], (0, column)) for column in range(columns)]
    return []


def check_given(recorder: Recorder, spec: ScenarioSpec, training: Training, problems: Problems) -> set[Value]:
    """Notes given gradients of no step, of another shape, of too few steps, or from which there is no backward pass,
    and none at all where there is no schedule either.

    Over shapes. Without `steps` there are as many as a list has gradients. Returns the values that they reach.
    """
    ends, reached, counts, gradients = ends_of(recorder), set[Value](), dict[str, int](), training.gradients or {}
    if not gradients and training.schedule == "constant":
        problems.fault(training, "gradients", "no gradient is given, and no schedule: there is nothing to calculate")
    for path, given in gradients.items():
        value = _value_of(recorder, spec, path, given, problems)
        if value is None:
            continue
        counts[path] = len(_by_step(given, value.shape))
        if not counts[path]:
            _note_shape(path, given, value.shape, problems)
        try:
            reached |= find_reached(recorder, value, [*ends, *([value] if value.operation is None else [])])
        except NoGradientError:
            help = "give that of a step behind it, such as the whole softmax"
            problems.add(given[0], f"there is no way back from {escape_label(path)}", help=help)
    if not training.is_written("steps"):
        training.steps = max(counts.values(), default=1) or 1
    for path, count in counts.items():
        if count not in (0, 1, training.steps):
            found, steps = pluralize(count, "gradient"), pluralize(training.steps, "step")
            message = f"{escape_label(path)} has {found}, expected one for each of the {steps}"
            problems.add(gradients[path][0], message)
    return reached


def _value_of(
    recorder: Recorder, spec: ScenarioSpec, path: str, given: list[Matrix], problems: Problems
) -> Value | None:
    value = recorder.trace.get(recorder.prefix + path)
    if value is None:
        problems.add(given[0], f"there is no step called {in_quotes(path)}", help=_near(recorder, spec, path))
    elif value.kind.fixed or value.kind.ids:
        problems.add(given[0], f"{escape_label(path)} decides what is calculated, and has no gradient")
    elif value.matrix is not None and value.matrix.is_derived:
        problems.add(given[0], f"{escape_label(path)} is not trained: another matrix is made of it, which is used")
    else:
        return value
    return None


def _near(recorder: Recorder, spec: ScenarioSpec, path: str) -> str:
    """What may be meant by the path of no step."""
    if recorder.trace.tokens:
        known = [name.removeprefix(recorder.prefix) for name, _ in recorder.trace.items()]
        needed = ""
    else:
        known = [name for name, _ in parameters_of(spec)]
        needed = "the steps of a model need tokens and embeddings"
    some = f"known: {', '.join(known[:5])}{', …' if len(known) > 5 else ''}" if known else ""
    return did_you_mean(path, known) or "; ".join(filter(None, (some, needed)))


def _note_shape(path: str, given: list[Matrix], shape: Shape, problems: Problems) -> None:
    wrong = next(one for one in given if (one.rows, one.columns) != shape)
    found, expected = f"{wrong.rows}×{wrong.columns}", "×".join(map(str, shape))
    message = f"the gradient of {escape_label(path)} is {found}, expected {expected}"
    problems.add(wrong, message, help="or a list of such, one for each step")
