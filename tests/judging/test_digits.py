"""The digits of printed numbers: what they claim, and which values round to them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.judging.printing import report_of
from walkthrough import parse_scenario
from walkthrough.judging.digits import Printed, decimals_of
from walkthrough.judging.margins import half_units
from walkthrough.transformer.runs.run import trace


def printed(text: str) -> Printed:
    return Printed(text, float(text), decimals_of(text) or 0)


@pytest.mark.parametrize(
    ("text", "decimals"),
    [
        ("2.000", 3), ("-0.5", 1), (".25", 2), ("6.03e-06", 8), ("6.03E+2", 0), ("1.5e3", -2), ("1e-5", 5), ("5.", 0),
        ("7", None), ("-.inf", None), ("0e999999999", -330),
    ],
)  # fmt: skip
def test_decimals(text: str, decimals: int | None) -> None:
    assert decimals_of(text) == decimals


@pytest.mark.parametrize(
    ("text", "exact", "right"),
    [
        ("0.13", 0.125, True),  # half away from zero
        ("0.12", 0.125, True),  # half to even
        ("-0.13", -0.125, True),
        ("0.38", 0.375, True),
        ("0.37", 0.375, False),
        ("0.53", 0.525, True),  # a float holds 0.52499…
        ("0.38", 0.375 * (1 - 8e-13), True),  # as near as float64 knows it
        ("0.38", 0.375 * (1 - 1.2e-12), False),
        ("2.000", 1.9995, True),
        ("2.000", 1.9994, False),
        ("6.03e-06", 6.0349e-6, True),
        ("6.03e-06", 6.0351e-6, False),
        ("1.5e3", 1549.0, True),
        ("1.5e3", 1551.0, False),
        ("-0.00", 0.001, True),
        ("3", 2.5, True),
        ("2", 2.5, True),
        ("0", 1e300, False),
        ("1.000000000000000", 1e20, False),
        ("100000000000000000000.0000000", 1e20, True),
        ("0.5", math.nan, False),
        ("0.5", -math.inf, False),
    ],
)
def test_rounded(text: str, exact: float, right: bool) -> None:
    assert printed(text).is_rounded(exact) is right


@given(st.floats(-1e300, 1e300), st.integers(0, 12))
def test_python_rounds_to_what_is_right(number: float, decimals: int) -> None:
    assert printed(f"{number:.{decimals}f}").is_rounded(number)
    assert printed(f"{number:.{decimals}e}").is_rounded(number)


def test_infinite_numbers_claim_no_digits() -> None:
    hidden = Printed("-.inf", -math.inf, 0)
    assert hidden.is_rounded(-math.inf)
    assert not hidden.is_rounded(-1e30)
    assert hidden.interval_around(-math.inf) == (-math.inf, -math.inf)


HEAD = """title: x
tokens: [a, b]
embeddings: {a: [0.50, 1.25], b: [2.00, 0.10]}
attention:
  heads:
    - {w_q: [[1, 0], [0, 1]], w_k: [[1.0, 0], [0, 1]], w_v: [[1, 0], [0, 1]]}
