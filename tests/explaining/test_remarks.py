"""The first step whose numbers are none says so; by hand, how far a step has drifted from the exact one."""

from __future__ import annotations

import numpy as np
import pytest

import walkthrough as wt
from tests.views.samples import bundled_trace
from walkthrough.explaining.remarks import breakdown, drift, stored

SCORES = "encoder.1.attention.head.1.scores"


def by_hand(name: str, decimals: int | None = None) -> wt.Trace:
    return wt.trace(wt.load_scenario(name), arithmetic="by-hand", decimals=decimals)


def exact_of(trace: wt.Trace, path: str) -> wt.Value:
    """A step without rounding."""
    assert trace.exact is not None
    return trace.exact[path]


def drift_of(trace: wt.Trace, path: str, decimals: int, rows: list[int] | None = None) -> str:
    return drift(trace[path], exact_of(trace, path), decimals, rows)


def test_the_largest_difference_is_named_with_its_exact_number() -> None:
    trace = by_hand("chai", 2)
    said = "Drift: up to 0.0126, where S[is, is] is −0.3400 instead of −0.3274."
    assert drift_of(trace, SCORES, 2) == said
    assert abs(np.abs(trace[SCORES].array - exact_of(trace, SCORES).array).max() - 0.0126) < 5e-5


def test_more_decimals_drift_less() -> None:
    sizes = []
    for decimals in (2, 3, 4):
        trace = by_hand("chai", decimals)
        sizes.append(np.abs(trace["encoder.output"].array - exact_of(trace, "encoder.output").array).max())
    assert sizes[0] > sizes[1] > sizes[2] > 0


def test_a_given_matrix_has_none_and_an_exact_step_says_so() -> None:
    trace = by_hand("cooking")
    assert drift_of(trace, "embeddings", 3) == ""
    assert drift_of(trace, "encoder.1.attention.head.1.query", 3) == "Drift: none."


def test_a_word_that_comes_out_otherwise_is_named() -> None:
    trace = by_hand("cooking", 0)
    value = trace["output_head.prediction"]
    assert value.names is not None
    said = drift_of(trace, value.path, 0)
    for row, (rounded, exact) in enumerate(zip(value.array, exact_of(trace, value.path).array, strict=True)):
        named = f"without rounding {value.rows[row]} gives {value.names[int(exact[0])]}"
        assert (named in said) == (rounded[0] != exact[0])


def test_only_the_rows_that_are_shown_are_looked_at() -> None:
    assert "S[The, " in drift_of(by_hand("chai", 2), SCORES, 2, rows=[0])


def test_hidden_scores_drift_by_nothing() -> None:
    assert drift_of(by_hand("fuchs"), "encoder.1.attention.head.1.masked_scores", 3).startswith("Drift: ")


def test_an_exact_trace_has_no_drift() -> None:
    assert bundled_trace("chai").exact is None
    assert "Drift" not in bundled_trace("chai")["encoder.output"]._repr_markdown_()


def test_the_first_step_that_breaks_down_says_so() -> None:
    trace = by_hand("chai", 0)
    said = [value.path for value in trace if breakdown(value)]
    assert said == ["encoder.1.norm_1.output"]
    assert breakdown(trace[said[0]]).startswith("The calculation breaks down here (division by zero or overflow)")


def test_hidden_scores_and_unknown_numbers_are_in_order() -> None:
    for name in ("fuchs", "masked-scores", "chai"):
        assert not [value.path for value in bundled_trace(name) if breakdown(value)]


def test_last_bits_decide_nothing_of_a_drift() -> None:
    """Another machine adds in another order: what is off by 1e-12 is not, and of equal drifts the first is named."""
    value = by_hand("chai", 2)[SCORES]
    exact = value.with_numbers(value.array + 4e-16)
    assert drift(value, exact, 2) == "Drift: none."
    moved = exact.array.copy()
    moved[1, 0] += 0.01
    moved[2, 3] += 0.01 + 3e-15
    assert drift(value, value.with_numbers(moved), 2).startswith("Drift: up to 0.0100, where S[chai, The] ")


