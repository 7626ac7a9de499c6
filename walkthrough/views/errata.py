"""Shows a report of checked numbers: the first wrong one with its arithmetic, a table, counts, conclusions."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len

from walkthrough.checking.check import Judged, Report
from walkthrough.checking.digits import Printed
from walkthrough.explaining.worked import worked
from walkthrough.notation import written
from walkthrough.text import counted, printable
from walkthrough.views.markdown import escaped
from walkthrough.views.table import padded

_MEANING = {
    "exact": "right to the digits printed",
    "rounding": "not the right digits, but reachable with rounded intermediates",
    "inherited": "follows from a wrong number before it",
    "wrong": "not reachable from the numbers it was computed from",
    "unjudged": "the right value is no number, after an overflow or a division of zero by zero",
}
_NOTHING = "no number stands under published, so there is nothing to judge"


def as_text(reports: Sequence[Report], every: bool = False, width: int = 80) -> str:
    """The reports, for a terminal; `every`: list the numbers that are exact too."""
    return "\n".join(_text(report, every, width) for report in reports)


def _text(report: Report, every: bool, width: int) -> str:
    if not report.cells:
        return "\n".join(textwrap.wrap(f"{printable(report.name)}: {_NOTHING}", width)) + "\n"
    lines = [f"{printable(report.name)}: {counted(len(report.cells), 'published number')}", ""]
    if first := report.with_verdict("wrong")[:1]:
        lines += [
            f"First wrong number: {cell_label(first[0])}",
            f"    printed {first[0].cell.text}, right is {right_text(first[0])}",
        ]
        line = f"because {_arithmetic(report, first[0])}"
        lines += [*textwrap.wrap(line, width, initial_indent="    ", subsequent_indent="        "), ""]
    if listed := _listed(report, every):
        lines += [*_table(listed, width), ""]
    counts = [[verdict, str(count), _MEANING[verdict]] for verdict, count in report.summary.items()]
    lines += [*counts_table(counts, width), "", *textwrap.wrap(report.assumed, width)]
    if report.conclusions:
        lines += ["", *_conclusions(report, width)]
    return "\n".join(lines) + "\n"


def _table(listed: Sequence[Judged], width: int) -> list[str]:
    """One line for each number; each step on a line of its own where the table is too wide."""
    header, right = ["number", "printed", "right", "verdict"], (1, 2)
    rows = [[cell_label(one), one.cell.text, right_text(one), one.verdict] for one in listed]
    lines = padded(header, rows, right)
    if max(map(cell_len, lines)) <= width:
        return lines
    paths = [one.cell.value.path for one in listed]
    short = [["  " + label.removeprefix(path), *rest] for path, (label, *rest) in zip(paths, rows, strict=True)]
    lines, *rest = ([line] for line in padded(header, short, right))
    for at, line in enumerate(rest):
        lines += line if at and paths[at] == paths[at - 1] else [paths[at], *line]
    return lines


def counts_table(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Words, their numbers and what they mean; a meaning that is too wide is continued below itself."""
    lines: list[str] = []
    for line, (*_, meaning) in zip(padded(None, rows, right=(1,)), rows, strict=True):
        lines += textwrap.wrap(line, width, subsequent_indent=" " * (len(line) - len(meaning)))
    return lines


def _conclusions(report: Report, width: int) -> list[str]:
    failed = dict.fromkeys(one for one in report.conclusions if not one.holds)
    kept = len(dict.fromkeys(report.conclusions)) - len(failed)
    lines = [f"Conclusions that survive: {kept}; that do not: {len(failed)}"]
    for one in failed:
        lines += textwrap.wrap(f"{one.subject}: {one.said}", width, initial_indent="    ", subsequent_indent="        ")
    return lines


def as_markdown(reports: Sequence[Report], every: bool = False) -> str:
    """The reports as an errata sheet."""
    return "\n".join(_markdown(report, every) for report in reports)


