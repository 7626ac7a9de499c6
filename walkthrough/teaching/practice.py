"""Practice: one number after the other, each judged as on a sheet, with hints in three stages.

It knows no terminal: it is given lines, and says lines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from walkthrough.explaining.worked import Worked, worked
from walkthrough.notation import typeset
from walkthrough.recording.values import Value
from walkthrough.teaching.catalogue import Catalogue, catalogue
from walkthrough.teaching.mark.explained import line, reason_of
from walkthrough.teaching.mark.likely import likely
from walkthrough.teaching.mark.mark import Marked, MarkedCell, mark, places, read_answer
from walkthrough.teaching.mark.own import Own, Place
from walkthrough.teaching.read.answer import Answer, answer_of
from walkthrough.teaching.sheet import Sheet, Step
from walkthrough.teaching.write.cells import Cells, is_word
from walkthrough.teaching.write.formula import formula, stands_for
from walkthrough.text import printable

_MOST_TERMS = 12
_QUOTES = ("'", '"', "„", "“", "‚", "«")

Say = Callable[[str], None]
Read = Callable[[], str | None]


@dataclass(slots=True)
class Score:
    """How it went: cells asked, right ones, right at the first try; the steps with a number that was not right."""

    asked: int = 0
    right: int = 0
    first: int = 0
    repeat: dict[str, None] = field(default_factory=dict)
    began: float = 0.0


class Practice:
    """One round through the steps of a sheet.

    say, ask: write a line; write a question and give the line that comes back, None at the end of the input
    """

    def __init__(self, sheet: Sheet, say: Say, ask: Callable[[str], str | None]) -> None:
        self.sheet = sheet
        self.say = say
        self.ask = ask
        self.words: Catalogue = catalogue(sheet.language)
        self.answers: dict[Place, Answer] = {}
        self.passed: dict[Place, Answer] = {}
        self.score = Score()

    def run(self) -> Score:
        """Asks until all is asked, the input ends, or nobody wants to go on; says at the end how it went."""
        self.score.began = time.monotonic()
        self.say(printable(self.sheet.hand.title))
        self.say(self.words("help"))
        skipped: Step | None = None
        shown: set[Value] = set()
        for step, place in places(self.sheet):
            if step is skipped:
                continue
            self._introduce(step, shown)
            outcome = self._cell(step, place)
            if outcome == "end":
                break
            skipped = step if outcome == "next" else None
        self.summary()
        return self.score

    def _introduce(self, step: Step, shown: set[Value]) -> None:
        """The step, and the given or shown matrices that it is the first to need."""
        if step.value in shown:
            return
        shown.add(step.value)
        self.say("")
        self.say(f"{self.words.title(step.value)}   {self._formula(step)}")
        for value in self._before(step.value):
            if value not in shown:
                shown.add(value)
                self._table(value)

    def _formula(self, step: Step) -> str:
        """The formula, and what the names in it stand for."""
        return "   ".join(filter(None, (formula(step.value, self.words), stands_for(step.value, self.words))))

    def _before(self, value: Value) -> Iterator[Value]:
        """The operands whose numbers are given; through steps that stand on no sheet."""
        steps = {step.value: step for step in self.sheet.steps}
        for one in value.inputs:
            step = steps.get(one)
            if one.operation is None or (step is not None and not step.is_asked and not step.is_left_out):
                yield one

    def _table(self, value: Value) -> None:
        title = self.words.title(value)
        symbol = "" if value.kind.symbol in title.split() else f" {value.kind.symbol}"
        self.say(self.words("given_for", name=f"{title}{symbol}"))
        lines = [["", *map(printable, value.columns)]]
        for label, row in zip(value.rows, Cells(value).rows(), strict=True):
            lines.append([printable(label), *(self.words.number(typeset(text)) for text in row)])
        for one in align_columns(lines):
            self.say(f"    {one}")

    def _cell(self, step: Step, place: Place) -> str:
        """Asks for one cell until it is right or left: `next` for the next step, `end` for none."""
        tries = 0
        while True:
            line = self.ask(self._question(step, place))
            if line is None:
                return "end"
            text = line.strip()
            command = self._command(step, place, text, tries)
            if command is not None:
                if command in ("next", "end", "left"):
                    return command
                tries += command == "seen"
                continue
            if not text:
                self._leave(step, place, tries)
                return "left"
            tries += 1
            self.score.asked += tries == 1
            if self._judged(step, place, strip_quotes(text), tries):
                return "right"

    def _question(self, step: Step, place: Place) -> str:
        value, (path, row, column) = step.value, place
        cell = f"{path}[{printable(value.rows[row])}, {printable(value.columns[column])}]"
        if is_word(value, column):
            return self.words("ask_word", cell=cell)
        return self.words("ask", cell=cell, digits=self.words.digits(step.digits))

    def _command(self, step: Step, place: Place, text: str, tries: int) -> str | None:
        """Does what a command asks for; None where the text is an answer."""
        if text == "?":
            self.say(f"    {self._formula(step)}")
        elif text == "??":
            self.say(f"    {self._arithmetic(step, place)}")
        elif text == "!":
            self.say(self.words("answer_is", number=self._own_answer(step, place)))
            self.score.repeat[step.value.path] = None
            self.score.asked += tries == 0
            return "seen"
        elif text in ("n", "q"):
            return "next" if text == "n" else "end"
        else:
            return None
        return "hint"

    def _own(self) -> Own:
        read = {place: self.passed[place].number for place in self.passed}
        return Own(self.sheet, {place: number for place, number in read.items() if number is not None})

    def _worked(self, step: Step, place: Place) -> Worked:
        shadow = self._own().shadow(step.value)
        return worked(shadow, place[1], place[2], max(step.digits.count, 1), _MOST_TERMS)

    def _arithmetic(self, step: Step, place: Place) -> str:
        """The line with the numbers, without its result."""
        found = self._worked(step, place)
        arithmetic = found.arithmetic or self.words.title(step.value)
        return f"{found.name} = {self.words.arithmetic(arithmetic)}"

    def _own_answer(self, step: Step, place: Place) -> str:
        return self.words.number(self._worked(step, place).result)

    def _judged(self, step: Step, place: Place, text: str, tries: int) -> bool:
        """Says whether an answer is right, from the numbers before it; it is gone on with all the same."""
        answer = read_answer(step.value, place[2], answer_of(text))
        self.answers[place] = answer
        cell = self._marked(step, place, answer)
        if cell.verdict == "unreadable":
            self.say(self.words("not_a_number", why=reason_of(cell, self.words)))
            return False
        self.passed[place] = answer
        if cell.verdict in ("right", "follows"):
            self.say(self.words("yes" if cell.verdict == "right" else "yes_follows"))
            self.score.right += 1
            self.score.first += tries == 1
            return True
        self.score.repeat[step.value.path] = None
        if cell.likely:
            self.say(str(cell.likely))
        self.say(self.words("no"))
        return False

    def _marked(self, step: Step, place: Place, answer: Answer) -> MarkedCell:
        """The verdict on one answer; only what was passed before it counts."""
        known = {**{at: one for at, one in self.passed.items() if at != place}, place: answer}
        marked: Marked = mark(sheet_up_to(self.sheet, step), known)
        found = next(cell for cell in marked.cells if cell.place == place)
        if found.verdict != "wrong":
            return found
        causes = likely(replace(marked, cells=(found,)), self.words)
        return found._replace(line=line(found, marked.own, self.words), likely=causes.get(place))

    def _leave(self, step: Step, place: Place, tries: int) -> None:
        """Moves on: with the wrong answer where there is one, else with none."""
        self.say(self.words("skipped"))
        if tries:
            self.score.repeat[step.value.path] = None

    def summary(self) -> None:
        """What was right, how quickly, and what to repeat."""
        score, words = self.score, self.words
        self.say("")
        if not score.asked:
            self.say(words("nothing_asked"))
            return
        seconds = round(time.monotonic() - score.began)
        took = words("seconds", count=seconds)
        if seconds >= 60:
            took = words("minutes", minutes=seconds // 60, seconds=seconds % 60)
        self.say(words("result", right=score.right, asked=score.asked, first=score.first, time=took))
        self.say(words("repeat", steps=", ".join(score.repeat)) if score.repeat else words("well"))


def sheet_up_to(sheet: Sheet, step: Step) -> Sheet:
    """The sheet up to a step: nothing behind it has been asked."""
    return replace(sheet, steps=sheet.steps[: sheet.steps.index(step) + 1])


def strip_quotes(text: str) -> str:
    """A word that is a command is typed in quotes."""
    is_quoted = len(text) > 2 and text[0] in _QUOTES and text[-1] in ("'", '"', "“", "”", "‘", "»")
    return text[1:-1] if is_quoted else text


def align_columns(lines: Sequence[Sequence[str]]) -> list[str]:
    """Columns of equal width, numbers to the right."""
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    return ["  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)) for line in lines]
