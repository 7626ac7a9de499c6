"""The results of a class: its marked sheets, those that could not be read, and each step of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from walkthrough.errors import UserError
from walkthrough.mistakes.mistake import Mistake
from walkthrough.notation import write_shortest
from walkthrough.records import Record
from walkthrough.teaching.mark.marked import Marked, StepMarks


class Failed(Record):
    """A sheet that could not be read. message: why, at full length"""

    name: str
    message: str

    @classmethod
    def by(cls, failure: UserError | OSError, name: str) -> Failed:
        """The sheet of this name that could not be read because of a failure."""
        reason = failure.strerror if isinstance(failure, OSError) else None
        return cls(name, reason or str(failure))

    @property
    def error(self) -> str:
        """Why, in a line."""
        return self.message.partition("\n")[0]


Result = Marked | Failed

_POINT_DECIMALS = 2


def write_points(points: float) -> str:
    """Points as every report writes them."""
    return write_shortest(round(points, 9), _POINT_DECIMALS)


class ClassStep(Record):
    """One step in all sheets: the verdicts counted, and the mistake made in most cells."""

    marks: StepMarks
    points: float
    slip: Mistake | None


def class_steps(results: Sequence[Result]) -> list[ClassStep]:
    """The steps of all sheets, summed."""
    counts: dict[str, Counter[str]] = {}
    trivial: Counter[str] = Counter()
    points: Counter[str] = Counter()
    slips: dict[str, Counter[str]] = {}
    causes: dict[str, Mistake] = {}
    for marked in results:
        if isinstance(marked, Failed):
            continue
        for step in marked.steps:
            counts.setdefault(step.path, Counter()).update(step.counts)
            trivial[step.path] += step.trivial
            points[step.path] += step.points  # type: ignore[assignment]
        for cell in marked.cells:
            if cell.cause is not None:
                slips.setdefault(cell.value.path, Counter())[cell.cause.key] += 1
                causes.setdefault(cell.cause.key, cell.cause)
    return [
        ClassStep(
            StepMarks(path, found, trivial[path]),
            float(points[path]),
            causes[slips[path].most_common(1)[0][0]] if path in slips else None,
        )
        for path, found in counts.items()
    ]
