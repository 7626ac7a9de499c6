"""Published numbers as people write them, in a scenario."""

from __future__ import annotations

import numpy as np
import pytest

import walkthrough as wt
from tests.judging.author import worked_out
from tests.judging.printing import accused, report_of, with_published
from tests.views.samples import QUANTIZED, quantized_trace
from walkthrough.judging.check import check
from walkthrough.judging.digits import Printed
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.views.report.published import right_text

HEAD = """title: x
tokens: [a, b]
embeddings: {a: [1, 2], b: [3, 4]}
attention:
  heads: [{q: [[0.5, -0.25], [320, 1]], k: [[1, 0], [0, 1]]}]
  scale: none
"""


def published(row: str) -> list[Printed | str]:
    return [one.cell.printed for one in report_of(f"{HEAD}published: {{scores: {{{row}}}}}\n").cells]


@pytest.mark.parametrize(
    ("row", "numbers"),
    [
        ('a: ["0,5", −0.25]', [("0,5", 0.5, 1), ("−0.25", -0.25, 2)]),
        ('a: ["≈ 0.50", "−0,3"]', [("≈ 0.50", 0.5, 2), ("−0,3", -0.3, 1)]),
        ('b: ["3.2·10²", 1.0]', [("3.2·10²", 320.0, -1), ("1.0", 1.0, 1)]),
        ('b: ["320", "1,000"]', [("320", 320.0, 3), ("1,000", 1.0, 3)]),
    ],
)
def test_a_published_number_claims_the_digits_it_shows(row: str, numbers: list[tuple[str, float, int]]) -> None:
    assert published(row) == [Printed(*one) for one in numbers]
    report = report_of(f"{HEAD}published: {{scores: {{{row}}}}}\n")
    assert report.summary["exact"] == 2 or row.startswith('a: ["≈')


def test_a_quoted_word_is_no_number() -> None:
    scenario = wt.parse_scenario(f"{HEAD}published: {{scores: {{a: ['0,5 m', 1]}}}}\n")
    with pytest.raises(wt.ScenarioError, match="expected a number or null"):
        check(scenario, wt.trace(scenario))


@pytest.mark.parametrize(("row", "is_said"), [("0,5, 0,25", True), ("1, 2, 3, 4", True), ("0.5, 1, 2", False)])
def test_a_decimal_comma_without_quotes_is_explained(row: str, is_said: bool) -> None:
    scenario = wt.parse_scenario(f"{HEAD}published: {{scores: {{a: [{row}]}}}}\n")
    with pytest.raises(wt.ScenarioError) as error:
        check(scenario, wt.trace(scenario))
    assert ("in quotes, '0,38'" in str(error.value)) is is_said


def test_a_wrong_id_is_told_as_an_id_and_a_wrong_word_as_a_word() -> None:
    printed = "generate.1.candidates: [[1, is, -0.69], [1, tea, -0.80], [1, hot, -3.91], [1, tea, -4.61]]"
    more = "generate.1.alive: [[2, is, -0.69], [1, warms, -0.80]]"
    text = bundled_scenarios()["beam"].read_text(encoding="utf-8")
    found = report_of(f"{text}\npublished: {{{printed}, {more}}}\n")
    told = [(one.cell.text, right_text(one), one.verdict) for one in found.cells if one.verdict != "exact"]
    assert told == [("tea", "warms", "wrong"), ("2", "1", "wrong")]


def test_whole_numbers_of_a_quantized_matrix_are_judged_as_people_round() -> None:
    """0.1 ÷ (0.6 ÷ 3) is a half, which goes to 0."""
    path = "encoder.1.feed_forward.b_1"
    prints = {
        f"{path}.scale": [["0.2"]],
        f"{path}.quantized": [["0", "2", "-3", "2"]],
        path: [["0.0", "0.4", "-0.6", "0.4"]],
    }
    assert accused(report_of(with_published(QUANTIZED, prints))) == []
    prints[f"{path}.quantized"] = [["1", "2", "-3", "2"]]
    report = report_of(with_published(QUANTIZED, prints))
    wrong = [(one.cell.value.path, one.cell.row, one.cell.column) for one in report.with_verdict("wrong")]
    assert wrong == [(f"{path}.quantized", 0, 0)]


def test_an_honest_author_keeps_matrices_in_few_bits_as_we_do() -> None:
    trace = quantized_trace()
    for value, rows in worked_out(trace, lambda value: None).items():
        if ".w_" in value.path or ".b_" in value.path:
            assert np.array(rows, dtype=float) == pytest.approx(value.array, rel=0, abs=1e-12), value.path
