"""What became of each of their matrices, and of all of them: the first that differs, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cached_property

from walkthrough.comparing.matching.tensors import ExternalTensor, NotCompared
from walkthrough.comparing.required import is_trivial
from walkthrough.mistakes.mistake import Constant, Mistake
from walkthrough.mistakes.places import in_any_place
from walkthrough.mistakes.sentences import say
from walkthrough.mistakes.words import Again
from walkthrough.recording.selectors import within_pass
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.recording.verdict import Verdict
from walkthrough.records import Record

_WORDS = {Verdict.ROUNDING: "same", Verdict.FOLLOWS: "follows", Verdict.WRONG: "differs"}
OUTCOMES = tuple(_WORDS.values())
"""What is said of another program's steps."""


class Compared(Record):
    """One of theirs: `same`, `differs`, or `follows` (right for the numbers that went in); where it is most off.

    expected: what their own numbers before it give there
    mistakes: what would explain the difference: several where the numbers do not tell them apart
    note:     why it is the same although numbers differ
    """

    theirs: ExternalTensor
    finding: Verdict
    row: int
    column: int
    expected: float
    mistakes: tuple[Mistake, ...] = ()
    note: str = ""

    @property
    def outcome(self) -> str:
        """The word for what it is."""
        return _WORDS[self.finding]

    @property
    def differs(self) -> bool:
        """Whether it is not what its inputs give."""
        return self.finding is Verdict.WRONG

    @property
    def cause(self) -> str | None:
        """What would explain the difference, in words, if anything is known that would."""
        return say(self.mistakes) if self.mistakes else None

    @property
    def value(self) -> Value:
        """Our step."""
        return self.theirs.value

    @property
    def found(self) -> float:
        """Their number where they differ."""
        return float(self.theirs.array[self.row, self.column])

    @property
    def right(self) -> float:
        """Our number there."""
        return float(self.value.array[self.row, self.column])


class Fault(Record):
    """A step that is wrong although what it is computed from is right.

    step: where it is, and why; of several alike the first
    also: the paths of the other steps, in other heads, layers and passes, where the same was done
    """

    step: Compared
    also: tuple[str, ...] = ()

    @property
    def value(self) -> Value:
        """Our step."""
        return self.step.value

    @property
    def found(self) -> float:
        """Their number."""
        return self.step.found

    @property
    def right(self) -> float:
        """What their numbers before it give there."""
        return self.step.expected

    @property
    def cause(self) -> str | None:
        """What would explain it, as a sentence."""
        return self.step.cause

    @property
    def kind(self) -> str | None:
        """The word of the cause: `constant`, a word that marks have too, or `other`; None where no cause is known."""
        if not self.step.mistakes:
            return None
        if self.constant is not None:
            return "constant"
        return self.step.mistakes[0].word

    @property
    def constant(self) -> Constant | None:
        """The constant whose other value explains it."""
        return self.step.mistakes[0].constant if self.step.mistakes else None


def _faults(steps: Iterable[Compared]) -> tuple[Fault, ...]:
    """The steps that differ; where the same was done in several heads, layers or passes, these are one."""
    alike: dict[tuple[object, ...], dict[Value, Compared]] = {}
    for step in steps:
        if step.differs:
            alike.setdefault(_role(step), {}).setdefault(step.value, step)
    return tuple(
        Fault(first, tuple(one.value.path for one in more)) for first, *more in map(dict.values, alike.values())
    )


def _role(step: Compared) -> tuple[object, ...]:
    """What a step has in common with those where the same was done: the step where it was done, and what.

    A constant that has another value has it wherever it is used, and a program that does not set gradients to zero
    does so with none.
    """
    in_place = [one for one in step.mistakes if one.constant is None and one.row.again is not Again.ANYWHERE]
    made_in = [one.where or step.value for one in in_place]
    if not step.mistakes:
        made_in = [step.value]
    return (*(_in_any_place(one.path) for one in made_in), *map(_without_place, step.mistakes))


def _in_any_place(path: str) -> str:
    """The path without what is one of several alike: the pass, the layer, the head; the parameter that is trained."""
    word = within_pass(path).partition(".")[0]
    return word if word in ("clipped", "update", "decayed", "first_moment_corrected") else in_any_place(path)


def _without_place(made: Mistake) -> object:
    """What two mistakes have in common that are one, made in two places; of a constant its first digits."""
    if (constant := made.constant) is not None:
        return constant.name, constant.right, f"{constant.found:.2g}"
    return made.key, made.rename_paths(in_any_place).facts


class Comparison(Record):
    """All of theirs that are steps of ours, in the order of the calculation; those of theirs that fit no step.

    never_called: names that were meant for steps, and that no tensor has
    missing:      the paths of steps that had to be compared, and were not; the name of what their model returns
    least:        how many steps that are not trivial had to be compared
    not_tried:    the paths of steps for which the search of a cause ended before every mistake had been tried
    """

    name: str
    trace: Trace
    steps: tuple[Compared, ...]
    not_compared: tuple[NotCompared, ...] = ()
    never_called: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    least: int = 0
    not_tried: tuple[str, ...] = ()

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """Every step that is wrong although its operands are right, in the order of the calculation."""
        return _faults(self.steps)

    @property
    def ok(self) -> bool:
        """Whether the verdict is that it is right: no step is wrong, and what had to be compared was."""
        return not (self.faults or self.never_called or self.missing or self.is_trivial or self.too_few)

    @cached_property
    def trivial(self) -> int:
        """How many of the compared steps say nothing of a calculation."""
        return sum(is_trivial(value) for value in {step.value for step in self.steps})

    @property
    def telling(self) -> int:
        """How many of the compared steps are not trivial."""
        return len({step.value for step in self.steps}) - self.trivial

    @property
    def is_trivial(self) -> bool:
        """Whether all that was compared is trivial."""
        return not self.telling

    @property
    def too_few(self) -> bool:
        """Whether fewer steps were compared than had to be."""
        return self.telling < self.least

    @property
    def first(self) -> Compared | None:
        """The first step that differs."""
        return next((step for step in self.steps if step.differs), None)

    @property
    def cause(self) -> str | None:
        """What would explain the first difference, if anything is known that would."""
        return self.first.cause if self.first is not None else None

    @property
    def summary(self) -> dict[str, int]:
        """How many steps have each outcome."""
        counts = Counter(step.outcome for step in self.steps)
        return {outcome: counts[outcome] for outcome in OUTCOMES}
