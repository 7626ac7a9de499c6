"""What goes on from the predictions, generation and training, must be able to: words, embeddings, targets, examples."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from walkthrough.recording.axes import Axis
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.keys import Example, Generate, OutputHead, Sample, ScenarioSpec, Training
from walkthrough.scenario.schema.matrices import Table
from walkthrough.scenario.sequences import TokenSequence, output_vocabulary
from walkthrough.scenario.yaml.nodes import quote
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.text import did_you_mean, pluralize
from walkthrough.transformer.claims import Claim, Claims
from walkthrough.transformer.model.embedding import SEGMENT_EMBEDDING, TOKEN_EMBEDDING
from walkthrough.transformer.model.positions import POSITIONAL_ENCODING

_NEED_UPDATES = ("learning_rate", "optimizer", "schedule", "clip", "steps")
"""Keys of a training that its updates go by."""
_DEEPEST = 200
"""So many tokens may the hypotheses of a beam search have: they are shown as a tree."""


def check_continuation(scenario: Scenario, sequence: TokenSequence, n: Axis, claims: Claims) -> None:
    """Checks generation and training that go on from the predictions of a sequence of n tokens."""
    spec = scenario.spec
    if spec.training is not None and spec.training.has("gradients"):  # which take the place of a loss
        return
    if spec.output_head is not None and spec.output_head.gives_numbers:
        _check_given(spec, spec.output_head, sequence, claims.problems)
    elif spec.generate is not None and _has_head(spec, spec.generate, claims.problems):
        _check_generate(spec, spec.generate, sequence, claims.problems)
        if spec.generate.max_tokens > 1:
            _check_growing(n, claims)
    if spec.training is not None and _has_head(spec, spec.training, claims.problems):
        from walkthrough.transformer.runs.training.schedules import check_schedule  # few scenarios train

        check_schedule(spec.training, claims.problems)
        check_targets(scenario, sequence, n, claims.problems)


def _check_given(spec: ScenarioSpec, head: OutputHead, sequence: TokenSequence, problems: Problems) -> None:
    """From given logits or probabilities one token is chosen, and nothing is trained by them."""
    name = "probabilities" if head.has("probabilities") else "logits"
    given = head.probabilities.numbers if head.probabilities is not None else None
    if given is not None and any(not 0 <= number <= 1 for row in given for number in row if number == number):
        problems.fault(head, "probabilities", "a probability is a number from 0 to 1", "give logits, if these are")
    generate = spec.generate
    if generate is not None and generate.max_tokens > 1:
        message = (
            f"max_tokens is {generate.max_tokens}, expected 1: the {name} are given, and not those of later tokens"
        )
        problems.fault(generate, "max_tokens", message)
    if generate is not None:
        problems.idle(generate, "cache", f"the {name} are given, and no later pass reads it")
        _check_choice(generate, output_vocabulary(head, sequence).words, problems)
    training = spec.training
    for key in _NEED_UPDATES if training is not None else ():
        if training is not None and training.is_written(key):
            message = f"{key} has no effect: the {name} are given, so that nothing is trained"
            note = problems.add if key == "steps" else problems.warn
            note(training.at(key), message, key=training.key_of(key), help=f"remove {key}")


def _has_head(spec: ScenarioSpec, section: Generate | Training, problems: Problems) -> bool:
    if not spec.has("output_head"):
        problems.add(section, f"{section.path} needs an output_head, which makes predictions")
    return spec.has("output_head")


def _words(spec: ScenarioSpec, sequence: TokenSequence, problems: Problems) -> tuple[str, ...] | None:
    """The words that can be predicted; that they are missing is noted."""
    head, out_in = spec.output_head, spec.matrix_convention == "column"
    words = output_vocabulary(head, sequence, out_in=out_in).words if head is not None else None
    if head is not None and words is None and not head.has("vocabulary") and not sequence.owner.has("vocabulary"):
        problems.add(head, "vocabulary is missing: the words that can be predicted", key=head.key_of("vocabulary"))
    return words


def _check_sample(sample: Sample, generate: Generate, problems: Problems) -> None:
    """There are as many draws as tokens."""
    if sample.draws is not None and len(sample.draws) < generate.max_tokens:
        draws = pluralize(len(sample.draws), "number")
        problems.fault(sample, "draws", f"draws has {draws}, expected one for each of {generate.max_tokens} tokens")
    if sample.top_p is not None and sample.top_p > 1:
        problems.fault(sample, "top_p", f"expected a number of at most 1, found the number {sample.top_p:g}")


def _check_generate(spec: ScenarioSpec, generate: Generate, sequence: TokenSequence, problems: Problems) -> None:
    """Whatever is predicted can be appended to the sequence and read again."""
    if generate.beams is not None and generate.max_tokens > _DEEPEST:
        message = f"max_tokens is {generate.max_tokens}, expected at most {_DEEPEST} with beams"
        problems.fault(generate, "max_tokens", message)
    words, head = _words(spec, sequence, problems), spec.output_head
    _check_choice(generate, words, problems)
    if generate.max_tokens > 1 and head is not None and words is not None:
        _check_words(generate, head, words, sequence, problems)


def _check_choice(generate: Generate, words: tuple[str, ...] | None, problems: Problems) -> None:
    """A token can be drawn as it is asked for, and the one that ends can be predicted."""
    if generate.sample is not None:
        _check_sample(generate.sample, generate, problems)
    if words is not None and generate.end_token is not None and generate.end_token not in words:
        message = f"the end token {quote(generate.end_token)} is not in the output vocabulary"
        help = did_you_mean(generate.end_token, words)
        problems.fault(generate, "end_token", message, help)


def _check_words(
    generate: Generate, head: OutputHead, words: tuple[str, ...], sequence: TokenSequence, problems: Problems
) -> None:
    """Every word that can be predicted, except the one that ends, has an embedding."""
    if sequence.embeddings is None:
        return
    if not isinstance(sequence.embeddings, Table) and not sequence.by_id:
        if sequence.embeddings.rows is not None:
            message = "generate needs the embeddings of all words: this matrix has a row for each position"
            help = "give a mapping token → vector, or a matrix by id and a vocabulary"
            problems.add(sequence.embeddings, message, help=help)
        return
    without = [word for word in sequence.without_embedding(words) if word != generate.end_token]
    if not without:
        return
    named = ", ".join(map(quote, without[:5])) + (", …" if len(without) > 5 else "")
    if sequence.by_id and not head.has("vocabulary"):
        table = "tied" if head.tied else "embedding"
        message = f"no word for {pluralize(len(without), 'id')} of the {table} table: {named}"
        help = "generate may append them: give each a word in the vocabulary"
    else:
        message = f"no embedding for {pluralize(len(without), 'word')} of the output vocabulary: {named}"
        ids = "" if sequence.vocabulary is None else " and an id"
        help = f"generate may append them: give each an embedding{ids}, or make it the end_token"
    problems.add(generate, message, help=help)


def _check_growing(n: Axis, claims: Claims) -> None:
    """Given numbers with a row for each token of the sequence that grows cannot grow with it."""
    for claim in claims.all:
        grows = claim.rows.is_same(n) or claim.columns.is_same(n)
        if not grows or claim.kind in (TOKEN_EMBEDDING, POSITIONAL_ENCODING):
            continue
        message = f"{claim.matrix.name} has a row for each token of the prompt, and none for a generated one"
        help = "leave it out, or generate with max_tokens: 1"
        if claim.kind == SEGMENT_EMBEDDING:
            help = "give one vector for all positions"
        claims.problems.add(claim.matrix, message, help=help)


def check_targets(scenario: Scenario, sequence: TokenSequence, n: Axis, problems: Problems) -> None:
    """Each position of the sequence has a target: null, padding or a word that can be predicted."""
    spec, targets, section = scenario.spec, scenario.targets, scenario.example or scenario.spec.training
    if targets is None or section is None:
        return
    path = section.key_of("targets")
    if n.size not in (None, len(targets)):
        message = f"targets has {pluralize(len(targets), 'entry', 'entries')}, expected {n.size}: one for each token"
        problems.add(section.at("targets"), message, key=path, help="write null for a position without a target")
    if all(word in (None, spec.padding_token) for word in targets.or_null):
        problems.add(section.at("targets"), "no position has a target", key=path)
    words = _words(spec, sequence, problems)
    allowed = {None, spec.padding_token, *(words or ())}
    for word, node in zip(targets.or_null, targets.nodes, strict=True):
        if words is not None and word not in allowed:
            message = f"the target {quote(str(word))} is not in the output vocabulary"
            problems.add(node, message, key=path, help=partial(did_you_mean, str(word), words))


def check_examples(scenario: Scenario, rows: Iterable[Axis], claims: Claims) -> None:
    """Checks the examples of a training, if it has some, beside the rest of the scenario.

    rows: the tokens of the sentences of the walk that has made the claims
    """
    spec, training, problems = scenario.spec, scenario.spec.training, claims.problems
    if training is None or not training.examples:
        return
    _check_batch(training, len(training.examples), problems)
    for example in training.examples:
        _check_decoder(spec, example, problems)
    for claim in claims.all:
        if any(claim.rows.is_same(n) or claim.columns.is_same(n) for n in rows):
            _note_rows(claim, problems)


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
