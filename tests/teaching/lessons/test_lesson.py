"""A lesson, given where nothing is calculated for show: what is an answer, what is a try, and what is said."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from tests.teaching.lessons.test_chapters import judge_of
from walkthrough.teaching.lessons.chapters import Chapter, chapters
from walkthrough.teaching.lessons.lesson import Lesson


class Typed:
    """Somebody who types these lines, and what they are told."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.said: list[str] = []
        self.needed: list[str] = []

    def prose(self, markdown: str) -> None:
        pass

    def heading(self, text: str) -> None:
        pass

    def line(self, text: str) -> None:
        self.said.append(text)

    def lead(self, text: str) -> None:
        self.said.append(text)

    def output(self, arguments: Sequence[str]) -> None:
        self.said.append(f"$ {' '.join(arguments)}")

    def question(self, before: str, markdown: str) -> None:
        self.needed.append(before)

    def wait(self) -> bool:
        return True

    def ask(self) -> str | None:
        return self.lines.pop(0) if self.lines else None


def given(*lines: str) -> tuple[list[str], dict[int, bool]]:
    """What is said to these lines in the first chapter, and which first answers were right."""
    typed, answers = Typed(*lines), dict[int, bool]()
    Lesson(chapters()[0], typed, lambda section: None, answers.__setitem__).run()
    start = next(at for at, line in enumerate(typed.said) if line.startswith("Type your answer."))
    return typed.said[start + 1 :], answers


def test_what_cannot_be_read_as_an_answer_is_no_try() -> None:
    said, answers = given("two", "2", "z", "milk", "a", "d")
    assert said[0] == "No. Neither a number nor a fraction."
    assert said.count("No. Answer with one of the letters a, b, c, d.") == 2
    assert answers == {0: True, 1: False}


def test_who_tries_in_vain_is_told_the_way_out() -> None:
    said, _ = given("6", "4", "5", "2")
    assert said[:4] == ["No.", *["No. ! gives the answer, and why."] * 2, "Right."]


def test_a_wrong_choice_hears_why() -> None:
    said, _ = given("2", "z", "a", "b", "d")
    assert "No. A like pattern is not enough: its dot product is 2 + 0 + 0 + 2 = 4, and there is a larger one." in said
    assert "No. The numbers decide, not the meaning: its dot product is 2." in said


@pytest.mark.parametrize("chapter", chapters(), ids=lambda one: str(one.number))
def test_every_wrong_choice_has_its_sentence(chapter: Chapter) -> None:
    for question in chapter.questions:
        letters = re.findall(r"^- ([a-z])\)", question.markdown, re.MULTILINE)
        assert sorted(filter(str.isalpha, dict(question.reasons))) == [one for one in letters if one != question.letter]


def test_what_was_shown_stands_beside_the_question_that_needs_it() -> None:
    typed = Typed("q")
    Lesson(chapters()[0], typed, lambda section: None, lambda number, is_right: None).run()
    assert typed.needed == ["    E, row drinks:  0  1  2  0\n    W_Q, column 1:  0  0  1  0"]


def test_a_choice_has_the_rows_that_it_is_made_from_beside_it() -> None:
    question = next(one for one in chapters()[2].questions if one.letter == "c")
    assert judge_of(question).lines == [
        *(
            "    head 1: Q, row drinks:  3  −1",
            "    head 1: K, row the:     1   2",
            "    head 1: K, row cat:     2   1",
        ),
        *(
            "    head 1: K, row drinks:  1   0",
            "    head 1: K, row milk:    1   3",
            "    head 2: Q, row drinks:  2   1",
        ),
        *(
            "    head 2: K, row the:     1   1",
            "    head 2: K, row cat:     1   0",
            "    head 2: K, row drinks:  0   4",
        ),
        "    head 2: K, row milk:    2   3",
    ]


def test_the_numbers_beside_a_question_are_those_that_the_chapter_prints() -> None:
    """Not those of a calculation by hand: the row that was normed ends with −0.192, by hand with −0.193."""
    question = next(one for one in chapters()[3].questions if one.cell.startswith("norm_1.variance"))
    assert judge_of(question).lines == ["    D_1, row cat:  −0.052  1.788  −1.543  −0.192"]


def test_a_row_is_shown_with_as_many_decimals_throughout() -> None:
    question = chapters()[1].questions[2]
    assert judge_of(question).lines == ["    S', row drinks:  2.000  1.000  2.500  3.000"]


def test_an_exercise_has_what_it_needs_beside_it() -> None:
    typed = Typed("2", "d", "c", "q")
    Lesson(chapters()[0], typed, lambda section: None, lambda number, is_right: None).run()
    assert typed.needed[-1].splitlines() == [
        *("    E, row drinks:  0  3  2  0", "    W_Q, row 1:     0  1  1  0", "    W_Q, row 2:     0  1  0  0"),
        *("    W_Q, row 3:     1  0  0  1", "    W_Q, row 4:     0  0  1  0", "    K, row cat:     0  2  1  0"),
    ]


@pytest.mark.parametrize("chapter", chapters(), ids=lambda one: one.name)
def test_a_choice_that_compares_numbers_of_a_scenario_says_where_they_stand(chapter: Chapter) -> None:
    """A question and its choices fit a terminal of 24 lines with what is to be looked at."""
    for question in chapter.questions:
        lines = judge_of(question).lines
        assert question.cell or bool(lines) is bool(question.looks_at)
        assert len(lines) + question.markdown.count("\n") + 4 <= 24


def test_other_commands_of_the_program_are_refused() -> None:
    said, answers = given("walkthrough view one-head", "walkthrough", "steps one-head")
    assert said[0] == said[1]
    assert said[0].startswith("Here can be typed run, explain, steps, check, list or shapes;")
    assert said[2:] == ["$ steps one-head"]
    assert not answers
