"""A scenario as a sheet can hold it: one pass, and all that rules and files give written out."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator
from typing import Any

from walkthrough.recording.rounding import Digits
from walkthrough.recording.trace import Trace
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.keys import ScenarioSpec
from walkthrough.scenario.schema.tokens import vocabulary_file
from walkthrough.scenario.tensors.arrays import matrices_in
from walkthrough.teaching.make.scenario_text import Plain, matrix_data
from walkthrough.teaching.sheet import SheetError

MOST_NUMBERS = 200_000
"""Most given numbers on a sheet; more are too many to work with."""


def one_pass(scenario: Scenario) -> Scenario:
    """The scenario without generation, and with one step of a training. Raises SheetError for a large model."""
    size = sum((matrix.rows or 0) * (matrix.columns or 0) for matrix in matrices_in(scenario.spec))
    if size > MOST_NUMBERS:
        raise SheetError(f"the scenario has {size:,} given numbers; a worksheet holds at most {MOST_NUMBERS:,}")
    spec = copy.copy(scenario.spec)
    spec.generate = None
    if spec.training is not None:
        spec.training = copy.copy(spec.training)
        spec.training.steps = 1
    return dataclasses.replace(scenario, spec=spec)


def write_out(scenario: Scenario, hand: Trace) -> dict[str, Any]:
    """What rules and files give, and what was changed, by the path of its key.

    hand: the calculation by hand, which rounds the numbers of rules and files
    """
    return {**dict(_matrices(scenario, hand)), **dict(_vocabularies(scenario.spec))}


def _matrices(scenario: Scenario, hand: Trace) -> Iterator[tuple[str, Any]]:
    digits_of = {value.matrix: value.digits for value in hand if value.matrix is not None}
    for matrix, array in scenario.arrays.items():
        if matrix.numbers is not None and matrix in scenario.written:  # as it would be written in the file
            texts = [[repr(float(number)).removesuffix(".0") for number in row] for row in array]
            yield matrix.path, matrix_data(texts, matrix.node, matrix.is_vector)
        elif matrix.numbers is None:
            digits = digits_of.get(matrix) or Digits(hand.decimals)
            texts = [[digits.text(float(number)) for number in row] for row in array]
            yield matrix.path, matrix_data(texts, matrix.node, matrix.is_vector)


def _vocabularies(spec: ScenarioSpec) -> Iterator[tuple[str, dict[str, Plain]]]:
    for section in (spec, spec.decoder, spec.output_head):
        words = section.vocabulary if section is not None else None
        if section is not None and words is not None and vocabulary_file(section.node.get("vocabulary")) is not None:
            yield section.key_of("vocabulary"), {word: Plain(str(number)) for word, number in words.items()}
