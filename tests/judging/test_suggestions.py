"""`operands: N` is suggested where operands rounded to N decimals give a print: wrong numbers and right ones."""

from __future__ import annotations

import pytest

from tests.judging.printing import report_of
from walkthrough.judging.check import Report

TEXT = """title: Two queries
attention: {heads: [{q: [[1.284, 0.777], [0.381, 0.912]], k: [[0.648, 1.131], [1.177, 0.352]], scale: none}]}
published: %s
"""


def suggested(report: Report) -> list[tuple[str, int, int]]:
    return [(one.value.kind.name, one.operands, one.explained) for one in report.suggestions()]


@pytest.mark.parametrize(
    ("scores", "found"),
    [
        ("[[1.66, 1.88], [1.23, 0.84]]", [("scores", 1, 4)]),  # 1.3·0.6 + 0.8·1.1
        ("[[1.7134, 1.7834], [1.2753, 0.7669]]", [("scores", 2, 4)]),
        ("[[null, null], [null, 0.767]]", [("scores", 2, 1)]),
        ("[[1.66, null], [null, 0.77]]", []),  # one with such operands, the other without
        ("[[1.711, 1.785], [1.278, 0.796]]", []),  # digits swapped
        ("[[1.71, 1.78], [1.28, 0.77]]", []),  # nothing wrong
    ],
)
def test_operands_that_explain_a_print_are_suggested(scores: str, found: list[tuple[str, int, int]]) -> None:
    assert suggested(report_of(TEXT % f"{{scores: {scores}}}")) == found


def test_with_what_is_suggested_nothing_is_wrong() -> None:
    prints = "[{step: scores, operands: 1, values: [[1.66, 1.88], [1.23, 0.84]]}]"
    report = report_of(TEXT % prints)
    assert report.summary["wrong"] == 0
    assert suggested(report) == []
