"""Checks a mask: its shape, and that every row can still attend to something."""

from __future__ import annotations

from walkthrough.scenario.matrices import Matrix
from walkthrough.scenario.nodes import quoted
from walkthrough.scenario.problems import WeightsError
from walkthrough.scenario.schema import Attention
from walkthrough.scenario.sequence_shapes import Stream
from walkthrough.scenario.shapes import Axis, Shapes
from walkthrough.scenario.values import Mask


def check_mask(attention: Attention, shapes: Shapes, queries: Stream, keys: Stream) -> None:
    """The mask of an attention from the rows of one stream to those of another."""
    mask = attention.mask
    if mask is None or queries.rows is None or keys.rows is None:
        return
    path = attention.key_of("mask")
    if mask.padding and not keys.sequence.words:
        shapes.problems.add(attention.at("mask"), "mask: padding needs tokens, to know which are padding", key=path)
        return
    given = None
    if mask.matrix is not None:
        shapes.matrix(mask.matrix, Axis("n", queries.rows), Axis("m", keys.rows))
        given = _numbers(mask.matrix, shapes)
        if given is None or (mask.matrix.rows, mask.matrix.columns) != (queries.rows, keys.rows):
            return
    for row in _hidden_rows(mask, given, queries.rows, keys):
        words = queries.sequence.words
        token = f" from {quoted(words[row])}" if row < len(words) else ""
        message = f"the mask hides every column{token} (row {row + 1}): it has nothing to attend to"
        shapes.problems.add(attention.at("mask"), message, key=path)


def _numbers(matrix: Matrix, shapes: Shapes) -> list[list[float]] | None:
    """The numbers of a mask, 0 and 1 only; None where they cannot be had."""
    if matrix.numbers is not None:
        return matrix.numbers
    if matrix.rows is None or (matrix.init is None and matrix.tensor is None) or shapes.is_exhausted:
        return None
    from walkthrough.scenario.arrays import array_of

    try:
        numbers: list[list[float]] = array_of(matrix, shapes.folder, shapes.weights_file).tolist()
    except WeightsError as error:
        shapes.problems.add(matrix, str(error), key=matrix.path, help=error.help)
        return None
    if all(number in (0, 1) for row in numbers for number in row):
        return numbers
    shapes.problems.add(matrix, "expected a mask of 0 (hidden) and 1 (visible), found other numbers", key=matrix.path)
    return None


def _hidden_rows(mask: Mask, given: list[list[float]] | None, rows: int, keys: Stream) -> list[int]:
    """The rows from which every column is hidden."""
    if given is None and not mask.padding:
        return []  # a causal mask leaves each row its first column
    count = keys.rows or 0
    padding = [mask.padding and word == keys.sequence.padding_token for word in keys.sequence.words] or [False] * count
    ends = [min(row + 1, count) if mask.causal else count for row in range(rows)]
    return [
        row
        for row, end in enumerate(ends)
        if all(padding[at] or (given is not None and not given[row][at]) for at in range(end))
    ]