def _markdown(report: Report, every: bool) -> str:
    parts = [f"# Errata: {escaped(report.trace.title)}"]
    if report.trace.source:
        parts.append(f"Source: {escaped(' '.join(report.trace.source.split()))}")
    if not report.cells:
        return "\n\n".join([*parts, f"{_NOTHING.capitalize()}."]) + "\n"
    counts = [[verdict, str(count), _MEANING[verdict]] for verdict, count in report.summary.items()]
    parts += [_pipe_table(["verdict", "numbers", "meaning"], counts, right=(1,)), report.assumed]
    if first := report.with_verdict("wrong")[:1]:
        said = f"printed {escaped(first[0].cell.text)}, right is {escaped(right_text(first[0]))}"
        parts.append(f"**First wrong number:** {escaped(cell_label(first[0]))}: {said}")
        parts.append(escaped(_arithmetic(report, first[0])))
    rows = [
        [escaped(cell_label(one)), escaped(one.cell.text), escaped(right_text(one)), one.verdict]
        for one in _listed(report, every)
    ]
    if rows:
        parts.append(_pipe_table(["number", "printed", "right", "verdict"], rows, right=(1, 2)))
    failed = dict.fromkeys(one for one in report.conclusions if not one.holds)
    if failed:
        parts.append("Conclusions that do not survive:")
        parts.append("\n".join(f"- {escaped(one.subject)}: {escaped(one.said)}" for one in failed))
    return "\n\n".join(parts) + "\n"


def as_json(reports: Sequence[Report]) -> str:
    """One object for one report, a list of them for several."""
    documents = [_document(report) for report in reports]
    return json.dumps(documents[0] if len(documents) == 1 else documents, indent=1, ensure_ascii=False) + "\n"


def _document(report: Report) -> dict[str, Any]:
    cells = [
        {
            "path": one.cell.value.path,
            "row": one.row,
            "column": one.column,
            "published": one.cell.text,
            "computed": _json_number(one.computed),
            "verdict": one.verdict,
        }
        for one in report.cells
    ]
    conclusions = [{"subject": one.subject, "holds": one.holds, "said": one.said} for one in report.conclusions]
    return {
        "scenario": report.name,
        "cells": cells,
        "summary": report.summary,
        "assumed": report.assumed,
        "conclusions": conclusions,
    }


def _json_number(computed: float | str) -> float | str | None:
    if isinstance(computed, str):
        return computed
    if computed != computed:
        return None
    return computed if abs(computed) != float("inf") else "inf" if computed > 0 else "-inf"


def _listed(report: Report, every: bool) -> list[Judged]:
    """The numbers to list, in the order of the calculation; of repeated prints of one number only the first."""
    wanted = ("wrong", "inherited", "rounding", "unjudged", *(["exact"] if every else []))
    chosen = [one for verdict in wanted for one in report.with_verdict(verdict)]
    if not every:
        chosen = list({(cell_label(one), one.cell.text, one.verdict): one for one in reversed(chosen)}.values())[::-1]
    place = {id(value): number for number, value in enumerate(report.trace)}
    return sorted(chosen, key=lambda one: (place[id(one.cell.value)], one.cell.row, one.cell.column))


def cell_label(one: Judged) -> str:
    """The path and the labels of a number."""
    value = one.cell.value
    labels = [one.row] if value.shape[0] > 1 or value.shape[1] == 1 else []
    if value.shape[1] > 1:
        labels.append(one.column)
    return f"{value.path}[{', '.join(map(printable, labels))}]"


def right_text(one: Judged) -> str:
    """The right number with as many decimals as are printed, or one more where those look the same."""
    if one.verdict == "unjudged":
        return "no number"
    if isinstance(one.computed, str) or not isinstance(one.cell.printed, Printed):
        return printable(str(one.computed))
    if "e" in one.cell.text.lower():
        digits = sum(character.isdigit() for character in one.cell.text.lower().partition("e")[0])
        return f"{one.computed:.{max(digits - 1, 0)}e}"
    return written(one.computed, max(one.cell.printed.decimals, 0))


def _arithmetic(report: Report, one: Judged) -> str:
    printed = one.cell.printed
    decimals = max(printed.decimals, 0) if isinstance(printed, Printed) else report.trace.decimals
    return str(worked(one.cell.value, one.cell.row, one.cell.column, min(decimals, 12), terms=8))


def _pipe_table(header: list[str], rows: list[list[str]], right: tuple[int, ...]) -> str:
    rule = ["--:" if at in right else ":--" for at in range(len(header))]
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, rule, *rows))
