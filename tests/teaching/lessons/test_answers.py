"""An answer is read, judged and explained alike in Python and on the page."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from itertools import groupby

from tests.teaching.lessons.cases import Case, cases, place_of
from tests.views.page.js.engine import ENGINE, HERE, NODE, needs_node
from walkthrough.languages.catalogue import catalogue
from walkthrough.teaching.lessons.given_answers import GivenAnswers
from walkthrough.views.page.data import page_json
from walkthrough.views.selection import selection_of

CASES = cases()


def judged(case: Case) -> tuple[str, str, str]:
    """Reading, verdict and cause in Python."""
    answers = GivenAnswers(case.sheet, catalogue("en"))
    for cell, answer in case.given:
        answers.judge(*place_of(case.sheet, cell), answer)
    step, place = place_of(case.sheet, case.cell)
    found = answers.judge(step, place, case.answer.strip())
    number = None if step.value.is_word(place[2]) else found.answer.number
    return "" if number is None else _number(number), found.verdict, found.cause.word if found.cause else ""


def _number(number: float) -> str:
    return repr(float(number))


def expected(case: Case) -> tuple[str, str, str]:
    return _number(float(case.reading)) if case.reading else "", case.verdict, case.cause


def test_there_are_cases_enough() -> None:
    assert len(CASES) >= 300
    assert len({case.cause for case in CASES}) >= 12


def test_python_judges_as_the_table_says() -> None:
    found = [(case, judged(case)) for case in CASES]
    assert [(case, one) for case, one in found if one != expected(case)] == []


@needs_node
def test_the_page_judges_as_the_table_says() -> None:
    found = list(_on_the_page())
    assert [(case, one) for case, one in found if one != expected(case)] == []


def _on_the_page() -> Iterator[tuple[Case, tuple[str, str, str]]]:
    for _, group in groupby(CASES, lambda case: (case.scenario, case.decimals)):
        together = list(group)
        sheet = together[0].sheet
        steps = {value.path: at for at, value in enumerate(sheet.hand)}

        def asked(case: Case, cell: str, answer: str, steps: dict[str, int] = steps) -> list[object]:
            path, row, column = place_of(case.sheet, cell)[1]
            return [steps[path], row, column, answer]

        rounds = [
            [asked(case, cell, answer) for cell, answer in (*case.given, (case.cell, case.answer))] for case in together
        ]
        data = page_json(sheet.hand, selection_of(sheet.hand, ()), sheet.decimals)
        request = {"modules": ENGINE.rpartition("/engine/")[0], "data": data, "rounds": rounds}
        done = subprocess.run(
            [str(NODE), HERE / "answers.mjs"], input=json.dumps(request), capture_output=True, text=True, check=True
        )
        for case, (reading, verdict, cause) in zip(together, json.loads(done.stdout), strict=True):
            yield case, ("" if reading is None else _number(float(reading)), verdict, cause)
