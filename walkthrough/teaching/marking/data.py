"""Marks for programs: JSON, and a gradebook as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from walkthrough.languages.catalogue import ENGLISH
from walkthrough.mistakes.sentences import say_likely
from walkthrough.recording.verdict import Verdict
from walkthrough.teaching.marking.marked import VERDICTS, Marked, MarkedCell, Slip, StepMarks, write_points
from walkthrough.teaching.marking.results import ClassStep, Failed, Result, class_steps
from walkthrough.teaching.marking.sentences import line_of, say_note, say_of_slip
from walkthrough.teaching.marking.student import StudentCalculation
from walkthrough.teaching.sheets.titles import Titles
from walkthrough.text import escape_formula
from walkthrough.views import data


def sheet_data(result: Result) -> dict[str, Any]:
    """One sheet for programs, in English whatever its language."""
    if isinstance(result, Failed):
        return {"sheet": result.name, "error": result.error}
    titles = Titles.of(result.sheet, ENGLISH)
    return {
        "sheet": result.name,
        "student": result.student,
        "cells": [_cell_data(cell, result.own) for cell in result.cells],
        "steps": [_step_data(step, step.points) for step in result.steps],
        "points": round(result.points, 12),
        "of": result.of,
        "note": say_note(result, ENGLISH),
        "slips": [_slip_data(slip, result.own, titles) for slip in result.slips],
        "ignored": [{"line": one.line, "why": one.why()} for one in result.ignored],
        "altered": [one.say(ENGLISH) for one in result.altered],
    }


def _cell_data(cell: MarkedCell, own: StudentCalculation) -> dict[str, Any]:
    return {
        **data.cell(cell.value, cell.row, cell.column),
        "answer": None if cell.finding is Verdict.MISSING else cell.answer.text,
        "right": _answer_data(cell.by_hand),
        "exact": _answer_data(cell.right),
        "verdict": cell.verdict,
        "from_own": cell.from_own,
        "line": line_of(cell, own, ENGLISH),
        "cause": cell.cause.word if cell.cause else None,
        "likely": say_likely([cell.cause], ENGLISH) if cell.cause else None,
        "trivial": cell.is_trivial,
    }


def _answer_data(answer: float | str) -> Any:
    return answer if isinstance(answer, str) else data.number(answer, unknown=True)


def _slip_data(slip: Slip, own: StudentCalculation, titles: Titles) -> dict[str, Any]:
    first = slip.first
    return {
        "path": first.value.path,
        "title": titles.title(first.value),
        "cause": first.cause.word if first.cause else None,
        "likely": say_of_slip(slip, titles),
        "cells": [*map(_place_data, slip.cells)],
        "places": [
            {
                "path": cells[0].value.path,
                "title": titles.title(cells[0].value),
                "cells": [*map(_place_data, cells)],
            }
            for cells in slip.places
        ],
        "line": line_of(first, own, ENGLISH),
        "costs": round(slip.costs, 12),
    }


def _place_data(cell: MarkedCell) -> dict[str, Any]:
    return {"row": cell.value.rows[cell.row], "column": cell.value.columns[cell.column]}


def _step_data(step: StepMarks, points: float) -> dict[str, Any]:
    counts = {verdict: step.counts[verdict] for verdict in VERDICTS}
    return {"path": step.path, **counts, "trivial": step.trivial, "points": round(points, 12)}


def class_data(results: Sequence[Result]) -> dict[str, Any]:
    """All sheets for programs."""
    steps = [_class_step_data(step) for step in class_steps(results)]
    return data.document("mark", {"sheets": [sheet_data(result) for result in results], "steps": steps})


def _class_step_data(step: ClassStep) -> dict[str, Any]:
    likely = say_likely(step.causes, ENGLISH) if step.causes else None
    return {
        **_step_data(step.marks, step.points),
        "cause": step.causes[0].word if step.causes else None,
        "likely": likely,
    }


def gradebook(results: Sequence[Result]) -> str:
    """A line a sheet, as CSV."""
    paths = list(dict.fromkeys(step.path for one in results if isinstance(one, Marked) for step in one.steps))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["sheet", "student", "points", "of", *VERDICTS, *paths])
    for one in results:
        if isinstance(one, Failed):
            writer.writerow([escape_formula(one.name), *[""] * (3 + len(VERDICTS) + len(paths))])
            continue
        points = {step.path: write_points(step.points) for step in one.steps}
        counts = [one.counts[verdict] for verdict in VERDICTS]
        head = [escape_formula(one.name), escape_formula(one.student), write_points(one.points), one.of]
        writer.writerow([*head, *counts, *(points.get(path, "") for path in paths)])
    return out.getvalue()
