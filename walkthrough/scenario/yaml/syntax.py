"""Texts that are not YAML: what is wrong, where, and what may help, in the words of a person."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any, NamedTuple

from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, quote
from walkthrough.scenario.yaml.problems import LINE_BREAK, Position, Problems
from walkthrough.text import escape_label

# What YAML does not allow; and the byte order mark, invisible and seldom meant, where the file does not begin with it.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_MOST_NAMED = 10


def note_forbidden(text: str, problems: Problems) -> bool:
    """Notes the characters that YAML does not allow, the first few of them; whether there are any."""
    noted = list(islice(_FORBIDDEN.finditer(text), _MOST_NAMED))
    for found in noted:
        breaks = [match.end() for match in LINE_BREAK.finditer(text, 0, found.start())]
        position = Position(len(breaks) + 1, found.start() - (breaks[-1] if breaks else 0) + 1)
        lone = "\ud800" <= found[0] <= "\udfff"  # half of a surrogate pair cannot be written at all
        remedy = "remove it" if lone else f'remove it, or write it in double quotes: "{escape_label(found[0])}"'
        problems.add(position, f"the character U+{ord(found[0]):04X} is not allowed here", help=remedy)
    return bool(noted)


_TAB = "a tab is used for indentation", "YAML indents with spaces only"
_BEHIND = "the value before this is complete", "is there a quote too many, or one inside a text?"
_BRACKETS = {ListNode: "[", MappingNode: "{"}
_NO_BLANK = re.compile(r"\s*(?:- )?(?P<key>[\w<>.-]+):(?=[\[{\w.+-])(?!//)")
"""A key with its colon, and what follows at once."""
_MISFIT = re.compile("expected key|'-' indicator|<block end>")


class _Explanation(NamedTuple):
    """The message in place of libyaml's or PyYAML's own, at the error or where the faulty part begins."""

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


def explain_error(error: Any, text: str, bracket: ListNode | MappingNode | None) -> tuple[Position, str, str]:
    """Where a syntax error is best shown, what is wrong, and what may help."""
    reason, mark = error.problem or "", error.problem_mark or error.context_mark
    if bracket is not None and not text[mark.index :].strip():
        return Position(bracket.line, bracket.column), f"this {quote(_BRACKETS[type(bracket)])} is never closed", ""
    if text[mark.index : mark.index + 1] == "\t":
        return Position.of(mark), *_TAB
    if _MISFIT.search(reason) and text[mark.index - mark.column : mark.index].strip(" -"):
        return Position.of(mark), *_BEHIND
    if re.search("mapping values|expected ':'", reason) and (missing := _missing_blank(text, mark)):
        return missing
    for explanation in _EXPLANATIONS:
        if found := re.search(explanation.pattern, reason):
            return _fill(explanation, found.groups(), error.context_mark or mark, mark, text)
    return Position.of(mark), f"not valid YAML: {reason or error}", ""


def _missing_blank(text: str, mark: Any) -> tuple[Position, str, str] | None:
    """Of `tea:[1, 0]`, in the line of an error or the one before: a text that goes on until the next colon."""
    lines = text[: mark.index].count("\n"), text.split("\n")
    for at in range(lines[0], max(lines[0] - 2, -1), -1):
        if found := _NO_BLANK.match(lines[1][at]):
            key = found["key"]
            return (
                Position(at + 1, len(found[0]) + 1),
                f"a blank is missing after {quote(f'{key}:')}",
                f"write {quote(f'{key}: {found.string[found.end() :].strip()}')}",
            )
    return None


def _fill(
    explanation: _Explanation, groups: tuple[str, ...], begin: Any, error: Any, text: str
) -> tuple[Position, str, str]:
    mark = begin if explanation.at_begin else error
    sign = quote(text[mark.index : mark.index + 1])
    message = explanation.message.format(*groups, line=begin.line + 1, column=begin.column + 1, sign=sign)
    return Position.of(mark), message, explanation.help
