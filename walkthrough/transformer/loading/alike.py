"""Scenario texts that differ in given numbers alone, as those of a class do: the rest is read and checked once."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from walkthrough.operations.definition import Array
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.sources import Source
from walkthrough.scenario.tensors.arrays import matrices_in
from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node, ScalarNode
from walkthrough.transformer.loading.load import walked_scenario, with_arrays

_NUMBER = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?)")
_SHARED = re.compile(r"[&*][^\s,\[\]{}]|\r")
"""What may be an anchor or an alias, a number that stands for several; and line ends that only YAML counts."""
_LEAST, _MOST = 1e-300, 1e300
"""Numbers of other sizes are left to the reader, who knows what a float64 makes of them."""

Place = tuple[Matrix, int, int]
"""A number of a matrix: row and column, from 0."""


class Alike:
    """Reads scenarios. Of one that is written like one before it, given numbers apart, these numbers alone are read."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], _Pattern] = {}

    def parse(self, text: str, name: str = "<text>") -> Scenario:
        """As `parse_scenario`; the nodes of a scenario's matrices may be those of another one. Raises ScenarioError."""
        pieces = _NUMBER.split(text)
        key = name, "\0".join(pieces[::2])
        source = Source(name, text, Path())
        found = self._known[key].with_numbers(source, pieces[1::2]) if key in self._known else None
        if found is not None:
            return found
        scenario, shapes = walked_scenario(source)
        scenario = with_arrays(scenario)
        if scenario.spec.inputs_are != "rounded" and not _SHARED.search(text):  # else the digits of numbers count
            free = {value.matrix for value in shapes if value.can_change}
            self._known[key] = _Pattern(scenario, pieces, free)
        return scenario


class _Pattern:
    """A scenario, and where in its text the numbers stand that may be others. free: their matrices"""

    def __init__(self, scenario: Scenario, pieces: Sequence[str], free: set[Matrix]) -> None:
        self.scenario = scenario
        self.numbers = pieces[1::2]
        starts = _starts(scenario.source.text)
        at: dict[int, int] = {}
        end = 0
        for number, piece in enumerate(pieces):
            if number % 2:
                at[end] = number // 2
            end += len(piece)
        claims: dict[int, list[Place]] = {}
        for matrix in matrices_in(scenario.spec):
            for node, row, column in _cells(matrix):
                found = at.get(starts[node.line - 1] + node.column - 1)
                if found is not None and self.numbers[found] == node.text:
                    claims.setdefault(found, []).append((matrix, row, column))
        self.places = {found: one for found, (one, *more) in claims.items() if not more and one[0] in free}

    def with_numbers(self, source: Source, numbers: Sequence[str]) -> Scenario | None:
        """The scenario with the numbers of another text; None where one of these may decide what is calculated."""
        arrays: dict[Matrix, Array] = {}
        for at, (own, other) in enumerate(zip(self.numbers, numbers, strict=True)):
            if own == other:
                continue
            number = float(other)
            if at not in self.places or not (_LEAST < abs(number) < _MOST or not other.strip("-0.")):
                return None
            matrix, row, column = self.places[at]
            if matrix not in arrays:
                arrays[matrix] = self.scenario.arrays[matrix].copy()
            arrays[matrix][row, column] = number
        return dataclasses.replace(self.scenario, source=source, arrays={**self.scenario.arrays, **arrays})


def _starts(text: str) -> list[int]:
    """Where each line begins."""
    return [0, *(found.end() for found in re.finditer("\n", text))]


def _cells(matrix: Matrix) -> Iterator[tuple[ScalarNode, int, int]]:
    """The numbers of a matrix as they stand in the text, each with its row and column."""
    if matrix.numbers is None:
        return
    for row, line in enumerate(_rows(matrix.node)):
        for column, node in enumerate(line.items if isinstance(line, ListNode) else ()):
            if isinstance(node, ScalarNode) and node.plain:
                yield node, row, column


def _rows(node: Node) -> Sequence[Node]:
    if isinstance(node, MappingNode):
        return [child for _, child in node.entries]
    items = node.items if isinstance(node, ListNode) else []
    return items if items and isinstance(items[0], ListNode) else [node]
