"""What a sequence must fulfil: tokens that are known, embeddings for all of them, enough positions."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from functools import partial

from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Value
from walkthrough.scenario.byte_pairs import BytePairs
from walkthrough.scenario.resolved import is_computed
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.keys import Attention, ScenarioSpec
from walkthrough.scenario.schema.matrices import Matrix, Table
from walkthrough.scenario.schema.positions import Sinusoidal
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.scenario.yaml.nodes import quote
from walkthrough.text import did_you_mean, escape_label, pluralize
from walkthrough.transformer.scope import Scope


def check_sequence(s: Scope, sequence: TokenSequence) -> None:
    """Every token has an id, where there are ids, and a vector, where these have names; their vectors can be held."""
    owner = sequence.owner
    if sequence.tokenizer is not None and not _has_known_characters(s, sequence, sequence.tokenizer):
        return
    if sequence.positions is not None and sequence.tokens is not None:
        _check_count(s, sequence, len(sequence.positions), len(sequence.tokens))
    _check_known(s, sequence, sequence.vocabulary, "is not in the vocabulary", owner.key_of("vocabulary"))
    embeddings = sequence.embeddings
    if isinstance(embeddings, Table):
        _check_known(s, sequence, embeddings.words, "has no embedding", embeddings.path)
    matrix = embeddings.matrix if isinstance(embeddings, Table) else embeddings
    width = s.axis("d_model").size or (matrix.columns if matrix is not None else None)
    if sequence.tokens is not None and matrix is not None and width is not None:
        key = sequence.sentence.key_of("tokens")
        s.claims.reserve(len(sequence.tokens) * width, sequence.tokens.nodes[0], key)


def _has_known_characters(s: Scope, sequence: TokenSequence, tokenizer: BytePairs) -> bool:
    """Whether each character of the text is a symbol, of the tokenizer or of the vocabulary."""
    symbols = {*tokenizer.known, *(sequence.vocabulary or ())}
    used = dict.fromkeys(symbol for word in tokenizer.words(sequence.text) for symbol in word)
    unknown = [symbol for symbol in used if symbol not in symbols]
    sentence = sequence.sentence
    for symbol in unknown:
        message = f"the character {quote(symbol)} is no symbol of the tokenizer"
        known = "known: " + ", ".join(map(escape_label, sorted(one for one in symbols if len(one) == 1)))
        s.problems.fault(sentence, "text", message, known)
    return not unknown


def _check_count(s: Scope, sequence: TokenSequence, positions: int, tokens: int) -> None:
    """There is a position for each token."""
    if positions < tokens or (positions > tokens and not s.recorder.first):
        stated = sequence.stated
        message = f"positions has {pluralize(positions, 'entry', 'entries')}, expected {tokens}: one for each token"
        s.problems.fault(stated, "positions", message)


def _check_known(s: Scope, sequence: TokenSequence, known: Container[str] | None, fault: str, path: str) -> None:
    tokens = sequence.tokens
    for token, node in zip(tokens.words, tokens.nodes, strict=True) if tokens is not None else []:
        if known is not None and token not in known:
            s.problems.add(node, f"the token {quote(token)} {fault}", key=path, help=partial(_nearest, token, known))


def _nearest(token: str, known: Container[str]) -> str:
    words = list(known) if isinstance(known, Iterable) else []
    more = ", …" if len(words) > 8 else ""
    return did_you_mean(token, words) or "known: " + ", ".join(map(escape_label, words[:8])) + more


def missing_input(s: Scope, sequence: TokenSequence, n: Axis) -> Value | None:
    """Input of the stated width, where there must be some; what it lacks is told."""
    if not is_read(s.calculation.spec, sequence):
        return None
    owner, sentence, training = sequence.owner, sequence.sentence, s.calculation.spec.training
    is_elsewhere = training is not None and training.has("examples") and s.calculation.scenario.example is None
    if sequence.tokens is None and not (sentence.has("tokens") or sentence.has("text") or is_elsewhere):
        s.problems.missing(sentence, "tokens", "text: …, or tokens: […]")
    if sequence.embeddings is None and not owner.has("embeddings"):
        s.problems.missing(owner, "embeddings", "token → vector, a matrix by id, or a row for each position")
    return s.calculation.unknown_value((n, s.calculation.stated_axis("d_model")))


def is_read(spec: ScenarioSpec, sequence: TokenSequence) -> bool:
    """Whether anything is computed from the embeddings of a sequence: a head given by its scores does not use them."""
    if sequence.owner is spec.decoder:
        return True
    if spec.has("tokenizer") and not any(map(spec.has, ("encoder", "decoder", "attention", "output_head"))):
        return False
    if spec.encoder is not None:
        return not spec.encoder.has("output")
    if spec.has("encoder"):
        return False
    return spec.attention is None or _reads_input(spec.attention)


def _reads_input(attention: Attention) -> bool:
    if not is_computed(attention):
        return False
    if attention.heads is None:
        return not attention.has("heads")
    return any(head.has(weight) for head in attention.heads for weight in ("w_q", "w_k", "w_v"))


def rows_of_embeddings(s: Scope, sequence: TokenSequence, matrix: Matrix, n: Axis) -> Axis:
    """The rows of an embedding matrix that has none for each id: one for each position."""
    if not s.calculation.is_checking or sequence.vocabulary is None or matrix.rows is None:
        return n
    count, ids = len(sequence.words), max(sequence.vocabulary.values()) + 1
    if matrix.rows == count:
        message = (
            f"embeddings has {pluralize(matrix.rows, 'row')}, fewer than the ids (0 to {ids - 1}): they are taken as "
        )
        message += "one for each position"
        s.problems.warn(matrix, message, help="give a row for each id to have them looked up")
        return n
    message = f"embeddings has {pluralize(matrix.rows, 'row')}, expected one for each id (at least {ids}, as ids "
    message += f"count from 0) or one for each of the {pluralize(count, 'token')}"
    s.problems.add(matrix, message)
    return Axis("n")


def appended_to(spec: ScenarioSpec, sequence: TokenSequence) -> int:
    """How many generated tokens are read again, all but the last, where it is this sequence that grows."""
    if spec.generate is None or (spec.has("decoder") and sequence.owner is not spec.decoder):
        return 0
    return spec.generate.max_tokens - 1


def check_positions(s: Scope, sequence: TokenSequence, table: Matrix, count: int) -> None:
    """A table of learned positions has a row for each position there will be, or more."""
    more = appended_to(s.calculation.spec, sequence)
    needed = max(sequence.positions_of(count + more), default=count + more - 1) + 1
    if table.init is not None and table.rows is None:
        table.rows = max([needed, *_lengths(s.calculation.scenario, sequence)])
    if table.rows is None or table.rows >= needed:
        return
    message = f"{table.name} has {pluralize(table.rows, 'row')}, expected at least {needed}, one for each position"
    help = f"the prompt has {count}, and generation reads up to {more} more" if more else ""
    if sequence.positions is not None:
        help = f"the last position is {needed - 1}, counted from 0"
    s.problems.add(table, message, help=help)


def _lengths(scenario: Scenario, sequence: TokenSequence) -> Iterator[int]:
    """How many positions a table needs for each sequence that reads it, in each example of a training."""
    for one in scenario.examples:
        for other in (one.sequence, one.target):
            if other is not None and other.positional_encoding is sequence.positional_encoding:
                yield max(other.positions_of(len(other.words)), default=len(other.words) - 1) + 1


def check_rotation(s: Scope, positions: Sinusoidal, width: Axis) -> None:
    """Every sine is rotated together with its cosine."""
    if positions.rotation is not None and positions.layout == "interleaved" and (width.size or 0) % 2:
        message = f"an odd d_model leaves the last sine, feature {width}, without its cosine: it cannot be rotated"
        help = "remove rotation, or use layout: halves"
        s.problems.fault(positions, "rotation", message, help)
