"""One mistake is charged once, however often it is made; of another sheet's numbers nothing is told."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from functools import cache

import numpy as np
import pytest

from tests.examples import slow
from tests.judging.author import OPERATIONS, Rows, add, over, product, rounded, times, turned
from tests.teaching.faults import forgetful, mistaken, with_mistake
from tests.teaching.marking.test_fairness import copied_from, solved
from tests.teaching.marking.test_mark import ENGLISH, filled_in
from tests.teaching.students import changed_cells, handed_in, handed_out, worked_out
from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.values import Value
from walkthrough.teaching.marking.data import sheet_data
from walkthrough.teaching.marking.feedback_page import article
from walkthrough.teaching.marking.mark import mark
from walkthrough.teaching.marking.marked import Marked
from walkthrough.teaching.marking.sentences import say_well
from walkthrough.teaching.marking.student import StudentCalculation
from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
from walkthrough.teaching.sheets.read.answer import answer_of
from walkthrough.transformer.loading.load import parse_scenario

HEAD = "encoder.1.attention.head."


@cache
def marked_forgetful() -> Marked:
    return forgetful("cat-sat").marked()


def test_a_mistake_made_again_in_another_head_is_charged_once() -> None:
    marked = marked_forgetful()
    (slip,) = sheet_data(marked)["slips"]
    assert (slip["path"], slip["cause"], slip["costs"]) == (f"{HEAD}1.scaled_scores", "not_scaled", 1)
    assert [place["path"] for place in slip["places"]] == [f"{HEAD}{head}.scaled_scores" for head in (1, 2)]
    assert slip["cells"] == slip["places"][0]["cells"]
    assert marked.of - marked.points == pytest.approx(1)


def test_its_cells_elsewhere_follow_and_keep_their_cause() -> None:
    cells = [cell for cell in sheet_data(marked_forgetful())["cells"] if cell["cause"] is not None]
    found = {(cell["path"], cell["verdict"], cell["cause"], cell["from_own"]) for cell in cells}
    assert found == {
        (f"{HEAD}1.scaled_scores", "wrong", "not_scaled", None),
        (f"{HEAD}2.scaled_scores", "follows", "not_scaled", False),
    }


def test_it_is_said_once_with_its_places() -> None:
    said = article(marked_forgetful(), ENGLISH)
    assert said.count("Probably not divided by") == 1
    assert "The same again, charged once: Scaled scores, head 2." in said


def test_the_sentences_add_up_to_what_the_table_counts() -> None:
    marked = marked_forgetful()
    again = sum(cell.is_again for cell in marked.cells)
    right, follows, repeat = say_well(marked, ENGLISH)
    assert right.startswith(f"{marked.counts['right']} of {len(marked.cells)}")
    assert follows.startswith(f"{marked.counts['follows'] - again} follow")
    assert repeat == f"{again} repeat a mistake that is charged once: full credit."


def test_heads_in_each_others_boxes_are_called_by_their_numbers() -> None:
    """The sentence is that of the cells which are charged: those of the other head are exchanged with these."""
    sheet = handed_out("cat-sat")
    answers = filled_in(sheet)
    other = {f"{HEAD}1.query": f"{HEAD}2.query", f"{HEAD}2.query": f"{HEAD}1.query"}
    marked = mark(sheet, {place: answers[other.get(place[0], place[0]), *place[1:]] for place in answers})
    (slip,) = [one for one in sheet_data(marked)["slips"] if one["path"] == f"{HEAD}1.query"]
    assert slip["likely"] == "Probably these are the numbers of Queries, head 2."
    assert len(slip["places"]) == 2


SHORT = """
title: two heads of short numbers
tokens: [we, drink, tea]
decimals: 2
rounding: {decimals: 2}
embeddings: [[1, 0, 2, 0], [0, 1, 1, 1], [2, 1, 0, 1]]
attention:
  heads:
    - w_q: [[1, 0], [0, 1], [1, 0], [0, 1]]
      w_k: [[0, 1], [1, 0], [1, 0], [0, 1]]
      w_v: [[1, 2], [0, 1], [1, 0], [2, 1]]
    - w_q: [[0, 1], [1, 1], [1, 0], [0, 0]]
      w_k: [[1, 0], [0, 1], [0, 1], [1, 0]]
      w_v: [[2, 0], [1, 1], [0, 1], [1, 0]]
