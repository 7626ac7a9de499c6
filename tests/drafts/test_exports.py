"""What the program writes itself is a draft in which every table is placed and no number is wrong."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

import walkthrough as wt
from tests.drafts.drafts import check
from tests.examples import IN_A_FORMAT, slow
from walkthrough.drafts.check import check_draft
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.views.formats import to_bytes
from walkthrough.views.options import Options

SUFFIXES = {"markdown": ".md", "latex": ".tex", "html": ".html"}
QUICK = ("key-cache", "cooking-training", "masked-scores", "show-me-the-money")
"""Passes that copy and predicted words, heads and gradients, hidden scores, rotations."""
LONG = {"specialise": ("train.1",), "transformer-base": ("head.1",)}
"""Of these scenarios only some steps are written: the others are of the same kinds."""
TREES = {"beam": "generated tokens is 3×2"}
"""What is said of a tree of hypotheses, which is no table of a step."""


def expect_all_placed(folder: Path, name: str, format: str, by_hand: bool) -> None:
    scenario = wt.load_scenario(name)
    written = wt.trace(scenario, arithmetic="by-hand" if by_hand else "exact")
    options = Options(steps=LONG.get(name, ()))
    file = folder / f"draft{SUFFIXES[format]}"
    file.write_bytes(to_bytes(written, options, format))
    report = check_draft(str(file), scenario, wt.trace(scenario), name)
    assert [one for one in report.not_placed if TREES.get(name, "a tree") not in one.why] == []
    shown = written.select(*options.steps)
    assert {one.fit.value.path for one in report.placed} >= {value.path for value in shown if value.array.size}
    assert not report.judged.summary["wrong"] + report.judged.summary["inherited"]
    if not by_hand:
        assert not report.judged.summary["rounding"]


def _is_quick(name: str, format: str, by_hand: bool) -> bool:
    """A table is found by its words, which are the same by hand; the numbers are read alike in every format."""
    return name in QUICK and (format == "markdown" or (name == QUICK[0] and not by_hand))


@pytest.mark.parametrize(
    ("name", "format", "by_hand"),
    [
        pytest.param(*case, marks=() if _is_quick(*case) else pytest.mark.slow)
        for case in product(bundled_scenarios(), SUFFIXES, (False, True))
    ],
)
def test_every_table_is_placed_and_right(tmp_path: Path, name: str, format: str, by_hand: bool) -> None:
    if by_hand and name in IN_A_FORMAT:
        pytest.skip("eight bits are no rounding that a print could have")
    if name == "transformer-base" and (by_hand or format == "html"):
        pytest.skip("too large for a page; and by hand its embeddings are rounded, which are not among what is written")
    expect_all_placed(tmp_path, name, format, by_hand)


def test_words_among_the_numbers_of_a_table_are_judged(tmp_path: Path) -> None:
    scenario = wt.load_scenario("beam")
    trace = wt.trace(scenario)
    written = to_bytes(trace, Options(steps=("generate.1.candidates",)), "markdown").decode()
    file = tmp_path / "draft.md"
    for printed, summary in ((written, (18, 0)), (written.replace("| warms | −", "| tea | −"), (17, 1))):
        file.write_text(printed, encoding="utf-8")
        found = check_draft(str(file), scenario, trace).judged.summary
        assert (found["exact"], found["wrong"]) == summary


def test_numbers_that_count_rows_are_labels_where_the_corner_is_empty(tmp_path: Path) -> None:
    text = (
        "title: Three\ntokens: [a]\nembeddings: {a: [1, 2, 3]}\nencoder: {layers: [{feed_forward: "
        "{w_1: [[7, 0, 0], [0, 8, 0], [0, 0, 9]], w_2: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}}]}\n"
    )
    scenario = wt.parse_scenario(text)
    file = tmp_path / "draft.md"
    file.write_text("W_1:\n\n| | 1 | 2 |\n|--|--|--|\n| 1 | 7 | 0 |\n| 2 | 0 | 8 |\n| 3 | 0 | 0 |\n", encoding="utf-8")
    report = check_draft(str(file), scenario, wt.trace(scenario))
    assert report.judged.summary["exact"] == 6
    assert report.judged.summary["wrong"] == 0


@pytest.mark.parametrize("format", SUFFIXES)
def test_a_description_is_passed_over(tmp_path: Path, format: str) -> None:
    text = """title: Numbers in words
description: |
  The scores are

  | 9 | 8 |
  | - | - |
  | 7 | 6 |
tokens: [a, b]
embeddings: {a: [1, 2], b: [3, 4]}
attention: {heads: [{w_q: [[1, 0], [0, 1]], w_k: [[1, 1], [0, 1]], w_v: [[1, 0], [0, 1]]}]}
"""
    scenario = wt.parse_scenario(text)
    trace = wt.trace(scenario)
    file = tmp_path / f"draft{SUFFIXES[format]}"
    file.write_bytes(to_bytes(trace, Options(), format))
    report = check_draft(str(file), scenario, trace)
    assert [one.fit.value.path for one in report.placed if not one.table.is_line] == [value.path for value in trace]
    assert not report.judged.summary["wrong"]


@pytest.mark.parametrize("format", ["markdown", "latex", slow("html")])
def test_so_of_what_is_written_in_german(tmp_path: Path, format: str) -> None:
    text = wt.load_scenario("cooking-multihead").source.text
    german = wt.parse_scenario(f"{text}\nlanguage: de\n")
    file = tmp_path / f"draft{SUFFIXES[format]}"
    file.write_bytes(to_bytes(wt.trace(german), Options(), format))
    assert ("0{,}" if format == "latex" else "0,") in file.read_text("utf-8")
    report = check_draft(str(file), german, wt.trace(german))
    assert report.not_placed == ()
    assert report.judged.summary["exact"] == len(report.judged.cells) > 200


@pytest.mark.parametrize("format", SUFFIXES)
def test_so_of_a_blank_that_is_a_symbol(tmp_path: Path, format: str) -> None:
    scenario = wt.parse_scenario("title: t\ntext: a a\ntokenizer: {bpe: {merges: [[a, ␣]], split: none}}\n")
    trace = wt.trace(scenario)
    file = tmp_path / f"draft{SUFFIXES[format]}"
    file.write_bytes(to_bytes(trace, Options(), format))
    found = check_draft(str(file), scenario, trace).judged.summary
    assert (found["exact"] > 8, found["wrong"]) == (True, 0)


def test_a_wide_table_in_pieces_is_one_step(tmp_path: Path) -> None:
    """Whatever numbers the second piece has: nothing but the end of a group stands between."""
    pieces = [
        "{\\small\\begin{tabular}{lrr}\n & " + " & ".join(words) + " \\\\\n"
        + "".join(f"{word} & 7.7 & 8.8 \\\\\n" for word in ("The", "chai", "is", "hot")) + "\\end{tabular}\\par}\n"
        for words in (("The", "chai"), ("is", "hot"))
    ]  # fmt: skip
    path = "encoder.1.attention.head.1.scaled_scores"
    report = check(tmp_path, f"\\section{{Scores}}\n\n\\texttt{{{path}}}\n\n" + "\n".join(pieces), ".tex")
    assert [one.fit.value.path for one in report.placed] == [path, path]
    assert len(report.judged.cells) == 16
