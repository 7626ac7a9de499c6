"""Reads YAML text into nodes that know their positions, from parser events and without recursion.

Events rather than PyYAML's own objects, because they keep the text as written and every position, show repeated keys,
and let nesting and aliases be limited before they cost anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, NamedTuple

import yaml

from walkthrough.scenario.nodes import Mapping, Node, Scalar, Sequence, described, quoted
from walkthrough.scenario.problems import LINE_BREAK, Problems
from walkthrough.text import printable

MOST_NESTED = 50
MOST_VALUES = 5_000_000

_LOADER: Any = getattr(yaml, "CLoader", yaml.Loader)
_TAG = "tag:yaml.org,2002:"
_TAG_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "null": (type(None),),
}
_COLLECTION_TAGS = {"!", _TAG + "seq", _TAG + "map"}
# What YAML does not allow; and the byte order mark, invisible and seldom meant, where the file does not begin with it.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_MOST_FORBIDDEN = 10


class _Place(NamedTuple):
    line: int
    column: int


_START = _Place(1, 1)


class _Stop(Exception):
    """A problem was noted after which reading on is of no use."""


def read_nodes(text: str, problems: Problems) -> Node | None:
    """The root node of a YAML text; None where problems leave no tree that could be judged further."""
    text = text.removeprefix("\ufeff")
    if _FORBIDDEN.search(text):
        _note_forbidden(text, problems)
        return None
    reader = _Reader(problems)
    try:
        return reader.read(yaml.parse(text, Loader=_LOADER))
    except _Stop:
        return None
    except yaml.MarkedYAMLError as error:
        place, message, remedy = _explained(error, text, reader.innermost_bracket())
        problems.add(place, message, help=remedy)
    except (yaml.YAMLError, ValueError) as error:
        problems.add(_START, f"this cannot be read as YAML: {error}")
    return None


class _Open:
    """A list or mapping that is being read, and what must be known when it closes."""

    def __init__(self, event: Any, values_before: int) -> None:
        self.anchor: str | None = event.anchor
        self.in_brackets: bool = event.flow_style
        self.values_before = values_before
        self.height = 1  # how deep the nesting is from here on down


class _OpenSequence(_Open):
    def __init__(self, event: Any, values_before: int) -> None:
        super().__init__(event, values_before)
        self.node = Sequence([], *_place(event))
        self.put: Callable[[Node], None] = self.node.items.append

    def step(self) -> str:
        """Where the next node goes, as a step of a path."""
        return str(len(self.node.items) + 1)


class _OpenMapping(_Open):
    def __init__(self, event: Any, values_before: int, reader: _Reader) -> None:
        super().__init__(event, values_before)
        self.node = Mapping([], *_place(event))
        self.reader = reader
        self.key: Node | None = None
        self.first_lines: dict[str, int] = {}

    def put(self, node: Node) -> None:
        """Take a key, or the value of the key before it."""
        if self.key is None:
            self.key = node
        else:
            self._enter(self.key, node)
            self.key = None

    def step(self) -> str:
        """Where the next node goes, as a step of a path."""
        return self.key.text if isinstance(self.key, Scalar) else ""

    def _enter(self, key: Node, value: Node) -> None:
        if not isinstance(key, Scalar):
            self.reader.give_up(key, f"a key must be a word or a number, not {described(key)}")
        elif _merges(key, value):
            remedy = "write the keys out, or share whole values: `w_q: &name […]` and `w_q: *name`"
            self.reader.give_up(key, "merge keys ('<<') are not supported", help=remedy)
        elif key.text in self.first_lines:
            line = self.first_lines[key.text]
            self.reader.note(key, f"key {quoted(key.text)} is repeated; it is first given on line {line}")
        else:
            self.first_lines[key.text] = key.line
            self.node.entries.append((key, value))


def _merges(key: Scalar, value: Node) -> bool:
    """Whether this is YAML 1.1's merge key; `<<` can also be a token, and then its value is no mapping."""
    if not key.plain or key.text != "<<":
        return False
    return isinstance(value, Mapping) or (
        isinstance(value, Sequence) and any(isinstance(item, Mapping) for item in value.items)
    )


class _Anchored(NamedTuple):
    """What an alias may stand for, with its size and depth; size 0 while it is still open."""

    node: Node
    values: int
    height: int


