"""The report on a draft: a line for each number that is wrong, counts, and the tables that could not be placed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from walkthrough.drafts.check import DraftResult
from walkthrough.drafts.place import Placed
from walkthrough.mistakes.sentences import say_likely
from walkthrough.text import escape_label, pluralize
from walkthrough.views import data
from walkthrough.views.report.blocks import Block, Items, Paragraph, Report, Table
from walkthrough.views.report.published import cell_data, cell_label, counts, shown_print, shown_right, with_true_minus

_LISTED = ("wrong", "inherited", "unjudged")


def report(draft: DraftResult, every: bool = False) -> Report:
    """The report; `every`: list the other numbers too."""
    numbers, tables = pluralize(len(draft.judged.cells), "number"), pluralize(len(draft.placed), "table")
    return Report(
        f"Draft: {escape_label(draft.draft)}",
        lambda: _blocks(draft, every),
        lambda: data.document("draft", _data(draft)),
        brief=f"{draft.draft}: {numbers} in {tables}, judged by {draft.judged.name}",
    )


def _blocks(draft: DraftResult, every: bool) -> Iterator[Block]:
    name = escape_label(draft.draft)
    causes = draft.judged.causes()
    rows = tuple(
        (
            f"{name}:{line}",
            cell_label(one),
            shown_print(one),
            shown_right(one),
            one.verdict,
            with_true_minus(say_likely([causes[one.cell]])) if one.cell in causes else "",
        )
        for one, line in zip(draft.judged.cells, draft.lines, strict=True)
        if every or one.verdict in _LISTED
    )
    if rows:
        header = ("line", "number", "printed", "right", "verdict", *(["likely cause"] if causes else []))
        yield Table(header, tuple(row[: len(header)] for row in rows), right=(2, 3), whole=True)
    yield counts(draft.judged)
    yield Paragraph(draft.judged.assumed)
    if draft.not_placed:
        lines = tuple(f"{name}:{one.line} ({one.shown_shape}): {one.why}" for one in draft.not_placed)
        yield Items(lines, "Not placed", pluralize(len(lines), "table"))


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
