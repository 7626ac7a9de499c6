"""The sources' own numbers: judged as an independent calculation with 50 digits judges them."""

from __future__ import annotations

from functools import cache

import pytest

import walkthrough as wt
from tests.oracle import sources as oracle
from walkthrough.judging.check import CheckResult, check
from walkthrough.scenario.sources import bundled_scenarios

BUNDLED = bundled_scenarios()
COUNTS = {  # exact, rounding, inherited, wrong
    "chai": (124, 26, 15, 16),
    "cooking": (144, 27, 125, 32),
    "cooking-multihead": (69, 0, 60, 18),
    "cat-sat": (16, 0, 1, 2),
    "show-me-the-money": (13, 0, 3, 12),
    "masked-scores": (36, 0, 0, 0),
    "help-me": (8, 0, 0, 0),
}


@cache
def report_of(name: str) -> CheckResult:
    scenario = wt.load_scenario(BUNDLED[name])
    return check(scenario, wt.trace(scenario), name)


@pytest.mark.parametrize("name", COUNTS)
def test_exact_is_what_the_oracle_calls_right(name: str) -> None:
    wrong = {(cell.path, cell.row, cell.column, cell.text) for cell, _ in oracle.wrong(BUNDLED[name])}
    cells = report_of(name).cells
    keys = [(one.cell.value.path, one.row, one.column, one.cell.text) for one in cells]
    assert sorted(keys) == sorted(oracle.published(BUNDLED[name]))
    assert {key for key, one in zip(keys, cells, strict=True) if one.verdict != "exact"} == wrong


@pytest.mark.parametrize("name", COUNTS)
def test_computed_numbers_are_those_of_the_oracle(name: str) -> None:
    values = oracle.values(BUNDLED[name])
    for one in report_of(name).cells:
        if not isinstance(one.computed, str) and abs(one.computed) != float("inf"):
            exact = values[one.cell.value.path][one.cell.row][one.cell.column]
            assert one.computed == pytest.approx(float(exact), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name: str) -> None:
    assert tuple(report_of(name).summary.values()) == COUNTS[name]


def wrong_steps(name: str) -> dict[str, int]:
    """How many numbers of each step are wrong, each counted once however often it is printed."""
    cells = {(one.cell.value.path, one.row, one.column) for one in report_of(name).with_verdict("wrong")}
    steps: dict[str, int] = {}
    for path, _, _ in sorted(cells):
        steps[path] = steps.get(path, 0) + 1
    return steps


HEAD = "encoder.1.attention.head."


def test_where_the_sources_slip() -> None:
    """Looked at one by one: docs/sources.md."""
    assert wrong_steps("chai") == {f"{HEAD}1.scores": 2, f"{HEAD}1.weights": 12}
    assert wrong_steps("cat-sat") == {"positional_encoding": 2}
    assert wrong_steps("show-me-the-money") == {"positional_encoding": 9}
    assert wrong_steps("cooking-multihead") == {
        f"{HEAD}1.weights": 9,
        f"{HEAD}2.key": 5,
        f"{HEAD}2.value": 1,
        f"{HEAD}2.output": 3,
    }
    assert wrong_steps("cooking") == {
        "encoder.1.norm_1.std": 2,
        "encoder.1.norm_1.variance": 1,
        "encoder.1.norm_2.output": 7,
        "encoder.1.norm_2.std": 1,
    }


def test_cooking_draws_the_wrong_next_token() -> None:
    failed = {one.subject: one.said for one in report_of("cooking").conclusions if not one.holds}
    assert failed["output_head.prediction[cooking]"] == "printed “learned”, right is “.”"
    order = failed["order of output_head.probabilities[cooking]"]
    assert order == "printed “learned” before “.”, right is “.” before “learned”"


def test_a_follower_has_a_wrong_number_before_it() -> None:
    for name in COUNTS:
        report = report_of(name)
        tainted = {id(one.cell.value) for one in report.with_verdict("wrong")}
        for value in report.trace:
            if any(id(given) in tainted for given in value.inputs):
                tainted.add(id(value))
        assert all(id(one.cell.value) in tainted for one in report.with_verdict("inherited"))
