"""Problems of a scenario: collected with their positions, shown as compilers show them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, Protocol, Self

from walkthrough.errors import UserError
from walkthrough.text import escape_label, pluralize

MOST_SHOWN = 50
WIDEST = 100  # columns of a source line that are shown

LINE_BREAK = re.compile("\r\n|[\n\r]")
"""Where a line ends in YAML 1.2, and for editors."""


class Positioned(Protocol):
    """Anything that knows its line and column, counted from 1."""

    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...


class Keyed(Positioned, Protocol):
    """A mapping of the file: where each of its keys is, and the path of each."""

    def at(self, name: str) -> Positioned: ...
    def place_of(self, name: str) -> Positioned: ...
    def key_of(self, name: str) -> str: ...
    def is_written(self, name: str) -> bool: ...


class NamedText(Protocol):
    """A scenario's text, and its name for messages."""

    @property
    def name(self) -> str: ...
    @property
    def text(self) -> str: ...


class Position(NamedTuple):
    """A place in the text, counted from 1; line 0: nowhere in it."""

    line: int
    column: int

    @classmethod
    def of(cls, mark: Any) -> Position:
        """The place of a PyYAML mark, which counts from 0."""
        return cls(mark.line + 1, mark.column + 1)


class Problem(NamedTuple):
    """One thing that is wrong: where (line 0: nowhere in the text), what, at which key, and what may help."""

    line: int
    column: int
    message: str
    key: str = ""
    help: str = ""


class Problems:
    """Collects problems, so that a file's can be reported all at once; true when there are any.

    Warnings are kept apart: they say what has no effect, or how something was read, and stop nothing.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[int, int, str], tuple[str, str | Callable[[], str]]] = {}
        self._warned: dict[tuple[int, int, str], Problem] = {}

    def add(self, node: Positioned, message: str, *, key: str = "", help: str | Callable[[], str] = "") -> None:
        """Note a problem at a node; the same message at the same place is kept once, as a repeated layer repeats it.

        key:  its path, where the node does not know it
        help: what may help; as a function, which is called for the problems that are shown and no others, where it
              takes time, such as looking for near names
        """
        self._found.setdefault((node.line, node.column, message), (key or _path_of(node), help))

    def fault(self, section: Keyed, key: str, message: str, help: str | Callable[[], str] = "") -> None:
        """Note a problem with a key of a section."""
        self.add(section.at(key), message, key=section.key_of(key), help=help)

    def missing(self, section: Keyed, key: str, what: str) -> None:
        """Note that a section lacks a key, and what belongs there."""
        self.add(section, f"{key} is missing: {what}", key=section.key_of(key))

    def idle(self, section: Keyed, key: str, why: str, help: str = "remove it") -> None:
        """Warn that a key does nothing, if the section has it."""
        if section.is_written(key):
            self.warn(section.place_of(key), f"{key} has no effect: {why}", key=section.key_of(key), help=help)

    def warn(self, node: Positioned, message: str, *, key: str = "", help: str = "") -> None:
        """Note at a node what stops nothing, but would surprise; kept once, as a problem is."""
        self._warned.setdefault(
            (node.line, node.column, message), Problem(node.line, node.column, message, key or _path_of(node), help)
        )

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The warnings, in the order of their positions."""
        return tuple(sorted(self._warned.values()))

    @property
    def found(self) -> list[Problem]:
        """The problems, in the order of their positions."""
        found = []
        for at, (where, (key, help)) in enumerate(sorted(self._found.items(), key=itemgetter(0))):
            if not isinstance(help, str):
                help = help() if at < MOST_SHOWN else ""
            found.append(Problem(*where, key, help))
        return found

    def __contains__(self, node: Positioned) -> bool:
        """Whether there is a problem right at a node."""
        return any((line, column) == (node.line, node.column) for line, column, _ in self._found)

    def __len__(self) -> int:
        return len(self._found)


