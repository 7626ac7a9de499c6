"""A slip costs its own cells, and what comes from lost steps alone earns nothing."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from tests.examples import all_in_a_thorough_run, slow, some
from tests.teaching.faults import a_sheet, cells_of, one_digit
from tests.teaching.marking.test_mark import CHAI, filled_in
from tests.teaching.students import changed_cells, handed_in, handed_out, worked_out
from walkthrough.languages.catalogue import catalogue
from walkthrough.teaching.marking.mark import mark
from walkthrough.teaching.marking.marked import Marked
from walkthrough.teaching.marking.sentences import say_note
from walkthrough.teaching.marking.student import StudentCalculation
from walkthrough.teaching.sheets.read.answer import answer_of
from walkthrough.teaching.sheets.sheet import Place, Sheet, sheet_of

HEAD = "encoder.1.attention.head.1."
COPIED = ["one-head", "cooking", "chai", "cooking-multihead"]


def right_on_it(marked: Marked) -> float:
    """The points of a sheet if only its right cells counted."""
    sizes = Counter(cell.place[0] for cell in marked.cells)
    return sum(1 / sizes[cell.place[0]] for cell in marked.cells if cell.verdict == "right")


def slip_costs_its_cells(seed: int) -> None:
    rng = random.Random(seed)
    sheet = a_sheet(rng)
    places = rng.sample(cells_of(sheet), rng.randint(1, 3))
    marked = changed_cells(sheet, {place: one_digit(rng) for place in places}).marked()
    sizes = Counter(cell.place[0] for cell in marked.cells)
    wrong = [cell.place for cell in marked.cells if cell.verdict == "wrong"]
    assert set(wrong) <= set(places), seed
    missing = [cell.place for cell in marked.cells if cell.verdict == "missing"]  # behind the root of a negative number
    assert marked.of - marked.points == pytest.approx(sum(1 / sizes[place[0]] for place in wrong + missing)), seed


def test_slips_of_one_to_three_cells_cost_exactly_their_cells() -> None:
    for seed in range(4):
        slip_costs_its_cells(seed)


@pytest.mark.slow
def test_hundreds_of_slips_cost_exactly_their_cells() -> None:
    for seed in range(100, 400):
        slip_costs_its_cells(seed)


def test_a_1_written_as_0_costs_its_cell_whatever_it_makes_0() -> None:
    marked = mark(CHAI, filled_in(CHAI, query_0_0="0"))
    assert marked.of - marked.points == pytest.approx(1 / 8)
    assert not any(cell.is_trivial for cell in marked.cells)


def stock(sheet: Sheet, number: str) -> Marked:
    """A sheet of one number throughout."""
    words = {place: step.value.names[0] for step, place in sheet.places if step.value.names and place[2] == 0}
    return mark(sheet, {place: answer_of(words.get(place, number)) for _, place in sheet.places})


@pytest.mark.parametrize(
    ("name", "number", "seed"),
    [
        ("cooking", "0", 1),
        *(slow("cooking", *case) for case in (("0", None), ("1", None), ("1", 1))),
        *(slow("chai", *case) for case in (("0", None), ("0", 1), ("1", None), ("1", 1))),
    ],
)
def test_a_sheet_of_one_number_earns_little_more_than_what_is_right_on_it(
    name: str, number: str, seed: int | None
) -> None:
    """What follows from one lost step alone earns: on one sheet scores of zeros, that come from positions of 0."""
    marked = stock(handed_out(name, seed), number)
    more = 6 if (name, number, seed) == ("chai", "0", 1) else 1
    assert marked.points <= right_on_it(marked) + more


def copied_from(sheet: Sheet, other: Sheet) -> Marked:
    """A sheet with the right numbers of another one."""
    numbers = handed_in(other, worked_out(other))
    return mark(sheet, {place: numbers[place] for _, place in sheet.places if place in numbers})


@pytest.mark.parametrize(("name", "seed", "neighbour"), [slow("chai", 2, 6), slow("chai", 3, 1), ("one-head", 3, 6)])
def test_so_does_one_copied_from_a_neighbour_whose_products_are_others(name: str, seed: int, neighbour: int) -> None:
    marked = copied_from(handed_out(name, seed), handed_out(name, neighbour))
    assert marked.points <= right_on_it(marked) + 1


@pytest.mark.parametrize("name", all_in_a_thorough_run(COPIED, {"one-head"}))
def test_of_a_copied_sheet_it_is_said_that_it_is_another_and_nothing_else(name: str) -> None:
    for seed in range(3, some(4, 6)):
        marked = copied_from(handed_out(name, seed), handed_out(name, seed + 1))
        assert say_note(marked, catalogue("en")) is not None
        assert not [slip for slip in marked.slips if slip.causes]


def test_what_joins_lost_queries_and_keys_earns_nothing_until_right_values_come_in() -> None:
    sheet = handed_out("one-head", 3)
    numbers = np.random.default_rng(4).uniform(0.11, 0.99, (2, 4, 4)).round(3)
    marked = solved(sheet, *((f"attention.head.1.{name}", numbers[at]) for at, name in enumerate(("query", "key"))))
    steps = {step.path.removeprefix("attention.head.1."): step for step in marked.steps}
    trivial = {name: step.trivial for name, step in steps.items() if step.trivial}
    assert trivial == dict.fromkeys(("scores", "scaled_scores", "softmax.exp", "weights"), 16) | {"softmax.sum": 4}
    assert steps["output"].points == steps["value"].points == 1
    assert say_note(marked, catalogue("en")) is None, "two guessed steps are not another sheet"


def test_one_lost_step_makes_nothing_trivial() -> None:
    sheet = handed_out("one-head", 3)
    numbers = np.random.default_rng(4).uniform(0.11, 0.99, (4, 4)).round(3)
    marked = solved(sheet, ("attention.head.1.query", numbers))
    assert marked.of - marked.points == pytest.approx(1)


def test_half_of_a_step_is_lost_and_less_is_not() -> None:
    sheet = handed_out("one-head", 3)
    for wrong, is_lost in ((8, True), (7, False)):
        own, spoiled = StudentCalculation(sheet, {}), []
        for name in ("query", "key"):
            array = own.array(sheet.hand[f"attention.head.1.{name}"]).copy()
            array.ravel()[:wrong] += np.linspace(0.31, 0.97, wrong).round(3)
            spoiled.append((f"attention.head.1.{name}", array))
        marked = solved(sheet, *spoiled)
        assert any(cell.is_trivial for cell in marked.cells) == is_lost


def test_a_zero_that_a_relu_gives_is_not_trivial() -> None:
    """Four wrong numbers lie before it; the zeros of a ReLU, and what they give, took the same work as ever."""
    numbers = {f"norm_1.mean_{row}_0": "9.87" for row in range(4)}
    marked = mark(CHAI, filled_in(CHAI, **numbers))
    zeros = [
        cell
        for cell in marked.cells
        if cell.value.path.endswith("activation") and cell.verdict == "follows" and cell.answer.number == 0
    ]
    assert zeros
    assert not any(cell.is_trivial for cell in marked.cells)


def solved(sheet: Sheet, *paths_and_numbers: tuple[str, np.ndarray]) -> Marked:
    """A sheet on which some steps hold these numbers, rounded, and all after them follow."""
    numbers: dict[Place, float] = {}
    for path, array in paths_and_numbers:
        step = next(step for step in sheet.blank_steps if step.value.path == path)
        numbers |= {place: float(step.digits.text(float(array[place[1:]]))) for place in step.places}
    own = StudentCalculation(sheet, numbers)
    answers = {}
    for step, place in sheet.places:
        word = (step.value.names or {}).get(int(own.array(step.value)[place[1], 0])) if place[2] == 0 else None
        number = numbers.get(place, float(own.compute_rounded(step.value)[place[1:]]))
        answers[place] = answer_of(word or step.digits.text(number))
    return mark(sheet, answers)


def test_queries_and_keys_exchanged_are_one_slip() -> None:
    own = StudentCalculation(CHAI, {})
    query, key = own.array(CHAI.hand[HEAD + "query"]), own.array(CHAI.hand[HEAD + "key"])
    marked = solved(CHAI, (HEAD + "query", key), (HEAD + "key", query))
    (slip,) = marked.slips
    assert [cells[0].value.path for cells in slip.places] == [HEAD + "query", HEAD + "key"]
    assert {cause.word for cause in slip.causes} == {"exchanged"}
    assert marked.of - marked.points == pytest.approx(len(slip.cells) / 8)


THIRDS = """
title: thirds
tokens: [a, b]
decimals: 3
rounding: {decimals: 3}
attention:
  heads:
    - {scores: [[1, 1], [1, 1]], d_k: 9}
