"""`walkthrough learn`: the course through a pipe, its commands, and the file that remembers."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.cli.program import PROGRAM, run
from tests.cli.terminal import on_terminal
from tests.examples import slow
from walkthrough.teaching.lessons.chapters import chapters
from walkthrough.teaching.lessons.questions import judge_of

FIRST, SECOND = chapters()[:2]
"""The second asks before it runs a command; on a terminal each that a lesson runs is a process of its own."""
ANSWERS = [judge_of(question).right for question in FIRST.questions]


def learn(state: Path, *arguments: str, lines: list[str] | None = None) -> CompletedProcess[str]:
    """The course with these lines typed into a pipe."""
    text = "".join(f"{line}\n" for line in lines or [])
    return run("learn", *arguments, stdin=text, XDG_STATE_HOME=str(state))


def kept(state: Path) -> dict[str, dict[str, object]]:
    document = json.loads((state / "walkthrough" / "learn.json").read_text())
    found: dict[str, dict[str, object]] = document["chapters"]
    return found


def keep(state: Path, found: dict[str, dict[str, object]]) -> None:
    """Leaves such a file behind."""
    (state / "walkthrough").mkdir()
    (state / "walkthrough" / "learn.json").write_text(json.dumps({"version": 1, "chapters": found}))


def left(state: Path, heading: str) -> None:
    """The first chapter was left where this section begins."""
    (section,) = (at for at, one in enumerate(FIRST.sections) if one.heading == heading)
    keep(state, {FIRST.name: {"section": section, "answers": {}, "done": False}})


def listed(state: Path, number: int) -> str:
    """What the list says of a chapter: `5 of 9 answered`, or `done`."""
    line = learn(state, "--list").stdout.splitlines()[number - 1]
    return line.rpartition("; ")[2].rstrip(")")


def right(state: Path, name: str) -> int:
    """How many questions of a chapter were answered right at the first try."""
    return list(kept(state)[name]["answers"].values()).count(True)  # type: ignore[attr-defined]


def test_a_chapter_from_beginning_to_end(tmp_path: Path) -> None:
    done = learn(tmp_path, "1", lines=ANSWERS)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\nRight.") == len(ANSWERS)
    assert "No." not in done.stdout
    assert f"Right at the first try: {len(ANSWERS)} of {len(ANSWERS)}." in done.stdout
    assert f"Next: walkthrough learn 2, {chapters()[1].title}" in done.stdout
    assert "$ walkthrough run one-head --step w_q" in done.stdout
    assert done.stdout.count("? gives the formula, ! the answer") == 1
    assert done.stdout.index("? gives the formula") < done.stdout.index("\n> ")
    assert "<!--" not in done.stdout
    assert "<details>" not in done.stdout
    assert (right(tmp_path, FIRST.name), listed(tmp_path, 1)) == (len(ANSWERS), "done")


def test_links_into_the_documents_are_their_words(tmp_path: Path) -> None:
    last = chapters()[-1]
    keep(tmp_path, {last.name: {"section": len(last.sections) - 1, "answers": {}, "done": False}})
    done = learn(tmp_path, str(last.number), lines=["", ""])
    assert 'That was the course. In the documents, "A scenario of your own" shows how' in done.stdout
    assert "](" not in done.stdout


def test_hint_answer_and_going_on_without(tmp_path: Path) -> None:
    left(tmp_path, "What is handed over")
    done = learn(tmp_path, "1", lines=["", "?", "!"])
    assert "Whoever attends most to *cat*" in done.stdout
    assert "S = Q·Kᵀ" in done.stdout.partition("Exercise")[2]
    assert "The answer is 6." in done.stdout
    assert kept(tmp_path)[FIRST.name]["answers"] == {str(len(ANSWERS) - 1): False}


def test_a_command_is_carried_out_and_the_question_asked_again(tmp_path: Path) -> None:
    left(tmp_path, "Exercise")
    done = learn(tmp_path, "1", lines=["walkthrough explain one-head 'query[drinks, 2]' --depth 0", "run nothing", "q"])
    assert "Q[drinks, 2] = " in done.stdout
    assert "no such file or bundled scenario" in done.stderr
    assert " ".join(done.stdout.split()).count("What is the score of *drinks* (row) with *cat*") == 3


def test_it_goes_on_where_it_was_left_and_with_the_first_that_is_not_done(tmp_path: Path) -> None:
    left(tmp_path, "What is handed over")
    assert learn(tmp_path, lines=[ANSWERS[-2]]).returncode == 0  # the end of the input leaves
    assert listed(tmp_path, 1) == f"1 of {len(ANSWERS)} answered"
    again = learn(tmp_path, lines=["q"])
    assert again.stdout.endswith("\nwalkthrough learn 1 goes on here.\n")
    assert "What is handed over" not in again.stdout
    assert "Exercise" in again.stdout
    learn(tmp_path, lines=ANSWERS[-1:])
    assert learn(tmp_path, lines=["q"]).stdout.startswith(f"\n2. {SECOND.title}")
    assert "Words become rows" in learn(tmp_path, "1", "--restart", lines=["q"]).stdout


def test_nothing_of_the_answers_is_kept(tmp_path: Path) -> None:
    learn(tmp_path, "2", lines=["98765", "q"])
    assert "98765" not in json.dumps(kept(tmp_path))
    assert kept(tmp_path)[SECOND.name]["answers"] == {"0": False}


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"version": 2, "chapters": {}}', '{"version": 1, "chapters": {"a": 1}}', "\0"]
)
def test_a_damaged_file_is_kept_aside_and_said(tmp_path: Path, text: str) -> None:
    file = tmp_path / "walkthrough" / "learn.json"
    file.parent.mkdir()
    file.write_text(text)
    done = learn(tmp_path, "--list")
    assert done.returncode == 0
    assert done.stderr.count("is damaged; it is kept as learn.json.bad") == 1
    assert file.with_name("learn.json.bad").read_text() == text


def test_where_progress_cannot_be_kept_the_course_goes_on(tmp_path: Path) -> None:
    (tmp_path / "walkthrough").write_text("a file, not a folder")
    done = learn(tmp_path, "2", lines=[judge_of(SECOND.questions[0]).right, "q"])
    assert done.returncode == 0
    assert done.stderr.count("progress cannot be kept") == 1
    assert "\nRight." in done.stdout


def test_answers_to_questions_that_the_chapter_no_longer_has_do_not_count(tmp_path: Path) -> None:
    keep(tmp_path, {FIRST.name: {"section": 99, "answers": {"0": True, "77": True}, "done": False}})
    assert listed(tmp_path, 1) == f"1 of {len(ANSWERS)} answered"


def test_a_chapter_left_in_a_section_that_it_no_longer_has_begins_anew(tmp_path: Path) -> None:
    keep(tmp_path, {SECOND.name: {"section": 99, "answers": {}, "done": False}})
    assert f"\n{SECOND.sections[1].heading}\n" in learn(tmp_path, "2", lines=["q"]).stdout
    assert listed(tmp_path, 2) != "done"


def test_one_chapter_can_be_listed(tmp_path: Path) -> None:
    assert learn(tmp_path, "2", "--list").stdout.startswith(f"2  {chapters()[1].name}  ")
    assert learn(tmp_path, "2", "--list").stdout.count("\n") == 1


def test_emphasis_is_italic_on_a_terminal(tmp_path: Path) -> None:
    status, shown = on_terminal(*PROGRAM, "learn", "1", keys=["q\n"], XDG_STATE_HOME=str(tmp_path))
    assert status == 0
    assert "\x1b[3mattention head\x1b[23m" in shown


@pytest.mark.parametrize("number", [slow(1), 9])
def test_between_two_prompts_there_is_no_more_than_a_page(tmp_path: Path, number: int) -> None:
    keep(tmp_path, {chapters()[number - 1].name: {"section": 1, "answers": {}, "done": False}})
    keys = ["\n"] * 9 + ["q\n"]
    _, shown = on_terminal(*PROGRAM, "learn", str(number), keys=keys, XDG_STATE_HOME=str(tmp_path))
    pages = re.split(r"^(?:Enter: go on; q: leave|> .*)$", shown, flags=re.MULTILINE)
    assert len(pages) > 8
    assert max(page.count("\n") for page in pages) < 24
    plain = [re.sub(r"\x1b\[\d+m", "", page).strip().splitlines() for page in pages]
    assert all(len(line) <= 80 for page in plain for line in page)
    for before, after in pairwise(plain):  # nothing is parted from its heading, or its command
        assert not before or not (before[-1].endswith(("═", "─", "│")) or before[-1].startswith("$ "))
        assert not after or not re.match(r" +(tea@)?1  ", after[0])


def test_keys_pressed_ahead_answer_nothing(tmp_path: Path) -> None:
    """Of five keys at once the first goes on; the others were pressed while nothing was asked."""
    _, shown = on_terminal(*PROGRAM, "learn", "1", keys=["\n\n\n\n\n", "q\n"], XDG_STATE_HOME=str(tmp_path))
    assert "Words become rows" in shown
    assert "A row times a matrix" not in shown


def test_an_unknown_chapter_is_refused_with_near_ones(tmp_path: Path) -> None:
    done = learn(tmp_path, "one-haed")
    assert done.returncode == 2
    assert "did you mean 'one-head'?" in " ".join(done.stderr.replace("│", " ").split())
