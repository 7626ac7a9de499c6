"""Practice: questions, hints, verdicts, and what is said at the end."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator

import pytest

from tests.cli.program import PROGRAM, run, surroundings
from tests.teaching.sheets.make.test_maker import HEAD, made
from tests.teaching.students import handed_out
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.teaching.lessons.practice import Practice
from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
from walkthrough.teaching.sheets.read.answer import strip_quotes
from walkthrough.teaching.sheets.sheet import Sheet
from walkthrough.teaching.sheets.write.texts import Cells
from walkthrough.transformer.loading.load import load_scenario, parse_scenario

HELP_ME = handed_out("help-me")


def practised(sheet: Sheet, *lines: str) -> tuple[list[str], Practice]:
    """What is said when these lines are typed; the input ends behind them."""
    said: list[str] = []
    typed: Iterator[str] = iter(lines)

    def ask(question: str) -> str | None:
        said.append(question)
        return next(typed, None)

    practice = Practice(sheet, said.append, ask)
    practice.run()
    return said, practice


def test_the_question_names_the_cell_and_the_digits() -> None:
    said, _ = practised(HELP_ME)
    assert "S'[help, help] to 3 decimals?" in said
    assert "Round every number to 3 decimals before you go on, half away from zero." in said[:3]
    assert said[-1] == "No question was answered."


def test_all_answers_by_hand_are_right() -> None:
    for sheet in (HELP_ME, made(decimals=2).sheet(5)):
        typed = [Cells(step.value).text(row, column) for step, (_, row, column) in sheet.places]
        said, practice = practised(sheet, *typed)
        assert (practice.score.right, practice.score.first) == (len(typed), len(typed))
        assert said[-1] == "Nothing to practise again."
        assert f"{len(typed)} of {len(typed)} right, {len(typed)} on the first try" in said[-2]


def test_a_wrong_answer_is_asked_again_and_may_be_put_right() -> None:
    said, practice = practised(HELP_ME, "6", "1,5")
    assert not any(line.startswith("Probably") for line in said)  # a small whole number is no evidence
    assert (practice.score.asked, practice.score.right, practice.score.first) == (1, 1, 0)
    assert said[-1] == "Practise again: Scaled scores S'."


def test_what_was_probably_done_is_said_of_a_number_with_digits_enough() -> None:
    said, _ = practised(HELP_ME, "n", "4.428", "4.482")
    assert "Probably digits are swapped." in said


def test_an_empty_line_moves_on_and_what_follows_is_judged_from_the_wrong_answer() -> None:
    scaled = ["2.5", "", "1", "0.75", "2"]
    said, practice = practised(HELP_ME, *scaled, "12.182")
    assert said.count("Right with your 2.5.") == 1
    assert practice.score.right == 4


def test_a_refused_answer_is_no_operand_once_the_right_one_was_shown() -> None:
    said, _ = practised(HELP_ME, "7", "!", "n", "??", "!", "7.5", "", "n", "??", "10.218")
    assert "    U[help, help] = e^1.5" in said
    assert "It is 4.482." in said
    assert "    u[help] = 4.482 + 2.718" in said
    assert sum(line.startswith("No.") for line in said) == 3


def test_the_right_number_is_shown_whatever_came_before() -> None:
    said, _ = practised(HELP_ME, "7", "n", "??", "!", "q")
    assert "    U[help, help] = e^7   (with your 7)" in said
    assert "It is 4.482." in said


def test_three_stages_of_hints() -> None:
    said, practice = practised(HELP_ME, "?", "??", "!", "1.5")
    assert "    S' = S / √d_k   d_k = 16   attention.head.1.scaled_scores" in said
    assert "    S'[help, help] = 6 / √16" in said
    assert "It is 1.500." in said
    assert (practice.score.right, practice.score.first) == (1, 0)


def test_next_step_and_end() -> None:
    said, _ = practised(HELP_ME, "n", "n", "q")
    questions = [line for line in said if line.endswith("?")]
    assert [line.partition("[")[0] for line in questions] == ["S'", "U", "u"]


def test_a_whole_number_is_asked_for_as_such() -> None:
    said, _ = practised(Maker(load_scenario("one-head"), "one-head", SheetOptions(("query",))).sheet(), "?")
    assert "Q[the, 1]: which whole number?" in said
    assert "       the  1  0  0  1" in said


def test_what_is_no_number_is_asked_again() -> None:
    said, _ = practised(HELP_ME, "soon", "1.5")
    assert any(line.startswith("That cannot be read: it is neither a number nor a fraction.") for line in said)
    assert "Right." in said


@pytest.mark.parametrize(("text", "word"), [("'n'", "n"), ('"?"', "?"), ("„q“", "q"), ("n", "n"), ("''", "''")])
def test_a_word_that_is_a_command_stands_in_quotes(text: str, word: str) -> None:
    assert strip_quotes(text) == word


def test_words_are_asked_for() -> None:
    sheet = made(HEAD.replace('"1e-5"]', "n]"), blank=["prediction"]).sheet()
    word = Cells(sheet.blank_steps[0].value).text(0, 0)
    said, practice = practised(sheet, f"'{word}'")
    assert "ŷ[tea, token]: which word?" in said
    assert practice.score.right == 1


def test_german() -> None:
    sheet = Maker(
        parse_scenario(bundled_scenarios()["help-me"].read_text("utf-8")), "x", SheetOptions(language="de")
    ).sheet()
    said, _ = practised(sheet, "!", "1,5")
    assert "Es ist 1,500." in said
    assert "Richtig." in said


def test_it_works_with_a_pipe_at_60_columns() -> None:
    result = run("practice", "help-me", "--step", "scaled_scores", stdin="1.5\n1\n0.75\n2\n", COLUMNS="60")
    assert result.returncode == 0
    assert "4 of 4 right" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 60


def test_ctrl_c_leaves_without_a_traceback() -> None:
    command = [*PROGRAM, "practice", "help-me"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, env=surroundings(), **pipes) as process:  # type: ignore[call-overload]
        while process.stdout.read(1) != ">":
            pass
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert errors == ""
