"""What an author looks up may be rounded; a share that can only be 1, or 0, is not."""

from __future__ import annotations

import pytest

from tests.judging.printing import verdicts

ROOT = """title: √2 from a table
attention: {heads: [{q: [[10.0, 4.0]], k: [[6.0, 10.0]]}]}
published: {scores: [[100.00]], scaled_scores: [[%s]]}
"""


@pytest.mark.parametrize(
    ("printed", "verdict"),
    [
        ("70.71", "exact"),
        ("70.92", "rounding"),  # 100 / 1.41
        ("70.72", "rounding"),  # 100 / 1.414
        ("71.43", "wrong"),  # 100 / 1.4
        ("71.4", "wrong"),
        ("70.50", "wrong"),  # 1.42 is not √2 rounded
    ],
)
def test_a_root_may_be_rounded_to_the_digits_of_its_step(printed: str, verdict: str) -> None:
    assert verdicts(ROOT % printed)[-1] == verdict


ROTARY = """title: Cosine and sine of 1
positions: [1]
attention:
  rotary: {base: 10}
  heads: [{q: [[10.0, 30.0]], k: [[1.0, 0.0]]}]
published: {query_rotated: [[%s, %s]]}
"""


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (("-19.84", "24.62"), ["exact", "exact"]),
        (("-19.80", "24.60"), ["rounding", "rounding"]),  # with 0.54 and 0.84
        (("-19.80", "24.80"), ["rounding", "wrong"]),
        (("-21.00", "24.62"), ["wrong", "exact"]),
    ],
)
def test_sine_and_cosine_of_a_rotation_may_be_rounded(row: tuple[str, str], expected: list[str]) -> None:
    assert verdicts(ROTARY % row) == expected


GATE = """title: A sigmoid
tokens: [a]
embeddings: [[2.0, -1.0]]
encoder:
  norm_order: none
  residual: false
  layers: [{feed_forward: {w_1: [[10, 0], [0, 10]], activation: %s, w_2: [[1, 0], [0, 1]]}}]
published: {activation: [[%s]]}
"""


@pytest.mark.parametrize(
    ("activation", "row", "expected"),
    [
        ("silu", "20.00, -0.00", ["exact", "exact"]),
        ("silu", "20.00, -0.05", ["exact", "wrong"]),
        ("relu", "20.01, 0.00", ["wrong", "exact"]),
    ],
)
def test_the_sigmoid_inside_silu_may_be_rounded(activation: str, row: str, expected: list[str]) -> None:
    assert verdicts(GATE % (activation, row)) == expected


def test_silu_with_a_sigmoid_of_two_decimals_is_rounding() -> None:
    """10 · 0.73 for 10 · 0.7310586, of a number that is given."""
    text = GATE.replace("[[10, 0], [0, 10]]", "[[0.5, 0], [0, 1]]") % ("silu", "0.73, -0.27")
    assert verdicts(text) == ["exact", "exact"]
    far = text.replace("w_1: [[0.5, 0]", "w_1: [[1.5, 0]").replace("[[0.73, -0.27]]", "[[2.85, -0.27]]")  # 3 · 0.95
    assert verdicts(far) == ["rounding", "exact"]


MASKED = """title: The first word sees itself alone
tokens: [a, b]
attention:
  mask: causal
  heads: [{q: [[1.0, 0.3], [0.5, 1.0]], k: [[0.7, 0.2], [0.1, 0.9]], v: [[1000.0, 10.0], [40.0, 20.0]]}]
published:
  scores: [[0.76, 0.37], [0.55, 0.95]]
  head.output: {a: [%s, %s]}
"""


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (("1000.00", "10.00"), ["exact", "exact"]),
        (("1004.00", "10.00"), ["wrong", "exact"]),
        (("1000.00", "10.01"), ["exact", "wrong"]),
    ],
)
def test_a_weight_that_can_only_be_1_is_not_off(row: tuple[str, str], expected: list[str]) -> None:
    assert verdicts(MASKED % row)[-2:] == expected


def test_a_gated_feature_is_0_whatever_it_is_multiplied_by() -> None:
    text = """title: The second feature does not pass
tokens: [a]
embeddings: [[0.513, 1.257]]
encoder:
  norm_order: none
  residual: false
  layers:
  - feed_forward: {w_gate: [[1, 0], [0, -1]], w_1: [[1.5, 0.2], [0.1, 1.7]], activation: relu, w_2: [[10.0], [800.0]]}
inputs_are: rounded
published: {gate: [[0.51, -1.26]], feed_forward.output: [[%s]]}
"""
    for printed, verdict in (("4.59", "exact"), ("8.59", "wrong")):
        assert verdicts(text % printed)[-1] == verdict
