"""Readers: each turns one node of a file into a checked Python value, or notes a problem and returns None.

A reader also says, as a piece of JSON Schema, what it accepts, so that editors and `walkthrough schema` know the
same rules. Nothing here knows what the keys mean.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from walkthrough.records import Record
from walkthrough.scenario.yaml.nodes import (
    SMALLEST_NORMAL,
    ListNode,
    MappingNode,
    Node,
    ScalarNode,
    beyond_float,
    describe_node,
)
from walkthrough.scenario.yaml.problems import Positioned, Problems
from walkthrough.text import did_you_mean

JsonSchema = dict[str, Any]
T = TypeVar("T")


class Context(NamedTuple):
    """Where a reader is.

    problems: those found so far
    path:     the keys that lead here
    repeat:   the number of the repeated layer, from 0; None where no layer is repeated
    expert:   the number of the repeated expert, from 0; None where no expert is repeated
    heading:  the key whose value is read, as written in the file
    folder:   where relative paths start
    """

    problems: Problems
    path: str = ""
    repeat: int | None = None
    expert: int | None = None
    heading: Positioned | None = None
    folder: Path = Path()

    def at(self, key: str | int, heading: Positioned | None = None) -> Context:
        """One level deeper."""
        path = f"{self.path}.{key}" if self.path else str(key)
        return self._replace(path=path, heading=heading)

    def reject(self, node: Node, expected: str, help: str = "") -> None:
        """Notes that the node is not what was expected."""
        self.problems.add(node, f"expected {expected}, found {describe_node(node)}", key=self.path, help=help)


class Reader(Protocol):
    """Reads a node; describes what it accepts."""

    def read(self, node: Node, context: Context) -> Any:
        """The value, or None with a problem noted."""

    def schema(self) -> JsonSchema:
        """What it accepts, as JSON Schema."""


class Text:
    """Any scalar as its text: null, 3 and true are words here."""

    def read(self, node: Node, context: Context) -> str | None:
        if isinstance(node, ScalarNode):
            return node.text
        context.reject(node, "a text")
        return None

    def schema(self) -> JsonSchema:
        return {"type": ["string", "number", "boolean", "null"]}


class Flag:
    """true or false."""

    def read(self, node: Node, context: Context) -> bool | None:
        if isinstance(node, ScalarNode) and isinstance(node.value, bool):
            return node.value
        context.reject(node, "true or false")
        return None

    def schema(self) -> JsonSchema:
        return {"type": "boolean"}


class Real(Record):
    """A finite number, or −∞ where `infinite` allows it; above `above`, at least `least` and below `below`."""

    least: float = -math.inf
    above: float = -math.inf
    below: float = math.inf
    infinite: bool = False

    def read(self, node: Node, context: Context) -> float | None:
        number = real_number(node)
        if number is None or not (math.isfinite(number) or (self.infinite and number == -math.inf)):
            is_too_large = number is not None and not self.infinite
            context.reject(node, self._expected("a finite number" if is_too_large else "a number"), number_hint(node))
            return None
        if number < self.least or number <= self.above != -math.inf or number >= self.below != math.inf:
            context.reject(node, self._expected())
            return None
        return number

    def _expected(self, kind: str = "a number") -> str:
        limits = [f"above {self.above:g}"] if self.above > -math.inf else []
        limits += [f"of at least {self.least:g}"] if self.least > -math.inf else []
        limits += [f"and below {self.below:g}"] if self.below < math.inf else []
        return " ".join([kind, *limits, *(["or -.inf"] if self.infinite else [])])

    def schema(self) -> JsonSchema:
        limits = {"minimum": self.least} if self.least > -math.inf else {}
        limits |= {"exclusiveMinimum": self.above} if self.above > -math.inf else {}
        limits |= {"exclusiveMaximum": self.below} if self.below < math.inf else {}
        return {"type": "number", **limits}


class Whole(Record):
    """A whole number between two bounds."""

    least: int = 1
    most: int = 1_000_000

    def read(self, node: Node, context: Context) -> int | None:
        number = real_number(node)
        if number is None or not float(number).is_integer() or not self.least <= number <= self.most:
            context.reject(node, f"a whole number from {self.least} to {self.most}")
            return None
        return int(number)

    def schema(self) -> JsonSchema:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


class Choice(Record):
    """One of a few words."""

    options: tuple[str, ...]

    def read(self, node: Node, context: Context) -> str | None:
        if isinstance(node, ScalarNode) and node.text in self.options:
            return node.text
        word = node.text if isinstance(node, ScalarNode) else ""
        context.reject(node, " or ".join(self.options), help=did_you_mean(word, self.options))
        return None

    def schema(self) -> JsonSchema:
        return {"enum": list(self.options)}


class WordOr(Record):
    """One of a few words, or else what another reader takes."""

    options: tuple[str, ...]
    other: Reader
    described: str = "a number"

    def read(self, node: Node, context: Context) -> Any:
        if isinstance(node, ScalarNode) and node.text in self.options:
            return node.text
        if isinstance(node, ScalarNode) and isinstance(node.value, str | bool):
            expected = " or ".join([*self.options, self.described])
            context.reject(node, expected, help=did_you_mean(node.text, self.options))
            return None
        return self.other.read(node, context)

    def schema(self) -> JsonSchema:
        return {"anyOf": [{"enum": list(self.options)}, self.other.schema()]}


class FlagOr(Record):
    """true, false, or one of a few words."""

    options: tuple[str, ...]

    def read(self, node: Node, context: Context) -> bool | str | None:
        if isinstance(node, ScalarNode) and (isinstance(node.value, bool) or node.text in self.options):
            return node.value if isinstance(node.value, bool) else node.text
        context.reject(node, " or ".join(("true, false", *self.options)))
        return None

    def schema(self) -> JsonSchema:
        return {"enum": [True, False, *self.options]}


class NumberOr(Record):
    """A number, or a mapping."""

    number: Reader
    mapping: Reader

    def read(self, node: Node, context: Context) -> Any:
        return (self.mapping if isinstance(node, MappingNode) else self.number).read(node, context)

    def schema(self) -> JsonSchema:
        return {"anyOf": [self.number.schema(), self.mapping.schema()]}


class ListOf(Record):
    """A list with at least one item, each read by one reader; None where one of them is faulty."""

    item: Reader
    described: str = "a list"

    def read(self, node: Node, context: Context) -> list[Any] | None:
        if not isinstance(node, ListNode) or not node.items:
            context.reject(node, self.described, help="begin each with '- '" if isinstance(node, MappingNode) else "")
            return None
        return all_of(self.item.read(item, context.at(index)) for index, item in enumerate(node.items, 1))

    def schema(self) -> JsonSchema:
        return {"type": "array", "items": self.item.schema(), "minItems": 1}


class MappingOf(Record):
    """A mapping from texts to what one reader takes; None where one of these is faulty."""

    one: Reader
    described: str

    def read(self, node: Node, context: Context) -> dict[str, Any] | None:
        if not isinstance(node, MappingNode):
            context.reject(node, self.described)
            return None
        found = {name.text: self.one.read(value, context.at(name.text)) for name, value in node.entries}
        return None if None in found.values() else found

    def schema(self) -> JsonSchema:
        return {"type": "object", "additionalProperties": self.one.schema()}


Range = tuple[int, int, int]
"""The first and the last, counted from 1 and both included, and the step between."""


class Ranges:
    """[first, last], [first, last, step], or a list of such, taken one after the other."""

    def read(self, node: Node, context: Context) -> list[Range] | None:
        items = node.items if isinstance(node, ListNode) else []
        if not items or not all(isinstance(item, ListNode) for item in items):
            return all_of([self._range(node, context)])
        return all_of(self._range(item, context.at(number)) for number, item in enumerate(items, 1))

    def _range(self, node: Node, context: Context) -> Range | None:
        items = node.items if isinstance(node, ListNode) else []
        ends = [real_number(item) for item in items]
        whole = [int(end) for end in ends if end is not None and end.is_integer()]
        if len(whole) == len(ends) in (2, 3):
            first, last, step = whole if len(whole) == 3 else (*whole, 1)
            if 1 <= first <= last and step >= 1:
                return first, last, step
        context.reject(node, "[first, last] or [first, last, step], whole numbers with 1 ≤ first ≤ last")
        return None

    def schema(self) -> JsonSchema:
        one = {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 2, "maxItems": 3}
        return {"anyOf": [one, {"type": "array", "items": one, "minItems": 1}]}


def all_of(values: Iterable[T | None]) -> list[T] | None:
    """The values that have been read; None where one of them is faulty."""
    found = list(values)
    good = [value for value in found if value is not None]
    return good if len(good) == len(found) else None


def real_number(node: Node) -> float | None:
    """The number that a node holds, or None; true, false and nan are no numbers, nor is what no float is near to."""
    if not isinstance(node, ScalarNode):
        return None
    value = node.value
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return None
    if abs(value) < SMALLEST_NORMAL and beyond_float(node):
        return None
    return None if math.isinf(value) and node.text[-1:].isdigit() else float(value)


_FRACTION = re.compile(r"(-?\d{1,15}(?:\.\d{1,15})?) ?/ ?(\d{0,14}[1-9]\d{0,14})")


def number_hint(node: Node) -> str:
    """What may be meant where there is a text instead of a number."""
    if isinstance(node, ScalarNode) and (reason := beyond_float(node)):
        return reason
    text = node.text if isinstance(node, ScalarNode) else ""
    if "−" in text or "–" in text:
        return "write the minus sign as '-'"
    if text.count(",") == 1 and text.replace(",", "").lstrip("-").isdigit():
        return f"write the decimal point as '.': {text.replace(',', '.')}"
    if isinstance(node, ScalarNode) and not node.plain and real_number(ScalarNode(text, True, 0, 0)) is not None:
        return "remove the quotes"
    if fraction := _FRACTION.fullmatch(text):
        return f"write it as a decimal number: {float(fraction[1]) / float(fraction[2]):.15g}"
    if len(parts := text.split()) > 1 and all(real_number(ScalarNode(part, True, 0, 0)) is not None for part in parts):
        return f"a comma is missing: {', '.join(parts)}"
    return ""
