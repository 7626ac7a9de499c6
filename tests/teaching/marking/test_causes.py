"""What a student probably did: every mistake that `compare` knows is called something, and modern parts too."""

from __future__ import annotations

import pytest

from tests.examples import all_in_a_thorough_run, slow
from tests.teaching.marking.test_fairness import solved
from tests.teaching.students import handed_out
from walkthrough.mistakes.search import usual_mistakes
from walkthrough.mistakes.sentences import say, say_likely
from walkthrough.mistakes.words import OTHER
from walkthrough.operations.definition import Array
from walkthrough.teaching.marking.mark import mark
from walkthrough.teaching.marking.marked import MarkedCell
from walkthrough.teaching.marking.student import StudentCalculation
from walkthrough.teaching.sheets.read.answer import answer_of
from walkthrough.teaching.sheets.sheet import Place, Sheet

UNNAMED = {"other.width", "other.bias_subtracted"}
"""Guesses at a width that a sheet says, and what the sign explains."""
NAMES = ("chai", "cooking", "fuchs", "tea-gpt", "tiny-llama", "shared-keys", "pattern", "alibi", "rotary")


def made(name: str) -> Sheet:
    return handed_out(name, decimals=4)


@pytest.mark.parametrize("name", all_in_a_thorough_run(NAMES, ("chai", "tiny-llama")))
def test_every_mistake_is_called_something(name: str) -> None:
    trace = made(name).hand
    found = {made for value in trace if value.operation is not None for made, _ in usual_mistakes(value, trace)}
    assert {made.key for made in found if made.word == OTHER} <= UNNAMED


def handed_in(sheet: Sheet, path: str, array: Array) -> list[MarkedCell]:
    """The cells that are wrong when a step is filled in with these numbers."""
    return [cell for cell in solved(sheet, (path, array)).cells if cell.verdict == "wrong"]


def otherwise(sheet: Sheet, path: str, words: str) -> Array:
    """What a mistake makes of a step."""
    value = sheet.hand[path]
    own = StudentCalculation(sheet, {})
    variants = usual_mistakes(value, sheet.hand)
    return next(instead.array(own.array) for made, instead in variants if say([made]).startswith(words))


@pytest.mark.parametrize(
    ("name", "path", "mistake", "said"),
    [
        ("fuchs", "head.1.masked_scores", "the mask is missing", ""),
        ("cat-sat", "head.1.scores", "transposed", ""),
        ("chai", "feed_forward.hidden", "the bias is missing", ""),
        slow("chai", "head.1.output", "added instead of multiplied", ""),
        ("chai", "norm_1.variance", "the sample variance", ""),
        slow("chai", "norm_1.variance", "not divided by d", ""),
        ("chai", "norm_1.std", "the variance was used as the standard", ""),
        ("rotary", "query_rotated", "the rotary layout is interleaved", ""),
        ("rotary", "query_rotated", "rotated in the other direction", ""),
        ("rotary", "head.1.scores", "the keys are not rotated", ""),
        ("alibi", "biased_scores", "the distance is added", ""),
        slow("tiny-llama", "feed_forward.activation", "gelu was used", ""),
        ("tiny-llama", "feed_forward.gated", "hidden (up) is left out", ""),
        ("chai", "residual_1", "encoder.1.attention.output is added", "Attention output is added"),
    ],
)
def test_a_mistake_in_a_whole_step_is_named(name: str, path: str, mistake: str, said: str) -> None:
    """By its words, and `said`: where a path is among them, which has its title there."""
    sheet = made(name)
    path = next(step.value.path for step in sheet.blank_steps if step.value.path.endswith(path))
    wrong = handed_in(sheet, path, otherwise(sheet, path, mistake))
    assert wrong
    found = [cell.cause and say_likely([cell.cause]) for cell in wrong]
    assert sum((one or "").startswith(f"Probably {said or mistake}") for one in found) > 0.8 * len(wrong), found


def test_of_mistakes_that_explain_as_much_the_usual_one_of_the_step_is_told() -> None:
    """Symmetric scores, a column without its bias that is another column: transposed, or mixed up, they are as well."""
    for name, seed, path, word in (
        ("shared-keys", 56, "attention.head.2.weights", "softmax_columns"),
        ("one-block", 162, "encoder.1.feed_forward.output", "bias"),
    ):
        sheet = handed_out(name, seed, 3)
        first, second = (one.array for one in sheet.hand[path].inputs[:2])
        array = first / first.sum(axis=0) if word == "softmax_columns" else first @ second
        wrong = handed_in(sheet, path, array.round(3))
        assert {cell.cause and cell.cause.word for cell in wrong} == {word}


@pytest.mark.parametrize("number", ["0.333", "0.001", "3"])
def test_a_number_instead_of_0_is_no_shifted_point(number: str) -> None:
    sheet = made("chai")
    place: Place = "positional_encoding", 0, 0
    found = mark(sheet, {place: answer_of(number)})
    assert [cell for cell in found.cells if cell.cause is not None and cell.cause.word == "point"] == []
