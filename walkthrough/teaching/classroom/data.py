"""Marks for programs: JSON, and a gradebook as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from walkthrough.notation import write_shortest
from walkthrough.teaching.classroom.results import Failed, Result, class_steps
from walkthrough.teaching.mark.marked import VERDICTS, Marked, MarkedCell, StepMarks
from walkthrough.text import escape_formula
from walkthrough.views import data


def sheet_data(result: Result) -> dict[str, Any]:
    """One sheet for programs."""
    if isinstance(result, Failed):
        return {"sheet": result.name, "error": result.error}
    return {
        "sheet": result.name,
        "student": result.student,
        "cells": [_cell_data(cell) for cell in result.cells],
        "steps": [_step_data(step, step.points) for step in result.steps],
        "points": round(result.points, 12),
        "of": result.of,
        "altered": list(result.altered),
    }


def _cell_data(cell: MarkedCell) -> dict[str, Any]:
    return {
        **data.cell(cell.value, cell.row, cell.column),
        "answer": None if cell.verdict == "missing" else cell.answer.text,
        "right": cell.right if isinstance(cell.right, str) else data.number(cell.right),
        "verdict": cell.verdict,
        "from_own": cell.from_own,
        "line": cell.line,
        "likely": str(cell.likely) if cell.likely else None,
    }


def _step_data(step: StepMarks, points: float) -> dict[str, Any]:
    counts = {verdict: step.counts[verdict] for verdict in VERDICTS}
    return {"path": step.path, **counts, "trivial": step.trivial, "points": round(points, 12)}


def class_data(results: Sequence[Result]) -> dict[str, Any]:
    """All sheets for programs."""
    steps = [{**_step_data(step.marks, step.points), "likely": step.slip} for step in class_steps(results)]
    return data.document("mark", {"sheets": [sheet_data(result) for result in results], "steps": steps})


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
        points = {step.path: _points(step.points) for step in one.steps}
        counts = [one.counts[verdict] for verdict in VERDICTS]
        head = [escape_formula(one.name), escape_formula(one.student), _points(one.points), one.of]
        writer.writerow([*head, *counts, *(points.get(path, "") for path in paths)])
    return out.getvalue()


def _points(points: float) -> str:
    return write_shortest(points, 4)
