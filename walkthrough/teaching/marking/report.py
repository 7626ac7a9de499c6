"""Reports on marked sheets: one on each, and one on the class."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from walkthrough.explaining.worked import cell_name
from walkthrough.languages.catalogue import Catalogue
from walkthrough.mistakes.sentences import say_likely
from walkthrough.recording.values import Value
from walkthrough.recording.verdict import Verdict
from walkthrough.teaching.marking.marked import VERDICTS, Marked, Slip, StepMarks, write_points
from walkthrough.teaching.marking.results import (
    ClassMistake,
    ClassStep,
    Failed,
    Result,
    class_mistakes,
    class_steps,
    class_titles,
    handed_in_again,
)
from walkthrough.teaching.marking.sentences import (
    say_again,
    say_costs,
    say_note,
    say_of_slip,
    say_points,
    say_rest,
    say_unreadable,
    say_well,
    say_written,
)
from walkthrough.teaching.sheets.titles import Titles
from walkthrough.text import escape_label
from walkthrough.views.report.blocks import Block, Items, Note, Paragraph, Report, Table
from walkthrough.views.terminal.layout import align_points

_MOST_IGNORED = 5
"""So many of the lines that belong to no cell are told."""
_LONGEST_NAME = 60


def sheet_report(marked: Marked, titles: Titles, most: int | None = None) -> Report:
    """The points of one sheet, and what went wrong on it. most: slips that are told; None: all"""
    words = titles.words
    brief = f"{escape_label(marked.student or marked.name)}: {say_points(marked, words)}"
    return Report(f"{words('marks')}: {brief}", lambda: _blocks(marked, titles, most), brief=brief)


def _blocks(marked: Marked, titles: Titles, most: int | None) -> Iterator[Block]:
    words, counts = titles.words, marked.counts
    if marked.altered:
        yield Items(tuple(one.say(words, titles.with_symbol) for one in marked.altered), words("altered"))
    if marked.ignored:
        yield _ignored(marked, titles)
    if (note := say_note(marked, words)) is not None:
        yield Note(note)
    if counts["right"] == len(marked.cells):
        yield Paragraph(" ".join(say_well(marked, words)))
        return
    found = [*(_slip(slip, marked, titles) for slip in marked.slips), *_unreadable(marked, titles, most)]
    yield from found[:most]
    if most is not None and len(found) > most:
        yield Note(words("more", count=len(found) - most))
    yield Paragraph(" ".join([*say_well(marked, words), *say_rest(marked, words)]))
    steps = [step for step in marked.steps if step.points < 1 or step.counts["follows"]]
    shown = [(step, words.number(write_points(step.points))) for step in steps]
    yield step_table(shown, titles)


def _ignored(marked: Marked, titles: Titles) -> Items:
    """How many lines of a file belong to no cell, and the first of them."""
    words, several = titles.words, marked.ignored
    lines = tuple(f"{words('line')} {one.line}: {one.why(words)}" for one in several[:_MOST_IGNORED])
    more = ("…",) if len(several) > _MOST_IGNORED else ()
    return Items((*lines, *more), words("ignored"), words.pluralize("lines_unknown", len(several)))


def _slip(slip: Slip, marked: Marked, titles: Titles) -> Items:
    """Wrong cells of a step: how many and what they cost, what was probably done, and the line of the first."""
    words = titles.words
    count = words.pluralize("cells_wrong", len(slip.cells))
    said = say_written(slip.first, marked.own, words, titles.with_symbol)
    lines = [
        say_of_slip(slip, titles),
        say_again(slip, titles),
        said if len(slip.cells) == 1 else words("first", said=said),
    ]
    title = titles.with_symbol(slip.first.value)
    return Items(tuple(filter(None, lines)), title, f"{count}, {say_costs(slip.costs, words)}")


def _unreadable(marked: Marked, titles: Titles, most: int | None) -> Iterator[Items]:
    """The unreadable cells of each step, and why. most: that are told of a step; None: all"""
    words = titles.words
    by_step: dict[Value, list[str]] = {}
    for cell in marked.cells:
        if cell.finding is Verdict.UNREADABLE:
            name = str(cell_name(cell.value, cell.row, cell.column))
            by_step.setdefault(cell.value, []).append(say_unreadable(cell, name, words))
    for value, lines in by_step.items():
        told = lines[:most]
        more = (words("more", count=len(lines) - len(told)),) if len(told) < len(lines) else ()
        yield Items((*told, *more), titles.with_symbol(value), words.pluralize("cells_unreadable", len(lines)))


def step_table(steps: Sequence[tuple[StepMarks, str]], titles: Titles) -> Table:
    """A line a step with its points as they are said; verdicts that none has are left out."""
    words = titles.words
    counts = [with_trivial(step.counts, step.trivial) for step, _ in steps]
    names = verdict_columns(counts)
    header = (words("step"), *(words(name) for name in names), words("points"))
    rows = tuple(
        (titles.title(step.value), *(say_count(count[name], name) for name in names), points)
        for (step, points), count in zip(steps, counts, strict=True)
    )
    return Table(header, rows, right=tuple(range(1, len(names) + 2)))


def with_trivial(counts: Mapping[str, int], trivial: int) -> dict[str, int]:
    """Counts for a table: what follows and earns nothing is trivial, and not among what follows."""
    found = {name: counts[name] for name in VERDICTS}
    return {**found, "follows": found["follows"] - trivial, "trivial": trivial}


def verdict_columns(counts: Iterable[Mapping[str, int]]) -> list[str]:
    """The verdicts that have a column: right, and those that there are."""
    all_counts = list(counts)
    return [name for name in (*VERDICTS, "trivial") if name == "right" or any(one[name] for one in all_counts)]


def say_count(count: int, verdict: str) -> str:
    """A count in a table; only of right ones is 0 worth a digit."""
    return str(count) if count or verdict == "right" else ""


def reports(results: Sequence[Result], words: Catalogue, most: int | None = None) -> list[Report]:
    """A report for each sheet that could be read, and of several for the class.

    most: slips told of a sheet; None: all
    """
    found = [sheet_report(one, Titles.of(one.sheet, words), most) for one in results if isinstance(one, Marked)]
    return [*found, class_report(results, words)] if len(results) > 1 else found


def class_report(results: Sequence[Result], words: Catalogue) -> Report:
    """All sheets in one table, which step went wrong how often, and the mistakes with names, most costly first."""

    def blocks() -> Iterator[Block]:
        yield _sheets(results, words)
        steps, titles = class_steps(results), class_titles(results, words)
        yield step_table([(step.marks, percent(step)) for step in steps], titles)
        if mistakes := class_mistakes(results):
            yield Table(
                (words("step"), words("slips"), words("points_lost"), words("student")),
                tuple(
                    (
                        say_where(one, titles),
                        say_likely(one.causes, words),
                        words.number(write_points(one.costs)),
                        ", ".join(map(who, one.sheets)),
                    )
                    for one in mistakes
                ),
                right=(2,),
            )
        for name, count in handed_in_again(results).items():
            yield Note(words("several_sheets", student=escape_label(name), count=count))

    return Report(words("class"), blocks, brief=f"{words('class')}: {_say_average(results, words)}")


def say_where(mistake: ClassMistake, titles: Titles) -> str:
    """The step that a mistake was made in; of several heads, layers or passes what they have in common."""
    values = {cells[0].value.path: cells[0].value for slip in mistake.slips for cells in slip.places}
    if len(values) == 1:
        return titles.with_symbol(next(iter(values.values())))
    return ", ".join(dict.fromkeys(titles.words.title(value.kind) for value in values.values()))


def _say_average(results: Sequence[Result], words: Catalogue) -> str:
    """`25 sheets, 22.31 of 27 points on average`; of sheets of unlike length the share of the points."""
    marked = [one for one in results if isinstance(one, Marked)]
    count = words.pluralize("sheets_said", len(marked) or len(results))
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
    counts = {one: with_trivial(one.counts, sum(cell.is_trivial for cell in one.cells)) for one in marked}
    verdicts = verdict_columns(counts.values())
    alike = len({one.of for one in marked}) == 1
    points = iter(align_points([words.number(write_points(one.points)) for one in marked]))
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