"""


@pytest.mark.parametrize("text", ["1/3", "0.33333333333333333", "0.333", "0,3333"])
@pytest.mark.parametrize("used", [1 / 3, 0.3332, 0.333])
def test_a_fraction_or_further_digits_may_have_been_rounded_before_use(text: str, used: float) -> None:
    """Scores of 1/3: e to their power is right from the fraction, from the rounded number, and from all between."""
    sheet = sheet_of(THIRDS, "thirds")
    numbers = {"scaled_scores": text, "exp": f"{np.exp(used):.3f}"}
    answers = {
        place: answer_of(numbers[step.value.path.rpartition(".")[2]])
        for step, place in sheet.places
        if step.value.path.rpartition(".")[2] in numbers
    }
    assert {cell.verdict for cell in mark(sheet, answers).cells} == {"right", "missing"}


@pytest.mark.parametrize("power", ["1.394", "1.397"])
def test_but_not_anything_beside_them(power: str) -> None:
    sheet = sheet_of(THIRDS, "thirds")
    places = {step.value.path.rpartition(".")[2]: place for step, place in sheet.places}
    answers = {places["scaled_scores"]: answer_of("1/3"), places["exp"]: answer_of(power)}
    verdicts = {cell.place: cell.verdict for cell in mark(sheet, answers).cells}
    assert (verdicts[places["scaled_scores"]], verdicts[places["exp"]]) == ("right", "wrong")


ZERO = """
title: zero
tokens: [a, b]
decimals: 1
rounding: {decimals: 1}
embeddings: {a: [X], b: [1, 2]}
attention:
  heads:
    - {w_q: [[1, 0], [0, 1]], w_k: [[1, -1], [0, 0]], w_v: [[1, 0], [0, 1]]}
"""


@pytest.mark.parametrize(("given", "verdict"), [("0.35, 0.15", "right"), ("0.25, 0.25", "wrong"), ("2, 2", "wrong")])
def test_a_0_is_within_half_a_unit_where_what_it_comes_from_was_rounded(given: str, verdict: str) -> None:
    """Of a score of 0.07 0.0 may stand for 0.049, whose power is 1.1; of ±0.0275 or of 0, however rounded, for none."""
    sheet = sheet_of(ZERO.replace("X", given), "zero")
    places = {(place[0].rpartition(".")[2], *place[1:]): place for _, place in sheet.places}
    own = StudentCalculation(sheet, {})
    answers = {
        place: answer_of(f"{own.compute_rounded(step.value)[place[1:]]:.1f}")
        for step, place in sheet.places
        if step.value.path.rpartition(".")[2] in ("query", "key", "scores", "scaled_scores")
    }
    zero, power = places["scaled_scores", 0, 0], places["exp", 0, 0]
    answers |= {zero: answer_of("0.0"), power: answer_of("1.1")}
    found = {cell.place: cell.verdict for cell in mark(sheet, answers).cells}
    assert (found[zero], found[power]) == ("right", verdict)
