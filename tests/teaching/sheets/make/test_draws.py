"""Draws: no weights, scores or sheets that are empty, and about as much work for everybody."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from itertools import product

import numpy as np
import pytest

import walkthrough as wt
from tests.examples import all_in_a_thorough_run, slow, some
from tests.teaching.students import handed_out, maker
from walkthrough.recording.values import Value
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.teaching.sheets.make.handwork import equal_scores
from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
from walkthrough.teaching.sheets.sheet import Sheet, SheetError
from walkthrough.transformer.loading.load import parse_scenario
from walkthrough.transformer.runs.run import trace

OF_ROWS = ("product_transposed", "linear_out_in")
PRODUCTS = ("matrix_product", "linear", *OF_ROWS)
TWO = """
title: Two
tokens: [tea, "no"]
embeddings: [[1, 0], [0, 1]]
attention:
  mask: {mask}
  heads: [{{w_q: [[1, 0], [{lower}, 1]], w_k: [[1, 1], [0, 1]], w_v: [[1, 0], [0, 1]]}}]
"""


def is_weight(value: Value) -> bool:
    name = value.path.split(".")[-1]
    return value.operation is None and (name == "w" or name.startswith("w_"))


def has_empty(value: Value) -> bool:
    rows = value.array.tolist()
    return any(not any(row) for row in [*rows, *zip(*rows, strict=True)])


def products(values: Iterable[Value]) -> int:
    """Products of two factors other than 0, cell by cell as on paper."""
    count = 0
    for value in values:
        if value.operation is None or value.operation.name not in PRODUCTS:
            continue
        left, right = value.inputs[0].array, value.inputs[1].array
        columns = right if value.operation.name in OF_ROWS else right.T
        count += sum(bool(a and b) for row, column in product(left, columns) for a, b in zip(row, column, strict=True))
    return count


def zero_rows(sheet: Sheet) -> int:
    """Rows of scores that are 0 wherever two positions or more are visible."""
    count = 0
    for value in sheet.hand:
        if value.path.endswith(".scores"):
            masked = sheet.hand.get(value.path.replace(".scores", ".masked_scores"))
            shown = np.isfinite((masked or value).array)
            count += sum(seen.sum() > 1 and not row[seen].any() for row, seen in zip(value.array, shown, strict=True))
    return count


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("cooking-multihead", 8),
        *(slow(one, 25) for one in ("cooking-multihead", "chai", "cat-sat", "cooking")),
    ],
)
def test_the_sheets_of_a_class_are_alike(name: str, count: int) -> None:
    """No empty row or column of weights that the scenario's own lack, no row of scores all 0, effort within a fifth."""
    made = maker(name)
    own = {value.path for value in made.sheet().given if is_weight(value) and not has_empty(value)}
    sheets = [made.sheet(seed) for seed in range(count)]
    assert not [
        (sheet.seed, value.path) for sheet in sheets for value in sheet.given if value.path in own and has_empty(value)
    ]
    assert sum(map(zero_rows, sheets)) == 0
    efforts = [products(sheet.hand) for sheet in sheets]
    mean, median = statistics.mean(efforts), statistics.median(efforts)
    assert all(abs(one - mean) <= mean / 5 for one in efforts)
    assert sum(abs(one - median) <= median / 10 for one in efforts) >= 0.75 * len(efforts)


def test_what_is_asked_for_changes_no_number() -> None:
    scenario = wt.load_scenario("cooking")
    few = Maker(scenario, "cooking", SheetOptions(blank=["scores"])).sheet(3)
    assert few.digest == handed_out("cooking", 3).digest


def test_weights_that_have_an_empty_row_may_have_one_again() -> None:
    made = maker("chai")
    own = {value.path for value in made.sheet().given if is_weight(value) and has_empty(value)}
    assert own
    assert any(has_empty(made.sheet(seed).hand[path]) for seed in range(25) for path in own)


