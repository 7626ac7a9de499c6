"""Reports on marked sheets: a report on each, and the class together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from walkthrough.languages.catalogue import Catalogue
from walkthrough.teaching.classroom.results import Failed, Result, class_steps, class_titles
from walkthrough.teaching.feedback.report import sheet_report, step_table
from walkthrough.teaching.mark.causes import say
from walkthrough.teaching.mark.marked import VERDICTS, Fit, Marked, write_points
from walkthrough.teaching.titles import Titles
from walkthrough.text import escape_label
from walkthrough.views.report.blocks import Block, Items, Report, Table


def reports(results: Sequence[Result], words: Catalogue, most: int | None = None) -> list[Report]:
    """A report for each sheet that could be read, and of several for the class.

    most: slips told of a sheet; None: all
    """
    found = [sheet_report(one, Titles.of(one.sheet, words), most) for one in results if isinstance(one, Marked)]
    return [*found, class_report(results, words)] if len(results) > 1 else found


def class_report(results: Sequence[Result], words: Catalogue) -> Report:
    """All sheets in one table, and which step went wrong how often."""

    def blocks() -> Iterator[Block]:
        yield _sheets(results, words)
        found = [(one, one.fits) for one in results if isinstance(one, Marked) and one.fits is not None]
        if found:
            yield Items(tuple(f"{who(one)}: {say_fit(fit, words)}" for one, fit in found), words("fits"))
        steps, titles = class_steps(results), class_titles(results, words)
        yield step_table([(step.marks, step.points) for step in steps], titles)
        for step in steps:
            if step.slip:
                said = say(step.slip, words, in_general=True)
                yield Items((said,), titles.with_symbol(step.marks.value), words("usual_slip"))

    return Report(words("class"), blocks, brief=words("class"))


def who(result: Result) -> str:
    """The student of a sheet, or its file where no name stands on it."""
    return escape_label((result.student if isinstance(result, Marked) else "") or Path(result.name).name)


def say_fit(fit: Fit, words: Catalogue) -> str:
    """Whose numbers a sheet holds."""
    other = escape_label(fit.student or Path(fit.sheet).name)
    return words("fits_said", other=other, cells=fit.cells, of=fit.of)


def _sheets(results: Sequence[Result], words: Catalogue) -> Table:
    """A line a sheet, by its file's name where that is the only one; verdicts that none has are left out."""
    verdicts = [one for one in VERDICTS if any(isinstance(sheet, Marked) and sheet.counts[one] for sheet in results)]
    header = (words("sheet"), words("student"), words("points"), words("of"), *(words(name) for name in verdicts))
    files = [Path(one.name).name for one in results]
    names = files if len(set(files)) == len(files) else [one.name for one in results]
    rows = []
    for name, one in zip(names, results, strict=True):
        if isinstance(one, Failed):
            rows.append((escape_label(name), words("not_read"), *[""] * (2 + len(verdicts))))
            continue
        points = words.number(write_points(one.points))
        counts = (str(one.counts[verdict]) for verdict in verdicts)
        rows.append(
            (escape_label(name), escape_label(one.student) if one.student else "", points, str(one.of), *counts)
        )
    return Table(header, tuple(rows), right=tuple(range(2, 4 + len(verdicts))))
