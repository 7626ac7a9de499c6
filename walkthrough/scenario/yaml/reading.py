"""Reads YAML text into nodes that know their positions, from parser events.

Events rather than PyYAML's own objects, because they keep the text as written and every position, show repeated keys,
and let nesting and aliases be limited before they cost anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from walkthrough.records import Record
from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node, ScalarNode, describe_node, quote
from walkthrough.scenario.yaml.problems import Position, Problems
from walkthrough.text import as_word, escape_label

MOST_NESTED = 50
MOST_VALUES = 5_000_000

_LOADER: Any = getattr(yaml, "CLoader", yaml.Loader)
_TAG = "tag:yaml.org,2002:"
_TAG_TYPES: dict[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "bool": (bool,), "null": (type(None),)}
_COLLECTION_TAGS = {"!", _TAG + "seq", _TAG + "map"}


_START = Position(1, 1)


class _StopError(Exception):
    """A problem was noted after which reading on is of no use."""


def read_nodes(text: str, problems: Problems) -> Node | None:
    """The root node of a YAML text; None where problems leave no tree that could be judged further."""
    text = text.removeprefix("\ufeff")
    if not all(line.isprintable() for line in text.split("\n")):  # worth a closer look
        from walkthrough.scenario.yaml.syntax import note_forbidden  # what explains faults is not wanted without one

        if note_forbidden(text, problems):
            return None
    stand_ins = _stand_ins(text)
    events = yaml.parse(text.translate(stand_ins) if stand_ins else text, Loader=_LOADER)
    reader = _Reader(events, problems, {put: taken for taken, put in stand_ins.items()})
    try:
        return reader.read()
    except _StopError:
        return None
    except yaml.MarkedYAMLError as error:
        from walkthrough.scenario.yaml.syntax import explain_error

        position, message, remedy = explain_error(error, text, reader.innermost_bracket())
        problems.add(position, message, help=remedy)
    except (yaml.YAMLError, ValueError) as error:
        problems.add(_START, f"this cannot be read as YAML: {error}")
    return None


def _stand_ins(text: str) -> dict[int, int]:
    """What the parser gets in place of characters that end a line for it, but neither in YAML 1.2 nor in an editor.

    Private characters that the text does not have, nor seems to name in an escape.
    """
    foreign = [sign for sign in "\x85\u2028\u2029" if sign in text]
    if not foreign:
        return {}
    written = text.lower()
    private = (code for code in range(0xE000, 0xF8FF) if chr(code) not in text and f"{code:x}" not in written)
    return dict(zip(map(ord, foreign), private, strict=False))


class _Anchored(Record):
    """What an alias may stand for, with its size and depth; size 0 while it is still open."""

    node: Node
    values: int
    height: int


class _Open(Record, eq=False, frozen=False):
    """A list or mapping that is being read; of a mapping the key whose value is next, or empty."""

    node: ListNode | MappingNode
    in_brackets: bool
    key: str = ""

    def step(self) -> str:
        """Where the next node goes, as a step of a path."""
        return self.key if isinstance(self.node, MappingNode) else str(len(self.node.items) + 1)


def _merges(key: ScalarNode, value: Node) -> bool:
    """Whether this is YAML 1.1's merge key; `<<` can also be a token, and then its value is no mapping."""
    if not key.plain or key.text != "<<":
        return False
    return isinstance(value, MappingNode) or (
        isinstance(value, ListNode) and any(isinstance(item, MappingNode) for item in value.items)
    )