@pytest.mark.parametrize(
    ("embeddings", "mask", "found"),
    [
        ("[[1, 0], [0, 1]]", "none", [1]),
        ("[[0, 0], [0, 1]]", "none", [0]),
        ("[[1, 1], [1, 1]]", "none", [0, 1]),
        ("[[0, 0], [0, 1]]", "causal", []),
        ("[[0, 0], [0, 0]]", "causal", [1]),
    ],
)
def test_scores_that_are_all_the_same_where_they_are_visible_are_seen(
    embeddings: str, mask: str, found: list[int]
) -> None:
    text = TWO.format(mask=mask, lower=0).replace("[[1, 0], [0, 1]]\nattention", f"{embeddings}\nattention")
    text = text.replace("  mask: none\n", "")
    assert [row for _, row in equal_scores(trace(parse_scenario(text), by_hand=True))] == found


def test_the_gradient_of_scores_is_none() -> None:
    """Masked first, they are scaled on the way back before anything is masked."""
    text = TWO.format(mask="causal", lower=1).replace("attention:", "attention:\n  mask_first: true")
    text += "output_head: {vocabulary: [a, b], w: [[1, 0], [0, 1]]}\ntraining: {targets: [b, a], update: [w_q]}\n"
    hand = trace(parse_scenario(text), by_hand=True)
    assert "gradient.attention.head.1.scores" in hand
    assert not list(equal_scores(hand))


def test_scores_that_no_drawn_number_reaches_may_be_0() -> None:
    text = TWO.format(mask="causal", lower=0).replace("[[1, 0], [0, 1]]\nattention", "[[0, 0], [0, 0]]\nattention")
    assert Maker(parse_scenario(text), "t", SheetOptions(vary=["w_q"])).sheet(1).seed == 1


CANNOT = {
    "alibi": "no given numbers that could be drawn",  # all are 0
    "cat-gpt": "2,864 numbers would be drawn, more than 2,000; choose some with --vary",
    "lens": r"in 3 draws .an exponential is above 99: 3.*fewer matrices: --vary decoder.1.self_attention.head.1.w_v ",
    "soft-cap": r"in \d draws .the scores of a row are all the same.*fewer matrices: --vary attention.head.1.value$",
}
"""Scenarios of which no numbers are fit, and what is said of them."""


def rule_breaks(made: Maker, sheet: Sheet) -> list[str]:
    """Where drawn numbers break a rule of an exam."""
    own, found = {value.path: value.array for value in made.hand if value.operation is None}, []
    for value in sheet.given:
        rows = [tuple(row) for row in value.array.tolist()]
        is_drawn = value.path in own and not np.array_equal(value.array, own[value.path], equal_nan=True)
        if is_drawn and len(set(rows)) < len(rows):
            found.append(f"{value.path}: two equal rows")
    for value in [*sheet.hand, *sheet.exact]:
        if value.path.endswith("softmax.exp") and value.array.max() > 99:
            found.append(f"{value.path}: {value.array.max()}")
    masks = {value.path.rpartition(".")[0]: value.array for value in sheet.hand if value.path.endswith("masked_scores")}
    for value in sheet.hand:
        if value.path.endswith(".scores") and value.array.any():  # those of parallel and of pattern are all 0
            shown = np.isfinite(masks.get(value.path.rpartition(".")[0], value.array))
            same = [seen.sum() > 1 and len(set(row[seen])) == 1 for row, seen in zip(value.array, shown, strict=True)]
            found += [f"{value.path}: equal scores"] * any(same)
    return found


@pytest.mark.parametrize(  # transformer-base has 44 million numbers, bpe has words alone
    ("name", "seeds"),
    [
        *((name, range(4)) for name in ("one-head", "rotary", "sink", "masked-scores")),
        *(
            slow(name, range(12))
            for name in sorted(bundled_scenarios().keys() - {"transformer-base", "bpe"} - CANNOT.keys())
        ),
    ],
)
def test_drawn_numbers_are_those_of_an_exam(name: str, seeds: range) -> None:
    """No two equal rows, no exponential above 99, no row of equal scores."""
    made = maker(name)
    found = {seed: rule_breaks(made, made.sheet(seed)) for seed in seeds}
    assert not any(found.values()), found


