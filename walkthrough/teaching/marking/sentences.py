"""What is said of a marked sheet, in a language: of a cell its line, of a slip its cells and what it costs, counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from walkthrough.explaining.explanation import MOST_TERMS
from walkthrough.explaining.worked import Worked, cell_name, line_in, work_out
from walkthrough.languages.catalogue import Catalogue
from walkthrough.mistakes.causes.slips import is_rounded_to
from walkthrough.mistakes.sentences import say_likely
from walkthrough.recording.verdict import Verdict
from walkthrough.teaching.marking.marked import Marked, MarkedCell, Slip, write_points
from walkthrough.teaching.marking.student import StudentCalculation
from walkthrough.teaching.sheets.read.answer import is_calculation, is_date, simplify_answer
from walkthrough.teaching.sheets.titles import Name, Titles, path_of
from walkthrough.text import escape_label

_MOST_CELLS = 4
"""So many cells of a slip are named."""
_MOST_STEPS = 6
"""And so many steps in which it was made again."""


def say_points(marked: Marked, words: Catalogue) -> str:
    """`17.31 of 28 points`."""
    return words.pluralize("points_of", marked.of, points=words.number(write_points(marked.points)))


def say_costs(points: float, words: Catalogue) -> str:
    """`0.25 points lost`."""
    text = write_points(points)
    return words("lost_one") if text == "1" else words("lost", count=words.number(text))


def say_cells(cells: Sequence[MarkedCell], words: Catalogue) -> str:
    """Which cells of a step: all, whole rows or columns, else the first ones by their labels."""
    step = cells[0].step
    if len(cells) == len(step.places):
        return words("cells_all") if len(cells) > 1 else ""
    rows, columns = (_whole(cells, axis) for axis in (0, 1))
    if rows or columns:
        labels = [step.value.rows[at] for at in rows] if rows else [step.value.columns[at] for at in columns]
        return words.pluralize("row" if rows else "column", len(labels), labels=", ".join(map(escape_label, labels)))
    return ", ".join(_few([labels_of(cell) for cell in cells], _MOST_CELLS, words))


def _few(names: Sequence[str], most: int, words: Catalogue) -> Sequence[str]:
    """The first names, and how many more; a single one more is named, too."""
    more = len(names) - most
    return names if more <= 1 else [*names[:most], words("cells_more", count=more)]


def labels_of(cell: MarkedCell) -> str:
    """`[chai, is]`; of a column, `[chai]`."""
    return cell_name(cell.value, cell.row, cell.column).removeprefix(cell.value.kind.symbol)


def _whole(cells: Sequence[MarkedCell], axis: int) -> list[int]:
    """The rows, or columns, that these cells are all of; none where they are not, or where a line is one cell."""
    lines = sorted({(cell.row, cell.column)[axis] for cell in cells})
    count = int(np.take(cells[0].step.blank, lines, axis).sum())
    return lines if count == len(cells) > len(lines) else []


def say_answer(cell: MarkedCell) -> str:
    """What was written in a cell, as it was written."""
    return escape_label(cell.answer.text)


def say_well(marked: Marked, words: Catalogue) -> Iterator[str]:
    """What is right, what follows, what was charged before: a sentence each; of an empty sheet none."""
    right = marked.counts["right"]
    if right == len(marked.cells):
        yield words("all_fine")
        return
    again = sum(cell.is_again and not cell.is_trivial for cell in marked.cells)
    follows = marked.counts["follows"] - sum(cell.is_trivial for cell in marked.cells) - again
    if right:
        yield words.pluralize("right_said", right, all=len(marked.cells))
    elif not follows and marked.counts["missing"] < len(marked.cells):
        yield words("none_right")
    if follows:
        yield words.pluralize("follows_said", follows)
    if again:
        yield words.pluralize("again_said", again)


def say_rest(marked: Marked, words: Catalogue) -> Iterator[str]:
    """What comes from lost steps alone, and what is missing: a sentence each."""
    trivial = sum(cell.is_trivial for cell in marked.cells)
    for name, count in (("trivial_said", trivial), ("missing_said", marked.counts["missing"])):
        if count:
            yield words.pluralize(name, count)


def line_of(cell: MarkedCell, own: StudentCalculation, words: Catalogue, name: Name = path_of) -> str | None:
    """The line of a wrong cell; the reason for an unreadable one.

    name: how another step is called
    """
    if cell.finding is Verdict.UNREADABLE:
        return unreadable_reason(cell, words)
    if not cell.is_wrong:
        return None
    worked, notes = own_line(cell, own, words, name)
    said = words("no_number_from_own") if worked is None else str(worked)
    return f"{said} ({'; '.join(notes)})" if notes else said


def say_written(cell: MarkedCell, own: StudentCalculation, words: Catalogue, name: Name) -> str:
    """`2 for S'[tea, is] = 2/√2 = 1.414`: what was written in a wrong cell, and its line."""
    answer, line = say_answer(cell), line_of(cell, own, words, name)
    is_number = own.can_compute(cell.value, cell.row, cell.column)
    return words("written_for", answer=answer, line=line) if is_number else f"{answer}; {line}"


@np.errstate(all="ignore")  # a wrong 0 is divided by like any other number
def own_line(
    cell: MarkedCell, own: StudentCalculation, words: Catalogue, name: Name
) -> tuple[Worked | None, list[str]]:
    """The arithmetic of a cell with the student's own numbers; None where that is a division by 0, or too large.

    With notes: the digits that were asked for, where there are fewer; the steps of which a number is missing.

    name: how another step is called
    """
    step = own.with_own_inputs(cell.value)
    digits = max(cell.step.digits.count, 1)
    worked = None
    if own.can_compute(cell.value, cell.row, cell.column):
        worked = line_in(work_out(step, cell.row, cell.column, digits, MOST_TERMS), words)
    notes = []
    if _has_fewer(cell, float(own.compute(cell.value)[cell.row, cell.column])):
        notes.append(words("asked_for", digits=words.digits(cell.step.digits)))
    if missing := own.missing_before(cell.value, cell.row, cell.column):
        notes.append(words("not_handed_in", steps="; ".join(map(name, missing))))
    return worked, notes


def _has_fewer(cell: MarkedCell, expected: float) -> bool:
    """Whether it would be right with as few digits as were written."""
    number, decimals = cell.answer.number, cell.answer.decimals
    if number is None or decimals is None or decimals >= cell.step.decimals(number, cell.row, cell.column):
        return False
    return is_rounded_to(expected, number, decimals)


def unreadable_reason(cell: MarkedCell, words: Catalogue) -> str:
    """Why a cell cannot be read."""
    name, *parts = cell.answer.reason.split("\n")
    if name:
        return words(f"unreadable_{name}", **dict(zip(("one", "other"), parts, strict=False)))
    if cell.value.is_word(cell.column):
        return words("unreadable_word")
    if is_date(cell.answer.text):
        return words("unreadable_date")
    is_open = is_calculation(simplify_answer(cell.answer.text))
    return words("unreadable_calculation" if is_open else "unreadable_text")


def say_unreadable(cell: MarkedCell, name: str, words: Catalogue) -> str:
    """What stands in a cell, and why it cannot be read. name: what the cell is called"""
    return words("unreadable_said", cell=name, answer=say_answer(cell), why=unreadable_reason(cell, words))


def say_note(marked: Marked, words: Catalogue) -> str | None:
    """That most numbers are not those of the sheet; None where they are."""
    return words("of_another") if marked.is_of_another else None


def say_of_slip(slip: Slip, titles: Titles) -> str | None:
    """The sentence that is true of all cells of a slip that are charged; None where no cause is known."""
    causes = [cell.cause for cell in slip.cells if cell.cause is not None]
    return say_likely(causes, titles.words, titles.title) if causes else None


def say_again(slip: Slip, titles: Titles) -> str | None:
    """In which steps the same was done again."""
    names = _few([titles.title(value) for value in slip.again], _MOST_STEPS, titles.words)
    return titles.words("done_again", steps="; ".join(names)) if names else None
