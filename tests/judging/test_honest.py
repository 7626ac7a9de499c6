"""No honest author is called wrong, whatever he leaves out; a slip is found, and what follows from it is inherited.

The full count is `python -m docs.benchmarks.honest_authors 20000`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.examples import all_in_a_thorough_run, some
from tests.judging import sheets
from tests.judging.author import worked_out
from tests.judging.printing import accused
from tests.judging.sheets import LONG, NAMES, drawn, scenario_of

SHORT = [name for name in NAMES if name not in LONG]


@pytest.mark.parametrize("name", all_in_a_thorough_run(NAMES))
def test_the_author_calculates_as_we_do(name: str) -> None:
    """Where he rounds nothing; his arithmetic is Decimal's, and his own."""
    _, trace = scenario_of(name)
    for value, rows in worked_out(trace, lambda value: None).items():
        numbers = [[np.nan if number is None else float(number) for number in row] for row in rows]
        np.testing.assert_allclose(numbers, value.array, rtol=1e-9, atol=1e-11, err_msg=value.path)


@pytest.mark.parametrize("name", SHORT)
def test_an_honest_author_is_not_called_wrong(name: str) -> None:
    for seed in range(some(1, 20)):
        sheet = drawn(seed, name)
        assert not accused(sheet.report()), sheet


@pytest.mark.parametrize("name", some(("tiny-llama",), LONG))
def test_nor_is_one_who_works_out_thousands_of_numbers(name: str) -> None:
    for seed in range(1 if name == "specialise" else some(1, 3)):
        sheet = drawn(seed, name)
        assert not accused(sheet.report()), sheet


def test_a_slip_is_found_and_alone_to_blame() -> None:
    seeds = range(some(1, 12))
    sheets = [
        sheet for name in some(SHORT[::2], SHORT) for seed in seeds if (sheet := drawn(seed, name, spoiled=True)).slip
    ]
    missed = 0
    for sheet in sheets:
        report = sheet.report()
        wrong = [(one.cell.value, one.cell.row, one.cell.column) for one in report.with_verdict("wrong")]
        assert wrong in ([], [sheet.slip]), accused(report)
        missed += not wrong
    assert len(sheets) > 6 * len(seeds)
    assert missed <= 0.02 * len(sheets)


RECIPES = {
    "adamw": "clip: 0.1, optimizer: {adamw: {weight_decay: 0.1, epsilon: 0.01}}, schedule: {cosine: {minimum: 0.1}}",
    "momentum": "clip: 5, steps: 2, optimizer: {momentum: 0.5}, schedule: {linear: {warmup_steps: 1, total: 3}}",
}
"""Of a training what no bundled scenario has."""


@pytest.mark.parametrize("name", RECIPES)
def test_a_training_by_hand_is_judged_alike(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "title: t\ntokens: [a, b]\nvocabulary: [a, b]\nembeddings: [[1, 0.5], [-0.3, 0.4]]\n"
    text += "output_head: {w: [[0.5, -1], [0.2, 0.3]]}\n" + f"training: {{targets: [b, a], {RECIPES[name]}}}\n"
    (tmp_path / "own.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(sheets, "bundled_scenarios", lambda: {name: tmp_path / "own.yaml"})
    _, trace = scenario_of(name)
    for value, rows in worked_out(trace, lambda value: None).items():
        np.testing.assert_allclose([[float(number) for number in row] for row in rows], value.array, atol=1e-11)
    for seed in range(some(3, 30)):
        assert not accused((sheet := drawn(seed, name)).report()), sheet
        sheet = drawn(seed, name, spoiled=True)
        wrong = [(one.cell.value, one.cell.row, one.cell.column) for one in sheet.report().with_verdict("wrong")]
        assert wrong in ([], [sheet.slip]), sheet


def test_numbers_without_bounds_are_judged_without_a_warning() -> None:
    sheet = drawn(980542, spoiled=True)  # a slip so large that the words below it may be any
    assert [(one.cell.value, one.cell.row, one.cell.column) for one in sheet.report().with_verdict("wrong")] == [
        sheet.slip
    ]
