"""An answer is read, judged and explained alike in Python and on the page."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from docs.site.course import answer_data
from docs.site.page import WEB
from tests.examples import some
from tests.teaching.lessons.cases import Case, cases, of_each_kind, place_of
from tests.views.page.js.engine import ENGINE, HERE, NODE, needs_node
from walkthrough.languages.catalogue import catalogue
from walkthrough.teaching.lessons.chapters import Question
from walkthrough.teaching.lessons.given_answers import GivenAnswers
from walkthrough.teaching.lessons.questions import NumberJudge
from walkthrough.teaching.marking.mark import read_answer
from walkthrough.teaching.sheets.read.answer import answer_of
from walkthrough.views.page.assets import script
from walkthrough.views.page.data import page_json
from walkthrough.views.selection import selection_of

EVERY = cases()
CASES = some(of_each_kind(EVERY), EVERY)
"""What is judged: reading alone is tried of every case."""


def judged(case: Case) -> tuple[str, str, str]:
    """Reading, verdict and cause in Python."""
    answers = GivenAnswers(case.sheet, catalogue("en"))
    for cell, answer in case.given:
        told = place_of(case.sheet, cell)
        answers.show(*told) if answer == "!" else answers.judge(*told, answer)
    step, place = place_of(case.sheet, case.cell)
    found = answers.judge(step, place, case.answer.strip())
    number = None if step.value.is_word(place[2]) else found.answer.number
    return "" if number is None else _number(number), found.verdict, found.cause.word if found.cause else ""


def _number(number: float) -> str:
    return repr(float(number))


def expected(case: Case) -> tuple[str, str, str]:
    return _number(float(case.reading)) if case.reading else "", case.verdict, case.cause


def test_there_are_cases_enough() -> None:
    assert len(EVERY) >= 600
    assert len({case.cause for case in CASES}) >= 12
    assert {case.scenario for case in CASES} >= {"hot-sweet-cold", "latent", "gradient", "logits", "probabilities"}


def test_python_judges_as_the_table_says() -> None:
    found = [(case, judged(case)) for case in CASES]
    assert [(case, one) for case, one in found if one != expected(case)] == []


def test_a_sheet_is_read_as_the_table_says() -> None:
    """`mark` has a rule of its own for what is right; what was written it reads as the others do."""
    found = []
    for case in EVERY:
        step, place = place_of(case.sheet, case.cell)
        number = read_answer(step, place, answer_of(case.answer)).answer.number
        is_read = number is not None and not step.value.is_word(place[2])
        found.append((case, _number(number) if is_read and number is not None else ""))
    assert [(case, one) for case, one in found if one != expected(case)[0]] == []


@needs_node
def test_the_page_judges_as_the_table_says() -> None:
    found = list(_on_the_page())
    assert [(case, one) for case, one in found if one != expected(case)] == []


def sheet_of_case(case: Case) -> tuple[str, str]:
    return case.scenario, case.decimals


def _on_the_page() -> Iterator[tuple[Case, tuple[str, str, str]]]:
    for _, group in groupby(sorted(CASES, key=sheet_of_case), sheet_of_case):
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


SITE = [case for case in CASES if not case.own and not case.decimals and "inf" not in case.reading]
"""Those that a chapter could ask for: with the scenario's digits, and no hidden score."""
ASKED = some([case for case in SITE if case.scenario == "help-me"], SITE)


@needs_node
def test_the_course_on_the_site_judges_as_the_table_says(tmp_path: Path) -> None:
    """It has of each question the numbers that are right, and what mistakes give: the verdicts are the same."""
    questions = {
        (case.scenario, case.cell): Question("", scenario=case.source, cell=case.cell, by_hand=True) for case in ASKED
    }
    rights = {cell: answer_data(NumberJudge(question)) for cell, question in questions.items()}
    module = tmp_path / "judging.mjs"
    module.write_text(f"{script('judging.js', WEB)}\nexport {{ judge, stripQuotes }};\n", encoding="utf-8")
    program = f"""
        import {{ readFileSync }} from "node:fs";
        import {{ judge, stripQuotes }} from {json.dumps(module.as_uri())};
        const asked = JSON.parse(readFileSync(0, "utf8"));
        const found = asked.map(([text, right]) => judge(stripQuotes(text), right, {{}})[0]);
        process.stdout.write(JSON.stringify(found));
    """
    request = json.dumps([(case.answer, rights[case.scenario, case.cell]) for case in ASKED])
    command = [str(NODE), "--input-type=module", "-e", program]
    done = subprocess.run(command, input=request, capture_output=True, text=True, check=True)
    found = zip(ASKED, json.loads(done.stdout), strict=True)
    assert [(case, verdict) for case, verdict in found if verdict != case.verdict] == []
