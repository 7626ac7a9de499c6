"""A cause is said on strong evidence only: slips in one digit have none, mistakes made on purpose are named."""

from __future__ import annotations

import random

import pytest

from tests.examples import slow
from tests.teaching.faults import (
    PENS,
    PLANTS,
    a_sheet,
    cells_of,
    one_digit,
    planted,
    rounds_otherwise,
    written_otherwise,
)
from tests.teaching.students import changed_cells
from walkthrough.mistakes.words import WORDS

HABITS = ("truncated", "fewer", "early")
LEAST = {**dict.fromkeys(PLANTS, 2), **dict.fromkeys(PENS, 1), **dict.fromkeys(HABITS, 3)}
"""So many wrong cells a mistake has to leave before there is anything to name."""
ALIKE = {"sample_variance": ("sample_variance", "population_variance")}


def has_a_cause(seed: int) -> bool:
    """Whether a slip in one digit of one cell is given a cause."""
    rng = random.Random(seed)
    sheet = a_sheet(rng)
    marked = changed_cells(sheet, {rng.choice(cells_of(sheet)): one_digit(rng)}).marked()
    return any(cell.cause is not None for cell in marked.cells)


def is_named(seed: int, word: str) -> bool | None:
    """Whether a mistake made on purpose gets its word in half of its wrong cells; None where it leaves too few."""
    rng = random.Random(seed)
    make = planted if word in PLANTS else written_otherwise if word in PENS else rounds_otherwise
    made = make(rng, word)
    if made is None:
        return None
    student, path = made
    wrong = [cell for cell in student.marked().cells if cell.value.path == path and cell.verdict == "wrong"]
    if len(wrong) < LEAST[word]:
        return None
    named = [cell for cell in wrong if cell.cause is not None and cell.cause.word in ALIKE.get(word, (word,))]
    return 2 * len(named) >= len(wrong)


def share_named(words: list[str], first: int, count: int) -> tuple[int, list[str]]:
    """How many of so many planted mistakes are named, one word after the other; and which are not."""
    found: list[str] = []
    named, seed = 0, first
    for at in range(count):
        word, outcome = words[at % len(words)], None
        while outcome is None:
            seed += 1
            outcome = is_named(seed, word)
        named += outcome
        found += [] if outcome else [f"{word} {seed}"]
    return named, found


def test_a_slip_in_one_digit_has_no_cause() -> None:
    assert [seed for seed in range(3) if has_a_cause(seed)] == []


def words_of_a_lone_slip(seed: int, word: str) -> set[str]:
    """What a slip of the pen in one number is called."""
    rng = random.Random(seed)
    sheet = a_sheet(rng)
    marked = changed_cells(sheet, {rng.choice(cells_of(sheet)): PENS[word]}).marked()
    return {cell.cause.word for cell in marked.cells if cell.cause is not None}


def test_a_lone_slip_of_the_pen_is_not_what_was_done_to_a_whole_matrix() -> None:
    found = [words_of_a_lone_slip(seed, word) for seed in range(2) for word in PENS]
    assert sum(map(bool, found)) > len(found) / 2
    assert not any(WORDS[word].is_of_step for words in found for word in words)


@pytest.mark.slow
def test_of_two_hundred_slips_of_the_pen_at_most_two_are_called_that() -> None:
    found = [words_of_a_lone_slip(seed, word) for seed in range(50) for word in PENS]
    assert sum(any(WORDS[word].is_of_step for word in words) for words in found) <= 2


@pytest.mark.parametrize("word", ["base_2", "percent", *map(slow, ("not_scaled", "exchanged", "sign", "dropped"))])
def test_a_mistake_of_the_list_is_named(word: str) -> None:
    named, missed = share_named([word], 0, 2)
    assert named >= 1, missed


def test_a_softmax_over_columns_some_of_which_are_hidden_is_named() -> None:
    """Where 0 is divided by 0 there is no number, and nothing is explained."""
    assert is_named(70102, "softmax_columns")


@pytest.mark.slow
def test_of_two_hundred_slips_at_most_two_get_a_cause() -> None:
    for first in (0, 1000):
        assert len([seed for seed in range(first, first + 200) if has_a_cause(seed)]) <= 2


@pytest.mark.slow
def test_of_two_hundred_mistakes_at_least_190_are_named() -> None:
    named, missed = share_named([*PLANTS, *PENS, *HABITS], 40_000, 200)
    assert named >= 190, missed
