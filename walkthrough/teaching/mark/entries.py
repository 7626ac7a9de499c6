"""What a student wrote in a cell, as the judge takes it."""

from __future__ import annotations

import math

from walkthrough.judging.digits import Printed
from walkthrough.judging.prints import PrintedCell
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.teaching.read.answer import Answer
from walkthrough.teaching.sheet import Place, Step
from walkthrough.text import as_word, find_meant, whole_number


class Entry(Record, eq=False):
    """A cell to fill in. printed: its answer, claiming the digits of the sheet; None of one that cannot be read"""

    step: Step
    place: Place
    answer: Answer
    printed: PrintedCell | None


def read_entry(step: Step, place: Place, answer: Answer) -> Entry:
    """The entry of an answer; a word is looked up."""
    _, row, column = place
    if step.value.is_word(column):
        answer = look_up_word(step.value, answer)
    number = answer.number
    if number is None:
        return Entry(step, place, answer, None)
    if step.value.is_word(column):
        printed: Printed | str = (step.value.names or {}).get(int(number), answer.text)
    else:
        printed = Printed(_digits(answer, number), number, step.decimals(number, row, column))
    return Entry(step, place, answer, PrintedCell(step.exact, row, column, printed))


def look_up_word(value: Value, answer: Answer) -> Answer:
    """An answer with the id of its word as its number, −1 for a word that the step does not know.

    Case does not count where only one word is meant then; an id stands for its word.
    """
    if answer.is_missing or answer.reason:
        return answer
    names = value.names or {}
    word = answer.text.strip()
    ids, words = list(names), [as_word(name) for name in names.values()]
    at = find_meant(word, words)
    if at is None:
        same = [at for at, name in enumerate(words) if name.casefold() == word.casefold()]
        at = same[0] if len(same) == 1 else None
    if at is None and (number := whole_number(word)) in names:
        at = ids.index(number)
    return answer.replace(number=float(ids[at]) if at is not None else -1.0)


def _digits(answer: Answer, number: float) -> str:
    """The digits of an answer, as many as were written."""
    if not math.isfinite(number) or answer.decimals is None:
        return repr(number)
    return f"{number:.{min(answer.decimals, 17)}f}"
