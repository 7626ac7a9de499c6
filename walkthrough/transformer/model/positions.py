"""Positions that are added to the embeddings: sines and cosines, or learned vectors. Vaswani et al. 2017, §3.5."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from walkthrough.operations.matrix import product_transposed, select_rows, subtract
from walkthrough.operations.positions.sinusoidal import position_rotation, sinusoidal_positions
from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.keys import ScenarioSpec
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.schema.positions import Sinusoidal
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.text import pluralize
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import Stream

POSITION_TABLE = Kind("position_table", "W_P", "Position table")
POSITIONAL_ENCODING = Kind("positional_encoding", "PE", "Positional encoding")
LEARNED_ENCODING = POSITIONAL_ENCODING._replace(words="positional_encoding.learned")
ROTATION = Kind("matrix", "M", "Rotation", words="rotation.matrix")
ROTATED = Kind("rotated", "PE_M", "Rotated encoding", words="rotation.rotated")
SHIFTED = Kind("shifted", "PE_k", "Shifted encoding", words="rotation.shifted")
DIFFERENCE = Kind("difference", "Δ", "Difference", words="rotation.difference")


def record_positions(s: Scope, rows: Stream, d_model: Axis) -> Value | None:
    """PE, n×d_model; None where none are added to the embeddings."""
    positions = rows.sequence.positional_encoding
    if isinstance(positions, Matrix):
        return _learned(s, rows, positions, d_model)
    if not isinstance(positions, Sinusoidal):
        return None
    s.check(check_rotation, positions, d_model)
    return _sinusoidal(s, rows, positions, d_model)


def _learned(s: Scope, rows: Stream, table: Matrix, d_model: Axis) -> Value:
    """A vector for each position; of a table with more rows the first ones."""
    count = len(rows.names)
    s.check(check_positions, rows.sequence, table, count)
    if table.rows == count and not rows.first and not rows.position_ids and not s.calculation.has_examples:
        return s.given(POSITIONAL_ENCODING, table, rows.n, d_model)
    numbers = Axis("positions", table.rows, tuple(map(str, range(table.rows or 0))))
    positions = s.given(POSITION_TABLE, table, numbers, d_model)
    settings = {"indices": tuple(rows.positions)}
    return s.record(LEARNED_ENCODING, select_rows, positions, settings=settings, rows=rows.labels)


def _sinusoidal(s: Scope, rows: Stream, positions: Sinusoidal, d_model: Axis) -> Value:
    """Sines and cosines of each position; on request also that a shift is a rotation, the same for all positions."""
    options: dict[str, Any] = {
        "width": d_model.size or 0,
        "base": positions.base,
        "layout": positions.layout,
        "angle": positions.angle,
    }

    def encode(s: Scope, kind: Kind, **shift: int) -> Value:
        settings = {"positions": rows.positions, **options, **shift}
        return s.record(kind, sinusoidal_positions, settings=settings, rows=rows.labels)

    encoding = encode(s, POSITIONAL_ENCODING)
    if positions.rotation is not None:
        part, offset = s.under("rotation"), positions.rotation
        rotation = part.record(ROTATION, position_rotation, settings={"offset": offset, **options})
        rotated = part.record(ROTATED, product_transposed, encoding, rotation)
        part.record(DIFFERENCE, subtract, rotated, encode(part, SHIFTED, offset=offset))
    return encoding


def check_count(s: Scope, sequence: TokenSequence, positions: int, tokens: int) -> None:
    """There is a position for each token."""
    if positions < tokens or (positions > tokens and not s.recorder.one_pass.first):
        message = f"positions has {pluralize(positions, 'entry', 'entries')}, expected {tokens}: one for each token"
        s.problems.fault(sequence.positions_from, "positions", message)


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
