"""Published numbers as people write them, in a scenario."""

from __future__ import annotations

import pytest

import walkthrough as wt
from tests.judging.printing import report_of
from walkthrough.judging.check import check
from walkthrough.judging.digits import Printed

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