"""


def made_in_both_heads(word: str, name: str, seed: int | None) -> Marked:
    """A mistake made in one step of both heads."""
    sheet = Maker(parse_scenario(SHORT), "short", SheetOptions()).sheet(seed)
    return with_mistake(sheet, word, lambda value: value.path.endswith(f".{name}")).marked()


Own = Callable[[Value], Rows]


def over_columns(value: Value, own: Own) -> Rows | None:
    """A norm of the columns, whose numbers stand where those of the rows should."""
    x, *column = map(own, value.inputs)
    if value.composite is not None and value.composite[0].name == "softmax":
        return None
    match value.operation and value.operation.name:
        case "row_mean":
            return [[over(add(*one), Decimal(len(one)))] for one in turned(x)]
        case "mean_square":
            return [[over(add(*(times(a, a) for a in one)), Decimal(len(one)))] for one in turned(x)]
        case "subtract_rows":
            return [[a - mean for a, (mean,) in zip(row, column[0], strict=True)] for row in x]  # type: ignore[operator]
        case "divide_rows":
            return [[over(a, std) for a, (std,) in zip(row, column[0], strict=True)] for row in x]
    return None


def softmax_of_columns(value: Value, own: Own) -> Rows | None:
    if value.path.endswith("softmax.sum"):
        return [[add(*one)] for one in turned(own(value.inputs[0]))]
    if value.path.endswith(".weights"):
        x, column = map(own, value.inputs)
        return [[over(a, total) for a, (total,) in zip(row, column, strict=True)] for row in x]
    return None


def squared_queries(value: Value, own: Own) -> Rows | None:
    queries = own(value.inputs[0])
    return product(queries, turned(queries)) if value.path.endswith(".scores") else None


def powers_of_unscaled(value: Value, own: Own) -> Rows | None:
    if not value.path.endswith("softmax.exp"):
        return None
    return OPERATIONS["exp"](own(value.inputs[0].inputs[0]))  # type: ignore[no-any-return]


def not_centered(value: Value, own: Own) -> Rows | None:
    is_norm = value.path.endswith(("norm_1.output", "norm_2.output"))
    return OPERATIONS["divide_rows"](own(value.inputs[0].inputs[0]), own(value.inputs[1])) if is_norm else None


def absolute_deviation(value: Value, own: Own) -> Rows | None:
    is_variance = value.path.endswith("variance")
    return [[over(add(*map(abs, row)), Decimal(len(row)))] for row in own(value.inputs[0])] if is_variance else None  # type: ignore[arg-type]


def without_bias(value: Value, own: Own) -> Rows | None:
    return product(*map(own, value.inputs[:2])) if ".feed_forward." in value.path and len(value.inputs) == 3 else None


def softmax_not_used(value: Value, own: Own) -> Rows | None:
    is_output = re.fullmatch(r".*head.\d.output", value.path)
    scaled = value.inputs[0].inputs[0].inputs[0] if is_output else None
    return product(own(scaled), own(value.inputs[1])) if scaled else None


def powers_missing(value: Value, own: Own) -> Rows | None:
    return own(value.inputs[0]) if value.path.endswith("softmax.exp") else None


@pytest.mark.parametrize("seed", [None, slow(3), slow(7)])
@pytest.mark.parametrize(
    ("make", "word", "count"),
    [
        (over_columns, "mixed_up", 8),
        (softmax_of_columns, "softmax_columns", 4),
        (squared_queries, "exchanged", 2),
        (powers_of_unscaled, "exchanged", 2),
        (not_centered, "exchanged", 2),
        (absolute_deviation, "left_out", 2),
        (without_bias, "bias", 2),
        (powers_missing, "copied", 2),
        (softmax_not_used, "exchanged", 2),
    ],
)
def test_one_misconception_all_along_is_one_slip(
    make: Callable[[Value, Own], Rows | None], word: str, count: int, seed: int | None
) -> None:
    marked = mistaken(handed_out("one-block", seed), make).marked()
    (slip,) = marked.slips
    assert {cause.word for cause in slip.causes} == {word}
    assert len(slip.places) == count
    assert marked.of - marked.points == pytest.approx(slip.costs)


def test_two_mistakes_with_one_word_are_charged_each() -> None:
    """Shares that are not divided by the row sum, and a mean that is not divided by d; the other head and norm not."""
    marked = with_mistake(handed_out("one-block"), "not_divided").marked()
    assert [(slip.first.value.path, len(slip.places)) for slip in marked.slips] == [
        (f"{HEAD}1.weights", 2),
        ("encoder.1.norm_1.mean", 4),
    ]
    assert marked.of - marked.points == pytest.approx(2)


@pytest.mark.parametrize(
    ("word", "name", "seed"),
    [
        ("softmax_columns", "weights", None),
        slow("softmax_columns", "weights", 2),
        ("transposed", "scores", 2),
        ("mixed_up", "scores", None),
        slow("mixed_up", "value", 2),
        slow("added", "key", 1),
        ("added", "value", 2),
        slow("exchanged", "query", 3),
    ],
)
def test_numbers_of_one_digit_are_the_same_mistake_as_in_the_other_head(word: str, name: str, seed: int | None) -> None:
    (slip,) = made_in_both_heads(word, name, seed).slips
    assert [cause.word for cause in slip.causes] == [word] * len(slip.causes)
    assert [value.path for value in slip.again] == [f"attention.head.2.{name}"]


def test_a_lost_minus_is_charged_each_time() -> None:
    sheet = handed_out("cat-sat")
    own = StudentCalculation(sheet, {})
    signs = {}
    for head in (1, 2):
        value = sheet.hand[f"{HEAD}{head}.output"]
        row, column = np.argwhere(np.abs(own.array(value)) > 0.1)[0].tolist()
        signs[value.path, row, column] = lambda number, decimals: -number
    marked = changed_cells(sheet, signs).marked()
    assert [slip.first.cause and slip.first.cause.word for slip in marked.slips] == ["sign", "sign"]


@pytest.mark.parametrize("written", [2, 3])
def test_digits_too_few_are_one_habit_all_along(written: int) -> None:
    """Calculated with two decimals, also where a 0 is put behind them, and where a single digit is left."""

    def change(value: Value, rows: Rows) -> None:
        rows[:] = [[rounded(rounded(one, 2), written) for one in row] for row in rows]

    sheet = handed_out("cooking-multihead")
    marked = mark(sheet, handed_in(sheet, worked_out(sheet, change)))
    (slip,) = marked.slips
    assert {cause.word for cause in slip.causes} == {"fewer"}
    assert len(slip.places) > 3
    assert marked.of - marked.points == pytest.approx(slip.costs)


def test_of_a_sheet_with_another_ones_numbers_no_cause_is_said() -> None:
    sheet = handed_out("one-head", 3)
    numbers = np.random.default_rng(1).uniform(0.11, 0.99, (4, 4)).round(3)
    names = ("query", "key", "value", "scores", "output")
    marked = solved(sheet, *((f"attention.head.1.{name}", numbers * at) for at, name in enumerate(names, 1)))
    told = sheet_data(marked)
    assert not any(cell["cause"] for cell in told["cells"])
    assert told["note"] in article(marked, ENGLISH)
    assert not sheet_data(copied_from(sheet, sheet))["note"]


@pytest.mark.parametrize("text", ["0", slow("1"), slow("1000"), "1234.5"])
@pytest.mark.parametrize("name", [slow("cat-sat"), "masked-scores"])
def test_of_one_number_throughout_there_is_no_story_and_no_division_by_0(name: str, text: str) -> None:
    sheet = handed_out(name)
    marked = mark(sheet, {place: answer_of(text) for _, place in sheet.places})
    assert not any(slip.causes for slip in marked.slips if len(slip.cells) > 2)
    lines = [cell["line"] or "" for cell in sheet_data(marked)["cells"]]
    assert not [line for line in lines if "nan" in line or "inf" in line or line.endswith(" ∞")]
    assert not any(sentence.startswith("-") for sentence in say_well(marked, ENGLISH))


def test_what_was_typed_is_repeated_as_it_was_typed() -> None:
    sheet = handed_out("help-me")
    _, place = next(iter(sheet.places))
    page = article(mark(sheet, {place: answer_of("1.234,50")}), catalogue("de"))
    assert "du hast 1.234,50 geschrieben" in page
