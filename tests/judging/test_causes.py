"""What an author probably did, named where the printed numbers are evidence of it."""

from __future__ import annotations

import pytest

from tests.judging.printing import report_of
from walkthrough.views.report.blocks import Items
from walkthrough.views.report.published import report as errata

HEAD = """title: x
tokens: [a, b]
embeddings: {a: [0.513, 1.257], b: [2.011, 0.105]}
attention:
  heads:
    - {w_q: [[1.1, 0.3], [0.2, 1]], w_k: [[1.3, 0.4], [0.7, 1]], w_v: [[1, 0.2], [0.6, 1.7]]}
"""


def causes(published: str) -> list[str]:
    report = report_of(f"{HEAD}published: {{{published}}}\n")
    found = report.causes()
    return [found[one.cell].word if one.cell in found else one.verdict for one in report.cells]


@pytest.mark.parametrize(
    ("published", "expected"),
    [
        ("scores: [[3.325, 3.476], [4.490, 6.646]], scaled_scores: [[3.325, 3.476], [4.490, 6.646]]",
         ["exact"] * 4 + ["not_scaled"] * 4),
        ("query: [[0.815, 1.410], [2.233, 0.708]], key: [[1.546, 1.462], [2.687, 0.909]]",
         ["truncated", "truncated", "exact", "exact", "truncated", "exact", "truncated", "exact"]),
        ("scores: [[3.325, 3.476], [4.490, 6.646]], scaled_scores: [[1.920, 2.007], [2.592, 3.837]]",
         ["exact"] * 4 + ["wrong_root"] * 4),
        ("query: [[0.816, 1.417], [2.233, 0.708]]", ["exact", "wrong", "exact", "exact"]),
        ("value: [[1.2672, 2.2395], [2.0740, null]], embeddings: {b: [2.011, 0.501]}",
         ["exact", "exact", "exact", "exact", "wrong"]),
    ],
)  # fmt: skip
def test_a_cause_is_named_where_the_numbers_show_it(published: str, expected: list[str]) -> None:
    assert causes(published) == expected


def test_the_cause_is_said() -> None:
    scores = "scores: [[3.325, 3.476], [4.490, 6.646]]"
    report = report_of(f"{HEAD}published: {{{scores}, scaled_scores: [[3.325, 3.476], [4.490, 6.646]]}}\n")
    blocks = [block for block in errata(report).blocks() if isinstance(block, Items)]
    assert blocks[0].lines[-1] == "Probably not divided by √d_k."
    assert blocks[1].lines == ("attention.head.1.scaled_scores: 4 numbers. Probably not divided by √d_k.",)
    cell = errata(report).data()["cells"][4]
    assert (cell["verdict"], cell["cause"], cell["likely"]) == ("wrong", "not_scaled", "Probably not divided by √d_k.")


def test_a_mistake_made_again_in_another_head_is_one_line_of_the_errata() -> None:
    heads = "{scores: [[3.3, 3.5], [4.5, 6.6]], d_k: 2}, {scores: [[1.2, 2.7], [3.9, 2.4]], d_k: 2}"
    published = "head.1.scaled_scores: [[3.3, 3.5], [4.5, 6.6]], head.2.scaled_scores: [[1.2, 2.7], [3.9, 2.4]]"
    report = report_of(f"title: x\ntokens: [a, b]\nattention: {{heads: [{heads}]}}\npublished: {{{published}}}\n")
    *_, likely = (block for block in errata(report).blocks() if isinstance(block, Items) and block.lines)
    where = "attention.head.1.scaled_scores and 1 more step"
    assert likely.lines == (f"{where}: 8 numbers. Probably not divided by √d_k.",)


def test_numbers_of_another_step_taken_in_the_place_of_one_left_out_are_not_called_copied() -> None:
    scaled = "scaled_scores: [[1.919, 2.007], [2.592, 3.837]]"
    report = report_of(f"{HEAD}published: {{{scaled}, weights: [[0.489, 0.511], [0.403, 0.597]]}}\n")
    assert {cell["likely"] for cell in errata(report).data()["cells"][4:]} == {
        "Probably computed from Scaled scores instead of Exponentials."
    }


def test_both_lines_are_shown_where_they_differ() -> None:
    numbers = (
        "query: [[0.82, 1.41], [2.23, 0.71]], key: [[1.55, 1.46], [2.69, 0.91]], scores: [[4.01, null], [null, null]]"
    )
    report = report_of(f"{HEAD}published: {{{numbers}}}\n")
    lines = next(block for block in errata(report).blocks() if isinstance(block, Items)).lines
    assert lines == (
        "printed 4.01, right is 3.32",
        "because S[a, a] = 0.8157×1.5468 + 1.4109×1.4622 = 3.32",
        "from the printed numbers S[a, a] = 0.82×1.55 + 1.41×1.46 = 3.33",
    )


def test_what_a_likelier_cause_explains_is_no_evidence_of_another() -> None:
    """Divided by √100 or a point moved: one of the two is said of each number, the likelier one."""
    report = report_of(
        "title: x\ntokens: [a, b]\nattention: {heads: [{scores: [[13.4, 22.7], [31.9, 42.6]], d_k: 100}]}\n"
        "published: {scaled_scores: [[13.4, 22.7], [31.9, 42.6]]}\n"
    )
    assert [cell["cause"] for cell in errata(report).data()["cells"]] == ["not_scaled"] * 4


def test_two_of_three_wrong_numbers_show_nothing_of_a_whole_step() -> None:
    """0.47 and 0.52 would nearly be those of another root: 0.28 and 0.71 would not."""
    report = report_of(
        "title: x\ntokens: [a, b]\nattention: {heads: [{q: [[1.3, 0.7], [0.4, 1.9]], k: [[0.9, 1.1], [1.6, 0.3]], "
        "v: [[1, 0], [0, 1]]}]}\npublished: {weights: [[0.47, 0.52], [0.71, 0.28]]}\n"
    )
    assert [cell["cause"] for cell in errata(report).data()["cells"]] == [None] * 4
