"""The verdict on each number: by its digits, by what rounding allows, and by every choice that the margins allow."""

from __future__ import annotations

import json

import numpy as np
import pytest

import walkthrough as wt
from tests.judging import printing
from walkthrough.judging.assumption import RoundingAssumption
from walkthrough.judging.digits import Printed
from walkthrough.judging.judge import Judge
from walkthrough.judging.prints import BoundPrint, PrintedCell

HEAD = """title: x
tokens: [a, b]
embeddings: {a: [0.513, 1.257], b: [2.011, 0.105]}
attention:
  heads:
    - {w_q: [[1.1, 0], [0, 1]], w_k: [[1.3, 0], [0, 1]], w_v: [[1, 0], [0, 1.7]]}
"""


def verdicts(published: str, head: str = HEAD) -> list[str]:
    return printing.verdicts(f"{head}published: {{{published}}}\n")


@pytest.mark.parametrize(
    ("query", "verdict"),
    [("0.564", "exact"), ("0.56", "exact"), ("0.5643", "exact"), ("0.565", "wrong"), ("0.57", "wrong"), ("1", "wrong")],
)
def test_from_given_numbers_alone_a_number_is_exact_or_wrong(query: str, verdict: str) -> None:
    assert verdicts(f"query: {{a: [{query}, 1.257]}}") == [verdict, "exact"]


def test_ties_may_be_rounded_to_either_side() -> None:
    head = HEAD.replace("0.513", "0.5").replace("1.1, 0", "1.05, 0")  # 0.525
    assert [verdicts(f"query: {{a: [{one}, 1.257]}}", head)[0] for one in ("0.53", "0.52", "0.54")] == [
        "exact",
        "exact",
        "wrong",
    ]


def test_of_a_number_printed_twice_each_print_has_its_verdict_and_the_first_is_carried_on() -> None:
    twice = "- step: query\n  values: {a: [0.564, 1.257]}\n- step: query\n  values: {a: [0.7, null]}\n"
    assert printing.verdicts(f"{HEAD}published:\n{twice}") == ["exact", "exact", "wrong"]


def test_a_number_that_follows_from_a_wrong_one_is_inherited() -> None:
    trace = wt.trace(wt.parse_scenario(HEAD))
    key = trace["attention.head.1.key"].array
    score = 0.9 * key[0, 0] + 1.257 * key[0, 1]
    assert verdicts(f"query: {{a: [0.9, 1.257]}}, scores: {{a: [{score:.3f}, null]}}") == [
        "wrong",
        "exact",
        "inherited",
    ]


def test_operands_that_were_rounded_first_explain_a_number() -> None:
    trace = wt.trace(wt.parse_scenario(HEAD))
    score = trace["attention.head.1.scores"].array[0, 0]
    off = f"{score + 0.04:.3f}"
    plain = f"{HEAD}published:\n- step: scores\n  values: {{a: [{off}, null]}}\n"
    assert printing.verdicts(plain) == ["wrong"]
    assert printing.verdicts(plain + "  operands: 1\n") == ["rounding"]


def sampling(draw: float, logits: list[float], **sample: int) -> str:
    """A generation of one token, whose logits are these wherever it stands."""
    keys = {
        "title": "t",
        "tokens": ["a"],
        "vocabulary": ["a", "b", "c", "d"],
        "embeddings": [[1.0]] * 4,
        "output_head": {"w": [logits]},
        "generate": {"max_tokens": 1, "sample": {"draws": [draw], **sample}},
    }
    return json.dumps(keys, indent=1).removesuffix("\n}") + ",\n"


def of_sampling(published: str, draw: float, logits: list[float], **sample: int) -> list[str]:
    text = sampling(draw, logits, **sample) + f'"published": {{{published}}}\n}}\n'
    return printing.verdicts(text)


LOGITS = [0.0, 2.0, 1.0, -1.0]  # the sums of their shares: 0.087, 0.731, 0.968, 1
SUMS = '"generate.1.sample.cumulative": [[0.09, 0.73, 0.97, 1.0]]'