@pytest.mark.parametrize("name", all_in_a_thorough_run(CANNOT, CANNOT.keys() - {"lens"}))
def test_where_the_rules_cannot_be_met_it_is_said_which_and_what_can_be_drawn(name: str) -> None:
    with pytest.raises(SheetError, match=CANNOT[name]):
        handed_out(name, 1)


def test_what_it_is_said_can_be_drawn_can_be() -> None:
    made = Maker(wt.load_scenario("soft-cap"), "soft-cap", SheetOptions(vary=["attention.head.1.value"]))
    assert made.sheet(1).seed == 1


def test_where_there_are_too_few_rows_more_numbers_are_drawn() -> None:
    """The embeddings of *pattern* are four rows of one number, 0 or 1."""
    embeddings = handed_out("pattern", 1).hand["embeddings"].array
    assert len(set(embeddings.ravel())) == 4
    assert set(embeddings.ravel()) <= {0, 1, 2, 3, 4}


def test_where_all_rows_there_are_would_be_taken_they_have_one_more_number() -> None:
    """Of 0 and 1 there are four rows of two numbers, and four are asked for: neighbours would share their columns."""
    head = "{w_q: [[1, 0], [0, 1], [1, 0], [0, 1]], w_k: [[0, 1], [1, 0], [1, 0], [0, 1]]}"
    text = f"title: t\ntokens: [a, b]\nembeddings: [[1, 0, 2, 0], [0, 1, 1, 1]]\nattention: {{heads: [{head}]}}\n"
    made, columns = Maker(parse_scenario(text), "t", SheetOptions()), set()
    for seed in range(4):
        hand = made.sheet(seed).hand
        for array in (hand["attention.head.1.w_q"].array, hand["attention.head.1.w_k"].array):
            assert array.any(axis=1).all()
            assert set(array.ravel()) <= {0, 1, 2}
            columns |= set(map(tuple, array.T))
    assert len(columns) > 6  # so many columns of two zeros and two ones there are


def test_rows_may_be_equal_where_numbers_stay() -> None:
    """Only the values are drawn: no score changes, and the large exponentials of *cat-sat* stay."""
    made = Maker(wt.load_scenario("cat-sat"), "cat-sat", SheetOptions(vary=["w_v"]))
    assert rule_breaks(made, made.sheet(1)) == [
        path for path in rule_breaks(made, made.sheet()) if "softmax.exp" in path
    ]


@pytest.mark.parametrize("name", ["one-head", "cooking"])
def test_drawn_numbers_are_worth_working(name: str) -> None:
    """No step all 0 or all the same that is not so in the scenario, exponentials with digits, weights of full rank."""
    made = maker(name)
    own = {value.path for value in made.hand if len(np.unique(value.array)) == 1}
    for seed in range(some(3, 6)):
        hand = made.sheet(seed).hand
        assert not [value.path for value in hand if value.path not in own and len(np.unique(value.array)) == 1]
        assert not [
            value for value in hand if is_weight(value) and np.linalg.matrix_rank(value.array) < min(value.shape)
        ]
        sums = [value.array.min() for value in hand if value.path.endswith("softmax.sum")]
        assert min(sums) >= 0.1


def test_the_weights_of_heads_in_one_matrix_have_full_rank_each() -> None:
    """And so no empty row or column."""
    text = (
        "title: t\ntokens: [a, b]\nembeddings: [[1, 0], [0, 1]]\n"
        "attention: {num_heads: 2, w_q: [[1, 0, 1, 1], [1, 0, 0, 1]], w_k: [[1, 0, 0, 1], [0, 1, 1, 0]], "
        "w_v: [[1, 0, 1, 0], [1, 1, 0, 1]]}\n"
    )
    made = Maker(parse_scenario(text), "t", SheetOptions())
    for seed in (0, 8, 13):  # the first draws of the last two have heads of rank 1
        weights = [value.array for value in made.sheet(seed).hand if is_weight(value)]
        assert {2} == {int(np.linalg.matrix_rank(array)) for array in weights}
