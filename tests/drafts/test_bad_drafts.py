"""What is no draft is refused in a sentence; text of a draft stays text."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import pytest

from tests.drafts.drafts import check, wrong
from walkthrough.drafts.draft import DraftError


@pytest.mark.parametrize(
    ("content", "suffix", "said"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", ".md", "no text"),
        (b"a\x00b", ".txt", "no text"),
        (b"", ".md", "holds no matrix"),
        (b"Nothing but words.", ".html", "holds no matrix"),
        (b"| a | b |\n|-|-|\n| 1 | 2 | \n", ".md", "none of its tables can be placed in chai"),
        (b"[[1, 2]]", ".pdf", "a draft is one of .md, .html"),
    ],
)
def test_what_is_no_draft_is_refused(tmp_path: Path, content: bytes, suffix: str, said: str) -> None:
    with pytest.raises(DraftError, match=said):
        check(tmp_path, content, suffix)


def test_where_nothing_can_be_placed_each_table_is_said_with_the_reason(tmp_path: Path) -> None:
    text = (
        "Sizes:\n\n| a | b |\n|-|-|\n| 1 | 2 |\n\nThe queries:\n\n| 1.0 | 2.0 | 3.0 |\n|-|-|-|\n| 4.0 | 5.0 | 6.0 |\n"
    )
    with pytest.raises(DraftError) as said:
        check(tmp_path, text, scenario="one-head")
    first, *each = str(said.value).splitlines()
    assert first.endswith("none of its tables can be placed in one-head:")
    assert each.pop().startswith("A table is named by a heading")
    assert [line.partition("draft.md:")[2] for line in each] == [
        "5 (1×2): no step is 1×2",
        "9 (2×3): queries is 4×4 (attention.head.1.query)",
    ]


def test_a_draft_has_at_most_32_mb(tmp_path: Path) -> None:
    with pytest.raises(DraftError, match="at most 32 MB"):
        check(tmp_path, b"1 2\n" * (8 * 2**20 + 1))


NASTY = [
    "\\begin{pmatrix} 1 & 2",
    "\\end{pmatrix}\\end{tabular}",
    "[[[[[[1, 2",
    "]]]] 1 [",
    "| 1 |\n|-|",
    "|-|\n|-|",
    "<table><tr><td>1<table><tr><td>2</table>",
    "</table></td></section>",
    "$$$$ ` ** ~~ \\ {",
    "\\multicolumn{999}{c}{1} & 2",
    "#### \n=====\n-----",
    "\\caption{",
    "x = [1, 2; 3]",
    "array([], dtype=float64)",
    "S[chai = [",
    "1e999 2e999",
    "𝟏 ½ ² ³ 1",
]


@pytest.mark.parametrize("suffix", [".md", ".tex", ".html", ".txt", ".csv"])
def test_no_text_breaks_the_reader(tmp_path: Path, suffix: str) -> None:
    good = {
        ".html": "<section id='encoder.1.attention.head.1.w_v'><table><tr><td>1<td>0<tr><td>0<td>1</table></section>",
        ".csv": "\n\nw_q\n1,0\n0,1\n0,0\n0,0\n",
    }.get(suffix, "\n\nW_Q = [[1, 0], [0, 1], [0, 0], [0, 0]]\n\n")
    for text in [*NASTY, "\n\n".join(NASTY)]:
        with contextlib.suppress(DraftError):
            check(tmp_path, f"{good}\n\n{text}", suffix)


def test_a_number_beyond_the_largest_is_wrong_and_no_failure(tmp_path: Path) -> None:
    found = check(tmp_path, "S' = [[1.5, 1], [0.75, 1e400]]\n", scenario="help-me")
    assert wrong(found) == [(1, "scaled_scores[me, me]")]


def test_a_number_too_small_to_be_held_is_wrong_and_no_failure(tmp_path: Path) -> None:
    found = check(tmp_path, "S' = [[1.5, 1], [0.75, 1e-400]]\n", scenario="help-me")
    assert wrong(found) == [(1, "scaled_scores[me, me]")]
    assert len(found.judged.causes()) <= 1


@pytest.mark.parametrize(
    "text",
    ["\\num{1" * 8000 + "}" * 8000, "A_1,2 = " + "x_a,b" * 4000, "A[a, b] = " * 1500, "A_12 = " + "1 + " * 8000],
)
def test_what_goes_on_without_end_is_read_at_once(tmp_path: Path, text: str) -> None:
    """Emphasis in emphasis; calculations, whose pieces could be read in many ways."""
    begun = time.process_time()
    with contextlib.suppress(DraftError):
        check(tmp_path, text, ".tex")
    assert time.process_time() - begun < 2


def test_a_quote_that_is_not_closed_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(DraftError, match=r"draft\.csv:3: a cell has more than 131,072 characters"):
        check(tmp_path, "scores\n1,2\n" + '"3,' + "4" * 131_073, ".csv")
