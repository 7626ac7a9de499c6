"""What several sentences to train on require: none beside them, and nothing that fits one of them alone."""

from __future__ import annotations

from collections.abc import Iterable

from walkthrough.recording.axes import Axis
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.keys import Example, ScenarioSpec, Sentence, Training
from walkthrough.scenario.schema.sections import keys_of
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.transformer.claims import Claim, Claims
from walkthrough.transformer.model.embedding import SEGMENT_EMBEDDING, TOKEN_EMBEDDING


def check_examples(scenario: Scenario, rows: Iterable[Axis], claims: Claims) -> None:
    """Checks the examples of a training, if it has some, beside the rest of the scenario.

    rows: the tokens of the sentences of the walk that has made the claims
    """
    spec, training, problems = scenario.spec, scenario.spec.training, claims.problems
    if training is None or not training.examples:
        return
    _check_beside(spec, problems)
    _check_batch(training, len(training.examples), problems)
    for example in training.examples:
        _check_decoder(spec, example, problems)
    if spec.dropout is not None and spec.dropout.masks:
        message = "masks cannot be combined with examples: each example would need its own"
        problems.fault(spec.dropout, "masks", message, "remove it: masks are drawn")
    for claim in claims.all:
        if any(claim.rows.is_same(n) or claim.columns.is_same(n) for n in rows):
            _note_rows(claim, problems)


def _check_beside(spec: ScenarioSpec, problems: Problems) -> None:
    """The sentences are those of the examples, and no others."""
    for section in (spec, spec.decoder):
        for name in keys_of(Sentence) if section is not None else ():
            if section is not None and section.is_written(name):
                message = f"{section.key_of(name)} cannot be combined with training.examples: these are the sentences"
                help = "move it into an example, or remove it"
                problems.fault(section, name, message, help)


def _check_batch(training: Training, count: int, problems: Problems) -> None:
    """A step takes no example twice."""
    if isinstance(training.batch_size, int) and training.batch_size > count:
        message = f"batch_size is {training.batch_size}, but the examples are only {count}"
        help = f"write a number up to {count}, or all"
        problems.fault(training, "batch_size", message, help)


def _check_decoder(spec: ScenarioSpec, example: Example, problems: Problems) -> None:
    """A decoder beside an encoder has a sentence of its own; without a decoder there is none."""
    if spec.has("decoder") and spec.has("encoder") and not example.has("decoder"):
        problems.missing(example, "decoder", "{text: …} or {tokens: […]}, what the decoder reads")
    elif example.has("decoder") and not spec.has("decoder"):
        message, help = "decoder has no effect: the scenario has no decoder", "remove it"
        problems.fault(example, "decoder", message, help)


def _note_rows(claim: Claim, problems: Problems) -> None:
    """Notes a matrix with numbers for each token of one sentence."""
    matrix = claim.matrix
    message = f"{matrix.name} has numbers for each token of one sentence, and the examples have others"
    help = "leave it out, or train on one sentence: with targets in place of examples"
    if claim.kind == SEGMENT_EMBEDDING:
        help = "give one vector for all positions"
    elif claim.kind == TOKEN_EMBEDDING:
        help = "give a mapping token → vector, or a matrix by id and a vocabulary"
    problems.add(matrix, message, help=help)
