"""Lists and mappings while they are being read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node, ScalarNode, describe_node, quote
from walkthrough.scenario.yaml.problems import Position


class Reporter(Protocol):
    """Notes problems at the key that is being read."""

    def note(self, node: Node, message: str, *, help: str = "") -> None:
        """Note a problem."""

    def give_up(self, node: Node, message: str, *, help: str = "") -> None:
        """Note a problem after which the tree would not be what was meant."""


class _Open:
    """A list or mapping that is being read, and what must be known when it closes."""

    def __init__(self, event: Any, values_before: int) -> None:
        self.anchor: str | None = event.anchor
        self.in_brackets: bool = event.flow_style
        self.values_before = values_before
        self.height = 1  # how deep the nesting is from here on down


class OpenSequence(_Open):
    """A list that is being read."""

    def __init__(self, event: Any, values_before: int) -> None:
        super().__init__(event, values_before)
        self.node = ListNode([], *position_of(event.start_mark))
        self.put: Callable[[Node], None] = self.node.items.append

    def step(self) -> str:
        """Where the next node goes, as a step of a path."""
        return str(len(self.node.items) + 1)


class OpenMapping(_Open):
    """A mapping that is being read; repeated and unusable keys are noted when their value is there."""

    def __init__(self, event: Any, values_before: int, reader: Reporter) -> None:
        super().__init__(event, values_before)
        self.node = MappingNode([], *position_of(event.start_mark))
        self.reader = reader
        self.key: Node | None = None
        self.first_lines: dict[str, int] = {}

    def put(self, node: Node) -> None:
        """Take a key, or the value of the key before it."""
        key = self.key
        if key is None:
            self.key = node
            return
        if type(key) is ScalarNode and key.text not in self.first_lines and key.text != "<<":  # nearly all
            self.first_lines[key.text] = key.line
            self.node.entries.append((key, node))
        else:
            self._enter(key, node)
        self.key = None

    def step(self) -> str:
        """Where the next node goes, as a step of a path."""
        return self.key.text if isinstance(self.key, ScalarNode) else ""

    def _enter(self, key: Node, value: Node) -> None:
        if not isinstance(key, ScalarNode):
            self.reader.give_up(key, f"a key must be a word or a number, not {describe_node(key)}")
        elif _merges(key, value):
            remedy = "write the keys out, or share whole values: `w_q: &name […]` and `w_q: *name`"
            self.reader.give_up(key, "merge keys ('<<') are not supported", help=remedy)
        elif key.text in self.first_lines:
            line = self.first_lines[key.text]
            self.reader.note(key, f"key {quote(key.text)} is repeated; it is first given on line {line}")
            self.node.repeated.append((key, value))
        else:  # `<<` as a word
            self.first_lines[key.text] = key.line
            self.node.entries.append((key, value))


def _merges(key: ScalarNode, value: Node) -> bool:
    """Whether this is YAML 1.1's merge key; `<<` can also be a token, and then its value is no mapping."""
    if not key.plain or key.text != "<<":
        return False
    return isinstance(value, MappingNode) or (
        isinstance(value, ListNode) and any(isinstance(item, MappingNode) for item in value.items)
    )


def position_of(mark: Any) -> Position:
    """The place of a PyYAML mark, which counts from 0."""
    return Position(mark.line + 1, mark.column + 1)
