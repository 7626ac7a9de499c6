"""A scenario as a sheet can hold it: one sentence, one pass, and all that rules and files give written out."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Collection, Iterator
from typing import Any, TypeVar

from walkthrough.recording.rounding import Digits
from walkthrough.recording.trace import Trace
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.keys import ScenarioSpec, Sentence
from walkthrough.scenario.schema.sections import Section
from walkthrough.scenario.schema.tokens import vocabulary_file
from walkthrough.scenario.tensors.arrays import matrices_in
from walkthrough.teaching.sheets.make.scenario_text import Plain, matrix_data
from walkthrough.teaching.sheets.sheet import SheetError

MOST_NUMBERS = 200_000
"""Most given numbers on a sheet; more are too many to work with."""


def one_pass(scenario: Scenario) -> Scenario:
    """The scenario without further passes of a generation, and with one step of a training by a loss, on its first
    example.

    Raises SheetError for a large model.
    """
    size = sum((matrix.rows or 0) * (matrix.columns or 0) for matrix in matrices_in(scenario.spec))
    if size > MOST_NUMBERS:
        raise SheetError(f"the scenario has {size:,} given numbers; a worksheet holds at most {MOST_NUMBERS:,}")
    spec = copy.copy(_on_one_sentence(scenario))
    if not generates_at_once(spec):
        spec.generate = None
    if spec.training is not None and spec.training.gradients is None:
        spec.training = copy.copy(spec.training)
        spec.training.steps = 1
    return scenario.replace(spec=spec)


def generates_at_once(spec: ScenarioSpec) -> bool:
    """Whether a token is chosen from given logits or probabilities, so that there is one pass and no more."""
    return spec.generate is not None and spec.output_head is not None and spec.output_head.gives_numbers


def _on_one_sentence(scenario: Scenario) -> ScenarioSpec:
    """The specification with the first example of its training as its only sentence."""
    spec, example, training = scenario.spec, scenario.example, scenario.spec.training
    if example is None or training is None:
        return spec
    changed = _with_keys(spec, example, Sentence.KEYS)
    changed.training = _with_keys(training, example, ("targets",), ("examples", "batch_size"))
    changed.training.examples = None
    parts = {"training": changed.training.node}
    if spec.decoder is not None and example.decoder is not None:
        changed.decoder = _with_keys(spec.decoder, example.decoder, Sentence.KEYS)
        parts["decoder"] = changed.decoder.node
    entries = [(key, parts.get(key.text, child)) for key, child in changed.node.entries]
    changed.node = dataclasses.replace(changed.node, entries=entries)
    return changed


AnySection = TypeVar("AnySection", bound=Section)


def _with_keys(
    section: AnySection, other: Section, names: Collection[str], without: Collection[str] = ()
) -> AnySection:
    """A section with some keys of another one, and without some of its own."""
    changed = copy.copy(section)
    for name in names:
        setattr(changed, name, getattr(other, name))
    own = [entry for entry in section.node.entries if entry[0].text not in (*names, *without)]
    changed.node = dataclasses.replace(
        section.node, entries=own + [one for one in other.node.entries if one[0].text in names]
    )
    return changed


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
