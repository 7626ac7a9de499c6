"""Parameters by themselves: for an optimizer's step from given gradients nothing is needed that would read them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from walkthrough.recording.axes import Axis
from walkthrough.recording.labels import Labels
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind
from walkthrough.scenario.resolved import is_read
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.matrices import Matrix, Table
from walkthrough.scenario.schema.sections import Section
from walkthrough.transformer.calculation import Calculation
from walkthrough.transformer.model.embedding import TRAINED_EMBEDDINGS
from walkthrough.transformer.parameters import record_matrix
from walkthrough.transformer.scope import kind_of

_LISTED = re.compile(r"\.(layers|heads|experts)(?=\.\d)")
_RECORDED = {"layers": "", "heads": ".head", "experts": ".expert"}


class Parameter(NamedTuple):
    """A matrix of the file: its kind, the labels of its rows, and its (first) gradient."""

    matrix: Matrix
    kind: Kind
    rows: Labels | None = None
    gradient: Matrix | None = None


def parameters_alone(scenario: Scenario) -> dict[str, Parameter] | None:
    """By their paths the parameters whose gradients are given, where nothing reads them: there are no vectors to begin
    with. None where the model is run.
    """
    training, sequence = scenario.spec.training, scenario.sequence
    wanted = training.gradients if training is not None else None
    if wanted is None or (sequence.embeddings is not None and sequence.words):
        return None
    found = dict(parameters_of(scenario.spec))
    if not (found.keys() >= wanted.keys() or is_read(scenario.spec, sequence)):
        return None
    return {path: found[path]._replace(gradient=given[0]) for path, given in wanted.items() if path in found}


def record_alone(calculation: Calculation, recorder: Recorder, parameters: dict[str, Parameter]) -> None:
    """Records them, each under its path."""
    for path, (matrix, kind, rows, gradient) in parameters.items():
        prefix, _, _ = path.rpartition(".")
        at = recorder.under(prefix) if prefix else recorder
        axes = Axis("rows", labels=rows), Axis("columns")
        if matrix.init is not None and gradient is not None:  # it is as large as its gradient
            axes[0].settle(gradient.rows)
            axes[1].settle(gradient.columns)
        record_matrix(calculation, at.home, kind, matrix, axes)


def parameters_of(part: Any) -> Iterator[tuple[str, Parameter]]:
    """Those of a section and of all below it, by path."""
    if isinstance(part, list):
        for item in part:
            yield from parameters_of(item)
    for name, key in part.KEYS.items() if isinstance(part, Section) else ():
        value = getattr(part, name)
        if isinstance(value, Matrix) and key.parameter is not None and not value.is_derived:
            yield _path(value.path), Parameter(value, kind_of(part, name))
        elif name == "embeddings" and isinstance(value, Table):
            yield _path(value.path), Parameter(value.matrix, TRAINED_EMBEDDINGS, value.words)
        elif name == "embeddings" and isinstance(value, Matrix):
            yield _path(value.path), Parameter(value, TRAINED_EMBEDDINGS)
        else:
            yield from parameters_of(value)


def _path(key: str) -> str:
    """The path of a step as a key of the file: `encoder.layers.1.attention.heads.2.w_q` has numbers, and no lists."""
    return _LISTED.sub(lambda match: _RECORDED[match[1]], key)
