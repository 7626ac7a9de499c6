"""Reads YAML text into nodes that know their positions, from parser events and without recursion.

Events rather than PyYAML's own objects, because they keep the text as written and every position, show repeated keys,
and let nesting and aliases be limited before they cost anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
    reader = _Reader(problems, {put: taken for taken, put in stand_ins.items()})
    try:
        return reader.read(yaml.parse(text.translate(stand_ins) if stand_ins else text, Loader=_LOADER))
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


class _Open:
    """A list or mapping that is being read, and what must be known when it closes."""

    def __init__(self, event: Any, values_before: int) -> None:
        self.anchor: str | None = event.anchor
        self.in_brackets: bool = event.flow_style
        self.values_before = values_before
        self.height = 1  # how deep the nesting is from here on down


class _OpenSequence(_Open):
    """A list that is being read."""

    def __init__(self, event: Any, values_before: int) -> None:
        super().__init__(event, values_before)
        self.node = ListNode([], *Position.of(event.start_mark))
        self.put: Callable[[Node], None] = self.node.items.append

    def step(self) -> str:
        """Where the next node goes, as a step of a path."""
        return str(len(self.node.items) + 1)


class _OpenMapping(_Open):
    """A mapping that is being read; repeated and unusable keys are noted when their value is there."""

    def __init__(self, event: Any, values_before: int, reader: _Reader) -> None:
        super().__init__(event, values_before)
        self.node = MappingNode([], *Position.of(event.start_mark))
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


class _Reader:
    """Builds the tree, event by event."""

    def __init__(self, problems: Problems, stand_ins: dict[int, int]) -> None:
        self.problems = problems
        self.stand_ins = stand_ins
        self.usable = True
        self.root: Node | None = None
        self.values = 0  # read so far, an alias counted as all that it stands for
        self.open: list[_OpenSequence | _OpenMapping] = []
        self.anchors: dict[str, _Anchored] = {}
        self.put: Callable[[Node], None] = self._put_root

    def read(self, events: Iterable[Any]) -> Node | None:
        """The root, once all events are taken."""
        take: dict[type, Callable[[Any], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.SequenceStartEvent: lambda event: self._start(_OpenSequence(event, self.values), event),
            yaml.MappingStartEvent: lambda event: self._start(_OpenMapping(event, self.values, self), event),
            yaml.SequenceEndEvent: self._end,
            yaml.MappingEndEvent: self._end,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._start_document,
        }
        for event in events:
            if handler := take.get(type(event)):
                handler(event)
        if self.root is None or (isinstance(self.root, ScalarNode) and self.root.plain and not self.root.text):
            self.give_up(_START, "the file is empty; `walkthrough new FILE` writes a starter")
        return self.root if self.usable else None

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

    def _put_root(self, node: Node) -> None:
        self.root = node

    def _start_document(self, event: Any) -> None:
        if self.root is not None:
            self.note(Position.of(event.start_mark), "a second document begins here; a scenario is one document")
            raise _StopError

    def _scalar(self, event: Any) -> None:
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
        self.put(node)

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

    def _start(self, part: _OpenSequence | _OpenMapping, event: Any) -> None:
        self._check_depth(event, len(self.open) + 1)
        self._count(event, 1)
        if event.tag is not None and event.tag not in _COLLECTION_TAGS:
            self._refuse_tag(part.node, event.tag)
        if part.anchor is not None:
            self.anchors[part.anchor] = _Anchored(part.node, 0, 0)
        self.open.append(part)
        self.put = part.put

    def _end(self, event: Any) -> None:
        part = self.open.pop()
        if part.anchor is not None and self.anchors[part.anchor].node is part.node:
            self.anchors[part.anchor] = _Anchored(part.node, self.values - part.values_before, part.height)
        self._hand_up(part.node, part.height)

    def _alias(self, event: Any) -> None:
        position, name = Position.of(event.start_mark), event.anchor
        self._count(event, 1)
        if name not in self.anchors:
            self.give_up(
                position,
                f"*{name} is not defined",
                help=f"write &{name} before the value it refers to, above this line",
            )
            self.put(ScalarNode("", True, *position))
        elif not self.anchors[name].values:
            self.give_up(position, f"*{name} is inside the value it refers to")
            self.put(ScalarNode("", True, *position))
        else:
            target = self.anchors[name]
            self._check_depth(event, len(self.open) + target.height)
            self._count(event, target.values - 1)
            self._hand_up(target.node, target.height)

    def _hand_up(self, node: Node, height: int) -> None:
        """Puts a complete node into the enclosing one."""
        if self.open:
            self.open[-1].height = max(self.open[-1].height, height + 1)
            self.put = self.open[-1].put
        else:
            self.put = self._put_root
        self.put(node)

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
