"""Reports on marked sheets: each with its points and what went wrong in its cells, and the class together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from walkthrough.explaining.worked import cell_name
from walkthrough.languages.catalogue import Catalogue
from walkthrough.teaching.classroom.data import class_data, sheet_data
from walkthrough.teaching.classroom.results import Failed, Result, class_steps, write_points
from walkthrough.teaching.mark.causes import say, say_of_slip
from walkthrough.teaching.mark.explain import line_of
from walkthrough.teaching.mark.marked import VERDICTS, Marked, MarkedCell, Slip, StepMarks
from walkthrough.teaching.write.cells import is_word
from walkthrough.text import escape_label
from walkthrough.views.report.blocks import Block, Code, Items, Note, Paragraph, Report, Table


def reports(results: Sequence[Result], words: Catalogue, most: int | None = None) -> list[Report]:
    """A report for each sheet that could be read, and of several for the class.

    most: slips told of a sheet; None: all
    """
    found = [sheet_report(one, words, most) for one in results if isinstance(one, Marked)]
    return [*found, class_report(results, words)] if len(results) > 1 else found


def sheet_report(result: Marked, words: Catalogue, most: int | None = None) -> Report:
    """The points of one sheet, and what went wrong on it."""
    who = escape_label(result.student or result.name)
    points = words("points_of", points=words.number(write_points(result.points)), of=result.of)
    brief = f"{who}: {points}"
    return Report(
        f"{words('marks')}: {brief}", lambda: _blocks(result, words, most), lambda: sheet_data(result), brief=brief
    )


def _blocks(marked: Marked, words: Catalogue, most: int | None) -> Iterator[Block]:
    counts = marked.counts
    if marked.altered:
        yield Items(marked.altered, words("altered"))
    if marked.ignored:
        yield Items(tuple(f"{words('line')} {one.line}: {one.why}" for one in marked.ignored), words("ignored"))
    if counts["right"] + counts["follows"] == len(marked.cells) and not counts["follows"]:
        yield Paragraph(words("all_fine"))
        return
    found = [*(_slip(slip, marked, words) for slip in marked.slips), *_unreadable(marked, words)]
    yield from found[:most]
    if most is not None and len(found) > most:
        yield Note(words("more", count=len(found) - most))
    yield Paragraph(" ".join(_counts(marked, words)))
    yield _steps([(step, step.points) for step in marked.steps if step.points < 1 or step.counts["follows"]], words)


def _slip(slip: Slip, marked: Marked, words: Catalogue) -> Items:
    """Wrong cells of a step: how many and what they cost, what was probably done, and the line of the first."""
    count = words.pluralize("cells_wrong", len(slip.cells))
    points = write_points(slip.costs)
    costs = words("lost_one") if points == "1" else words("lost", count=words.number(points))
    line = line_of(slip.first, marked.own, words)
    said = words("written_for", answer=_answer(slip.first, words), line=line)
    lines = [say_of_slip(slip, words), said if len(slip.cells) == 1 else words("first", said=said)]
    if slip.joined:
        lines.append(words("joined", path=slip.joined[0].value.path, cells=len(slip.joined)))
    return Items(tuple(filter(None, lines)), slip.first.value.path, f"{count}, {costs}")


def _unreadable(marked: Marked, words: Catalogue) -> Iterator[Items]:
    for cell in marked.cells:
        if cell.verdict == "unreadable":
            name = cell_name(cell.value, cell.row, cell.column, cell.value.path)
            reason = line_of(cell, marked.own, words) or ""
            yield Items((reason,), name, f"{_answer(cell, words)} ({words(cell.verdict)})")


def _answer(cell: MarkedCell, words: Catalogue) -> str:
    text = escape_label(cell.answer.text)
    return text if is_word(cell.value, cell.column) else words.number(text)


def _counts(marked: Marked, words: Catalogue) -> Iterator[str]:
    counts = marked.counts
    trivial = sum(cell.is_trivial for cell in marked.cells)
    for name, count in (
        ("follows_said", counts["follows"] - trivial),
        ("trivial_said", trivial),
        ("missing_said", counts["missing"]),
    ):
        if count:
            yield words.pluralize(name, count)


def _steps(steps: Sequence[tuple[StepMarks, float]], words: Catalogue) -> Table:
    """A line a step; verdicts that none has are left out."""
    counts = [{**{name: step.counts[name] for name in VERDICTS}, "trivial": step.trivial} for step, _ in steps]
    names = [name for name in (*VERDICTS, "trivial") if name == "right" or any(one[name] for one in counts)]
    header = (words("step"), *(words(name) for name in names), words("points"))
    rows = tuple(
        (
            Code(step.path),
            *(str(count[name]) for name in names),
            words.number(write_points(points)),
        )
        for (step, points), count in zip(steps, counts, strict=True)
    )
    groups = tuple(f"{step.path.rpartition('.')[0]}." if "." in step.path else "" for step, _ in steps)
    return Table(header, rows, right=tuple(range(1, len(names) + 2)), groups=groups)


def class_report(results: Sequence[Result], words: Catalogue) -> Report:
    """All sheets in one table, and which step went wrong how often."""

    def blocks() -> Iterator[Block]:
        yield _sheets(results, words)
        if fits := tuple(_fit(one, words) for one in results if isinstance(one, Marked) and one.fits is not None):
            yield Items(fits, words("fits"))
        steps = class_steps(results)
        yield _steps([(step.marks, step.points) for step in steps], words)
        for step in steps:
            if step.slip:
                yield Items((say(step.slip, words, in_general=True),), step.marks.path, words("usual_slip"))

    return Report(words("class"), blocks, lambda: class_data(results), brief=words("class"))


def _fit(marked: Marked, words: Catalogue) -> str:
    """Whose numbers a sheet holds."""
    fit = marked.fits
    assert fit is not None
    names = [
        escape_label(name) for name in (marked.student or Path(marked.name).name, fit.student or Path(fit.sheet).name)
    ]
    return words("fits_said", one=names[0], other=names[1], cells=fit.cells, of=fit.of)


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
