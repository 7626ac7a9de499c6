"""The report on one marked sheet: its points, what went wrong, and each step that lost points or follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from walkthrough.recording.verdict import Verdict
from walkthrough.teaching.feedback.sentences import labels_of, say_answer, say_costs, say_points, say_rest, say_well
from walkthrough.teaching.mark.causes import say_of_slip
from walkthrough.teaching.mark.explain import line_of
from walkthrough.teaching.mark.marked import VERDICTS, Marked, Slip, StepMarks, write_points
from walkthrough.teaching.titles import Titles
from walkthrough.text import escape_label
from walkthrough.views.report.blocks import Block, Items, Note, Paragraph, Report, Table

_MOST_IGNORED = 5
"""So many of the lines that belong to no cell are told."""


def sheet_report(marked: Marked, titles: Titles, most: int | None = None) -> Report:
    """The points of one sheet, and what went wrong on it. most: slips that are told; None: all"""
    words = titles.words
    brief = f"{escape_label(marked.student or marked.name)}: {say_points(marked, words)}"
    return Report(f"{words('marks')}: {brief}", lambda: _blocks(marked, titles, most), brief=brief)


def _blocks(marked: Marked, titles: Titles, most: int | None) -> Iterator[Block]:
    words, counts = titles.words, marked.counts
    if marked.altered:
        yield Items(tuple(one.said(words, titles.with_symbol) for one in marked.altered), words("altered"))
    if marked.ignored:
        yield _ignored(marked, titles)
    if counts["right"] == len(marked.cells):
        yield Paragraph(" ".join(say_well(marked, words)))
        return
    found = [*(_slip(slip, marked, titles) for slip in marked.slips), *_unreadable(marked, titles)]
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
    lines = tuple(f"{words('line')} {one.line}: {one.why}" for one in several[:_MOST_IGNORED])
    more = ("…",) if len(several) > _MOST_IGNORED else ()
    return Items((*lines, *more), words("ignored"), words.pluralize("lines_unknown", len(several)))


def _slip(slip: Slip, marked: Marked, titles: Titles) -> Items:
    """Wrong cells of a step: how many and what they cost, what was probably done, and the line of the first."""
    words = titles.words
    count = words.pluralize("cells_wrong", len(slip.cells))
    line = line_of(slip.first, marked.own, words, titles.with_symbol)
    said = words("written_for", answer=say_answer(slip.first, words), line=line)
    lines = [say_of_slip(slip, words), said if len(slip.cells) == 1 else words("first", said=said)]
    title = titles.with_symbol(slip.first.value)
    return Items(tuple(filter(None, lines)), title, f"{count}, {say_costs(slip.costs, words)}")


def _unreadable(marked: Marked, titles: Titles) -> Iterator[Items]:
    words = titles.words
    for cell in marked.cells:
        if cell.finding is Verdict.UNREADABLE:
            reason = line_of(cell, marked.own, words) or ""
            name = titles.with_symbol(cell.value, labels_of(cell))
            yield Items((reason,), name, f"{say_answer(cell, words)} ({words(cell.verdict)})")


def step_table(steps: Sequence[tuple[StepMarks, str]], titles: Titles) -> Table:
    """A line a step with its points as they are said; verdicts that none has are left out."""
    words = titles.words
    counts = [credited(step.counts, step.trivial) for step, _ in steps]
    names = told(counts)
    header = (words("step"), *(words(name) for name in names), words("points"))
    rows = tuple(
        (titles.title(step.value), *(say_count(count[name], name) for name in names), points)
        for (step, points), count in zip(steps, counts, strict=True)
    )
    return Table(header, rows, right=tuple(range(1, len(names) + 2)))


def credited(counts: Mapping[str, int], trivial: int) -> dict[str, int]:
    """Counts for a table: what follows and earns nothing is trivial, and not among what follows."""
    found = {name: counts[name] for name in VERDICTS}
    return {**found, "follows": found["follows"] - trivial, "trivial": trivial}


def told(counts: Iterable[Mapping[str, int]]) -> list[str]:
    """The verdicts that have a column: right, and those that there are."""
    all_counts = list(counts)
    return [name for name in (*VERDICTS, "trivial") if name == "right" or any(one[name] for one in all_counts)]


def say_count(count: int, verdict: str) -> str:
    """A count in a table; only of right ones is 0 worth a digit."""
    return str(count) if count or verdict == "right" else ""
