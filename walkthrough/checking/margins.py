"""Margins of the scenario's own matrices, where they are rounded prints themselves: read from the file's text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from walkthrough.checking.digits import decimals_of
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.scenario.matrices import Matrix, Table
from walkthrough.scenario.nodes import MappingNode, Node, ScalarNode
from walkthrough.scenario.schema import ScenarioSpec
from walkthrough.scenario.sections import Section, keys_of

_RECORDED_AS = {
    "heads": "head",
    "q": "query",
    "k": "key",
    "v": "value",
    "position_table": "positional_encoding",
    "segment": "segment_embedding",
    "token_embedding": "embeddings",
}
"""Last words of paths and keys that differ."""


def half_units(keys: ScenarioSpec, trace: Trace) -> dict[str, float]:
    """Half a unit of the last digit of every given matrix that has decimals, by its path.

    One for a matrix: zeros at the end of a number are often not written.
    """
    nodes = {_plain(path): matrix.node for path, matrix in _matrices(keys, "")}
    margins = {}
    for value in trace:
        if value.operation is None and not value.holds_ids:
            longest = _longest(value, nodes)
            margins[value.path] = 0.5 * 10.0**-longest if longest > 0 else 0.0
    return margins


def _longest(value: Value, nodes: dict[str, Node]) -> int:
    """The most decimals that a number of a matrix has; of one that is in no file text, as floats are written."""
    path = _plain(value.path)
    joined = re.sub(r"head\.\d+\.", "", path)  # one matrix for all heads
    node = next((nodes[name] for name in (path, joined, f"decoder.{path}", f"decoder.{joined}") if name in nodes), None)
    numbers = value.array.ravel().tolist() if node is None else []
    texts = [repr(number).removesuffix(".0") for number in numbers] if node is None else list(_texts(node))
    return max((decimals for text in texts if (decimals := decimals_of(text)) is not None), default=0)


def _texts(node: Node) -> Iterator[str]:
    if isinstance(node, ScalarNode):
        yield node.text
        return
    for part in [child for _, child in node.entries] if isinstance(node, MappingNode) else node.items:
        yield from _texts(part)


def _plain(path: str) -> str:
    """A path in the words of the file, without what is said in two ways."""
    start, _, last = path.replace("self_attention", "attention").rpartition(".")
    return f"{start}.{_RECORDED_AS.get(last, last)}".lstrip(".")


def _matrices(part: Any, path: str) -> Iterator[tuple[str, Matrix]]:
    """Every written matrix below a part of the scenario, with the path it is recorded under."""
    if isinstance(part, Matrix):
        if part.numbers is not None:
            yield path, part
    elif isinstance(part, Table):
        yield path, part.matrix
    elif isinstance(part, list):
        for number, item in enumerate(part, 1):
            yield from _matrices(item, f"{path}.{number}")
    elif isinstance(part, Section):
        for name in keys_of(type(part)):
            below = path if name == "layers" else f"{path}.{_RECORDED_AS.get(name, name)}"
            yield from _matrices(getattr(part, name, None), below)
