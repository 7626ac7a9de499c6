"""What may have been rounded where nothing was printed, how far that reaches, and which story is the likelier one."""

from __future__ import annotations

import math

import numpy as np
import pytest

import walkthrough as wt
from tests.judging.printing import report_of
from tests.judging.test_judge import HEAD, verdicts
from walkthrough.judging.assumption import RoundingAssumption
from walkthrough.judging.bounds import Bounds
from walkthrough.judging.check import check
from walkthrough.judging.prints import bind
from walkthrough.recording.rounding import Digits
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.views.report import published as errata
from walkthrough.views.report.blocks import Paragraph

QUERY = "query: [[0.564, 1.257], [2.212, 0.105]]"
WEIGHTS = "weights: [[0.67, 0.33], [0.25, 0.75]]"


@pytest.mark.parametrize(
    ("published", "step", "decimals"),
    [
        (f"{QUERY}, {WEIGHTS}", "scores", 2),  # the fewer of those before and after, through unpublished ones
        (f"{QUERY}, {WEIGHTS}", "scaled_scores", 2),
        (f"{QUERY}, {WEIGHTS}", "key", 2),  # nothing before it
        (f"{QUERY}, {WEIGHTS}", "output", None),  # no published number needs it
        ("query: [[0.6, 1.3], [2.2, 0.1]], weights: [[0.7, 0.3], [0.2, 0.8]]", "scores", 2),  # at least two
        ("query: [[0.6, null], [null, null]], weights: [[0.7, 0.3], [0.2, 0.8]]", "query", 2),
        ("query: [[0.564, null], [null, null]], weights: [[0.7, 0.3], [0.2, 0.8]]", "query", 3),  # its own
        ("query: [[0.564, 1.2570], [2.2, 0.1]], weights: [[0.6662, 0.3], [0.2, 0.8]]", "scores", 3),  # 1.2570 is exact
        ("query: [[0.5643, 1.257], [2.2121, 0.105]], weights: [[0.6662, 0.3], [0.2, 0.8]]", "scores", 4),
        ("query: [[0.5643, 1.257], [2.2121, 0.105]]", "key", None),
        ("query: [[0.5643, 1.257], [2.2121, null]], weights: [[0.67, 0.33], [0.25, 0.75]]", "query", 2),
    ],
)
def test_decimals_of_unpublished_steps(published: str, step: str, decimals: int | None) -> None:
    scenario = wt.parse_scenario(f"{HEAD}published: {{{published}}}\n")
    trace = wt.trace(scenario)
    found = RoundingAssumption(trace, bind(scenario.spec.published or [], trace, Problems()))
    assert found.digits(trace[f"attention.head.1.{step}"]) == (None if decimals is None else Digits(decimals))


def test_who_prints_a_part_of_a_copy_has_rounded_the_rest_of_it_too() -> None:
    head = HEAD.replace("[0, 1]], w_k", "[0, 10]], w_k")
    query = "query: [[0.56, 12.60], [2.21, 1.10]]"  # of 1.26 and 0.11, and not of 1.257 and 0.105
    assert "wrong" not in verdicts(f"token_embedding: [[0.51, null], [2.01, null]], {query}", head)
    assert verdicts(query, head).count("wrong") == 2  # a copy that is not printed is as exact as what it is a copy of


def test_a_stated_rounding_has_no_minimum() -> None:
    """The scores are 1.99… and rounded to 2.0, to 2 …: what follows depends on how far."""
    weights = "weights: {a: [0.7, 0.3]}"
    stated = HEAD + "rounding: {decimals: 0, steps: {weights: 1}}\n"
    exact = wt.trace(wt.parse_scenario(HEAD))["attention.head.1.output"].array[0]
    output = f"{weights}, output: {{a: [{exact[0] + 0.3:.2f}, {exact[1]:.2f}]}}"
    assert verdicts(output)[2] == "wrong"
    assert verdicts(output, stated)[2] == "rounding"


def test_significant_digits_count_from_the_larger_end() -> None:
    """The scores 1.94, 1.64 … at one significant digit are whole numbers: off by up to a half."""
    exact = wt.trace(wt.parse_scenario(HEAD))["attention.head.1.scaled_scores"].array[0]
    near = f"scaled_scores: {{a: [{exact[0] + 0.3:.3f}, {exact[1]:.3f}]}}"
    one = HEAD + "rounding: {decimals: 5, steps: {scores: 1 significant}}\n"
    two = HEAD + "rounding: {decimals: 5, steps: {scores: 2 significant}}\n"
    assert verdicts(near, one) == ["rounding", "exact"]
    assert verdicts(near, two) == ["wrong", "exact"]


