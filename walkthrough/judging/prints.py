"""Binds the published numbers of a scenario to the cells of its trace."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from walkthrough.judging.digits import Printed, decimals_of, most_decimals
from walkthrough.numerals import plain_number
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.scenario.byte_pairs import BLANK
from walkthrough.scenario.schema.published import PrintSpec
from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node, ScalarNode, describe_node
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.text import as_word, did_you_mean, escape_label, in_quotes, pluralize, whole_number


class PrintedCell(NamedTuple):
    """One printed number, or a printed word where the step predicts one; the cell it belongs to.

    operands: the decimals that the inputs were rounded to, or None
    """

    value: Value
    row: int
    column: int
    printed: Printed | str
    operands: int | None = None

    @property
    def text(self) -> str:
        """As printed."""
        return self.printed if isinstance(self.printed, str) else self.printed.text


class BoundPrint(Record):
    """One print of one step: its cells in order."""

    value: Value
    cells: tuple[PrintedCell, ...]


def is_of_tokenizer(value: Value) -> bool:
    """Whether a step holds symbols that nobody has to know: a printed merge may make one that is never made."""
    return value.path.endswith(("tokenizer.merges", "tokenizer.tokens"))


def bind(prints: Sequence[PrintSpec], trace: Trace, problems: Problems) -> list[BoundPrint]:
    """The prints with their cells, in the order of the file; what fits nothing goes to the problems."""
    bound = []
    for one in prints:
        try:
            value = trace.only(one.step)
        except SelectorError as error:
            problems.add(one.node, str(error), key="published")
            continue
        numbers = _Numbers(value, one, problems)
        bound.append(BoundPrint(value, tuple(numbers.cells())))
    return bound


_COMMAS = "a comma parts two numbers here: write a number with a decimal comma in quotes, '0,38'"


def _plain(node: ScalarNode) -> str | None:
    """The number of a scalar as Python writes it; also one in quotes, as people write it. None where it is none."""
    if isinstance(node.value, str):
        return plain_number(node.text)
    is_number = isinstance(node.value, int | float) and not isinstance(node.value, bool) and not math.isnan(node.value)
    return node.text if is_number else None


def _may_be_part(node: Node) -> bool:
    """Whether a node may be what a decimal comma has left of a number: digits alone."""
    return isinstance(node, ScalarNode) and node.text.lstrip("+-").isdecimal()


class _Numbers:
    """The numbers of one print."""

    def __init__(self, value: Value, one: PrintSpec, problems: Problems) -> None:
        self.value = value
        self.print = one
        self.problems = problems
        self.key = f"published.{one.step}"

    def cells(self) -> Iterator[PrintedCell]:
        values = self.print.values
        tokens = values.items if isinstance(values, ListNode) and self.value.path.endswith("tokenizer.tokens") else ()
        scalars = [node for node in tokens if isinstance(node, ScalarNode)]
        if len(scalars) == len(tokens) and len(tokens) not in (0, self.value.shape[0]):
            yield from self._other_tokens([None if node.value is None else self._word(node) for node in scalars])
        else:
            yield from self._cells()

    def _other_tokens(self, words: Sequence[str | None]) -> Iterator[PrintedCell]:
        """A text cut into more or fewer tokens than ours: what is too many stands at the last, too few are empty."""
        last = self.value.shape[0] - 1
        for row, word in enumerate([*words, *[""] * (last + 1 - len(words))][: last + 1]):
            printed = " ".join(filter(None, words[last:])) if row == last < len(words) - 1 else word
            if printed is not None:
                yield PrintedCell(self.value, row, 0, printed, self.print.operands)

    def _cells(self) -> Iterator[PrintedCell]:
        scalars = [(row, column, node) for row, line in self._rows() for column, node in self._columns(line)]
        longest = most_decimals(_plain(node) or "" for _, column, node in scalars if not self.value.is_word(column))
        for row, column, node in scalars:
            printed = self._word(node) if self.value.is_word(column) else self._number(node, longest)
            if printed is not None:
                yield PrintedCell(self.value, row, column, printed, self.print.operands)

    def _rows(self) -> Iterator[tuple[int, Node]]:
        values = self.print.values
        if isinstance(values, MappingNode):
            for label, node in values.entries:
                if label.text in self.value.rows:
                    yield self.value.rows.index(label.text), node
                else:
                    message = f"{self.value.path} has no row {in_quotes(label.text)}"
                    self.problems.add(label, message, key=self.key, help=partial(self._near_rows, label.text))
            return
        lines: Sequence[Node] = values.items
        if lines and all(isinstance(line, ScalarNode) for line in lines) and self.value.shape[0] == 1 != len(lines):
            lines = [values]  # a vector written without the brackets of its one row
        if len(lines) != self.value.shape[0]:
            message = f"{self.value.path} has {pluralize(self.value.shape[0], 'row')}, but published has {len(lines)}"
            self.problems.add(values, message, key=self.key)
            return
        yield from enumerate(lines)

    def _near_rows(self, label: str) -> str:
        return did_you_mean(label, self.value.rows) or "its rows: " + ", ".join(map(escape_label, self.value.rows[:8]))

    def _columns(self, line: Node) -> Iterator[tuple[int, ScalarNode]]:
        items = line.items if isinstance(line, ListNode) else [line]
        width = self.value.shape[1]
        if len(items) != width and not (len(items) == 1 and self.value.names is not None):
            message = f"a row of {self.value.path} has {pluralize(width, 'number')}, but published has {len(items)}"
            help = _COMMAS if len(items) > width and all(map(_may_be_part, items)) else ""
            self.problems.add(line, message, key=self.key, help=help)
            return
        for column, item in enumerate(items):
            if not isinstance(item, ScalarNode):
                self.problems.add(item, f"expected a number or null, found {describe_node(item)}", key=self.key)
            elif item.value is not None:  # the word "null" is quoted
                yield column, item

    def _number(self, node: ScalarNode, longest: int) -> Printed | None:
        plain = _plain(node)
        if plain is None:
            self.problems.add(node, f"expected a number or null, found {describe_node(node)}", key=self.key)
            return None
        number = float(node.value if isinstance(node.value, int | float) else plain)
        decimals = decimals_of(plain) if self.print.decimals is None else self.print.decimals
        return Printed.of(node.text, number, decimals, longest)

    def _word(self, node: ScalarNode) -> str | None:
        names = self.value.names or {}
        if is_of_tokenizer(self.value):
            return as_word(node.text.replace(" ", BLANK))
        if node.text in names.values():
            return node.text
        if (number := whole_number(node.text)) in names:
            return names[number]
        help = partial(did_you_mean, node.text, names.values())
        self.problems.add(node, f"{in_quotes(node.text)} is not a word of the vocabulary", key=self.key, help=help)
        return None
