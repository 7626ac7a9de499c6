"""Reports on marked sheets: a report on each, and the class together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from walkthrough.languages.catalogue import Catalogue
from walkthrough.mistakes.sentences import say_likely
from walkthrough.teaching.classroom.results import ClassStep, Failed, Result, class_steps, class_titles
from walkthrough.teaching.feedback.report import credited, say_count, sheet_report, step_table, told
from walkthrough.teaching.mark.marked import Marked, write_points
from walkthrough.teaching.titles import Titles
from walkthrough.text import escape_label
from walkthrough.views.report.blocks import Block, Report, Table

_LONGEST_NAME = 60


def reports(results: Sequence[Result], words: Catalogue, most: int | None = None) -> list[Report]:
    """A report for each sheet that could be read, and of several for the class.

    most: slips told of a sheet; None: all
    """
    found = [sheet_report(one, Titles.of(one.sheet, words), most) for one in results if isinstance(one, Marked)]
    return [*found, class_report(results, words)] if len(results) > 1 else found


def class_report(results: Sequence[Result], words: Catalogue) -> Report:
    """All sheets in one table, which step went wrong how often, and the usual slips."""

    def blocks() -> Iterator[Block]:
        yield _sheets(results, words)
        steps, titles = class_steps(results), class_titles(results, words)
        yield step_table([(step.marks, percent(step)) for step in steps], titles)
        slips = [step for step in steps if step.causes]
        if slips:
            yield Table(
                (words("step"), words("sheets"), words("usual_slip")),
                tuple(
                    (titles.with_symbol(step.marks.value), str(step.slipped), say_likely(step.causes, words))
                    for step in slips
                ),
                right=(1,),
            )

    return Report(words("class"), blocks, brief=f"{words('class')}: {_say_average(results, words)}")


def _say_average(results: Sequence[Result], words: Catalogue) -> str:
    """`25 sheets, 22.31 of 27 points on average`; of sheets of unlike length the share of the points."""
    marked = [one for one in results if isinstance(one, Marked)]
    count = words.pluralize("sheets_said", len(results))
    if not marked:
        return count
    lengths = {one.of for one in marked}
    points, of = math.fsum(one.points for one in marked), sum(one.of for one in marked)
    if len(lengths) > 1:
        return f"{count}, {words('average_share', share=f'{100 * points / of:.0f}')}"
    average = words.number(write_points(points / len(marked)))
    return f"{count}, {words('average', points=average, of=lengths.pop())}"


def percent(step: ClassStep) -> str:
    """`94 %` of the points."""
    return f"{100 * step.share:.0f} %"


def who(result: Result) -> str:
    """The student of a sheet, or its file where no name stands on it."""
    shown = escape_label((result.student if isinstance(result, Marked) else "") or Path(result.name).name)
    return shown if len(shown) <= _LONGEST_NAME else f"{shown[: _LONGEST_NAME - 1]}…"


def _sheets(results: Sequence[Result], words: Catalogue) -> Table:
    """A line a sheet, by its student, where one stands twice by its file too; verdicts that none has are left out."""
    marked = [one for one in results if isinstance(one, Marked)]
    counts = {one: credited(one.counts, sum(cell.is_trivial for cell in one.cells)) for one in marked}
    verdicts = told(counts.values())
    alike = len({one.of for one in marked}) == 1
    points = iter(_align([words.number(write_points(one.points)) for one in marked], words.number(".")))
    twice = Counter(map(who, results))
    rows: list[tuple[str, ...]] = []
    for one in results:
        student = who(one) if twice[who(one)] == 1 else f"{who(one)} ({escape_label(one.name)})"
        if isinstance(one, Failed):
            rows.append((f"{student}: {words('not_read')}",))
            continue
        reached = next(points)
        said = reached if alike else words("count_of", count=reached, of=one.of)
        rows.append((student, said, *(say_count(counts[one][name], name) for name in verdicts)))
    header = (words("student"), words("points"), *(words(name) for name in verdicts))
    return Table(header, tuple(rows), right=tuple(range(1, len(header))))


def _align(numbers: Sequence[str], sign: str) -> list[str]:
    """Numbers with spaces behind them, so that their decimal signs stand below one another."""
    behind = [len(number) - len(number.partition(sign)[0]) for number in numbers]
    return [number + " " * (max(behind) - length) for number, length in zip(numbers, behind, strict=True)]