def test_what_is_exact_with_few_decimals_was_not_rounded() -> None:
    whole = HEAD.replace("0.513", "1").replace("1.257", "2").replace("2.011", "3").replace("0.105", "4")
    whole = whole.replace("1.1", "1").replace("1.3", "1")
    scores = wt.trace(wt.parse_scenario(whole))["attention.head.1.scaled_scores"].array
    row = f"[{scores[0, 0] + 0.004:.3f}, {scores[0, 1]:.3f}]"
    assert verdicts(f"scaled_scores: {{a: {row}}}", whole) == ["wrong", "exact"]
    assert verdicts(f"scaled_scores: {{a: {row}}}") != verdicts(f"scaled_scores: {{a: {row}}}", whole)


def test_copies_are_not_rounded() -> None:
    """The concat of two heads is their outputs; the sum of a masked row is that of its shown scores."""
    scenario = wt.load_scenario("fuchs")
    trace = wt.trace(scenario)
    bounds = Bounds(lambda value: Digits(2))
    for value in trace:
        if value.operation is not None and value.operation.name in ("concatenate", "mask", "relu", "select_rows"):
            computed, carried = bounds.compute(value).forms, bounds.carry(value).forms
            assert np.array_equal(computed.low, carried.low)
            assert np.array_equal(computed.high, carried.high)


def test_what_is_asked_for_holds_for_every_step() -> None:
    scenario = wt.parse_scenario(HEAD + f"published: {{{WEIGHTS}}}\n")
    trace = wt.trace(scenario)
    report = check(scenario, trace, rule=lambda value: Digits(1))
    assert report.assumed == "Unpublished steps may be rounded to 1 decimal, as was asked for."


CHAI = wt.load_scenario("chai")
CHAI_HEAD = CHAI.source.text.partition("\npublished:")[0] + "\n"


def test_ranges_remember_what_numbers_have_in_common() -> None:
    """With plain intervals the last step of chai is 5.7 wide where every step may be rounded to 3 decimals."""
    output = wt.trace(CHAI)["encoder.output"]
    forms = Bounds(lambda value: Digits(3)).compute(output).forms
    assert (forms.high - forms.low).max() < 0.19
    exact = output.array[0, 0]
    near, far = (f"encoder.output: {{The: [{exact + off:.3f}, null, null, null]}}" for off in (0.002, 0.1))
    assert verdicts(near, CHAI_HEAD) == ["rounding"]
    assert verdicts(far, CHAI_HEAD) == ["wrong"]


def test_a_number_beyond_its_printed_operands_is_wrong() -> None:
    trace = wt.trace(CHAI)
    norm, fed = trace["encoder.1.norm_1.output"].array[0], trace["encoder.1.feed_forward.output"].array[0]
    prints = {
        "norm_1.output": [f"{number:.2f}" for number in norm],
        "feed_forward.output": [f"{number:.2f}" for number in fed],
    }
    most = [float(a) + float(b) + 0.01 for a, b in zip(*prints.values(), strict=True)]
    lines = [f"{step}: {{The: [{', '.join(row)}]}}" for step, row in prints.items()]
    for off, verdict in ((0.004, "rounding"), (0.022, "wrong")):
        sums = f"residual_2: {{The: [{', '.join(f'{number + off:.2f}' for number in most)}]}}"
        assert set(verdicts(", ".join([*lines, sums]), CHAI_HEAD)[8:]) == {verdict}


def test_the_likelier_story() -> None:
    """A slip of a few units that the right numbers could just explain too; but it gives the very digits printed."""
    query = "query: {a: [0.60, 1.26]}"
    trace = wt.trace(wt.parse_scenario(HEAD))
    key = trace["attention.head.1.key"].array
    slipped = 0.60 * key[0, 0] + 1.26 * key[0, 1]
    right = trace["attention.head.1.scores"].array[0, 0]
    assert abs(slipped - right) > 0.005
    assert verdicts(f"{query}, scores: {{a: [{slipped:.2f}, null]}}") == ["wrong", "exact", "inherited"]
    assert verdicts(f"{query}, scores: {{a: [{right + 0.01:.2f}, null]}}") == ["wrong", "exact", "rounding"]
    assert verdicts(f"{query}, scores: {{a: [{right:.2f}, null]}}") == ["wrong", "exact", "exact"]


BROKEN = """title: x
tokens: [a, b]
embeddings: [[1.0e+200, 1], [2, 3]]
attention:
  heads:
    - {w_q: [[1.0e+200, 0], [0, 1]], w_k: [[1, 0], [0, 1]], w_v: [[1, 0], [0, 1]]}
"""


