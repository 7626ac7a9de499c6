"""What became of each of their matrices, and of all of them: the first that differs, and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from walkthrough.comparing.matching.tensors import ExternalTensor, NotCompared
from walkthrough.mistakes.mistake import Mistake
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

OUTCOMES = ("same", "follows", "differs")


@dataclass(frozen=True, slots=True)
class Compared:
    """One of theirs: `same`, `differs`, or `follows` (right for the numbers that went in); where it is most off.

    mistakes: what would explain the difference: several where the numbers do not tell them apart
    note:     why it is the same although numbers differ
    """

    theirs: ExternalTensor
    outcome: str
    row: int
    column: int
    mistakes: tuple[Mistake, ...] = ()
    note: str = ""

    @property
    def cause(self) -> str | None:
        """What would explain the difference, in words, if anything is known that would."""
        return ", or ".join(map(str, self.mistakes)) or None

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


@dataclass(frozen=True)
class Comparison:
    """All of theirs that are steps of ours, in the order of the calculation; those of theirs that fit no step."""

    name: str
    trace: Trace
    steps: tuple[Compared, ...]
    not_compared: tuple[NotCompared, ...] = ()

    @property
    def first(self) -> Compared | None:
        """The first step that differs."""
        return next((step for step in self.steps if step.outcome == "differs"), None)

    @property
    def cause(self) -> str | None:
        """What would explain the first difference, if anything is known that would."""
        return self.first.cause if self.first is not None else None

    @property
    def summary(self) -> dict[str, int]:
        """How many steps have each outcome."""
        counts = Counter(step.outcome for step in self.steps)
        return {outcome: counts[outcome] for outcome in OUTCOMES}
