"""Margins of the scenario's own matrices, where they are rounded prints themselves: read from the file's text."""

from __future__ import annotations

from collections.abc import Iterator

from walkthrough.judging.digits import most_decimals
from walkthrough.operations.definition import Array
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.yaml.nodes import MappingNode, Node, ScalarNode


def half_units(trace: Trace) -> dict[Value, float]:
    """Half a unit of the last digit of every given matrix that has decimals.

    One for a matrix: zeros at the end of a number are often not written.
    """
    given = [value for value in trace if value.operation is None and not value.holds_ids]
    decimals = {value: decimals_in(value.matrix, value.array) for value in given}
    return {value: 0.5 * 10.0**-longest if longest > 0 else 0.0 for value, longest in decimals.items()}


def decimals_in(matrix: Matrix | None, array: Array) -> int:
    """The most decimals that a number of a matrix has; of one that is in no file text, as floats are written."""
    if matrix is not None and matrix.numbers is not None:
        texts = list(_texts(matrix.node))
    else:
        texts = [repr(number).removesuffix(".0") for number in array.ravel().tolist()]
    return most_decimals(texts)


def _texts(node: Node) -> Iterator[str]:
    if isinstance(node, ScalarNode):
        yield node.text
        return
    for part in [child for _, child in node.entries] if isinstance(node, MappingNode) else node.items:
        yield from _texts(part)
