"""Steps as LaTeX to \\input: equations and tables, without anything of a document of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

import walkthrough as wt
from tests.cli.program import invoke
from tests.examples import OF_EACH_KIND
from tests.views.latex.test_document import CHARACTERS, compiled
from tests.views.samples import bundled_trace, hostile_trace, wide_trace
from walkthrough.views import formats
from walkthrough.views.options import Options

AROUND = (
    "\\documentclass{{article}}\n\\usepackage{{amsmath, booktabs}}\n"
    "{setting}\\begin{{document}}\n{body}\\end{{document}}\n"
)
SMALL = (
    "\\small\\tabcolsep=2pt\\textwidth=90cm\\hsize=90cm\\paperwidth=100cm\\pdfpagewidth=100cm\\hfuzz=99cm\\vfuzz=99cm\n"
)


def fragment(trace: wt.Trace, *steps: str, **options: object) -> str:
    return formats.to_bytes(trace, Options(steps, fragment=True, **options), "latex").decode()  # type: ignore[arg-type]


def test_a_matrix_is_an_equation_with_its_formula() -> None:
    assert fragment(bundled_trace("one-head"), "query").startswith(
        "\\[\nQ = E \\cdot W_{Q} = \\begin{bmatrix}\n0 & 1 & 2 & 0 \\\\\n"
    )


def test_a_given_matrix_is_one_with_its_symbol() -> None:
    assert fragment(bundled_trace("chai"), "w_q") == (
        "\\[\nW_{Q} = \\begin{bmatrix}\n1 & 0 \\\\\n0 & 1 \\\\\n0 & 0 \\\\\n0 & 0\n\\end{bmatrix}\n\\]\n"
    )


def test_a_single_number_needs_no_brackets() -> None:
    assert fragment(bundled_trace("cooking-training"), "loss.mean").endswith("{3} = 2.337\n\\]\n")


def test_where_words_are_the_columns_the_equation_has_a_table() -> None:
    rows = fragment(bundled_trace("chai"), "scaled_scores").splitlines()
    assert rows[:2] == ["\\[", "S' = \\frac{S}{\\sqrt{d_{k}}} = \\; \\begin{tabular}{@{}lrrrr@{}}"]
    assert rows[2:5] == ["\\toprule", " & The & chai & is & hot \\\\", "\\midrule"]
    assert rows[-2:] == ["\\end{tabular}", "\\]"]


def test_what_is_left_out_is_said_in_a_comment_and_more_than_ten_columns_are_announced() -> None:
    text = fragment(wide_trace(), "w_q")
    assert text.startswith("% ")
    assert "\\setcounter{MaxMatrixCols}{13}\n\\begin{bmatrix}" in text


def test_no_path_no_number_and_no_preamble_stand_in_it() -> None:
    text = fragment(bundled_trace("cooking-multihead"))
    assert not [word for word in ("documentclass", "usepackage", "section", "texttt", "encoder") if word in text]


def test_options_of_documents_have_no_effect_in_it_and_that_is_said() -> None:
    done = invoke("export", "chai", "--step", "w_q", "--format", "latex", "--fragment", "--work", "all")
    assert done.stderr == "--work has no effect in latex with --fragment\n"
    done = invoke("export", "chai", "--step", "w_q", "--fragment")
    assert done.stderr == "--fragment has no effect in markdown\n"


@pytest.mark.tex
def test_of_each_kind_it_stands_in_a_document_with_amsmath_and_booktabs_alone_as_do_hostile_words(
    tmp_path: Path,
) -> None:
    words = [word for word in CHARACTERS if word.isascii()]
    bodies = [fragment(bundled_trace(name)) for name in sorted(OF_EACH_KIND)]
    bodies.append(fragment(hostile_trace([*words, '"', "„"]), full=True))
    compiled(tmp_path, "pdflatex", AROUND.format(setting=SMALL, body="\n\n".join(bodies)))