class _Reader:
    """Builds the tree, event by event."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
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
            yaml.SequenceStartEvent: self._start_sequence,
            yaml.MappingStartEvent: self._start_mapping,
            yaml.SequenceEndEvent: self._end,
            yaml.MappingEndEvent: self._end,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._start_document,
        }
        for event in events:
            if handler := take.get(type(event)):
                handler(event)
        if self.root is None or (isinstance(self.root, Scalar) and self.root.plain and not self.root.text):
            self.give_up(_START, "the file is empty; `walkthrough new FILE` writes a starter")
        return self.root if self.usable else None

    def note(self, node: Node | _Place, message: str, *, help: str = "") -> None:
        """Note a problem at the key that is being read."""
        self.problems.add(node, message, key=".".join(filter(None, (part.step() for part in self.open))), help=help)

    def give_up(self, node: Node | _Place, message: str, *, help: str = "") -> None:
        """Note a problem after which the tree would not be what was meant."""
        self.usable = False
        self.note(node, message, help=help)

    def innermost_bracket(self) -> Sequence | Mapping | None:
        """The `[…]` or `{…}` that is being read, if any."""
        return self.open[-1].node if self.open and self.open[-1].in_brackets else None

    def _put_root(self, node: Node) -> None:
        self.root = node

    def _start_document(self, event: Any) -> None:
        if self.root is not None:
            self.note(_place(event), "a second document begins here; a scenario is one document")
            raise _Stop

    def _scalar(self, event: Any) -> None:
        mark = event.start_mark
        node = Scalar(event.value, event.implicit[0], mark.line + 1, mark.column + 1)
        if event.tag is not None:
            self._tag_scalar(node, event.tag)
        if not node.text.isascii():
            self._check_spaces(node)
        self._count(event, 1)
        if event.anchor is not None:
            self.anchors[event.anchor] = _Anchored(node, 1, 0)
        self.put(node)

    def _check_spaces(self, node: Scalar) -> None:
        """Pasted text brings no-break spaces that look like indentation and make `1.5` a word."""
        around = set(node.text) - set(node.text.strip())
        if node.plain and around:
            code = f"U+{ord(min(around)):04X}"
            self.note(node, f"an unusual space ({code}) stands here", help="replace it by an ordinary space")

    def _tag_scalar(self, node: Scalar, tag: str) -> None:
        name = tag.removeprefix(_TAG)
        node.plain = name not in ("!", "str") and (node.plain or name in _TAG_TYPES)
        if name in _TAG_TYPES:
            if type(node.value) not in _TAG_TYPES[name]:
                self.note(node, f"{described(node)} does not agree with its tag !!{name}")
        elif name not in ("!", "str"):
            self._refuse_tag(node, tag)

    def _refuse_tag(self, node: Node, tag: str) -> None:
        shown = "!!" + tag.removeprefix(_TAG) if tag.startswith(_TAG) else tag
        self.note(node, f"tags are not supported, found {printable(shown)}")

    def _start_sequence(self, event: Any) -> None:
        self._start(_OpenSequence(event, self.values), event)

    def _start_mapping(self, event: Any) -> None:
        self._start(_OpenMapping(event, self.values, self), event)

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
        place, name = _place(event), event.anchor
        self._count(event, 1)
        if name not in self.anchors:
            self.give_up(
                place, f"*{name} stands for nothing", help=f"write &{name} before the value that is meant, above this"
            )
            self.put(Scalar("", True, *place))
        elif not self.anchors[name].values:
            self.give_up(place, f"*{name} stands inside the very value that it names")
            self.put(Scalar("", True, *place))
        else:
            target = self.anchors[name]
            self._check_depth(event, len(self.open) + target.height)
            self._count(event, target.values - 1)
            self._hand_up(target.node, target.height)

    def _hand_up(self, node: Node, height: int) -> None:
        """Put a complete node into what is around it."""
        if self.open:
            self.open[-1].height = max(self.open[-1].height, height + 1)
            self.put = self.open[-1].put
        else:
            self.put = self._put_root
        self.put(node)

    def _count(self, event: Any, values: int) -> None:
        self.values += values
        if self.values > MOST_VALUES:
            message = f"more than {MOST_VALUES:,} values, counting an alias as all that it stands for"
            self.note(_place(event), message, help="keep big matrices in a .npz or .safetensors file")
            raise _Stop

    def _check_depth(self, event: Any, depth: int) -> None:
        if depth > MOST_NESTED:
            self.problems.add(_place(event), f"nested more than {MOST_NESTED} deep")
            raise _Stop


def _place(event: Any) -> _Place:
    return _mark_place(event.start_mark)


def _note_forbidden(text: str, problems: Problems) -> None:
    for found in islice(_FORBIDDEN.finditer(text), _MOST_FORBIDDEN):
        breaks = [match.end() for match in LINE_BREAK.finditer(text, 0, found.start())]
        place = _Place(len(breaks) + 1, found.start() - (breaks[-1] if breaks else 0) + 1)
        lone = "\ud800" <= found[0] <= "\udfff"  # half of a surrogate pair cannot be written at all
        remedy = "remove it" if lone else f'remove it, or write it in double quotes: "{printable(found[0])}"'
        problems.add(place, f"the character U+{ord(found[0]):04X} is not allowed here", help=remedy)


# --- syntax errors ---------------------------------------------------------------------------------------------------

_TAB = "a tab is used for indentation", "YAML indents with spaces only"
_BEHIND = "the value before this is complete", "is there a quote too many, or one inside a text?"
_BRACKETS = {Sequence: "[", Mapping: "{"}
_MISFIT = re.compile("expected key|'-' indicator|<block end>")


class _Explanation(NamedTuple):
    """What is said in place of libyaml's or PyYAML's own words, at the error or where the faulty part begins."""

    pattern: str
    at_begin: bool
    message: str
    help: str = ""


_EXPLANATIONS = [
    _Explanation(
        r"(',' or '[]}]')",
        False,
        "{0} is expected before this, in the brackets opened on line {line}",
        "is a comma or a closing bracket missing?",
    ),
    _Explanation(
        "mapping values",
        False,
        "':' is not allowed here",
        "put text that contains ': ' in quotes, or check the indentation of this line and the one before",
    ),
    _Explanation(
        "sequence entries",
        False,
        "'- ' is not allowed here",
        "begin a list on a line of its own; put text that begins with '- ' in quotes",
    ),
    _Explanation("expected ':'", True, "a key without ':' and a value"),
    _Explanation("unexpected end of stream", True, "this quote is never closed"),
    _Explanation(
        _MISFIT.pattern,
        False,
        "this does not fit what begins at line {line}, column {column}",
        "lines that belong together begin in the same column",
    ),
    _Explanation("<document start>", False, "the document is complete before this", "is there a bracket too many?"),
    _Explanation("cannot start any token", False, "{sign} cannot begin a value", "put the text in quotes"),
    _Explanation("node content", False, "a value is expected here, not {sign}", "put text that begins so in quotes"),
    _Explanation(
        "escape|hexa?dec",
        False,
        "not an escape that YAML knows",
        r"write \\ for a backslash in double quotes, or use single quotes",
    ),
    _Explanation("tag", False, "tags are not supported", "put text that begins with '!' in quotes"),
    _Explanation(
        "alphabetic or numeric",
        True,
        "a name is expected after {sign}",
        "put text that begins with '&' or '*' in quotes",
    ),
]


def _explained(error: Any, text: str, bracket: Sequence | Mapping | None) -> tuple[_Place, str, str]:
    """Where a syntax error is best shown, what is wrong, and what may help."""
    said, mark = error.problem or "", error.problem_mark or error.context_mark
    if bracket is not None and not text[mark.index :].strip():
        return _Place(bracket.line, bracket.column), f"this {quoted(_BRACKETS[type(bracket)])} is never closed", ""
    if text[mark.index : mark.index + 1] == "\t":
        return _mark_place(mark), *_TAB
    if _MISFIT.search(said) and text[mark.index - mark.column : mark.index].strip(" -"):
        return _mark_place(mark), *_BEHIND
    for explanation in _EXPLANATIONS:
        if found := re.search(explanation.pattern, said):
            return _filled(explanation, found.groups(), error.context_mark or mark, mark, text)
    return _mark_place(mark), f"not valid YAML: {said or error}", ""


def _filled(
    explanation: _Explanation, groups: tuple[str, ...], begin: Any, error: Any, text: str
) -> tuple[_Place, str, str]:
    mark = begin if explanation.at_begin else error
    sign = quoted(text[mark.index : mark.index + 1])
    message = explanation.message.format(*groups, line=begin.line + 1, column=begin.column + 1, sign=sign)
    return _mark_place(mark), message, explanation.help


def _mark_place(mark: Any) -> _Place:
    return _Place(mark.line + 1, mark.column + 1)
