"""The same scenario with other given numbers: `--set 'embeddings[chai, 1]=0.5'`."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from walkthrough.errors import UserError, expect, expect_text
from walkthrough.recording.cells import CellAt, find_cell, split_cell
from walkthrough.recording.selectors import parse_words
from walkthrough.recording.sources import given_sources
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.readers import number_hint, real_number
from walkthrough.scenario.yaml.nodes import ScalarNode, describe_node
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.text import in_quotes, whole_number
from walkthrough.transformer.loading.load import with_arrays
from walkthrough.transformer.runs.run import trace

if TYPE_CHECKING:
    from walkthrough.scenario.schema.matrices import Matrix

Changes = Mapping[str, float] | Iterable[tuple[str, float]]
"""Numbers by their cell, `SELECTOR[row, column]`."""
_CHANGES = 'a mapping of cells to numbers, such as {"embeddings[chai, 1]": 0.5}'


class ChangeError(UserError, ValueError):
    """A number that cannot be set, or what is none."""


def read_change(text: str) -> tuple[str, float]:
    """Cell and number of `CELL=NUMBER`, split at the last `=`; the number as a scenario writes it, `−` too.

    Raises ChangeError.
    """
    cell, sign, number = text.rpartition("=")
    if not sign or not cell.strip():
        message = f"{in_quotes(text)} is not a change; write CELL=NUMBER, such as 'embeddings[chai, 1]=0.5'"
        raise ChangeError(message)
    node = ScalarNode(number.strip().replace("−", "-"), True, 0, 0)
    found = real_number(node)
    if found is None or not math.isfinite(found):
        hint = number_hint(node)
        told = describe_node(ScalarNode(number.strip(), node.plain, 0, 0))
        raise ChangeError(f"{in_quotes(text)}: expected a finite number, found {told}{hint and f'; {hint}'}")
    return cell.strip(), found


def change_scenario(scenario: Scenario, changes: Changes) -> Scenario:
    """The scenario with other given numbers; a matrix that is used in several places is another one in all of them.

    Raises SelectorError for a cell that does not exist, ChangeError for one that is not given, or stands for a choice.
    """
    numbers = _numbers(changes)
    if not numbers:
        return scenario
    if scenario.sparing:
        scenario = with_arrays(dataclasses.replace(scenario, sparing=False, arrays={}))
    record = _record(scenario, numbers)
    arrays = dict(scenario.arrays)
    written = {matrix: mask.copy() for matrix, mask in scenario.written.items()}
    set_already: dict[tuple[Matrix, int, int], float] = {}
    named = list(scenario.changed)
    for text, number in numbers.items():
        cell = _settable(_find_cell(record, text), number)
        matrix: Matrix = cell.value.matrix
        at = cell.value.corner[0] + cell.row, cell.value.corner[1] + cell.column
        if set_already.setdefault((matrix, *at), number) != number:
            raise ChangeError(f"{name_of(cell)} is set twice, to different numbers")
        if matrix not in written:
            written[matrix] = np.zeros(arrays[matrix].shape, dtype=bool)
        if arrays[matrix] is scenario.arrays[matrix]:
            arrays[matrix] = arrays[matrix].copy()
        arrays[matrix][at], written[matrix][at] = number, True
        named.append(f"{name_of(cell)}={repr(float(number)).removesuffix('.0')}")
    return dataclasses.replace(scenario, arrays=arrays, written=written, changed=tuple(dict.fromkeys(named)))


def _numbers(changes: Changes) -> dict[str, float]:
    """The numbers by their cells. Raises ArgumentError where they are none."""
    expect(isinstance(changes, Iterable) and not isinstance(changes, str | bytes), "changes", _CHANGES, changes)
    pairs = list(changes.items() if isinstance(changes, Mapping) else changes)
    for pair in pairs:
        expect(isinstance(pair, tuple) and len(pair) == 2, "changes", _CHANGES, pair)
        cell, number = pair
        expect_text(cell, "changes", 'a cell such as "embeddings[chai, 1]"')
        expect(isinstance(number, Real) and not isinstance(number, bool), cell, "a number", number)
    return dict(pairs)


def name_of(cell: CellAt) -> str:
    """The cell by its path and both labels."""
    return f"{cell.value.path}[{cell.value.rows[cell.row]}, {cell.value.columns[cell.column]}]"


def _record(scenario: Scenario, cells: Iterable[str]) -> Trace:
    """The record in which the cells are found: of a training no more steps than they name.

    A calculation that cannot go on with the first numbers may do so with the others: what there is will do.
    """
    begun: list[Trace] = []
    try:
        trace(scenario, begun=begun.append, most_steps=max(map(_training_step, cells), default=1))
    except ScenarioError:
        if not begun:
            raise
    return begun[0]


def _find_cell(record: Trace, text: str) -> CellAt:
    """The cell of this name; of several steps that it fits, the one given step is meant."""
    selector, labels = split_cell(text)
    given = [value for value in record.select(selector) if value.can_change]
    return find_cell(given[0] if len(given) == 1 else record.only(selector), labels)


def _training_step(cell: str) -> int:
    word, number = parse_words(cell.partition("[")[0])[0]
    return max(whole_number(number) or 1, 1) if word == "train" else 1


def _settable(cell: CellAt, number: float) -> CellAt:
    """The cell, if its number may be changed."""
    value = cell.value
    if not math.isfinite(number):
        raise ChangeError(f"{name_of(cell)} cannot be set to {number}: expected a finite number")
    if value.kind.fixed and value.operation is None:
        raise ChangeError(f"{name_of(cell)} cannot be set: it decides what is calculated; change the scenario")
    if not value.can_change:
        raise ChangeError(f"{name_of(cell)} is calculated, not given; {_where_from(cell)}")
    return cell


def _where_from(cell: CellAt) -> str:
    found = given_sources(cell)
    if not found:
        return "nothing it is computed from can be set"
    return f"it is computed from {', '.join(map(_some, found.items()))}"


def _some(found: tuple[Value, list[tuple[int, int]]]) -> str:
    """The first of some cells, and how many more of its matrix there are."""
    value, cells = found
    first = name_of(CellAt(value, *cells[0]))
    return first if len(cells) == 1 else f"{first} and {len(cells) - 1:,} more of its cells"