class _Reader:
    """Builds the tree, node by node.

    values: read so far, an alias counted as all that it stands for
    open:   the lists and mappings around what is read, the outermost first
    """

    def __init__(self, events: Iterator[Any], problems: Problems, stand_ins: dict[int, int]) -> None:
        self.events = events
        self.problems = problems
        self.stand_ins = stand_ins
        self.usable = True
        self.values = 0
        self.open: list[_Open] = []
        self.anchors: dict[str, _Anchored] = {}

    def read(self) -> Node | None:
        """The root, once all events are taken."""
        root: Node | None = None
        for event in self.events:
            if isinstance(event, yaml.NodeEvent):
                root, _ = self._node(event)
            elif root is not None and isinstance(event, yaml.DocumentStartEvent):
                self.note(Position.of(event.start_mark), "a second document begins here; a scenario is one document")
                raise _StopError
        if root is None or (isinstance(root, ScalarNode) and root.plain and not root.text):
            self.give_up(_START, "the file is empty; `walkthrough new FILE` writes a starter")
        return root if self.usable else None

    def note(self, node: Node | Position, message: str, *, help: str = "") -> None:
        """Note a problem at the key that is being read."""
        self.problems.add(node, message, key=".".join(filter(None, (part.step() for part in self.open))), help=help)

    def give_up(self, node: Node | Position, message: str, *, help: str = "") -> None:
        """Note a problem after which the tree would not be what was meant."""
        self.usable = False
        self.note(node, message, help=help)

    def innermost_bracket(self) -> ListNode | MappingNode | None:
        """The `[…]` or `{…}` that is being read, if any."""
        return self.open[-1].node if self.open and self.open[-1].in_brackets else None

    def _node(self, event: Any) -> tuple[Node, int]:
        """The node that an event begins, and how deep the nesting is from there on down."""
        if type(event) is yaml.ScalarEvent:
            return self._scalar(event), 0
        return self._alias(event) if type(event) is yaml.AliasEvent else self._collection(event)

    def _scalar(self, event: Any) -> ScalarNode:
        mark, text = event.start_mark, event.value
        is_ascii = text.isascii()
        if not is_ascii:
            text = as_word(text.translate(self.stand_ins))
        node = ScalarNode(text, event.implicit[0], mark.line + 1, mark.column + 1)
        if event.tag is not None:
            self._tag_scalar(node, event.tag)
        if not is_ascii:
            self._check_spaces(node)
        self._count(event, 1)
        if event.anchor is not None:
            self.anchors[event.anchor] = _Anchored(node, 1, 0)
        return node

    def _check_spaces(self, node: ScalarNode) -> None:
        """Pasted text brings no-break spaces that look like indentation and make `1.5` a word."""
        around = set(node.text) - set(node.text.strip()) - {" "}
        if node.plain and around:
            code = f"U+{ord(min(around)):04X}"
            self.note(node, f"this is an unusual space ({code})", help="replace it with an ordinary space")

    def _tag_scalar(self, node: ScalarNode, tag: str) -> None:
        name = tag.removeprefix(_TAG)
        node.plain = name not in ("!", "str") and (node.plain or name in _TAG_TYPES)
        if name in _TAG_TYPES:
            if type(node.value) not in _TAG_TYPES[name]:
                self.note(node, f"{describe_node(node)} does not match its tag !!{name}")
        elif name not in ("!", "str"):
            self._refuse_tag(node, tag)

    def _refuse_tag(self, node: Node, tag: str) -> None:
        shown = "!!" + tag.removeprefix(_TAG) if tag.startswith(_TAG) else tag
        self.note(node, f"tags are not supported, found {escape_label(shown)}")

    def _collection(self, event: Any) -> tuple[Node, int]:
        self._check_depth(event, len(self.open) + 1)
        kind, before = MappingNode if type(event) is yaml.MappingStartEvent else ListNode, self.values
        node = kind([], *Position.of(event.start_mark))
        self._count(event, 1)
        if event.tag is not None and event.tag not in _COLLECTION_TAGS:
            self._refuse_tag(node, event.tag)
        if event.anchor is not None:
            self.anchors[event.anchor] = _Anchored(node, 0, 0)
        self.open.append(_Open(node, event.flow_style))
        height = 1 + (self._entries(node) if isinstance(node, MappingNode) else self._items(node))
        self.open.pop()
        if event.anchor is not None and self.anchors[event.anchor].node is node:
            self.anchors[event.anchor] = _Anchored(node, self.values - before, height)
        return node, height

    def _items(self, node: ListNode) -> int:
        """Reads the items of a list; the greatest depth of them."""
        deepest = 0
        while type(event := next(self.events)) is not yaml.SequenceEndEvent:
            item, height = self._node(event)
            node.items.append(item)
            deepest = max(deepest, height)
        return deepest

    def _entries(self, node: MappingNode) -> int:
        """Reads the entries of a mapping; the greatest depth of them."""
        part, deepest, first_lines = self.open[-1], 0, dict[str, int]()
        while type(event := next(self.events)) is not yaml.MappingEndEvent:
            key, of_key = self._node(event)
            part.key = key.text if isinstance(key, ScalarNode) else ""
            value, of_value = self._node(next(self.events))
            self._enter(node, key, value, first_lines)
            part.key = ""
            deepest = max(deepest, of_key, of_value)
        return deepest

    def _enter(self, node: MappingNode, key: Node, value: Node, first_lines: dict[str, int]) -> None:
        if not isinstance(key, ScalarNode):
            self.give_up(key, f"a key must be a word or a number, not {describe_node(key)}")
        elif _merges(key, value):
            remedy = "write the keys out, or share whole values: `w_q: &name […]` and `w_q: *name`"
            self.give_up(key, "merge keys ('<<') are not supported", help=remedy)
        elif key.text in first_lines:
            line = first_lines[key.text]
            self.note(key, f"key {quote(key.text)} is repeated; it is first given on line {line}")
            node.repeated.append((key, value))
        else:
            first_lines[key.text] = key.line
            node.entries.append((key, value))

    def _alias(self, event: Any) -> tuple[Node, int]:
        position, name = Position.of(event.start_mark), event.anchor
        self._count(event, 1)
        target = self.anchors.get(name)
        if target is not None and target.values:
            self._check_depth(event, len(self.open) + target.height)
            self._count(event, target.values - 1)
            return target.node, target.height
        if target is None:
            remedy = f"write &{name} before the value it refers to, above this line"
            self.give_up(position, f"*{name} is not defined", help=remedy)
        else:
            self.give_up(position, f"*{name} is inside the value it refers to")
        return ScalarNode("", True, *position), 0

    def _count(self, event: Any, values: int) -> None:
        self.values += values
        if self.values > MOST_VALUES:
            message = f"more than {MOST_VALUES:,} values, counting each alias in full"
            self.note(Position.of(event.start_mark), message, help="keep big matrices in a .npz or .safetensors file")
            raise _StopError

    def _check_depth(self, event: Any, depth: int) -> None:
        if depth > MOST_NESTED:
            self.problems.add(Position.of(event.start_mark), f"nested more than {MOST_NESTED} deep")
            raise _StopError
