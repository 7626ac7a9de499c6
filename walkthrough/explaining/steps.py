"""What a step is, rather than one of its numbers: why it is there, what uses it, which steps are like it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from walkthrough.languages.catalogue import Catalogue
from walkthrough.recording.selectors import within_pass
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.records import Record

_DIGITS = re.compile("[0-9]+")


class ExplainedStep(Record):
    """A step, explained for all that are like it.

    like:  the paths of further ones, which differ from it in numbers, or in the pass that they are in
    users: the paths of the steps that are computed from it
    """

    value: Value
    like: tuple[str, ...] = ()
    users: tuple[str, ...] = ()


class Reasons:
    """Why there are the steps of a document: each reason is given once, at the first step that has it."""

    def __init__(self, words: Catalogue) -> None:
        self._words = words
        self._given: set[str] = set()

    def are_new(self, value: Value) -> bool:
        """Whether this is the first step that has its reason; never of a given one."""
        why = "" if value.operation is None else self._words.why(value.kind)
        is_new = bool(why) and why not in self._given
        self._given.add(why)
        return is_new


def explain_steps(trace: Trace, values: Sequence[Value]) -> list[ExplainedStep]:
    """Each of some steps of a trace, in their order; of those that are alike the first."""
    groups: dict[tuple[str, ...], list[Value]] = {}
    for value in values:
        groups.setdefault(_what(value), []).append(value)
    users = _users(trace, [first for first, *_ in groups.values()])
    return [
        ExplainedStep(first, tuple(one.path for one in others), tuple(users[first.path]))
        for first, *others in groups.values()
    ]


def _what(value: Value) -> tuple[str, ...]:
    """What steps that are alike have in common: title, words and reason, and the path but for numbers and passes.

    The title tells w_1 from w_2, which are two things; norm_1 is one with norm_2.
    """
    kind = value.kind
    return kind.title, kind.key, kind.reason, _DIGITS.sub("#", within_pass(value.path))


def _users(trace: Trace, values: Iterable[Value]) -> dict[str, list[str]]:
    """The paths of what is computed from each of some steps, by their path."""
    users: dict[str, list[str]] = {value.path: [] for value in values}
    for value in trace:
        for path in dict.fromkeys(given.path for given in value.inputs):
            if path in users:
                users[path].append(value.path)
    return users
