"""A chapter taken, section after section, with its questions. It knows no terminal: it is given lines, says parts."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import Protocol

from walkthrough.teaching.lessons.chapters import Chapter, Live, Output, Part, Question, Text
from walkthrough.teaching.lessons.questions import AnswerJudge, Reply, judge_of

COMMANDS = ("run", "explain", "steps", "check", "list", "shapes")
"""What can be typed in place of an answer."""
_HOW = (
    "Type your answer. ? gives the formula, ! the answer; Enter alone goes on without, q leaves. "
    "A command, such as run one-head, is carried out."
)


class Teller(Protocol):
    """What a lesson needs of the place where it is given."""

    def prose(self, markdown: str) -> None:
        """Shows Markdown."""

    def heading(self, text: str) -> None:
        """Begins a section."""

    def line(self, text: str) -> None:
        """Says a line."""

    def lead(self, text: str) -> None:
        """Says a line that belongs to what comes next."""

    def output(self, arguments: Sequence[str]) -> None:
        """Shows a command and what it prints."""

    def question(self, before: str, markdown: str) -> None:
        """Shows a question, with the numbers that it is answered from, on one page."""

    def wait(self) -> bool:
        """Waits until somebody has read this far; False: that is enough."""

    def ask(self) -> str | None:
        """The line that is typed; None at the end of the input."""


class LeaveError(Exception):
    """Somebody leaves the lesson."""


class Lesson:
    """One chapter.

    begun:    is told the number of a section that begins, from 0
    answered: is told the number of a question, from 0, and whether its first answer was right
    """

    def __init__(
        self, chapter: Chapter, tell: Teller, begun: Callable[[int], None], answered: Callable[[int, bool], None]
    ) -> None:
        self.chapter = chapter
        self.tell = tell
        self.begun = begun
        self.answered = answered
        self._has_asked = False

    def run(self, first: int = 0) -> bool:
        """Goes through the chapter from a section on; whether it came to the end."""
        try:
            self._go_through(first)
        except LeaveError:
            return False
        return True

    def _go_through(self, first: int) -> None:
        self.tell.heading(f"{self.chapter.number}. {self.chapter.title}")
        for number, section in enumerate(self.chapter.sections):
            if number < first:
                continue
            self.begun(number)
            if section.heading:
                self.tell.heading(section.heading)
            for part in section.parts:
                self._show(part)
            is_last = number == len(self.chapter.sections) - 1
            if not section.questions and not is_last and not self.tell.wait():
                raise LeaveError

    def _show(self, part: Part) -> None:
        if isinstance(part, Question):
            self._ask(part)
        elif isinstance(part, Text):
            self.tell.prose(part.markdown)
        elif isinstance(part, Output):
            self.tell.output(part.arguments)
        elif isinstance(part, Live):
            self.tell.line("In the browser: " + shlex.join(["walkthrough", "view", *part.arguments]))

    def _ask(self, question: Question) -> None:
        """Asks until the answer is right, shown, or done without; what follows it is then said."""
        number, judge, tries = self.chapter.questions.index(question), judge_of(question), 0
        if not self._has_asked:
            self.tell.lead(_HOW)
            self._has_asked = True
        self._pose(question, judge)
        while True:
            line = self.tell.ask()
            text = "q" if line is None else line.strip()
            if text == "q":
                raise LeaveError
            if text == "?":
                self._hint(question, judge)
                continue
            if (command := _command(text)) is not None:
                self._carry_out(command)
                self._pose(question, judge)
                continue
            if not text:
                break
            reply = Reply(False) if text == "!" else judge.judge(text)
            tries += reply.is_answer
            if tries == 1 and reply.is_answer:
                self.answered(number, reply.is_right)
            if text == "!":
                self.tell.line(f"The answer is {judge.right}.")
                break
            self._say(reply, tries)
            if reply.is_right:
                break
        if question.answer:
            self.tell.prose(question.answer)

    def _pose(self, question: Question, judge: AnswerJudge) -> None:
        """Asks, with the numbers that are needed: those to look at, and of steps that were shown before."""
        self.tell.question("\n".join(judge.lines), question.markdown)

    def _say(self, reply: Reply, tries: int) -> None:
        """The verdict; who tries in vain is reminded of the way out."""
        is_stuck = not reply.is_right and tries > 1
        remark = reply.remark or ("! gives the answer, and why." if is_stuck else "")
        self.tell.line(" ".join(filter(None, ("Right." if reply.is_right else "No.", remark))))

    def _hint(self, question: Question, judge: AnswerJudge) -> None:
        if judge.hint:
            self.tell.line(judge.hint)
        else:
            self.tell.prose(question.markdown)

    def _carry_out(self, command: Sequence[str]) -> None:
        if not command or command[0] not in COMMANDS:
            self.tell.line(
                f"Here can be typed {', '.join(COMMANDS[:-1])} or {COMMANDS[-1]}; the rest in another window."
            )
        else:
            self.tell.output(command)


def _command(text: str) -> list[str] | None:
    """A line that is a command, or that begins with the name of the program, which is left out; None for an answer."""
    try:
        words = shlex.split(text)
    except ValueError:
        return None
    if words[:1] == ["walkthrough"]:
        return words[1:]
    return words if words and words[0] in COMMANDS else None
