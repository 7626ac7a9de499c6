"""The page's engine calculates, shows and works out what the trace does, before and after changes."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.examples import slow
from tests.views.page.js.engine import (
    assert_near,
    assert_same,
    called,
    cells_of,
    lines_of,
    needs_node,
    numbers,
    texts_of,
)
from tests.views.samples import QUANTIZED, hostile_trace, quantized_trace
from walkthrough.explaining.users import users_of
from walkthrough.expressions.tree.walk import cells as expression_cells
from walkthrough.recording import Recorder
from walkthrough.recording.cells import CellAt
from walkthrough.recording.values import Kind
from walkthrough.transformer.loading.changes import name_of
from walkthrough.views.page.data import page_json
from walkthrough.views.selection import selection_of

pytestmark = needs_node


@pytest.mark.parametrize(
    ("name", "by_hand", "decimals"),
    [
        ("help-me", True, 2),
        ("sandwich", False, None),
        ("first-step", False, 0),  # probabilities that would all be 0
        ("help-me", False, 15),
        slow("chai", False, 15),
        slow("chai", False, None),
        slow("cooking", True, None),
        slow("masked-scores", False, 4),
        slow("alibi", True, None),
    ],
)
def test_numbers_texts_and_lines_are_those_of_the_trace(name: str, by_hand: bool, decimals: int | None) -> None:
    trace = wt.trace(wt.load_scenario(name), arithmetic="by-hand" if by_hand else "exact", decimals=decimals)
    every = ["every"], ["everyText"], ["everyLine"]
    first, texts, lines, _, again, texts_again, lines_again = called(
        trace, *every, ["again"], *every, decimals=decimals
    )
    assert_same(first, trace)
    assert_near(again, trace)
    assert texts == texts_again == [texts_of(value, trace, decimals) for value in trace]
    assert lines == lines_again == [lines_of(value, trace, decimals) for value in trace]


def test_shares_and_numbers_beside_ids_have_a_power_of_ten_where_most_rows_would_be_zeros() -> None:
    """As of 128,256 words; one word of all rows may be likely."""
    kind, beside = Kind("p", "P", "P", is_distribution=True), Kind("q", "Q", "Q", ids=(0,))
    flat, sure = [2.5e-4, 1e-5, 0.0], [0.75, 1e-5, 0.0]
    recorder = Recorder(wt.Trace("t", decimals=3))
    for at, rows in enumerate(([flat, flat, sure], [flat, sure], [sure, sure])):
        recorder.record_given(kind._replace(name=f"p{at}"), np.array(rows))
        recorder.record_given(beside._replace(name=f"q{at}"), np.array([[3, row[0]] for row in rows]))
    trace = recorder.trace
    (texts,) = called(trace, ["everyText"])
    assert texts == [texts_of(value, trace) for value in trace]
    assert ["×10" in str(one) or "e−" in str(one) for one in texts] == [True, True, False, False, False, False]


@pytest.mark.parametrize(
    ("name", "arithmetic"),
    [
        ("experts", "bfloat16"),
        slow("pattern", "float8_e4m3fn"),
        slow("help-me", "int8"),
        slow("sandwich", "float16"),
        slow("chai", "float32"),
        slow("cooking", "float8_e5m2"),
        slow("rotary", "int5"),
    ],
)
def test_a_page_in_a_number_format_shows_and_follows_edits_as_a_fresh_trace_has_them(
    name: str, arithmetic: str
) -> None:
    trace = wt.trace(wt.load_scenario(name), arithmetic=arithmetic)
    random, values = Random(2), list(trace)
    chosen = random.sample(settable(trace), 3)
    numbers_set = [round(random.uniform(-2, 2), 3) for _ in chosen]
    calls: list[list[Any]] = [["set", *at, x] for at, x in zip(chosen, numbers_set, strict=True)]
    every = ["every"], ["everyText"], ["everyLine"]
    first = called(trace, *every, *calls, *every, ["changes"], ["arithmetic", "exact"], ["every"], ["mode"])
    assert_same(first[0], trace)
    assert first[1:3] == [[texts_of(value, trace) for value in trace], [lines_of(value, trace) for value in trace]]
    changes = {name_of(CellAt(values[k], *at)): x for (k, *at), x in zip(chosen, numbers_set, strict=True)}
    fresh = changed_trace(name, changes, arithmetic=arithmetic)
    assert_near(first[6], fresh)
    assert first[7:9] == [[texts_of(value, fresh) for value in fresh], [lines_of(value, fresh) for value in fresh]]
    assert first[9] == list(fresh.changed)
    assert_near(first[11], changed_trace(name, changes))
    assert first[12]["mode"] == "exact"


@pytest.mark.parametrize("by_hand", [False, slow(True)])
def test_a_quantized_weight_that_is_edited_changes_what_is_kept_of_its_share(by_hand: bool) -> None:
    path, trace = "encoder.1.feed_forward.w_1", quantized_trace(by_hand=by_hand)
    k = [value.path for value in trace].index(f"{path}.original")
    every = ["every"], ["everyText"], ["everyLine"]
    found = called(trace, *every, ["set", k, 1, 2, -0.9], *every)
    changes = {f"{path}.original[2, 3]": -0.9}
    fresh = wt.trace(
        wt.parse_scenario(json.dumps(QUANTIZED)), arithmetic="by-hand" if by_hand else "exact", changes=changes
    )
    for (numbers_then, texts, lines), wanted in ((found[:3], trace), (found[4:], fresh)):
        assert_near(numbers_then, wanted)
        assert texts == [texts_of(value, wanted) for value in wanted]
        assert lines == [lines_of(value, wanted) for value in wanted]
    differs = {
        value.path for value in trace if value.path.startswith(path) and (value.array != fresh[value.path].array).any()
    }
    assert differs >= {f"{path}.scale", f"{path}.quantized", path}


def test_a_page_in_a_number_format_calculates_in_no_other_way_but_exactly() -> None:
    scenario = wt.load_scenario("number-formats")
    calls = ["arithmetic", "bfloat16"], ["arithmetic", "by hand", 5], ["mode"], ["every"]
    other, by_hand, mode, numbers_then = called(wt.trace(scenario), *calls)
    assert other == {"error": 'expected "exact" or "float8_e4m3fn"'}
    assert by_hand is None
    assert mode == {"mode": "float8_e4m3fn", "decimals": 5, "isAsked": True}
    assert_near(numbers_then, wt.trace(scenario, arithmetic="by-hand"))


def test_a_page_holds_the_numbers_that_its_script_may_compute_otherwise() -> None:
    trace = wt.trace(wt.load_scenario("chai"))
    steps = {step["path"]: step for step in json.loads(page_json(trace, selection_of(trace, ())))["steps"]}
    head = "encoder.1.attention.head.1"
    for path in ("input", f"{head}.query", f"{head}.scaled_scores", "encoder.1.norm_1.output"):
        assert "numbers" not in steps[path]
    for path in ("embeddings", "positional_encoding", f"{head}.softmax.exp", "encoder.1.norm_1.variance"):
        assert steps[path]["numbers"] == trace[path].array.ravel().tolist()


@pytest.mark.parametrize("name", ["experts", slow("cooking")])
def test_texts_and_lines_are_in_the_language_of_the_trace(name: str) -> None:
    trace = wt.trace(wt.load_scenario(name))
    trace.language = "de"
    _, texts, lines = called(trace, ["again"], ["everyText"], ["everyLine"])
    assert texts == [texts_of(value, trace) for value in trace]
    assert lines == [lines_of(value, trace) for value in trace]
    assert any(re.search("[0-9],[0-9]", line) for line in lines[-1])


def changed_trace(name: str, changes: dict[str, float], arithmetic: str = "exact") -> wt.Trace:
    return wt.trace(wt.load_scenario(name), changes=changes, arithmetic=arithmetic)


def settable(trace: wt.Trace) -> list[tuple[int, int, int]]:
    return [(k, *cell) for k, value in enumerate(trace) if value.can_change for cell in cells_of(value)]


@pytest.mark.parametrize(
    ("name", "by_hand"),
    [
        ("shared-keys", False),
        ("experts", True),
    ],
)
def test_after_changes_everything_is_as_in_a_fresh_trace_of_the_changed_scenario(name: str, by_hand: bool) -> None:
    random = Random(1)
    trace = wt.trace(wt.load_scenario(name), arithmetic="by-hand" if by_hand else "exact")
    values = list(trace)
    chosen = random.sample(settable(trace), 4)
    values_set = [round(random.uniform(-2, 2), 2) for _ in chosen]
    calls: list[list[Any]] = []
    for (k, row, column), number in zip(chosen, values_set, strict=True):
        calls += [["set", k, row, column, number], ["every"], ["everyText"], ["changes"]]
    found = called(trace, *calls, ["everyLine"])
    changes: dict[str, float] = {}
    for at, ((k, row, column), number) in enumerate(zip(chosen, values_set, strict=True)):
        changes[name_of(CellAt(values[k], row, column))] = number
        fresh = changed_trace(name, changes, "by-hand" if by_hand else "exact")
        _, every, texts, named = found[4 * at : 4 * at + 4]
        assert_near(every, fresh)
        assert texts == [texts_of(value, fresh) for value in fresh]
        assert named == list(fresh.changed)
    assert found[-1] == [lines_of(value, fresh) for value in fresh]


def test_what_a_change_decides_otherwise_is_stale_and_keeps_its_numbers() -> None:
    """Another word generated: the passes behind it are other ones."""
    trace = wt.trace(wt.load_scenario("tea-gpt"))
    values = list(trace)
    k = next(at for at, value in enumerate(values) if value.path == "decoder.1.self_attention.w_o")
    _, stale, every, _, back = called(trace, ["set", k, 2, 3, 9], ["everyStale"], ["every"], ["reset"], ["everyStale"])
    stopped = {value.path for value, is_stale in zip(values, stale, strict=True) if is_stale}
    assert stopped == {value.path for value in values if value.path.startswith("generate")}
    for value, listed in zip(values, every, strict=True):
        if value.path in stopped:
            assert numbers(listed, value).tobytes() == value.array.tobytes()
    assert not any(back)


def test_scores_too_large_for_plain_softmax_make_what_follows_stale() -> None:
    trace = wt.trace(wt.load_scenario("chai"))
    at = {value.path: k for k, value in enumerate(trace)}
    _, stale, *_ = called(trace, ["set", at["embeddings"], 1, 0, 5000], ["everyStale"])
    head = "encoder.1.attention.head.1"
    assert not stale[at[f"{head}.scaled_scores"]]
    assert all((stale[at[f"{head}.softmax.exp"]], stale[at[f"{head}.output"]], stale[-1]))


def test_long_maxima_are_shortened_as_in_the_trace() -> None:
    scenario = """
