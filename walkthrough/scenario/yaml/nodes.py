"""The parts of a YAML file: scalars, sequences and mappings that know their line and column."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from walkthrough.records import Record
from walkthrough.text import escape_label

_LONGEST_SHOWN = 40  # characters of a text in a message
_LONGEST_INTEGER = 300  # digits; a longer one may not fit a float, and int() refuses more than 4300

_WORDS: dict[str, bool | float | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **{sign + word: math.inf for sign in ("", "+") for word in (".inf", ".Inf", ".INF")},
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}
_DECIMAL = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_OTHER_BASE = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")


@dataclass(slots=True)
class ScalarNode:
    """A word, number, truth value or null; `plain` when its text, without quotes, decides which."""

    text: str
    plain: bool
    line: int
    column: int

    @property
    def value(self) -> bool | int | float | str | None:
        """What the text means by the core rules of YAML 1.2 (`no` is a word, `1e-5` a number, `010` ten).

        A number too big for a float is infinite.
        """
        text = self.text
        if not self.plain:
            return text
        if text in _WORDS:
            return _WORDS[text]
        if _FLOAT.fullmatch(text):
            return int(text) if len(text) <= _LONGEST_INTEGER and _DECIMAL.fullmatch(text) else float(text)
        if not _OTHER_BASE.fullmatch(text):
            return text
        number = int(text, base=0)
        return number if number.bit_length() < 1024 else math.inf


SMALLEST_NORMAL = 2.0**-1022
"""Nearer to zero a float64 has fewer digits, and finally none."""


def beyond_float(node: ScalarNode) -> str:
    """Why a number becomes quite another one as a float64; empty where at most its last digits change.

    What is too large for one has become infinite already, which every reader sees.
    """
    value = node.value
    mantissa = node.text.lower().partition("e")[0]
    if (
        not isinstance(value, float)
        or abs(value) >= SMALLEST_NORMAL
        or not any(sign in mantissa for sign in "123456789")
    ):
        return ""
    return "" if value and _is_near(value, node.text) else "that is too small for a float64; write 0 if 0 will do"


def _is_near(value: float, text: str) -> bool:
    from decimal import Decimal  # for numbers that hardly anybody writes

    return abs(Decimal(repr(value)) / Decimal(text) - 1) < Decimal("1e-15")


class ListNode(Record, frozen=False):
    """A list."""

    items: list[Node]
    line: int
    column: int


@dataclass(slots=True)
class MappingNode:
    """Keys and their values, in the order written. repeated: those whose key is there already, which is a problem"""

    entries: list[tuple[ScalarNode, Node]]
    line: int
    column: int
    repeated: list[tuple[ScalarNode, Node]] = field(default_factory=list, repr=False, compare=False)
    _by_text: dict[str, Node] | None = field(default=None, init=False, repr=False, compare=False)

    def get(self, key: str) -> Node | None:
        """The value of a key, or None; a key is its text (`1` and `"1"` are one key)."""
        if self._by_text is None or len(self._by_text) != len(self.entries):
            self._by_text = {name.text: node for name, node in reversed(self.entries)}
        return self._by_text.get(key)


Node = ScalarNode | ListNode | MappingNode


def describe_node(node: Node) -> str:
    """A node in a few words, for messages: `the number 3`, `text 'abc'`, `a list of 3`, `a mapping`."""
    if isinstance(node, ListNode):
        return f"a list of {len(node.items)}" if node.items else "an empty list"
    if isinstance(node, MappingNode):
        return "a mapping" if node.entries else "an empty mapping"
    value = node.value
    if isinstance(value, str):
        return f"text {quote(value)}"
    if value is None:
        return "nothing (null)"
    return str(value).lower() if isinstance(value, bool) else f"the number {_shorten(node.text)}"


def quote(text: str) -> str:
    """A text in quotes for a message, harmless and not too long."""
    return escape_label(f"'{_shorten(text)}'")


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"
