"""The report on published numbers: the first wrong one with its arithmetic, a table, counts, conclusions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from walkthrough.explaining.worked import Worked, cell_name, work_out
from walkthrough.judging import check
from walkthrough.judging.check import Causes, Judged
from walkthrough.judging.conclusions import Conclusion
from walkthrough.judging.digits import Printed
from walkthrough.languages.catalogue import ENGLISH
from walkthrough.mistakes.places import group_mistakes
from walkthrough.mistakes.sentences import say_likely
from walkthrough.notation import write_number
from walkthrough.recording.values import Value
from walkthrough.text import escape_label, pluralize
from walkthrough.views import data
from walkthrough.views.report.blocks import Block, Items, Paragraph, Report, Table
from walkthrough.views.report.head import source

_NOTHING = "There is nothing to judge: the scenario has no published numbers."


def report(judged: check.CheckResult, every: bool = False) -> Report:
    """The report; `every`: list the numbers that are exact too."""
    return Report(
        f"Errata: {judged.trace.title}",
        lambda: _blocks(judged, every),
        lambda: data.document("check", _data(judged)),
        brief=f"{judged.name}: {pluralize(len(judged.cells), 'published number')}",
        about=source(judged.trace, ENGLISH),
    )


def _blocks(judged: check.CheckResult, every: bool) -> Iterator[Block]:
    if not judged.cells:
        yield Paragraph(_NOTHING)
        return
    if wrong := judged.with_verdict("wrong")[:1]:
        yield Items(tuple(_why(judged, wrong[0])), "First wrong number", cell_label(wrong[0]))
    chosen = [one for one in judged.cells if every or one.verdict != "exact"]
    if listed := _prints_to_list(judged, chosen, every):
        yield _table(listed)
    if likely := tuple(_likely(judged)):
        yield Items(likely, "Likely causes", "")
    yield counts(judged)
    if len(listed) < len(chosen):
        yield Paragraph("A number that is printed several times counts each time and is listed once.")
    yield Paragraph(judged.assumed)
    if judged.conclusions:
        yield _conclusions(judged.conclusions)


def _why(judged: check.CheckResult, one: Judged) -> Iterator[str]:
    """A wrong number beside the right one, both lines that lead there, and what was probably done."""
    yield f"printed {shown_print(one)}, right is {shown_right(one)}"
    right, printed = str(arithmetic(judged, one)), arithmetic_as_printed(judged, one)
    yield f"because {right}"
    if printed not in ("", right):
        yield f"from the printed numbers {printed}"
    if cause := judged.causes().get(one.cell):
        yield say_likely([cause])


def _likely(judged: check.CheckResult) -> Iterator[str]:
    """A line for each mistake: the step where it was made first, where it was made again, how much it explains."""
    for places in group_mistakes((cause, cell.value.path, cause) for cell, cause in judged.causes().items()):
        first, *again = places
        causes = [cause for made in places.values() for cause in made]
        where = f"{first} and {pluralize(len(again), 'more step')}" if again else first
        yield f"{where}: {pluralize(len(causes), 'number')}. {say_likely(causes)}"


def counts(judged: check.CheckResult) -> Table:
    """How many numbers have each verdict."""
    rows = tuple((verdict, str(count), ENGLISH(f"means_{verdict}")) for verdict, count in judged.summary.items())
    return Table(("verdict", "numbers", "meaning"), rows, right=(1,), headless=True)


def _table(listed: Sequence[Judged]) -> Table:
    rows = tuple((cell_label(one), shown_print(one), shown_right(one), one.verdict) for one in listed)
    paths = tuple(one.cell.value.path for one in listed)
    return Table(("number", "printed", "right", "verdict"), rows, right=(1, 2), groups=paths)


def _conclusions(conclusions: Sequence[Conclusion]) -> Items:
    distinct = dict.fromkeys(conclusions)
    failed = tuple(f"{one.subject}: {one.said}" for one in distinct if not one.holds)
    kept = len(distinct) - len(failed)
    return Items(failed, "Conclusions that hold", f"{kept}; that do not: {len(failed)}")


def _right_number(judged: check.Judged) -> data.Number:
    """The right number or word; an unknown one is null, one where the calculation breaks down `nan`."""
    right = judged.computed
    return right if isinstance(right, str) else data.number(right, judged.cell.value.unknown)


def cell_data(one: check.Judged, causes: Causes) -> dict[str, Any]:
    """A printed number for programs."""
    cause = causes.get(one.cell)
    return {
        **data.cell(one.cell.value, one.cell.row, one.cell.column),
        "published": one.cell.text,
        "computed": _right_number(one),
        "verdict": one.verdict,
        "cause": cause.word if cause else None,
        "likely": say_likely([cause]) if cause else None,
    }


def _data(judged: check.CheckResult) -> dict[str, Any]:
    cells = [cell_data(one, judged.causes()) for one in judged.cells]
    conclusions = [{"subject": one.subject, "holds": one.holds, "said": one.said} for one in judged.conclusions]
    return {
        "scenario": judged.name,
        "cells": cells,
        "summary": judged.summary,
        "assumed": judged.assumed,
        "conclusions": conclusions,
    }


def _prints_to_list(judged: check.CheckResult, chosen: Sequence[Judged], every: bool) -> list[Judged]:
    """The numbers to list, in the order of the calculation; of repeated prints of one number only the first."""
    order = {value: number for number, value in enumerate(judged.trace)}
    ordered = sorted(chosen, key=lambda one: (order[one.cell.value], one.cell.row, one.cell.column))
    first: dict[object, Judged] = {}
    for one in ordered:
        first.setdefault((cell_label(one), one.cell.text, one.verdict), one)
    return ordered if every else list(first.values())


def cell_label(one: Judged) -> str:
    """The path and the labels of a number."""
    return cell_name(one.cell.value, one.cell.row, one.cell.column, one.cell.value.path)


def right_text(one: Judged) -> str:
    """The right number with as many decimals as are printed, or one more where those look the same."""
    is_unknown = isinstance(one.computed, float) and math.isnan(one.computed) and one.cell.value.unknown
    if is_unknown or one.verdict == "unjudged":
        return "?" if is_unknown else "no number"
    if isinstance(one.computed, str) or not isinstance(one.cell.printed, Printed):
        return escape_label(str(one.computed))
    if one.cell.value.is_id(one.cell.column) and math.isfinite(one.computed):
        return f"{one.computed:.0f}"
    if "e" in one.cell.text.lower():
        digits = sum(character.isdigit() for character in one.cell.text.lower().partition("e")[0])
        return f"{one.computed:.{max(digits - 1, 0)}e}"
    return write_number(one.computed, max(one.cell.printed.decimals, 0))


def shown_print(one: Judged) -> str:
    """The printed number or word for people: a number with the minus sign of the arithmetic beside it."""
    return _for_people(one, escape_label(one.cell.text))


def shown_right(one: Judged) -> str:
    """The right number or word for people."""
    return _for_people(one, right_text(one))


def _for_people(one: Judged, text: str) -> str:
    return text.replace("-", "−") if isinstance(one.cell.printed, Printed) else text


def arithmetic(judged: check.CheckResult, one: Judged) -> Worked:
    """How the right number comes about, to the digits printed."""
    return _work_out(judged, one, one.cell.value)


def arithmetic_as_printed(judged: check.CheckResult, one: Judged) -> str:
    """What the printed numbers give, to the digits printed; empty for a given number."""
    value = one.cell.value
    if value.operation is None:
        return ""
    inputs = tuple(given.with_numbers(judged.points.array(given)) for given in value.inputs)
    return str(_work_out(judged, one, value.with_numbers(judged.points.compute(value), inputs)))


def _work_out(judged: check.CheckResult, one: Judged, value: Value) -> Worked:
    printed = one.cell.printed
    decimals = max(printed.decimals, 0) if isinstance(printed, Printed) else judged.trace.decimals
    return work_out(value, one.cell.row, one.cell.column, min(decimals, 12), terms=8)
