"""The report on a draft: a line for each slip, counts, and the tables that could not be placed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from walkthrough.drafts.check import DraftResult
from walkthrough.drafts.place import Placed
from walkthrough.drafts.reasons import HOW_TO_NAME
from walkthrough.judging.check import Judged
from walkthrough.mistakes.mistake import Mistake
from walkthrough.mistakes.places import group_mistakes
from walkthrough.mistakes.sentences import say_likely
from walkthrough.mistakes.words import Changes
from walkthrough.text import escape_label, pluralize
from walkthrough.views import data
from walkthrough.views.report.blocks import Block, Items, Note, Paragraph, Report, Table
from walkthrough.views.report.published import cell_data, cell_label, counts, shown_print, shown_right

_LISTED = ("wrong", "inherited", "unjudged")
"""In this order; what rounding explains is only counted."""
_HEADER = ("line", "first number", "printed", "right", "verdict", "numbers", "likely cause")


def report(draft: DraftResult, every: bool = False) -> Report:
    """The report; `every`: list the other numbers too."""
    where = "place" if any(sum(map(len, one.table.rows)) == 1 for one in draft.placed) else "table"
    numbers, places = pluralize(len(draft.judged.cells), "number"), pluralize(len(draft.placed), where)
    return Report(
        f"Draft: {escape_label(draft.draft)}",
        lambda: _blocks(draft, every),
        lambda: data.document("draft", _data(draft)),
        brief=f"{draft.draft}: {numbers} in {places}, judged by {draft.judged.name}",
    )


def _blocks(draft: DraftResult, every: bool) -> Iterator[Block]:
    name = escape_label(draft.draft)
    rows = _each(draft) if every else _slips(draft)
    if rows:
        shown = len(_HEADER) if any(row[-1] for row in rows) else len(_HEADER) - 1
        yield Table(_HEADER[:shown], tuple(row[:shown] for row in rows), right=(2, 3, 5), whole=True)
    yield counts(draft.judged)
    yield Paragraph(draft.judged.assumed)
    if draft.not_placed:
        lines = tuple(f"{name}:{one.line} ({one.shown_shape}): {one.why}" for one in draft.not_placed)
        yield Items(lines, "Not placed", pluralize(len(lines), "table"))
        yield Note(HOW_TO_NAME)


Numbers = Sequence[tuple[Judged, int]]
"""Judged numbers, each with its line."""


def _each(draft: DraftResult) -> tuple[tuple[str, ...], ...]:
    """A row for each number."""
    return tuple(_row(draft, [one]) for one in zip(draft.judged.cells, draft.lines, strict=True))


def _slips(draft: DraftResult) -> tuple[tuple[str, ...], ...]:
    """A row for each slip: numbers with one cause, in whatever head or layer, or those of a step without any."""
    causes = draft.judged.causes()
    numbers = list(zip(draft.judged.cells, draft.lines, strict=True))
    found = [
        places
        for verdict in _LISTED
        for places in group_mistakes(
            (causes.get(one.cell), one.cell.value.path, (one, line)) for one, line in numbers if one.verdict == verdict
        )
    ]
    return tuple(_row(draft, [one for made in places.values() for one in made]) for places in found)


def _row(draft: DraftResult, numbers: Numbers) -> tuple[str, ...]:
    """The first of several numbers, how many they are, and what was probably done."""
    (one, line), causes = numbers[0], draft.judged.causes()
    made = [causes[number.cell] for number, _ in numbers if number.cell in causes]
    return (
        f"{escape_label(draft.draft)}:{line}",
        cell_label(one),
        shown_print(one),
        _right(one, causes.get(one.cell)),
        one.verdict,
        str(len(numbers)),
        say_likely(made) if made else "",
    )


def _right(one: Judged, made: Mistake | None) -> str:
    """The right number; of a slip of the pen also the one that was meant, where that comes from other wrong numbers."""
    right, meant = shown_right(one), dict(made.facts if made else ()).get("number")
    is_slip = made is not None and made.row.changes is Changes.WRITING
    return f"{right}; from the printed numbers {meant}" if is_slip and meant != right else right


def _data(draft: DraftResult) -> dict[str, Any]:
    judged = draft.judged
    return {
        "scenario": judged.name,
        "draft": draft.draft,
        "tables": list(map(_table, draft.placed)),
        "not_placed": [{"line": one.line, "shape": one.shown_shape, "why": one.why} for one in draft.not_placed],
        "cells": [
            {**cell_data(one, judged.causes()), "line": line}
            for one, line in zip(judged.cells, draft.lines, strict=True)
        ],
        "summary": judged.summary,
        "assumed": judged.assumed,
    }


def _table(placed: Placed) -> dict[str, Any]:
    fit = placed.fit
    return {
        "line": placed.table.line,
        "path": fit.value.path,
        "rows": [fit.value.rows[at] for at in fit.rows],
        "columns": [fit.value.columns[at] for at in fit.columns],
    }