def test_what_comes_from_an_overflow_is_not_judged() -> None:
    published = "query: {a: [5.0, 1.0]}, scores: {a: [5.0, 7.0]}, weights: {a: [0.5, 0.5]}, value: {a: [2.0, 1.0]}"
    report = report_of(f"{BROKEN}published: {{{published}}}\n")
    assert [one.verdict for one in report.cells] == ["unjudged", "exact", *["unjudged"] * 4, "wrong", "exact"]
    assert report.summary["unjudged"] == 5
    assert errata.right_text(report.cells[0]) == "no number"


def test_a_division_of_zero_by_zero_is_not_judged() -> None:
    head = "title: x\ntokens: [a]\nembeddings: [[1, 1]]\nembedding_norm: {epsilon: 0}\n"
    assert math.isnan(wt.trace(wt.parse_scenario(head))["input"].array[0, 0])
    assert verdicts("embedding_norm.std: [[0.5]], input: [[0.5, 0.5]]", head) == ["wrong", "unjudged", "unjudged"]


def test_unjudged_numbers_are_counted_where_there_are_some() -> None:
    assert "unjudged" not in report_of(f"{HEAD}published: {{{QUERY}}}\n").summary


@pytest.mark.parametrize(
    ("published", "rounding", "said"),
    [
        (f"{QUERY}, {WEIGHTS}", "", "Unpublished steps may be rounded to 2 decimals, like their published neighbours."),
        (
            f"{QUERY}, {WEIGHTS}",
            "rounding: {decimals: 1, steps: {scores: 3 significant}}\n",
            "Unpublished steps may be rounded to 1 decimal or 3 significant digits, as `rounding` says.",
        ),
        (QUERY, "", "No unpublished step matters here, so none is assumed to be rounded."),
        ("", "", ""),
    ],
)
def test_what_was_assumed_is_said(published: str, rounding: str, said: str) -> None:
    more = f"published: {{{published}}}\n" if published else ""
    report = report_of(HEAD + rounding + more)
    assert report.assumed == said
    view = errata.report(report)
    assert view.data()["assumed"] == said
    assert (Paragraph(said) in view.blocks()) == bool(said)


QUANTIZED = """title: x
tokens: [a]
embeddings: {a: [1, 1]}
output_head: {w: {values: [[0.8, 0.3], [0.1, -0.5]], quantize: absmax}, vocabulary: [x, y]}
"""


def test_a_small_step_is_taken_to_be_rounded_to_its_leading_digits() -> None:
    """A scale of 0.0063 that was not printed: nobody who prints two decimals goes on with 0.01."""
    whole = "output_head.w.quantized: [[127, 48], [16, -79]]"
    for number, verdict in ((0.302, "exact"), (0.304, "rounding"), (0.308, "wrong"), (0.29, "wrong")):
        printed = f"{whole}, output_head.w: [[null, {number}], [null, null]]"
        assert verdicts(printed, QUANTIZED)[-1] == verdict, number


def test_what_a_scenario_says_of_rounding_holds_for_small_steps_too() -> None:
    head = f"{QUANTIZED}rounding: {{decimals: 2}}\n"
    assert verdicts("output_head.w: [[null, 0.48], [null, null]]", head) == ["rounding"]


def test_an_optimizer_is_not_excused_by_moments_that_were_not_printed() -> None:
    head = "title: x\nembeddings: [[1]]\ntraining: {gradients: {embeddings: [0.4, -0.2]}, optimizer: adam}\n"
    for number, verdict in ((0.873, "exact"), (0.872, "rounding"), (0.853, "wrong")):
        assert verdicts(f"train.2.update.embeddings: [[{number}]]", head) == [verdict]


def test_who_prints_small_steps_with_the_decimals_of_all_has_rounded_others_so() -> None:
    """Whoever prints a scale of 0.0063 as 0.01 may have gone on with such numbers elsewhere."""
    head = QUANTIZED.replace("quantize: absmax}", "quantize: absmax}, b: {values: [0.004, 0.8], quantize: absmax}")
    printed = "output_head.w: [[null, 0.308], [null, null]]"
    whole = "output_head.w.quantized: [[127, 48], [16, -79]]"
    assert verdicts(f"{whole}, output_head.b.scale: [[0.01]], {printed}", head)[-1] == "rounding"
    assert verdicts(f"{whole}, output_head.b.scale: [[0.0063]], {printed}", head)[-1] == "wrong"
