"""Headings of the parts that steps are in."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

import walkthrough as wt
from tests.views.samples import bundled_trace
from walkthrough.languages.catalogue import ENGLISH
from walkthrough.views.markdown import render
from walkthrough.views.options import Options
from walkthrough.views.report import document
from walkthrough.views.report.blocks import Block, Formula, Heading, PartHeading
from walkthrough.views.report.headings import Headings
from walkthrough.views.terminal.terminal import text


def blocks(trace: wt.Trace, options: Options | None = None) -> list[Block]:
    return list(document.report(trace, options or Options()).blocks())


@pytest.mark.parametrize(
    ("titles", "before", "deepest", "opened"),
    [
        (("A", "B"), (), 4, [(1, "A"), (2, "B")]),
        (("A", "B"), ("A",), 4, [(2, "B")]),
        (("A", "C"), ("A", "B"), 4, [(2, "C")]),
        (("A",), ("A", "B"), 4, []),
        ((), ("A", "B"), 4, []),
        (("A", "B", "C"), (), 2, [(1, "A"), (2, "B · C")]),
        (("A", "B"), ("A", "B", "C"), 2, [(2, "B")]),
        (("A", "B", "D"), ("A", "B", "C"), 2, [(2, "B · D")]),
        (("A", "B", "C", "D"), ("A",), 1, [(1, "A · B · C · D")]),
    ],
)
def test_a_format_opens_what_is_new_and_joins_what_is_too_deep(
    titles: tuple[str, ...], before: tuple[str, ...], deepest: int, opened: list[tuple[int, str]]
) -> None:
    assert PartHeading(titles, before).headings(deepest) == opened


def test_every_step_stands_under_its_parts() -> None:
    titles: tuple[str, ...] = ()
    for block in blocks(bundled_trace("tea-gpt")):
        if isinstance(block, PartHeading):
            assert block.before == titles
            titles = block.titles
        elif isinstance(block, Heading):
            assert block.depth == len(titles)
            assert ("Head 2" in titles) == ("head.2." in block.path)
            assert ("Pass 3" in titles) == block.path.startswith("generate.3.")
            assert ("Feed-forward" in titles) == ("feed_forward." in block.path)


def test_a_part_that_the_calculation_comes_back_to_says_so() -> None:
    headings = Headings(ENGLISH)
    found = [headings.enter(path) for path in ("loss.mean", "gradient.input", "loss.total", "loss.per_token")]
    assert found == [
        [PartHeading(("Loss",), (), "loss")],
        [PartHeading(("Gradients",), ("Loss",), "gradient")],
        [PartHeading(("Loss (continued)",), ("Gradients",), "loss")],
        [],
    ]


def test_headings_nest_in_markdown_and_none_skips_a_level() -> None:
    headings = re.findall(r"^(#+) (.*)$", render(bundled_trace("fuchs")), re.MULTILINE)
    levels = [len(signs) for signs, _ in headings]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert max(levels) == 6
    assert [text for signs, text in headings if not text[0].isdigit()][1:8] == [
        "Encoder", "Layer 1", "Norm 1", "Attention", "Head 1", "Head 1 · Softmax", "Head 1"
    ]  # fmt: skip


def test_a_formula_says_which_steps_its_operands_come_from() -> None:
    sources = {block.path: block.sources for block in blocks(bundled_trace("chai")) if isinstance(block, Formula)}
    assert sources["encoder.1.residual_1"] == "X: 4, O: 18"
    assert sources["encoder.1.norm_1.output"] == "D_1: 21, σ_1: 23"
    assert sources["embeddings"] == ""


def test_the_numbers_of_operands_are_those_of_the_whole_calculation() -> None:
    trace = bundled_trace("chai")
    options = Options(steps=["residual_1"], operands=False)
    found = [block for block in blocks(trace, options) if isinstance(block, Formula)]
    assert [block.sources for block in found] == ["X: 4, O: 18"]


def test_of_many_operands_the_first_and_the_last_are_named() -> None:
    many = tuple((f"Z_{at}", at + 10) for at in range(1, 13))
    assert Formula("C", operands=many).sources == "Z_1: 11, Z_2: 12, …, Z_12: 22"


@pytest.mark.parametrize(
    ("name", "by_hand", "said"),
    [
        ("chai", False, "In full precision, shown to 3 decimals: last digits may differ."),
        ("chai", True, "By hand: each step is rounded to 3 decimals before the next one uses it."),
        ("cooking", True, "By hand: each step is rounded as the scenario says before the next one uses it."),
    ],
)
def test_a_report_begins_with_its_arithmetic(name: str, by_hand: bool, said: str) -> None:
    report = document.report(bundled_trace(name, by_hand=by_hand), Options())
    assert report.arithmetic == said
    page = text([report])
    assert said in page[: page.index(" 1. ")]
    assert f"\n\n{said}\n\n" in render(bundled_trace(name, by_hand=by_hand))


def test_a_handout_of_some_steps_begins_with_what_they_are_computed_from() -> None:
    trace = bundled_trace("chai")
    page = render(trace, Options(steps=["scores", "head.1.output"]))
    headings = re.findall(r"^(#+ .*)$", page, re.MULTILINE)
    assert headings[1:] == [
        "## Computed from", "### 6. Queries Q", "### 8. Keys K", "### 13. Attention weights A", "### 15. Values V",
        "## Encoder", "### Layer 1", "#### Attention", "##### Head 1", "###### 9. Scores", "###### 16. Head output",
    ]  # fmt: skip
    before = page[: page.index("## Encoder")]
    assert "| **chai** | 1.041 | 1.540 |" in before
    assert "$$" not in before


def test_a_handout_that_needs_nothing_else_begins_with_its_steps() -> None:
    assert "Computed from" not in render(bundled_trace("chai"))
    assert "Computed from" not in render(bundled_trace("chai"), Options(steps=["embeddings", "token_embedding"]))


def test_a_handout_of_one_step_of_a_training_has_what_was_let_go() -> None:
    text = wt.load_scenario("specialise").source.text.replace("steps: 300", "steps: 8")
    trace = wt.trace(wt.parse_scenario(text), wanted=["train.2.scores"])
    page = render(trace, Options(steps=["train.2.scores"]))
    headings = re.findall(r"^#+ .*$", page, re.MULTILINE)
    assert headings[1:4] == ["## Computed from", "### Queries Q", "### Keys K"]


def test_wide_tables_are_split_for_paper() -> None:
    page = render(bundled_trace("chai"), Options(steps=["input"], columns=3))
    assert "|  | 1 | 2 | 3 |\n" in page
    assert "|  | 4 |\n| :-- | --: |\n| **The** | 1.200 |\n" in page
    assert "|  | 1 | 2 | 3 | 4 |" not in page
    assert render(bundled_trace("chai"), Options(columns=100)) == render(bundled_trace("chai"))


def test_a_handout_of_a_token_has_the_rows_that_it_is_computed_from() -> None:
    page = render(bundled_trace("chai"), Options(steps=["scores"], tokens=["hot"], work="none"))
    queries, keys = page[page.index("Queries Q") :], page[page.index("Keys K") : page.index("## Encoder")]
    assert [label for label in ("The", "chai", "is", "hot") if f"| **{label}** |" in keys] == [
        "The",
        "chai",
        "is",
        "hot",
    ]
    assert queries[: queries.index("Keys K")].count("| **") == 1
