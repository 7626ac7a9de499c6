"""A round of practice: asks for one number after the other. It knows no terminal: it is given lines, and says lines."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

import numpy as np

from walkthrough.explaining.formulas import formula_text
from walkthrough.explaining.worked import cell_name
from walkthrough.languages.catalogue import Catalogue, catalogue
from walkthrough.mistakes.sentences import say_likely
from walkthrough.notation import typeset
from walkthrough.recording.values import Value
from walkthrough.recording.verdict import Verdict
from walkthrough.teaching.lessons.given_answers import GivenAnswers
from walkthrough.teaching.marking.sentences import unreadable_reason
from walkthrough.teaching.sheets.sheet import Place, Sheet, Step, are_whole
from walkthrough.teaching.sheets.titles import Titles
from walkthrough.teaching.sheets.write.texts import Cells, instructions, stands_for
from walkthrough.text import escape_label

Say = Callable[[str], None]
Ask = Callable[[str], str | None]


class Practice:
    """One round through the steps of a sheet.

    say, ask: write a line; write a question and give the line that comes back, None at the end of the input
    """

    def __init__(self, sheet: Sheet, say: Say, ask: Ask) -> None:
        self.sheet = sheet
        self.say = say
        self.ask = ask
        self.words: Catalogue = catalogue(sheet.language)
        self.titles = Titles.of(sheet)
        self.answers = GivenAnswers(sheet, self.words)
        self.score = Score()

    def run(self) -> Score:
        """Asks until all is asked, the input ends, or the student wants to stop; says at the end how it went."""
        began = time.monotonic()
        self.say(escape_label(self.sheet.hand.title))
        self.say(self.words("help"))
        self.say(instructions(self.sheet, self.words)[0])
        skipped: Step | None = None
        shown: set[Value] = set()
        for step, place in self.sheet.places:
            if step is skipped:
                continue
            self._introduce(step, shown)
            outcome = self._ask_cell(step, place)
            if outcome == "end":
                break
            skipped = step if outcome == "next" else None
        for line in self.score.summarize(time.monotonic() - began, self.words):
            self.say(line)
        return self.score

    def _introduce(self, step: Step, shown: set[Value]) -> None:
        """Says what the step is, and shows the given matrices that it is the first to need."""
        if step.value in shown:
            return
        shown.add(step.value)
        self.say("")
        self.say(f"{self.titles.title(step.value)}   {self._formula(step)}")
        for value in given_operands(self.sheet, step.value):
            if value not in shown:
                shown.add(value)
                self._show_table(value)

    def _formula(self, step: Step) -> str:
        """The formula, and what the names in it mean."""
        return "   ".join(filter(None, (formula_text(step.value, self.words), stands_for(step.value, self.words))))

    def _show_table(self, value: Value) -> None:
        self.say(self.words("given_for", name=self.titles.with_symbol(value)))
        lines = [["", *map(escape_label, value.columns)]]
        for label, row in zip(value.rows, _texts(value), strict=True):
            lines.append([escape_label(label), *(self.words.number(typeset(text)) for text in row)])
        for line in align_columns(lines):
            self.say(f"    {line}")

    def _ask_cell(self, step: Step, place: Place) -> str:
        """Asks for one cell until it is right or left: `next` for the next step, `end` for none."""
        question, tries = self._question(step, place), 0
        while True:
            line = self.ask(question)
            text = "q" if line is None else line.strip()
            if text in ("n", "q"):
                return "next" if text == "n" else "end"
            if not text:
                self.say(self.words("skipped"))
                if tries:
                    self.score.note_mistake(self.titles.with_symbol(step.value))
                return "left"
            if text in ("?", "??"):
                self.say(f"    {self._hint(step) if text == '?' else self.answers.arithmetic(step, place)}")
                continue
            tries += 1
            self.score.asked += tries == 1
            if text == "!":
                self.say(self.words("answer_is", number=self.answers.show(step, place)))
                self.score.note_mistake(self.titles.with_symbol(step.value))
            elif self._is_right(step, place, text):
                self.score.note_right(at_first=tries == 1)
                return "right"

    def _hint(self, step: Step) -> str:
        """The formula, and the path that commands know the step by."""
        return f"{self._formula(step)}   {step.value.path}"

    def _question(self, step: Step, place: Place) -> str:
        _, row, column = place
        cell = str(cell_name(step.value, row, column))
        if step.value.is_word(column):
            return self.words("ask_word", cell=cell)
        if step.is_whole:
            return self.words("ask_whole", cell=cell)
        return self.words("ask", cell=cell, digits=self.words.digits(step.digits))

    def _is_right(self, step: Step, place: Place, text: str) -> bool:
        """Judges an answer and says the verdict."""
        own = self.answers.refused_operands(step, place)
        cell = self.answers.judge(step, place, text)
        if cell.finding is Verdict.UNREADABLE:
            self.say(self.words("not_a_number", why=unreadable_reason(cell, self.words)))
            return False
        if cell.is_right:
            follows = self.words("yes_with", numbers=own) if own else self.words("yes_follows")
            self.say(follows if cell.finding is Verdict.FOLLOWS else self.words("yes"))
            return True
        self.score.note_mistake(self.titles.with_symbol(step.value))
        if cell.cause is not None:
            self.say(say_likely([cell.cause], self.words))
        self.say(self.words("no"))
        return False


def write_page(sheet: Sheet, out: BinaryIO) -> None:
    """Writes practice as a page: the live page, which asks for one number after the other."""
    from walkthrough.views.options import Options
    from walkthrough.views.page import html

    html.write(sheet.hand, Options(decimals=sheet.decimals), out, [step.value.path for step in sheet.blank_steps])


def given_operands(sheet: Sheet, value: Value) -> list[Value]:
    """The operands whose numbers are given or shown, and so are not asked for."""
    shown = {step.value for step in sheet.steps if step.is_shown}
    return [one for one in value.inputs if one.operation is None or one in shown]


def _texts(value: Value) -> list[list[str]]:
    """The numbers of a step; whole ones without decimals."""
    if value.names is None and are_whole(value.array) and np.isfinite(value.array).all():
        return [[f"{number:.0f}" for number in row] for row in value.array.tolist()]
    return Cells(value).rows()


def align_columns(lines: Sequence[Sequence[str]]) -> list[str]:
    """Columns of equal width, numbers to the right."""
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    return ["  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)) for line in lines]


class Score:
    """Counts the cells asked, those that came right, those right on the first try; and the steps to repeat."""

    def __init__(self) -> None:
        self.asked = self.right = self.first = 0
        self._repeat: dict[str, None] = {}

    def note_right(self, at_first: bool) -> None:
        """Counts a right answer. at_first: on the first try"""
        self.right += 1
        self.first += at_first

    def note_mistake(self, title: str) -> None:
        """Notes a step as one to repeat."""
        self._repeat[title] = None

    def summarize(self, seconds: float, words: Catalogue) -> Iterator[str]:
        """What was right, how quickly, and what to repeat: a line each."""
        yield ""
        if not self.asked:
            yield words("nothing_asked")
            return
        minutes, rest = divmod(round(seconds), 60)
        time = words("minutes", minutes=minutes, seconds=rest) if minutes else words("seconds", count=rest)
        yield words("result", right=self.right, asked=self.asked, first=self.first, time=time)
        yield words("repeat", steps="; ".join(self._repeat)) if self._repeat else words("well")
