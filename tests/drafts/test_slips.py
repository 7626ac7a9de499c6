"""A table that names its step is judged as that step, and the report has a line for each slip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.drafts.drafts import check, loaded
from walkthrough.drafts.check import DraftResult
from walkthrough.views.report.blocks import Table
from walkthrough.views.report.draft import report

HEAD = "encoder.1.attention.head."


def table(path: str, array: np.ndarray, is_latex: bool = False) -> str:
    """A matrix with the labels of a step, to two decimals."""
    value = loaded("cat-sat")[1][path]
    rows = [[label, *(f"{number:.2f}" for number in row)] for label, row in zip(value.rows, array, strict=True)]
    if is_latex:
        lines = " \\\\\n".join(" & ".join(row) for row in [["", *value.columns], *rows])
        return f"\\begin{{tabular}}{{{'l' * (1 + len(value.columns))}}}\n{lines}\n\\end{{tabular}}\n"
    lines = [" | ".join(row) for row in [["", *value.columns], ["---"] * (1 + len(value.columns)), *rows]]
    return "".join(f"| {line} |\n" for line in lines)


def unscaled(folder: Path, suffix: str) -> DraftResult:
    """A draft whose scaled scores were not divided in either head."""
    trace, is_latex = loaded("cat-sat")[1], suffix == ".tex"
    text = ""
    for head in (1, 2):
        scores = trace[f"{HEAD}{head}.scores"].array
        text += f"\\section{{Head {head}}}\n" if is_latex else f"## Head {head}\n\n"
        for title, name in (("Scores", "scores"), ("Scaled scores", "scaled_scores")):
            text += f"\\subsection{{{title}}}\n" if is_latex else f"### {title}\n\n"
            text += table(f"{HEAD}{head}.{name}", scores, is_latex) + "\n"
    return check(folder, text, suffix, "cat-sat")


@pytest.mark.parametrize("suffix", [".md", ".tex"])
def test_an_unscaled_table_below_scaled_scores_is_wrong(tmp_path: Path, suffix: str) -> None:
    found = unscaled(tmp_path, suffix)
    assert not found.not_placed
    steps = [f"{HEAD}{head}.{name}" for head in (1, 2) for name in ("scores", "scaled_scores")]
    assert [one.fit.value.path for one in found.placed] == steps
    causes = found.judged.causes()
    assert {causes[one.cell].word for one in found.judged.with_verdict("wrong")} == {"not_scaled"}


def test_the_same_slip_in_two_heads_is_one_line_with_its_first_place(tmp_path: Path) -> None:
    found = unscaled(tmp_path, ".md")
    listed = next(block for block in report(found).blocks() if isinstance(block, Table))
    (row,) = listed.rows
    line = (tmp_path / "draft.md").read_text().splitlines().index("### Scaled scores") + 5
    assert row[0].endswith(f"draft.md:{line}")
    assert row[-3:] == ("wrong", "18", "Probably not divided by √d_k.")
    every = next(block for block in report(found, every=True).blocks() if isinstance(block, Table))
    assert len(every.rows) == len(found.judged.cells)


def test_of_a_slip_in_what_wrong_numbers_give_both_right_numbers_are_said(tmp_path: Path) -> None:
    """12.68 / √2 = 8.97, where 1.18 is to be divided."""
    trace = loaded("cat-sat")[1]
    scores, scaled = (trace[f"{HEAD}1.{name}"].array.copy() for name in ("scores", "scaled_scores"))
    scores[0, 0], scaled[0, 0] = 12.68, 9.87
    parts = (("Scores", "scores", scores), ("Scaled scores", "scaled_scores", scaled))
    text = "## Head 1\n\n" + "".join(
        f"### {title}\n\n{table(f'{HEAD}1.{name}', array)}\n" for title, name, array in parts
    )
    listed = next(
        block for block in report(check(tmp_path, text, ".md", "cat-sat")).blocks() if isinstance(block, Table)
    )
    assert [row[3] for row in listed.rows] == ["1.18", "0.83; from the printed numbers 8.97"]
    assert "8.97 would be right" in listed.rows[1][-1]


def test_what_is_wrong_stands_before_what_is_inherited(tmp_path: Path) -> None:
    trace = loaded("cat-sat")[1]
    path = f"{HEAD}1."
    scores, scaled = (trace[f"{path}{name}"].array.copy() for name in ("scores", "scaled_scores"))
    values = trace[f"{path}value"].array.copy()
    scores[0, 0] += 1.37
    scaled[0, 0] = scores[0, 0] / 2**0.5
    values[0, 0] += 2.41
    parts = (("Scores", "scores", scores), ("Scaled scores", "scaled_scores", scaled), ("Values", "value", values))
    text = "## Head 1\n\n" + "".join(f"### {title}\n\n{table(path + name, array)}\n" for title, name, array in parts)
    listed = next(
        block for block in report(check(tmp_path, text, ".md", "cat-sat")).blocks() if isinstance(block, Table)
    )
    assert [row[4] for row in listed.rows] == ["wrong", "wrong", "inherited"]
