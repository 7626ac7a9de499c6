"""Matrices as authors write them: each is found, read, and placed at its step."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from tests.drafts.drafts import check, loaded, placed, wrong
from walkthrough.views.options import Options
from walkthrough.views.terminal.terminal import show

SCORES = "head.1.scores"
MATRIX = [
    ["2.000", "2.582", "1.293", "-0.249"],
    ["2.582", "3.208", "2.050", "-0.139"],
    ["1.293", "2.050", "-0.327", "-0.719"],
    ["-0.249", "-0.139", "-0.719", "-0.236"],
]
WORDS = ["The", "chai", "is", "hot"]


def rows(between: str, ends: str) -> str:
    return ends.join(between.join(row) for row in MATRIX)


def minus(text: str) -> str:
    return text.replace("-", "−")


def comma(text: str) -> str:
    return text.replace(".", ",")


WAYS = {
    "pmatrix.md": "$$\nS = \\begin{pmatrix}\n" + rows(" & ", " \\\\\n") + "\n\\end{pmatrix}\n$$",
    "bmatrix.tex": "\\[ \\mathbf{S} = \\left[\\begin{matrix} " + rows("&", "\\\\") + "\\end{matrix}\\right] \\]",
    "braces.tex": "$S = \\begin{bmatrix}" + comma(rows(" & ", "\\\\\n")).replace(",", "{,}") + "\\end{bmatrix}$",
    "array.tex": "$$ S = QK^\\top = \\left(\\begin{array}{rrrr} " + rows(" & ", " \\\\ ") + " \\end{array}\\right) $$",
    "num.tex": "S = \\begin{pmatrix}\n\\num{" + rows("} & \\num{", "} \\\\\n\\num{") + "}\n\\end{pmatrix}",
    "numpy.md": "The scores:\n\n```\nS =\n[[" + rows("  ", "]\n [") + "]]\n```",
    "array.txt": "S = np.array([[" + rows(", ", "],\n              [") + "]])",
    "tensor.md": "scores = tensor([[" + rows(", ", "],\n        [") + "]], dtype=torch.float64)",
    "batch.txt": "scores\ntensor([[[" + rows(", ", "],\n        [") + "]]])",
    "matlab.txt": "S = [" + rows(" ", "; ") + "]",
    "aligned.txt": "Scores\n\n" + "\n".join(
        f"{word:>6}  " + "  ".join(f"{one:>7}" for one in row) for word, row in zip(WORDS, MATRIX, strict=True)
    ),
    "headed.txt": "The scores\n\n" + " " * 8 + "  ".join(f"{word:>7}" for word in WORDS) + "\n" + "\n".join(
        f"{word:>6}  " + "  ".join(f"{one:>7}" for one in row) for word, row in zip(WORDS, MATRIX, strict=True)
    ),
    "lines.txt": "Raw scores:\n" + rows(" ", "\n"),
    "german.txt": "Die Scores sind\n\n" + minus(comma(rows("   ", "\n"))),
    "lists.md": "## Scores\n\n" + "\n".join(
        f"- {word}: [{', '.join(row)}]" for word, row in zip(WORDS, MATRIX, strict=True)
    ),
    "dictionary.md": "Scores:\n\n```python\n" + "\n".join(
        f'    "{word}": [{", ".join(row)}],' for word, row in zip(WORDS, MATRIX, strict=True)
    ) + "\n```",
    "product.md": "We get\n\n$$\nS = Q K^\\top = \\begin{pmatrix}\n" + rows(" & ", " \\\\\n") + "\n\\end{pmatrix}\n$$",
    "bullets.md": "## Scores\n\n" + "\n".join(
        f"* **{word}**: ({', '.join(row)})" for word, row in zip(WORDS, MATRIX, strict=True)
    ),
    "r.txt": "> scores\n       [,1]   [,2]   [,3]   [,4]\n" + "\n".join(
        f"[{at},] {' '.join(row)}" for at, row in enumerate(MATRIX, 1)
    ),
    "sentence.md": "Step 1. Raw scores:\n\n    " + rows("  ", "\n    "),
    "named.txt": "Scores S, not yet S'\n" + rows("  ", "\n"),
    "pipes.md": "Attention scores\n\n| |" + "|".join(WORDS) + "|\n|-|-|-|-|-|\n" + "\n".join(
        f"| {word} | " + " | ".join(row) + " |" for word, row in zip(WORDS, MATRIX, strict=True)
    ),
    "bold.md": "`scores`\n\n|" + "|".join(WORDS) + "|\n|--|:-:|--:|---|\n| **" + rows("** | $", "$ |\n| **").replace(
        "$ |\n| **", "$ |\n| **") + " |",
    "below.md": "|" + "|".join(WORDS) + "|\n|-|-|-|-|\n|" + rows("|", "|\n|") + "|\n\n: Table 3: Scores of all words",
    "page.html": "<h2>Scores</h2><table><tr><th><th>" + "<th>".join(WORDS) + "".join(
        f"<tr><th>{word}<td>" + "<td>".join(map(minus, row)) for word, row in zip(WORDS, MATRIX, strict=True)
    ) + "</table>",
    "caption.html": "<table><caption>The scores</caption>" + "".join(
        "<tr><td>" + "</td><td>".join(row) + "</td></tr>" for row in MATRIX) + "</table>",
    "figure.html": "<figure><table>" + "".join("<tr><td>" + "</td><td>".join(row) + "</td></tr>" for row in MATRIX)
        + "</table><figcaption>Fig. 2: scores</figcaption></figure>",
    "spanned.html": "<h2>Scores</h2><table><tr><th colspan=2><th>" + "<th>".join(WORDS) + "".join(
        f"<tr>{'' if at else '<th rowspan=4>words'}<th>{word}<td>" + "<td>".join(row)
        for at, (word, row) in enumerate(zip(WORDS, MATRIX, strict=True))
    ) + "</table>",
    "pre.html": "<p>Scores:</p><pre>" + rows("  ", "\n") + "</pre>",
    "mathjax.html": "<p>\\[S=\\begin{bmatrix}" + rows(" &amp; ", "\\\\ ") + "\\end{bmatrix}\\]</p>",
    "id.html": "<section id=encoder.1.attention.head.1.scores><table>" + "".join(
        "<tr><td>" + "<td>".join(row) for row in MATRIX) + "</table></section>",
    "caption.tex": "\\begin{table}\\centering\\begin{tabular}{l|rrrr}\n & " + " & ".join(WORDS) + "\\\\ \\hline\n"
        + "\\\\\n".join(f"\\textbf{{{word}}} & $" + "$ & $".join(row) + "$" for word, row in
                        zip(WORDS, MATRIX, strict=True))
        + " \\\\ \\bottomrule\n\\end{tabular}\\caption{The scores of \"The chai is hot\"}\\end{table}",
    "blocks.csv": "scores,,,,\n," + ",".join(WORDS) + "\n" + "\n".join(
        f"{word}," + ",".join(row) for word, row in zip(WORDS, MATRIX, strict=True)),
    "german.csv": "scores\n" + comma(rows(";", "\n")),
    "quoted.csv": "scores\n" + "\n".join(",".join(f'"{comma(one)}"' for one in row) for row in MATRIX),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_a_matrix_is_placed_and_a_slip_in_it_is_found_with_its_line(tmp_path: Path, way: str) -> None:
    """2.050 of row `is` becomes 2.005."""
    name, _, suffix = way.partition(".")
    text = WAYS[way]
    for right, slip in (("2.050", "2.005"), ("2,050", "2,005"), ("2{,}050", "2{,}005")):
        at = text.rfind(right)
        if at >= 0:
            text = text[:at] + slip + text[at + len(right) :]
    assert text != WAYS[way], name
    report = check(tmp_path, text, f".{suffix}")
    line = next(at for at, one in enumerate(text.split("\n"), 1) if "005" in one)
    assert wrong(report) == [(line, "scores[is, chai]")]
    assert (placed(report), report.judged.summary["exact"], report.not_placed) == ([SCORES], 15, ())


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("q_chai = [1.041, 1.540]", ["query[chai, 1]", "query[chai, 2]"]),
        ("The query of chai is `q_chai = [1.041, 1.540]`, as we saw.", ["query[chai, 1]", "query[chai, 2]"]),
        ("$\\mathbf{q}_{\\text{chai}} = (1.041, 1.540)$", ["query[chai, 1]", "query[chai, 2]"]),
        ("scores\n\n| | is | chai |\n|-|-|-|\n| hot | -0.719 | -0.139 |", ["scores[hot, is]", "scores[hot, chai]"]),
        ("Gewichte:\n\n| | chai |\n|-|-|\n| hot | 0.284 |", ["weights[hot, chai]"]),
        ("Raw score matrix:\n\"is\" \"chai\"\n\"hot\" [-0.719, -0.139]", ["scores[hot, is]", "scores[hot, chai]"]),
        ("So $\\alpha_{4,2} = 0.284$, and α_4 = (0.263, 0.284, 0.188, 0.265)",
         ["weights[hot, chai]", *(f"weights[hot, {word}]" for word in ("The", "chai", "is", "hot"))]),
        ("Scores:\n\n| 2.000 | … | -0.249 |\n|-|-|-|\n| ⋮ | ⋱ | ⋮ |\n| -0.249 | … | -0.236 |",
         ["scores[The, The]", "scores[The, hot]", "scores[hot, The]", "scores[hot, hot]"]),
        ("$S = \\begin{pmatrix} 2.000 & \\cdots & -0.249 \\\\ \\vdots & \\ddots & \\vdots \\\\ -0.249 & \\dots & "
         "-0.236 \\end{pmatrix}$", ["scores[The, The]", "scores[The, hot]", "scores[hot, The]", "scores[hot, hot]"]),
        ("scores = [[2.000 2.582 ... -0.249]\n ...\n [-0.249 -0.139 ... -0.236]]",
         ["scores[The, The]", "scores[The, chai]", "scores[The, hot]",
          "scores[hot, The]", "scores[hot, chai]", "scores[hot, hot]"]),
        ("mean = [1.2, 0.7]\n\n`softmax.sum`\n\n| The | chai | is | hot |\n|-|-|-|-|\n| – | 21.04 | | |",
         ["sum[chai, 1]"]),
    ],
)  # fmt: skip
def test_a_part_is_placed_and_the_rest_is_not_printed(tmp_path: Path, text: str, cells: list[str]) -> None:
    report = check(tmp_path, text)
    found = [f"{one.cell.value.path.rpartition('.')[2]}[{one.row}, {one.column}]" for one in report.judged.cells]
    assert found == cells
    assert not report.judged.summary["wrong"]


@pytest.mark.parametrize(
    "line",
    [
        "S[chai, is] = 1.041×1.409 + 1.540×(−0.116)",
        "0.5 + 0.3 = 0.8",
        "In 2017 eight authors wrote 15 pages.",
        "See [3, 4] and section 2.",
        "1.0 - 0.3",
        "softmax([1.4, 1.8]) = [0.4, 0.6]",
    ],
)
def test_a_calculation_or_a_sentence_is_no_matrix(tmp_path: Path, line: str) -> None:
    report = check(tmp_path, f"{WAYS['pipes.md']}\n\n{line}\n{line}\n")
    assert placed(report) == [SCORES]
    assert report.not_placed == ()


def test_what_fits_nowhere_is_listed_and_changes_nothing(tmp_path: Path) -> None:
    results = "| model | BLEU | size |\n|-|-|-|\n| ours | 27.3 | 65 |\n| theirs | 28.4 | 213 |\n"
    text = f"{WAYS['pipes.md']}\n\n### Results\n\n{results}"
    report = check(tmp_path, text)
    assert placed(report) == [SCORES]
    (one,) = report.not_placed
    assert (one.line, one.shape) == (text[: text.index("27.3")].count("\n") + 1, (2, 2))
    assert not report.judged.summary["wrong"]


def test_a_name_that_fits_with_another_shape_is_not_placed(tmp_path: Path) -> None:
    report = check(
        tmp_path, f"{WAYS['pipes.md']}\n\nThe queries:\n\n| 1.0 | 2.0 | 3.0 |\n|-|-|-|\n| 4.0 | 5.0 | 6.0 |\n"
    )
    assert [one.why for one in report.not_placed] == ["queries is 4×2 (encoder.1.attention.head.1.query)"]


def test_a_number_not_before_three_digits_is_not_read_where_points_are(tmp_path: Path) -> None:
    report = check(tmp_path, WAYS["lines.txt"].replace("2.582", "2,58"), ".txt")
    assert len(report.judged.cells) == 14


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("### Head 2\n\nQ\n\n{}", "head.2.query"),
        ("### Kopf 2\n\nAnfragen:\n\n{}", "head.2.query"),
        ("Q_2 = {}", "head.2.query"),
        ("$Q^{{(2)}} =$ {}", "head.2.query"),
    ],
)
def test_the_head_is_told_by_index_and_heading(tmp_path: Path, text: str, path: str) -> None:
    report = check(tmp_path, text.format("[[9, 9, 9],\n [9, 9, 9],\n [9, 9, 9]]"), scenario="cooking-multihead")
    assert placed(report) == [path]


def test_a_given_number_is_exact_or_wrong(tmp_path: Path) -> None:
    report = check(tmp_path, "W_Q = [[1, 0], [0, 1], [0, 0.3], [0, 0]]")
    assert report.judged.summary == {"exact": 7, "rounding": 0, "inherited": 0, "wrong": 1}


def test_numbers_decide_between_what_name_and_shape_leave(tmp_path: Path) -> None:
    scaled = ["1.414 1.826 0.914 -0.176", "1.826 2.269 1.449 -0.098", "0.914 1.449 -0.231 -0.508"]
    text = "\n".join(["Look:", "", rows(" ", "\n"), "", "And:", "", *scaled, "-0.176 -0.098 -0.508 -0.9"])
    report = check(tmp_path, text, ".txt")
    assert placed(report) == [SCORES, "head.1.scaled_scores"]
    assert wrong(report)[-1][1] == "scaled_scores[hot, hot]"


def test_an_unnamed_table_of_other_numbers_is_not_placed(tmp_path: Path) -> None:
    other = "7.1 7.2 7.3 7.4\n7.5 7.6 7.7 7.8\n" * 2
    report = check(tmp_path, f"{WAYS['lines.txt']}\n\nNothing here:\n\n{other}", ".txt")
    assert placed(report) == [SCORES]
    assert "fewer than half" in report.not_placed[0].why


def test_of_the_steps_that_a_table_could_be_the_nearest_is_named_first(tmp_path: Path) -> None:
    trace = loaded("chai")[1]
    weights = trace["encoder.1.attention.head.1.weights"].array.copy()
    weights[:3] += 3
    table = "\n".join(" ".join(f"{number:.3f}" for number in row) for row in weights)
    report = check(tmp_path, f"{WAYS['lines.txt']}\n\nNothing here:\n\n{table}", ".txt")
    assert "are those of encoder.1.attention.head.1.weights" in report.not_placed[0].why


@pytest.mark.parametrize("name", ["chai", "cooking-multihead"])
def test_what_run_prints_is_a_draft_without_a_wrong_number(tmp_path: Path, name: str) -> None:
    trace = loaded(name)[1]
    out = io.StringIO()
    show(trace, Options(), Console(file=out, width=80, highlight=False))
    report = check(tmp_path, out.getvalue(), ".txt", name)
    assert report.judged.summary["exact"] == len(report.judged.cells) > 400
    assert len({one.fit.value for one in report.placed}) >= len(trace) - 4


def test_the_left_side_of_an_equation_is_the_name(tmp_path: Path) -> None:
    report = check(tmp_path, "$Q = X W_Q$ gives\n\n[[1.000 1.000]\n [1.041 1.540]\n [1.409 -0.116]\n [0.241 -0.490]]")
    assert placed(report) == ["head.1.query"]


def of_one_head(step: str) -> str:
    """A step of one-head in lines of text, as MATLAB prints it."""
    array = loaded("one-head")[1][f"attention.head.1.{step}"].array
    return "\n".join("".join(f"{number:10.4f}" for number in row) for row in array)


@pytest.mark.parametrize(
    ("above", "step"),
    [
        ("Now Z = A·V:\n\n", "output"),
        ("Z = A V\n\n", "output"),
        ("Q = E W_Q\n\n", "query"),
        ("Now Q = E·W_Q:\n\n", "query"),
        ("We multiply Q = E W_Q and get\n\n", "query"),
        ("The weights are A = exp(S') / sum:\n\n", "weights"),
        ("The weights are A = softmax of the scaled scores:\n\n", "weights"),
        (">> Q = E*W_Q\n\nQ =\n\n", "query"),
        (">> Q = E*W_Q\nQ =\n", "query"),
        (">> A = exp(S/2)./sum(exp(S/2),2)\n\nA =\n\n", "weights"),
        (">> A = exp(S/2)./sum(exp(S/2),2)\nA =\n", "weights"),
        ("From `attention.head.1.query` and\n\nK =\n\n", "key"),
        ("With d_k = 4 the scaled scores are:\n\n", "scaled_scores"),
        ("With e = 2.718 we get the weights\n\n", "weights"),
        ("Since K = E W_K is known, the scores:\n\n", "scores"),
        ("**Step 3.** For every S = Q K^T. The values:\n\n", "value"),
    ],
)
def test_an_equation_in_prose_names_its_left_side(tmp_path: Path, above: str, step: str) -> None:
    """Also where the matrix is so wrong that its numbers cannot tell."""
    right = of_one_head(step)
    assert placed(check(tmp_path, above + right, ".txt", "one-head")) == [f"head.1.{step}"]
    report = check(tmp_path, above + right.replace("0.", "7.").replace("1.", "8."), ".txt", "one-head")
    assert placed(report) == [f"head.1.{step}"]


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("Q(drinks) = (2, 1, 0, 3), Q(milk) = (1, 1, 3, 1)", ["query[drinks, 4]"]),
        ("$q_{milk} = (1, 1, 3, 2)$ and $k_{milk} = (1, 0, 1, 4)$", ["query[milk, 4]", "key[milk, 4]"]),
        ("q_drinks = [2,1,0,3] and, as before, q_milk = (1,1,3,2).", ["query[drinks, 4]", "query[milk, 4]"]),
        ("q_drinks = (2,1,0,3) and then q_milk = [1,1,3,2]", ["query[drinks, 4]", "query[milk, 4]"]),
        ("So q_drinks = (2, 1, 0, 3), which we keep.", ["query[drinks, 4]"]),
        ("$q_{milk}=(1,1,3,2)$ $k_{milk}=(1,0,1,4)$", ["query[milk, 4]", "key[milk, 4]"]),
        ("\\(q_{milk}=(1,1,3,2)\\) und \\(k_{milk}=(1,0,1,4)\\)", ["query[milk, 4]", "key[milk, 4]"]),
        ("q_milk = (1, 0, 1, 2) W_Q = (1, 1, 3, 2)", ["query[milk, 4]"]),
    ],
)
def test_each_vector_of_a_line_is_judged(tmp_path: Path, line: str, cells: list[str]) -> None:
    report = check(tmp_path, line, scenario="one-head")
    assert [cell for _, cell in wrong(report)] == cells
    assert report.not_placed == ()


def test_a_vector_of_an_unknown_name_is_listed(tmp_path: Path) -> None:
    report = check(tmp_path, "q_drink = (2, 1, 0, 2), q_milk = (1, 1, 3, 1)", scenario="one-head")
    assert report.not_placed == ((1, (1, 4), "no step is called q_drink"),)
    assert placed(report) == ["head.1.query"]


def test_a_product_of_vectors_is_no_vector(tmp_path: Path) -> None:
    report = check(tmp_path, f"q_drinks · k_milk = (2.0, 1, 0, 2)·(1.0, 0, 1, 3) = 8\n\nV =\n{of_one_head('value')}",
                   scenario="one-head")  # fmt: skip
    assert placed(report) == ["head.1.value"]
    assert report.not_placed == ()


_VECTORS = ["(1,041; 1,550)", "(1,041 | 1,550)", "(1{,}041; 1{,}550)", "[1{,}041; 1{,}550]", "[1{,}041, 1{,}550]"]


@pytest.mark.parametrize("numbers", _VECTORS)
def test_commas_in_a_vector_are_decimal_where_something_else_parts_or_latex_says_so(
    tmp_path: Path, numbers: str
) -> None:
    vector = r"$q_{\text{chai}} = " + numbers + "$"
    assert [number for _, number in wrong(check(tmp_path, f"{vector}\n"))] == ["query[chai, 2]"]
    if numbers[0] == "(":
        sentence = f"Es ist {vector} und damit $k_0 = 1{{,}}5$.\n"
        assert [number for _, number in wrong(check(tmp_path, sentence))] == ["query[chai, 2]"]