@pytest.mark.parametrize(
    ("word", "draw", "verdict"),
    [
        ("b", 0.5, "exact"),
        ("d", 0.5, "wrong"),  # the last word has the largest sum, and is not drawn by it
        ("c", 0.5, "wrong"),
        ("a", 0.5, "wrong"),
        ("a", 0.0875, "rounding"),  # its sum may have been taken for 0.09
        ("c", 0.0875, "wrong"),
        ("c", 0.7312, "exact"),
        ("b", 0.7312, "rounding"),
        ("d", 0.7312, "wrong"),
    ],
)
def test_a_word_that_was_drawn_is_judged_by_its_draw(word: str, draw: float, verdict: str) -> None:
    published = f'{SUMS}, "generate.1.sample.choice": [["{word}", null]]'
    assert of_sampling(published, draw, LOGITS)[-1] == verdict


def test_kept_logits_are_right_by_any_choice_that_rounding_allows() -> None:
    """1.96 and 2.04 are both 2.0: who has gone on from those may keep both, or the other one."""
    near, printed = [0.0, 1.96, 2.04, -1.0], '"generate.1.logits": [[0.0, 2.0, 2.0, -1.0]]'
    kept = '"generate.1.sample.kept_logits": [[-.inf, 2.0, 2.0, -.inf]]'
    assert of_sampling(f"{printed}, {kept}", 0.5, near, top_k=1)[4:] == ["exact", "rounding", "exact", "exact"]
    kept = '"generate.1.sample.kept_logits": [[-.inf, 1.98, -.inf, -.inf]]'
    assert of_sampling(f"{printed}, {kept}", 0.5, near, top_k=1)[4:] == ["exact", "rounding", "rounding", "exact"]
    far = [0.0, 1.5, 2.04, -1.0]
    printed = '"generate.1.logits": [[0.0, 1.5, 2.0, -1.0]]'
    kept = '"generate.1.sample.kept_logits": [[-.inf, 1.5, 2.0, -.inf]]'
    assert of_sampling(f"{printed}, {kept}", 0.5, far, top_k=1)[4:] == ["exact", "wrong", "exact", "exact"]


def test_a_verdict_depends_on_the_numbers_before_it_and_on_no_other_cell() -> None:
    scenario = wt.load_scenario("chai")
    trace = wt.trace(scenario)
    values = [value for value in trace if value.operation is not None][:12]

    def cells(value: wt.Value, rows: int) -> tuple[PrintedCell, ...]:
        found = np.ndindex(rows, value.shape[1])
        return tuple(
            PrintedCell(value, row, column, Printed(f"{number:.2f}", round(number, 2), 2))
            for row, column in found
            for number in [float(value.array[row, column]) + 0.004]
        )

    def judged(last: int) -> dict[PrintedCell, object]:
        prints = [BoundPrint(value, cells(value, value.shape[0])) for value in values[:-1]]
        prints.append(BoundPrint(values[-1], cells(values[-1], last)))
        return dict(Judge(scenario.spec, trace, RoundingAssumption(trace, prints)).verdicts(prints))

    few, many = judged(1), judged(values[-1].shape[0])
    assert all(many[cell] == verdict for cell, verdict in few.items())


@pytest.mark.parametrize(
    ("hidden", "gradient", "verdict"),
    [
        ("0.00", "0.87", "exact"),
        ("0.00", "0.00", "rounding"),  # who has gone on from 0.00 lets nothing pass back
        ("0.00", "1.74", "wrong"),
        ("0.004", "0.00", "wrong"),
    ],
)
def test_a_gradient_may_jump_where_a_printed_number_may_have_either_sign(
    hidden: str, gradient: str, verdict: str
) -> None:
    part = {"w_1": [[0.004, 1], [0, 1]], "w_2": [[1, 2], [1, 0.5]]}
    keys = {
        "title": "t",
        "tokens": ["a", "b"],
        "embeddings": {"a": [1, 0.5], "b": [0.5, 1]},
        "encoder": {"norm_order": "none", "residual": False, "layers": [{"feed_forward": part}]},
        "output_head": {"w": [[1, 2], [0.5, 1]], "vocabulary": ["a", "b"]},
        "training": {"targets": ["a", "b"], "learning_rate": 0.1},
    }
    published = (
        f'"encoder.1.feed_forward.hidden": {{"a": [{hidden}, null]}},'
        f'"gradient.encoder.1.feed_forward.hidden": {{"a": [{gradient}, null]}}'
    )
    text = json.dumps(keys, indent=1).removesuffix("\n}") + f',\n"published": {{{published}}}\n}}\n'
    assert printing.verdicts(text)[-1] == verdict