def _path_of(node: Positioned) -> str:
    """The path of a section or of a matrix; other nodes know none."""
    return getattr(node, "path", "")


class ScenarioError(UserError, ValueError):
    """A scenario cannot be used; as text, all its problems with the lines they are on."""

    def __init__(self, source: str, problems: Sequence[Problem], text: str = "") -> None:
        super().__init__(source, problems, text)
        self.source = source
        self.problems = problems
        self.text = text

    @classmethod
    def at(cls, source: NamedText, node: Positioned, message: str, *, key: str = "", help: str = "") -> Self:
        """One problem at a node of a source."""
        return cls(source.name, [Problem(node.line, node.column, message, key, help)], source.text)

    def __str__(self) -> str:
        lines = LINE_BREAK.split(self.text.removeprefix("\ufeff"))
        shown = [_render(problem, self.source, lines) for problem in self.problems[:MOST_SHOWN]]
        if more := len(self.problems) - len(shown):
            shown.append(f"… and {pluralize(more, 'more problem')}")
        return "\n\n".join(shown)


class WeightsError(UserError, ValueError):
    """A tensor that cannot be had: at which key of its mapping, and what may help."""

    def __init__(self, message: str, key: str = "", help: str = "") -> None:
        super().__init__(message)
        self.key = key
        self.help = help


def warning_lines(source: str, warnings: Sequence[Problem]) -> list[str]:
    """Each warning as one line: where, what, and at which key."""
    lines = []
    for warning in warnings[:MOST_SHOWN]:
        place = f":{warning.line}:{warning.column}" if warning.line else ""
        key = f" ({escape_label(warning.key)})" if warning.key else ""
        help = f"; {escape_label(warning.help)}" if warning.help else ""
        lines.append(f"{escape_label(source)}{place}: warning: {escape_label(warning.message)}{key}{help}")
    if more := len(warnings) - len(lines):
        lines.append(f"… and {pluralize(more, 'more warning')}")
    return lines


def _render(problem: Problem, source: str, lines: list[str]) -> str:
    place = f":{problem.line}:{problem.column}" if problem.line else ""
    gutter = " " * max(4, len(str(problem.line)))
    rows = [f"{escape_label(source)}{place}: {escape_label(problem.message)}"]
    line = lines[problem.line - 1] if 0 < problem.line <= len(lines) else ""
    if line.strip():
        excerpt, caret = _excerpt(line, problem.column)
        rows += [f"{problem.line:>{len(gutter)}} | {excerpt}", f"{gutter} | {caret}"]
    if problem.key:
        rows.append(f"{gutter} = key:  {escape_label(problem.key)}")
    if problem.help:
        rows.append(f"{gutter} = help: {escape_label(problem.help)}")
    return "\n".join(rows)


def _excerpt(line: str, column: int) -> tuple[str, str]:
    """The part of a line around a column, and spaces with a caret under it."""
    before, after = line[: column - 1], line[column - 1 :].rstrip()
    left, left_width = _fit(reversed(before), WIDEST * 2 // 3)
    right, right_width = _fit(after, WIDEST - left_width)
    if len(right) == len(after):  # nothing more to show on the right: the room is the left's
        left, left_width = _fit(reversed(before), WIDEST - right_width)
    opening = "…" if len(left) < len(before) else ""
    closing = "…" if len(right) < len(after) else ""
    return "".join([opening, *reversed(left), *right, closing]), " " * (len(opening) + left_width) + "^"


def _fit(characters: Iterable[str], room: int) -> tuple[list[str], int]:
    """As many of the first characters as fit into the room, as they are shown, and the columns they take."""
    shown, taken = [], 0
    for character in characters:
        harmless = escape_label(f"|{character}|")[1:-1]  # between bars, because a lone space would be put in quotes
        width = sum(map(_width, harmless))
        if taken + width > room:
            break
        shown.append(harmless)
        taken += width
    return shown, taken


def _width(character: str) -> int:
    """How many columns a terminal gives to a character."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