"""  # scores: 1.8125, 1.125; 1.125, 4.01


def verdicts(published: str, head: str = HEAD) -> list[str]:
    return [one.verdict for one in report_of(head + published).cells]


@pytest.mark.parametrize(
    ("published", "wanted"),
    [
        ("published: {scores: [[1.81, 1.13], [1.12, 4.01]]}", ["exact"] * 4),
        ("published: {scores: [[2, 1], [1, 4]]}", ["exact"] * 4),
        ("published: {scores: [[1.81, 1], [1, 4]]}", ["exact", "wrong", "wrong", "wrong"]),
        ("published: {scores: {b: [null, 4.01]}}", ["exact"]),
        ("published: [{step: scores, values: {b: [1.1, 4]}, decimals: 2}]", ["wrong", "wrong"]),
        ("published: [{step: scores, values: {b: [1.1, 4]}, decimals: 1}]", ["exact", "exact"]),
        ("published: [{step: scores, values: {b: [1.09, 4.01]}}]", ["wrong", "exact"]),
        ("published: [{step: scores, values: {b: [1.09, 4.01]}, operands: 1}]", ["rounding", "exact"]),
        ("published: {scores: {a: [1.8125e0, 1.125e+00]}}", ["exact", "exact"]),
        ("published: {scores: {a: [-.inf, 1.125]}}", ["wrong", "exact"]),
        (
            "published: [{step: scores, values: {b: [1.2, 4.0]}}, {step: scores, values: {b: [1.1, 4.0]}},"
            " {step: scaled_scores, values: {b: [0.85, 2.83]}}]",
            ["wrong", "exact", "exact", "exact", "inherited", "rounding"],
        ),
        ("published: {query: {a: [0.5, 1.3]}, scores: {a: [1.84, 1.13]}}", ["exact", "exact", "rounding", "exact"]),
    ],
)
def test_what_the_digits_claim(published: str, wanted: list[str]) -> None:
    assert verdicts(published) == wanted


def test_rounded_inputs() -> None:
    published = "published: {scores: {b: [1.14, 4.03]}}"
    assert verdicts(published) == ["wrong", "wrong"]
    assert verdicts("inputs_are: rounded\n" + published) == ["rounding", "rounding"]
    scenario = parse_scenario(HEAD)
    assert {value.path: half for value, half in half_units(trace(scenario)).items()} == {
        "embeddings": 0.005,
        "attention.head.1.w_q": 0.0,
        "attention.head.1.w_k": 0.05,
        "attention.head.1.w_v": 0.0,
    }


def test_rounded_inputs_of_joined_heads_and_layers() -> None:
    text = """title: x
tokens: [a]
embeddings: [[0.5, 1.25]]
encoder:
  layers:
    - attention: {num_heads: 2, w_q: [[1, 0.10], [0, 1]], w_k: [[1, 0], [0, 1]], w_v: [[1, 0], [0, 1]]}
      norm_1: {gamma: [1.000, 1.000]}
"""
    scenario = parse_scenario(text)
    margins = {value.path: half for value, half in half_units(trace(scenario)).items()}
    assert margins["encoder.1.attention.head.1.w_q"] == 0.005
    assert margins["encoder.1.attention.head.2.w_k"] == 0
    assert margins["encoder.1.norm_1.gamma"] == 0.0005
    assert margins["token_embedding"] == 0.005


UNKNOWN = "title: x\nattention: {heads: [{scores: [[1, null, 0.5]], scale: none, v: [[1], [2], [4]]}]}\n"
"""The weights are at most 0.623, anything from 0, and at most 0.378."""


def test_behind_an_unknown_number_nothing_is_judged_that_it_could_give() -> None:
    assert verdicts("published: {weights: [[0.3, 0.2, 0.1]]}", UNKNOWN) == ["unjudged"] * 3
    assert verdicts("published: {weights: [[0.62, -0.3, 0.39]]}", UNKNOWN) == ["unjudged", "wrong", "wrong"]
    text = "title: x\ntokens: [a]\nattention:\n  heads:\n    - {scores: [[null]], scale: none, v: [[2.0]]}\n"
    assert verdicts("published: {weights: [[0.3]]}", text) == ["unjudged"]


def test_behind_unknown_numbers_that_are_printed_all_is_judged() -> None:
    """0.3·1 + 0.4·2 + 0.3·4 = 2.3, give or take 0.05 of each weight: 0.35, and 0.05 of its own."""
    for printed, verdict in (("2.3", "rounding"), ("2.7", "rounding"), ("2.8", "wrong"), ("1.8", "wrong")):
        told = verdicts(f"published: {{weights: [[0.3, 0.4, 0.3]], output: [[{printed}]]}}", UNKNOWN)
        assert told == [*["unjudged"] * 3, verdict]


def test_words() -> None:
    head = HEAD + "output_head: {w: [[1, 0], [0, 1]], vocabulary: [x, '12']}\n"
    assert verdicts("published: {output_head.prediction: {a: x, b: 'x'}}", head) == ["exact", "exact"]
    assert verdicts("published: {output_head.prediction: {a: '12', b: [x, 0.83]}}", head) == ["wrong", "exact", "exact"]
    assert verdicts("published: {output_head.prediction: {a: [null, 0.6], b: x}}", head) == ["exact", "exact"]
    logits = "output_head.logits: [[0.1, 2.9], [1.8, 0.2]]"
    assert verdicts(f"published: {{{logits}, output_head.prediction: {{a: '12'}}}}", head) == [
        "wrong",
        "wrong",
        "exact",
        "exact",
        "inherited",
    ]
