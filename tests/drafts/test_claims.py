"""Single numbers that texts and formulas claim are judged; those that are not understood are not placed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.drafts.drafts import check, loaded

WEIGHTS = "encoder.1.attention.head.2.weights"


@pytest.mark.parametrize("suffix", [".md", ".tex"])
@pytest.mark.parametrize(
    "claim",
    [
        "The weight A[The, cat] = {} is high.",
        "$$A_{{\\text{{The}},\\text{{cat}}}} = {}$$",
        "So $A[1, 2] = {}$, as we see.",
        "A[The, cat] ≈ {}.",
    ],
)
def test_a_claim_is_judged_in_the_head_of_its_heading(tmp_path: Path, claim: str, suffix: str) -> None:
    right = loaded("cat-sat")[1][WEIGHTS].array[0, 1]
    heading = "\\section{{Head 2}}\n\n" if suffix == ".tex" else "## Head 2\n\n"
    for number, verdict in ((f"{right:.3f}", "exact"), (f"{right + 0.0731:.3f}", "wrong")):
        (one,) = check(
            tmp_path, heading.replace("{{", "{").replace("}}", "}") + claim.format(number), suffix, "cat-sat"
        ).judged.cells
        assert (one.cell.value.path, one.cell.row, one.cell.column, one.verdict) == (WEIGHTS, 0, 1, verdict)


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        ("A[The, moon] = 0.3", "A has no cell 'The, moon'"),
        ("Zonk[a, b] = 3", "no step is called Zonk"),
        (
            "A[The, cat] = 0.3",
            "it may be of encoder.1.attention.head.1.weights or of encoder.1.attention.head.2.weights",
        ),
    ],
)
def test_a_claim_that_is_not_understood_is_said_to_be_not_placed(tmp_path: Path, claim: str, why: str) -> None:
    x = loaded("cat-sat")[1]["input"].array[0, 0]
    found = check(tmp_path, f"X[The, 1] = {x:.3f}\n\n{claim}\n", ".md", "cat-sat")
    assert [one.why for one in found.not_placed] == [why]


def test_a_claim_before_a_vector_on_its_line_is_one_by_itself(tmp_path: Path) -> None:
    """The vector was taken for a row of what the claim is about, and the claim for nothing."""
    trace = loaded("cat-sat")[1]
    value, query = trace["encoder.1.attention.head.1.value"], trace["encoder.1.attention.head.1.query"]
    row = ", ".join(f"{number:.2f}" for number in query.array[1])
    claims = f"Zonk[a, b] = 3.2 and V[The, 2] = {value.array[0, 1]:.1f}. Also q_2 = ({row})."
    found = check(tmp_path, f"## Head 1\n\n{claims}\n", ".md", "cat-sat")
    assert [(one.fit.value, one.fit.rows) for one in found.placed] == [(value, (0,)), (query, (1,))]
    assert [one.why for one in found.not_placed] == ["no step is called Zonk"]
    assert {one.verdict for one in found.judged.cells} == {"exact"}


@pytest.mark.parametrize(
    "line", ["S[The, cat] = 1×2 + 3×4", "S[The, cat] = 0.5·2", "S[The, cat] = 0.2 + 0.3", "x = A[The, cat] = 7"]
)
def test_a_calculation_is_no_claim(tmp_path: Path, line: str) -> None:
    x = loaded("cat-sat")[1]["input"].array[0, 0]
    found = check(tmp_path, f"X[The, 1] = {x:.3f}\n\n## Head 1\n\n{line}\n", ".md", "cat-sat")
    assert (len(found.judged.cells), found.not_placed) == (1, ())


@pytest.mark.parametrize(
    "claim",
    [
        "A[The, cat] = 2.4 / 8.1 = {}",
        "$A_{{\\text{{The}},\\text{{cat}}}} = \\frac{{e^{{0.9}}}}{{8.1}} \\approx {}$.",
        "A[The, cat] = U[The, cat] / u[The] = 2.4/8.1 = {}, as it was.",
        "A[The, cat] = e^1.4 / (e^1.4 + e^2) = {}",
        "A[The, cat] &= 4.2/8.1 = 0.51852 \\approx {} \\\\ A[The, moon] &= 1",
        "\\(A_{{The,cat}} = {}\\), so",
        "$A_{{12}} = {}$",
        "A₁₂ = {}",
    ],
)
def test_the_result_of_a_calculation_is_claimed_of_the_cell_that_it_begins_with(tmp_path: Path, claim: str) -> None:
    right = loaded("cat-sat")[1][WEIGHTS].array[0, 1]
    for number, verdict in ((f"{right:.3f}", "exact"), (f"{right + 0.0731:.3f}", "wrong")):
        (one,) = check(tmp_path, f"## Head 2\n\n{claim.format(number)}\n", ".md", "cat-sat").judged.cells
        assert (one.cell.value.path, one.cell.row, one.cell.column, one.verdict) == (WEIGHTS, 0, 1, verdict)


@pytest.mark.parametrize(
    "between", [", A[The, The] = {}", " and so the weight is A[The, The] = {}", ". A[The, The] = {}"]
)
def test_a_calculation_ends_where_another_cell_or_a_word_stands(tmp_path: Path, between: str) -> None:
    right = loaded("cat-sat")[1][WEIGHTS].array[0, 0]
    text = f"## Head 2\n\nA[The, cat] = 2.4/8.1{between.format(f'{right:.3f}')}\n"
    (one,) = check(tmp_path, text, ".md", "cat-sat").judged.cells
    assert (one.cell.row, one.cell.column, one.verdict) == (0, 0, "exact")


def test_a_calculation_below_a_table_is_of_its_step(tmp_path: Path) -> None:
    """Of two heads, without a heading that says which."""
    value = loaded("cat-sat")[1][WEIGHTS]
    rows = "\n".join("| " + " | ".join(f"{number:.3f}" for number in row) + " |" for row in value.array)
    table = f"| {' | '.join(value.columns)} |\n|{'-|' * len(value.columns)}\n{rows}"
    found = check(tmp_path, f"`{WEIGHTS}`\n\n{table}\n\nA[The, cat] = 2.4 / 8.1 = 0.999\n", ".md", "cat-sat")
    assert found.not_placed == ()
    assert [one.cell.value.path for one in found.judged.cells if one.verdict == "wrong"] == [WEIGHTS]


@pytest.mark.parametrize(
    ("vector", "is_placed"),
    [
        ("\\mathbf{{q}}_2 = \\begin{{bmatrix}} {} \\\\ {} \\end{{bmatrix}}", True),
        ("q_2 = W_Q x_2 = \\begin{{pmatrix}} {} \\\\ {} \\end{{pmatrix}}", True),
        ("q₂ = [{}, {}]", True),
        (
            "q_2 = \\begin{{bmatrix}} 1+1 \\\\ 2×3 \\end{{bmatrix}} = \\begin{{bmatrix}} {} \\\\ {} \\end{{bmatrix}}",
            True,
        ),
        ("Row 2 (q₂ = [{}, {}]):", True),
        ("\\max(0, q_2) = \\begin{{bmatrix}} 0 \\\\ 9.5 \\end{{bmatrix}}", False),
        ("q_1 + q_2 = \\begin{{bmatrix}} {} \\\\ {} \\end{{bmatrix}}", False),
    ],
)
def test_a_row_may_stand_and_its_number_be_lowered(tmp_path: Path, vector: str, is_placed: bool) -> None:
    """So the vectors of most published examples are written; a sum of two is neither."""
    value = loaded("chai")[1]["encoder.1.attention.head.1.query"]
    x = loaded("chai")[1]["input"].array[0, 0]
    text = f"X[The, 1] = {x:.3f}\n\n$${vector.format(*(f'{number:.3f}' for number in value.array[1]))}$$\n"
    found = check(tmp_path, text, ".md", "chai")
    assert [(one.fit.value.path, one.fit.rows) for one in found.placed[1:]] == [(value.path, (1,))] * is_placed
    assert {one.verdict for one in found.judged.cells} == {"exact"}
    assert bool(found.not_placed) is not is_placed


@pytest.mark.parametrize("claim", ["So $q_2 = ({}, {})$.", "$$q_2 = ({}, {})$$", "q_2 = ({}, {})"])
def test_a_vector_with_a_number_is_a_row_in_the_head_of_its_heading(tmp_path: Path, claim: str) -> None:
    value = loaded("cat-sat")[1]["encoder.1.attention.head.1.query"]
    claim = claim.replace("({}, {})", f"({', '.join('{}' for _ in value.columns)})")
    numbers = [f"{number:.2f}" for number in value.array[1]]
    (one,) = check(tmp_path, f"## Head 1\n\n{claim.format(*numbers)}\n", ".md", "cat-sat").placed
    assert (one.fit.value.path, one.fit.rows) == (value.path, (1,))
