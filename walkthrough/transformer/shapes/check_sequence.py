"""What a sequence must fulfil: tokens that are known, embeddings that the weights can read, enough positions."""

from __future__ import annotations

from collections.abc import Container, Iterable
from functools import partial

from walkthrough.recording.axes import Axis
from walkthrough.scenario.schema.keys import Attention, Head, ScenarioSpec
from walkthrough.scenario.schema.matrices import Matrix, Size, Table
from walkthrough.scenario.schema.values import Sinusoidal
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.scenario.yaml.nodes import quoted
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.text import counted, did_you_mean, printable


def check_words(sequence: TokenSequence, problems: Problems) -> None:
    """Every token has an id, where there are ids, and a vector, where these have names."""
    _check_known(
        sequence, sequence.vocabulary, "is not in the vocabulary", sequence.owner.key_of("vocabulary"), problems
    )
    if isinstance(sequence.embeddings, Table):
        table = sequence.embeddings
        _check_known(sequence, table.words, "has no embedding", table.path, problems)


def _check_known(
    sequence: TokenSequence, known: Container[str] | None, fault: str, path: str, problems: Problems
) -> None:
    tokens = sequence.tokens
    for token, node in zip(tokens.words, tokens.nodes, strict=True) if tokens is not None else []:
        if known is not None and token not in known:
            problems.add(node, f"the token {quoted(token)} {fault}", key=path, help=partial(_nearest, token, known))


def _nearest(token: str, known: Container[str]) -> str:
    words = list(known) if isinstance(known, Iterable) else []
    more = ", …" if len(words) > 8 else ""
    return did_you_mean(token, words) or "known: " + ", ".join(map(printable, words[:8])) + more


def width_of_embeddings(matrix: Matrix, d_model: Size, expected: Size, problems: Problems) -> Size:
    """The width that the embeddings have, or should have.

    d_model, expected: what `dimensions` states, and what all weights expect that read the embeddings
    """
    if matrix.columns is not None and d_model not in (None, matrix.columns):
        message = f"embeddings are {matrix.columns} wide, expected d_model = {d_model} as dimensions say"
        problems.add(matrix, message, key=matrix.path)
        return d_model if expected == d_model else matrix.columns
    if None not in (matrix.columns, expected) and matrix.columns != expected:
        message = f"embeddings are {matrix.columns} wide, but all weights that read them expect d_model = {expected}"
        problems.add(matrix, message, key=matrix.path)
        return expected
    return matrix.columns or d_model or expected


def width_read(spec: ScenarioSpec, sequence: TokenSequence) -> Size:
    """The width that w_q, w_k and w_v of the first attention all expect; None where they do not agree."""
    stack = spec.decoder if sequence.owner is spec.decoder else spec.encoder
    attention = (
        spec.attention if stack is None else stack.layers[0].attention if stack.layers and stack.layers[0] else None
    )
    if attention is None:
        return None
    sections: list[Attention | Head] = [attention, *(attention.heads or [])]
    weights = [getattr(section, name) for section in sections for name in ("w_q", "w_k", "w_v")]
    out_in = spec.matrix_convention == "column"
    widths = [weight.columns if out_in else weight.rows for weight in weights if weight is not None]
    return widths[0] if len(widths) >= 3 and len(set(widths)) == 1 else None


def rows_of_embeddings(sequence: TokenSequence, matrix: Matrix, n: Axis, problems: Problems) -> Axis:
    """The rows of an embedding matrix that has none for each id: one for each position."""
    count = len(sequence.words)
    if sequence.vocabulary is None or matrix.rows is None:
        return n
    ids = max(sequence.vocabulary.values()) + 1
    if matrix.rows == count:
        message = (
            f"embeddings has {counted(matrix.rows, 'row')}, fewer than the ids (0 to {ids - 1}): they are taken as "
        )
        message += "one for each position"
        problems.warn(matrix, message, key=matrix.path, help="give a row for each id to have them looked up")
        return n
    message = f"embeddings has {counted(matrix.rows, 'row')}, expected one for each id (at least {ids}, as ids "
    message += f"count from 0) or one for each of the {counted(count, 'token')}"
    problems.add(matrix, message, key=matrix.path)
    return Axis("n")


def check_positions(sequence: TokenSequence, table: Matrix, count: int, more: int, problems: Problems) -> None:
    """A table of learned positions has a row for each position there will be, or more."""
    needed = count + more
    if table.init is not None and table.rows is None:
        table.rows = needed
    if table.rows is None or table.rows >= needed:
        return
    message = f"{table.name} has {counted(table.rows, 'row')}, expected at least {needed}, one for each position"
    help = f"the prompt has {count}, and generation reads up to {more} more" if more else ""
    problems.add(table, message, key=table.path, help=help)


def check_sinusoidal(positions: Sinusoidal, width: Axis, problems: Problems) -> None:
    """Every sine turns together with its cosine."""
    if positions.rotation is not None and positions.layout == "interleaved" and (width.size or 0) % 2:
        message = f"an odd d_model leaves the last sine, feature {width}, without its cosine: it cannot be rotated"
        help = "remove rotation, or use layout: halves"
        problems.add(positions.at("rotation"), message, key=positions.key_of("rotation"), help=help)