HEAD = "attention.head.1"
LARGE = """
title: A score too large for eight bits
decimals: 3
tokens: [a, b]
embeddings: [[1], [2]]
attention: {heads: [{scores: [[6.5, 1], [-1, 0.82128906301]], v: [[1, 0], [0, 1]]}], scale: none}
"""


def test_in_a_number_format_infinite_and_undefined_numbers_are_named_with_the_cell_where_they_begin() -> None:
    trace = wt.trace(wt.parse_scenario(LARGE), arithmetic="float8_e4m3fn", changes={"scores[b, a]": 6.5})
    said = {name: drift_of(trace, f"{HEAD}.{name}", 3) for name in ("softmax.exp", "softmax.sum", "weights")}
    assert said["softmax.exp"] == (
        "Drift: up to 0.03172, where U[a, b] is 2.75000 instead of 2.71828; nan from U[a, a] on, instead of 665.14163."
    )
    assert said["softmax.sum"] == "Drift: nan from u[a] on, instead of 667.85991."
    assert said["weights"].endswith("nan from A[a, a] on, instead of 0.99593.")
    trace = wt.trace(wt.parse_scenario(LARGE.replace("6.5", "12")), arithmetic="float8_e5m2")
    assert drift_of(trace, f"{HEAD}.softmax.exp", 0).endswith("inf from U[a, a] on, instead of 162754.79.")


def test_a_number_is_shown_as_its_format_holds_it() -> None:
    scenario = wt.parse_scenario(LARGE)

    def line(arithmetic: str, cell: str) -> str:
        trace = wt.trace(scenario, arithmetic=arithmetic)
        at = trace.cell(cell)
        return stored(at, exact_of(trace, at.value.path))

    assert line("bfloat16", "scores[b, b]") == "bfloat16: 0 01111110 1010010 = 0.8203125, from 0.8212890630"
    assert line("bfloat16", "scores[b, a]") == "bfloat16: 1 01111111 0000000 = −1, from −1"
    assert line("float8_e4m3fn", "softmax.exp[a, b]") == "float8_e4m3fn: 0 1000 011 = 2.75, from 2.7182818285"
    assert line("float8_e4m3fn", "softmax.exp[a, a]") == "float8_e4m3fn: 0 1111 111 = nan, from 665.1416330444"
    assert line("int8", "scores[b, b]") == "int8: 16 × 0.0511811024"
    assert line("int8", "scores[b, a]") == "int8: −20 × 0.0511811024"
    assert stored(wt.trace(scenario).cell("scores[b, b]"), None) == ""


@pytest.mark.parametrize("arithmetic", ["bfloat16", "int8"])
def test_nothing_is_said_of_how_an_unknown_number_is_stored(arithmetic: str) -> None:
    trace = wt.trace(wt.parse_scenario(LARGE.replace("6.5, 1", "null, 1")), arithmetic=arithmetic)
    for cell in ("scores[a, a]", "weights[a, b]"):
        at = trace.cell(cell)
        assert stored(at, exact_of(trace, at.value.path)) == ""
    assert stored(trace.cell("scores[a, b]"), exact_of(trace, f"{HEAD}.scores")) != ""


@pytest.mark.parametrize(
    ("arithmetic", "said"),
    [
        ("bfloat16", "bfloat16: 1 11111111 0000000 = −∞, from −∞"),
        ("float8_e4m3fn", "float8_e4m3fn: −∞"),  # it has none: 1 1111 000 would be −256
        ("int8", "int8: −∞"),
    ],
)
def test_a_hidden_score_has_the_bits_of_infinity_where_the_format_has_an_infinity(arithmetic: str, said: str) -> None:
    trace = wt.trace(wt.parse_scenario(LARGE.replace("scale:", "mask: causal, scale:")), arithmetic=arithmetic)
    assert stored(trace.cell("masked_scores[a, b]"), None) == said