title: t
softmax: shifted
tokens: [a, b]
embeddings: {a: [1, 2], b: [0.5, -1]}
output_head: {vocabulary: [a, b, c, d, e, f, g, h, i, j], w: {init: normal, std: 1}}
"""
    trace = wt.trace(wt.parse_scenario(scenario))
    (lines,) = called(trace, ["everyLine"])
    assert lines == [lines_of(value, trace, None) for value in trace]
    assert sum("[3 smaller terms]" in line for every in lines for line in every) >= 20


def test_operands_and_users_are_those_of_the_expressions() -> None:
    trace = wt.trace(wt.load_scenario("cooking"))
    at = {value: k for k, value in enumerate(trace)}
    random = Random(2)
    cells = random.sample([CellAt(value, *cell) for value in trace for cell in cells_of(value)], 60)
    places = [[at[cell.value], cell.row, cell.column] for cell in cells]
    found = called(trace, *[["users", *place] for place in places], *[["operands", *place] for place in places])
    for cell, users, operands in zip(cells, found[: len(cells)], found[len(cells) :], strict=True):
        expected, more = users_of(trace, cell)
        assert users[: len(expected)] == [[at[user.value], user.row, user.column] for user in expected]
        assert len(users) == len(expected) + more
        value = cell.value
        read = set(expression_cells(value.cell(cell.row, cell.column))) if value.operation else set()
        assert {tuple(one) for one in operands} == {
            (at[value.inputs[one.operand]], one.row, one.column) for one in read
        }


def test_items_are_read_as_set_reads_them() -> None:
    trace = wt.trace(wt.load_scenario("chai"))
    items = ["embeddings[chai, 1]=0.5", "w_q[1,2] = −1e-1", "encoder.1.feed_forward.b_1[2]=3"]
    wrong = [
        "embeddings[chai, 9]=1",
        "q=1",
        "scores[chai, is]=1",
        "nothing[1]=2",
        "embeddings[chai, 1]=inf",
        "w[1, 1]=1",
    ]
    *said, changes = called(trace, *[["apply", item] for item in (*items, *wrong)], ["changes"])
    assert list(map(bool, said)) == [False] * len(items) + [True] * len(wrong)
    assert changes == [
        "embeddings[chai, 1]=0.5",
        "encoder.1.attention.head.1.w_q[1, 2]=-0.1",
        "encoder.1.feed_forward.b_1[1, 2]=3",
    ]


def test_of_several_steps_of_a_name_the_given_one_is_meant() -> None:
    trace = wt.trace(wt.load_scenario("first-step"))
    *said, changes = called(trace, ["apply", "w[1, cat]=2"], ["apply", "logits[cat, milk]=2"], ["changes"])
    assert said == ["", "'logits' matches 2 steps: output_head.logits, …"]
    assert changes == ["output_head.w[1, cat]=2"]


def test_what_cannot_be_set_is_an_error_and_changes_nothing() -> None:
    trace = wt.trace(wt.load_scenario("key-cache"))
    at = {value.path: k for k, value in enumerate(trace)}
    mask = next(k for path, k in at.items() if path.endswith(".mask"))
    scores = next(k for path, k in at.items() if path.endswith(".scores"))
    calls: list[list[Any]] = [
        ["set", mask, 0, 0, 1],
        ["set", scores, 0, 0, 1],
        ["set", 0, 99, 0, 1],
        ["set", 0, 0, 0, None],
    ]
    *errors, changes = called(trace, *calls, ["changes"])
    assert all("error" in error for error in errors)
    assert changes == []


def test_the_arithmetic_can_be_changed_on_the_page() -> None:
    scenario = wt.load_scenario("experts")
    exact = wt.trace(scenario)
    modes: list[list[Any]] = [["arithmetic", "by hand", 2], ["arithmetic", "by hand"], ["arithmetic", "exact", 5]]
    found = called(exact, *[call for mode in modes for call in (mode, ["every"], ["everyLine"])])
    for at, (by_hand, decimals) in enumerate([(True, 2), (True, None), (False, 5)]):
        trace = wt.trace(scenario, arithmetic="by-hand" if by_hand else "exact", decimals=decimals)
        _, every, lines = found[3 * at : 3 * at + 3]
        assert_near(every, trace)
        assert lines == [lines_of(value, trace, decimals) for value in trace]


def test_a_change_that_by_hand_is_no_change_is_kept_for_the_exact_arithmetic() -> None:
    trace = hostile_trace(["a", "b"])
    path = next(value.path for value in trace if value.can_change)
    at = [value.path for value in trace].index(path)
    rounded = round(float(trace[path].array[0, 0]), 2)
    calls: list[list[Any]] = [["set", at, 0, 0, rounded], ["changes"], ["arithmetic", "by hand", 2], ["changes"]]
    _, before, _, between, _, after = called(trace, *calls, ["arithmetic", "exact"], ["changes"])
    assert before == between == after == [f"{path}[{trace[path].rows[0]}, 1]={rounded}"]


def test_of_some_steps_what_they_are_computed_from_is_given() -> None:
    trace = wt.trace(wt.load_scenario("chai"))
    given, _, every = called(trace, ["editable", 0], ["set", 0, 0, 0, 2], ["every"], steps=("scores",))
    held = selection_of(trace, ("scores",)).values
    query, key = (value.array.copy() for value in held[:2])
    query[0, 0] = 2
    assert given
    assert held[0].operation is not None
    np.testing.assert_allclose(numbers(every[-1], held[-1]), query @ key.T, rtol=1e-12)
