"""The chapters: what each promises to a learner, and that every question can be answered."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path

import pytest

from tests.cli.program import invoke
from walkthrough.teaching.lessons.chapters import Chapter, Output, Question, Text, chapters
from walkthrough.teaching.lessons.questions import NumberJudge
from walkthrough.teaching.lessons.questions import judge_of as make_judge

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "course"
CHAPTERS = chapters()
QUESTIONS = [(chapter, question) for chapter in CHAPTERS for question in chapter.questions]


@cache
def shown(*arguments: str) -> str:
    """What a command prints: the same ones stand before many a question."""
    return invoke(*arguments).stdout


judge_of = cache(make_judge)
"""A judge has calculated the scenario of its question; what it is asked changes nothing in it."""


def name(one: object) -> str:
    return one.name if isinstance(one, Chapter) else ""


def test_every_file_is_a_chapter_in_the_list() -> None:
    listed = re.findall(r"\]\((\d-[\w-]+\.md)\)", (FOLDER / "README.md").read_text(encoding="utf-8"))
    assert listed == [f"{one.number}-{one.name}.md" for one in CHAPTERS]
    assert listed == sorted(path.name for path in FOLDER.glob("[0-9]*.md"))
    assert [one.number for one in CHAPTERS] == list(range(1, len(CHAPTERS) + 1))


@pytest.mark.parametrize("chapter", CHAPTERS, ids=name)
def test_a_chapter_asks_says_why_breaks_something_and_ends_with_an_exercise(chapter: Chapter) -> None:
    parts = [part for section in chapter.sections for part in section.parts]
    prose = [part.markdown for part in parts if isinstance(part, Text)]
    prose += [f"{part.markdown} {part.answer}" for part in parts if isinstance(part, Question)]
    assert 700 <= len(" ".join(prose).split()) <= 1800
    assert len(chapter.questions) >= 3
    assert 12 <= chapter.minutes <= 20
    assert any(section.heading.startswith("Why") for section in chapter.sections)
    assert any("--set" in part.arguments for part in parts if isinstance(part, Output))
    assert re.search(r"\(\d{4}\)", " ".join(prose))
    last = chapter.sections[-1]
    assert last.heading == "Exercise"
    assert any(question.cell for question in last.questions)
    assert not any(isinstance(part, Output) for part in last.parts)


@pytest.mark.parametrize(("chapter", "question"), QUESTIONS, ids=name)
def test_the_right_answer_is_right_and_others_are_not(chapter: Chapter, question: Question) -> None:
    judge = judge_of(question)
    assert judge.judge(judge.right).is_right
    assert question.answer
    wrong = ["", "a word", "12345.678", "?" * 10_000, "−" * 3]
    assert not any(judge.judge(text).is_right for text in wrong)
    if question.letter:
        letters = re.findall(r"^- ([a-z])\)", question.markdown, re.MULTILINE)
        assert question.letter in letters
        assert [letter for letter in letters if judge.judge(f" {letter.upper()}) ").is_right] == [question.letter]
    else:
        assert judge.hint
        told = [abs(float(number)) for number in re.findall(r"\d+(?:\.\d+)?", question.answer)]
        assert abs(float(judge.right.replace("−", "-"))) in told


def test_a_number_that_the_question_sets_is_calculated_with() -> None:
    question = Question("", scenario="one-head", cell="scores[drinks, cat]", sets=("embeddings[drinks, 2]=3",))
    assert judge_of(question).right == "6"  # 2, 3, 0, 2 times 0, 2, 1, 0; it was 2
    assert not judge_of(question).judge("2").is_right


def test_by_hand_the_scenario_says_how_the_numbers_before_are_rounded(tmp_path: Path) -> None:
    text = """
        title: A third
        rounding: {decimals: 1}
        decimals: 3
        tokens: [a, b]
        attention: {scale: none, heads: [{scores: [[0, 0.34], [0, 0]], v: [[0], [1]]}]}
    """
    path = tmp_path / "third.yaml"
    path.write_text(text, encoding="utf-8")
    shown = Question("", scenario=str(path), cell="softmax.sum[a, 1]", decimals=3)
    assert judge_of(shown).right == "2.405"
    assert judge_of(shown.replace(by_hand=True, decimals=None)).right == "2.4"


@pytest.mark.parametrize(("chapter", "question"), [one for one in QUESTIONS if one[1].cell], ids=name)
def test_no_output_before_a_question_holds_its_answer(chapter: Chapter, question: Question) -> None:
    judge = judge_of(question)
    assert isinstance(judge, NumberJudge)
    path = judge.cell.partition("[")[0]
    for section in chapter.sections:
        for part in section.parts:
            if part is question:
                return
            if isinstance(part, Output) and part.arguments[1] == question.scenario and _sets(part) == question.sets:
                assert f" {path} " not in shown(*part.arguments)


def _sets(output: Output) -> tuple[str, ...]:
    """The changed numbers and words with which an output is calculated."""
    pairs = zip(output.arguments, output.arguments[1:], strict=False)
    return tuple(value for name, value in pairs if name == "--set")


def test_what_is_added_up_by_hand_is_what_its_printed_numbers_make() -> None:
    number = r"\d+(?:\.\d+)?"
    term = rf"{number}(?:×{number})?"
    sums = []
    for path in sorted(FOLDER.glob("[0-9]*.md")):
        told = " ".join(re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL).split())
        sums += re.findall(rf"({term}(?: \+ {term})+) = ({number})(?![\d×]|\.\d| \+)", told)
        sums += re.findall(rf"({number}(?:, {number})* and {number})[^\d]*add up to ({number})", told)
    assert len(sums) >= 12
    for terms, printed in sums:
        products = [re.findall(number, one) for one in re.findall(term, terms)]
        exact = sum(math.prod(map(Decimal, factors)) for factors in products)
        assert Decimal(exact).quantize(Decimal(printed), ROUND_HALF_UP) == Decimal(printed), f"{terms} = {printed}"


def test_fair_reading() -> None:
    question = next(question for _, question in QUESTIONS if question.cell.startswith("scaled_scores"))
    assert all(judge_of(question).judge(text).is_right for text in ("2.5", "2,5", "5/2", "2.50"))
    assert judge_of(question).judge("1.25").remark  # divided by d_k: the slip has a name


@pytest.mark.parametrize(
    ("number", "cell", "answer", "word"),
    [
        (2, "scaled_scores", "1.25", "divided by d_k instead of √d_k"),
        (2, "weights", "0.88", "not divided by √d_k"),
        (2, "weights", "0.59", "2^x was used instead of e^x"),
        (9, "query_rotated", "0.999", "the angles are in degrees"),
    ],
)
def test_the_slip_that_a_chapter_is_about_has_its_cause(number: int, cell: str, answer: str, word: str) -> None:
    question = next(one for one in CHAPTERS[number - 1].questions if one.cell.startswith(cell))
    assert judge_of(question).judge(answer).remark == f"Probably {word}."


@pytest.mark.parametrize(
    ("number", "cell", "answer"),
    [
        (7, "decoder.1.residual_1", "9.86"),
        (8, "loss", "1.10"),
        (8, "gradient.output_head.w", "-0.21"),
        (3, "encoder", "2.33"),
    ],
)
def test_no_mistake_is_made_up_in_a_step_whose_numbers_the_chapter_has_shown(
    number: int, cell: str, answer: str
) -> None:
    """9.86 is 9.87 cut off: the positions, with whose base 100000 it would come out, stand above the question."""
    question = next(one for one in CHAPTERS[number - 1].questions if one.cell.startswith(cell))
    assert judge_of(question).judge(answer) == (False, "", True)


@pytest.mark.parametrize(
    ("number", "cell", "answer", "reason"),
    [
        (1, "query", "3", "first row of W_Q"),
        (2, "scaled_scores", "5,0", "the score itself"),
        (2, "softmax.exp", "8", "2^3"),
        (3, "head.1.scaled_scores", "5", "still to be divided"),
        (4, "activation", "−0.35", "does not stay"),
        (9, "head.2.scores", "-2", "Both factors"),
        (3, "encoder.1.attention.output", "1.69", "first row of W_O"),
        (4, "norm_1.variance", "1,18", "root"),
        (8, "loss", "0.87", "base 10"),
        (9, "key_rotated", "1.14", "minus"),
    ],
)
def test_a_number_that_no_usual_mistake_gives_hears_what_the_chapter_says_of_it(
    number: int, cell: str, answer: str, reason: str
) -> None:
    question = next(one for one in CHAPTERS[number - 1].questions if one.cell.startswith(cell))
    reply = judge_of(question).judge(answer)
    assert not reply.is_right
    assert reason in reply.remark


def test_e_may_be_rounded_as_the_chapter_gives_it() -> None:
    question = next(one for one in CHAPTERS[1].questions if one.cell.startswith("softmax.exp"))
    for text in ("20.08", "20.09", "20,0855"):  # 2.718³, e³
        assert judge_of(question).judge(text).is_right
    assert not judge_of(question).judge("20.2").is_right
