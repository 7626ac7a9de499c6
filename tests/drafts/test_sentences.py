"""Sentences before a matrix, as lecture notes and blog posts have them: what they name is often not what comes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.drafts.drafts import check, loaded, placed, wrong
from walkthrough.drafts.draft import DraftError

SENTENCES = [
    ("chai", "Divided by √d_k the scores are:", "head.1.scaled_scores"),
    ("chai", "Weights times values:", "head.1.output"),
    ("chai", "After the softmax we get", "head.1.weights"),
    ("chai", "Now we multiply the queries with the keys:", "head.1.scores"),
    (
        "one-head",
        "To see how much each word should look at the others, take the dot product of every query with every key.",
        "head.1.scores",
    ),
    ("one-head", "We then scale the scores by the square root of the key dimension:", "head.1.scaled_scores"),
    ("cooking", "Applying softmax to the scores row by row gives us:", "head.1.weights"),
    ("cat-sat", "Multiplying the embeddings by W_Q yields", "head.1.query"),
    ("cat-sat", "Multiply the same input with W_K to obtain", "head.1.key"),
    ("cat-sat", "and finally multiply the input by W_V:", "head.1.value"),
    ("cat-sat", "Each row is a weighted sum of the value vectors, using the attention weights:", "head.1.output"),
    ("cooking", "Dann multiplizieren wir die Anfragen mit den Schlüsseln:", "head.1.scores"),
    ("cooking", "Nach dem Softmax erhalten wir", "head.1.weights"),
    ("chai", "Geteilt durch √d_k sind die Scores:", "head.1.scaled_scores"),
    ("chai", "Gewichte mal Werte:", "head.1.output"),
    ("fuchs", "Future positions are hidden by adding the mask to the scaled scores:", "head.1.masked_scores"),
    ("fuchs", "Die maskierten Scores nach dem Softmax:", "head.1.weights"),
    ("fuchs", "We concatenate the outputs of the two heads:", "attention.concat"),
    ("fuchs", "Multiplying the concatenated heads with W_O we get", "attention.output"),
    ("fuchs", "Adding the positional encoding to the token embeddings:", "input"),
    ("chai", "Adding the input back to the attention output (the residual connection) we get", "residual_1"),
    ("chai", "We subtract the mean of each row from the residual and get", "norm_1.centered"),
    ("chai", "Dividing by the standard deviation normalises each row:", "norm_1.output"),
    ("chai", "After the ReLU all negative numbers of the hidden layer are gone:", "feed_forward.activation"),
    ("chai", "Multiplying the activations with W_2 and adding b_2:", "feed_forward.output"),
    ("chai", "We exponentiate the scaled scores before we normalise them to weights:", "head.1.softmax.exp"),
    ("one-head", "To turn these scores into probabilities we use the softmax, which gives", "head.1.weights"),
    ("one-head", "The product of queries and transposed keys looks as follows.", "head.1.scores"),
    ("masked-scores", "Applying the mask to the scores:", "head.1.masked_scores"),
    ("masked-scores", "The softmax of the masked and scaled scores is then", "head.1.weights"),
    ("cooking-multihead", "For the second head the product of queries and keys is", "head.2.scores"),
    ("cooking-multihead", "In head 2 the weights are multiplied with the values, which results in", "head.2.output"),
    ("cooking-multihead", "Kopf 1: Skalieren der Scores mit 1/√d_k ergibt", "head.1.scaled_scores"),
    (
        "cat-sat",
        "Bevor wir den Softmax anwenden, teilen wir die Scores durch die Wurzel aus d_k und erhalten",
        "head.1.scaled_scores",
    ),
    ("cat-sat", "Die gewichtete Summe der Werte ergibt die Ausgabe des ersten Kopfes:", "head.1.output"),
    ("chai", "The values are weighted with the attention weights.", "head.1.output"),
    ("chai", "$$A = QK^T$$", "head.1.scores"),
    ("chai", "A = QK^T/√d_k =", "head.1.scaled_scores"),
    ("one-head", "The scores become, after dividing by 2 and applying softmax:", "head.1.weights"),
    (
        "one-head",
        "Let us compute the scores. First we need the queries, so multiply the embeddings by the query weights:",
        "head.1.query",
    ),
]


def shown(array: np.ndarray) -> str:
    return "\n".join("  ".join("-inf" if one == -np.inf else f"{one:.3f}" for one in row) for row in array)


def expect_placed(folder: Path, scenario: str, sentence: str, path: str, off: float = 0) -> None:
    """The last number is off by so much."""
    right = next(value for value in loaded(scenario)[1] if value.path.endswith(path)).array
    array = right.copy()
    array[-1, -1] += off
    report = check(folder, f"{sentence}\n\n{shown(array)}\n", scenario=scenario)
    (one,) = report.placed
    assert np.array_equal(one.fit.value.array, right)
    assert len(wrong(report)) <= (off != 0)


@pytest.mark.parametrize(("scenario", "sentence", "path"), SENTENCES)
def test_no_sentence_makes_a_right_matrix_wrong(tmp_path: Path, scenario: str, sentence: str, path: str) -> None:
    expect_placed(tmp_path, scenario, sentence, path)


@pytest.mark.parametrize(("scenario", "sentence", "path"), SENTENCES[:5] + SENTENCES[15:16] + SENTENCES[36:38])
def test_nor_with_a_slip_is_it_taken_for_another(tmp_path: Path, scenario: str, sentence: str, path: str) -> None:
    expect_placed(tmp_path, scenario, sentence, path, off=0.37)


@pytest.mark.parametrize("sentence", ["We multiply the queries with the keys:", "The scores, after the softmax:"])
def test_numbers_of_no_step_are_not_accused_by_a_sentence_about_others(tmp_path: Path, sentence: str) -> None:
    with pytest.raises(DraftError, match=r"keys is 4×2|fewer than half of its numbers are those of"):
        check(tmp_path, f"{sentence}\n\n" + "\n".join(["71.5 72.5 73.5 74.5"] * 4))


def test_a_matrix_that_is_printed_again_under_another_name_is_said_to_be(tmp_path: Path) -> None:
    scores = shown(loaded("chai")[1].only("scores").array)
    report = check(tmp_path, f"The scores are\n\n{scores}\n\nThe scaled scores are\n\n{scores}\n")
    assert placed(report) == ["head.1.scores"]
    head = "encoder.1.attention.head.1."
    assert report.not_placed[0].why == (
        f"its text names {head}scaled_scores, but its numbers are those of {head}scores, which stands above already"
    )
    assert not report.judged.summary["wrong"]


@pytest.mark.parametrize(("name", "skipped"), [("S =\t", 0), ("", 0), ("", 1)])
def test_a_matrix_whose_name_or_first_row_stands_with_its_labels_is_what_its_numbers_say(
    tmp_path: Path, name: str, skipped: int
) -> None:
    """As in lecture notes whose table came out of a PDF: the words above are about something else."""
    value = loaded("show-me-the-money")[1].only("weights")
    lines = [f"{label}\t" + "\t".join(map(str, row)) for label, row in zip(value.rows, value.array, strict=True)]
    text = f"Consider an example for an input sequence of four tokens.\n\n{name}" + "\n".join(lines[skipped:])
    report = check(tmp_path, text, scenario="show-me-the-money")
    assert placed(report) == ["head.1.weights"]
    assert report.judged.summary["exact"] == 16 - 4 * skipped
    assert not wrong(report)


def test_what_a_symbol_names_is_judged_whatever_its_numbers_say(tmp_path: Path) -> None:
    report = check(tmp_path, f"S' =\n{shown(loaded('chai')[1].only('scores').array)}\n")
    assert len(wrong(report)) == 16
    assert {cause.word for cause in report.judged.causes().values()} == {"not_scaled"}


def test_nobody_is_accused_where_a_symbol_is_the_authors_for_another_step(tmp_path: Path) -> None:
    trace = loaded("chai")[1]
    weights, scores = shown(trace.only("weights").array), shown(trace.only("scores").array)
    report = check(tmp_path, f"A =\n{scores}\n\nso that\n\n`weights`\n\n{weights}\n")
    assert placed(report) == ["head.1.weights"]
    assert wrong(report) == []
    head = "encoder.1.attention.head.1."
    assert report.not_placed[0].why == (
        f"its symbol is that of {head}weights here, but its numbers are those of {head}scores"
    )


TOY = "0 0 1\n0 1 0\n1 0 0\n"


@pytest.mark.parametrize("toy", [TOY, TOY.replace("0 1 0", "1 1 0"), TOY.replace(" ", "\t")])
def test_a_toy_matrix_without_a_name_is_no_step(tmp_path: Path, toy: str) -> None:
    with pytest.raises(
        DraftError, match=r"it has no name, and too few of its numbers are those of .*\nA table is named by"
    ):
        check(tmp_path, f"A toy:\n\n{toy}\n", scenario="cooking")


def test_small_whole_numbers_without_a_name_are_placed_where_all_agree(tmp_path: Path) -> None:
    report = check(tmp_path, "Here:\n\n6 4 6\n4 4 4\n4 4 4\n", scenario="cooking")
    assert (placed(report), wrong(report)) == (["head.1.scores"], [])


OTHERS = ["I", "am", "so", "hungry"]


@pytest.mark.parametrize("name", ["The scores:", "S =", "`scores`"])
def test_a_table_about_other_words_is_not_placed(tmp_path: Path, name: str) -> None:
    lines = [f"| {word} | 1.1 | 2.2 | 3.3 | 4.4 |" for word in OTHERS]
    text = f"{name}\n\n| | {' | '.join(OTHERS)} |\n|-|-|-|-|-|\n" + "\n".join(lines)
    with pytest.raises(
        DraftError, match=r"its labels \(I, am, so, …\) are none of those of .*scores \(The, chai, is, …\)"
    ):
        check(tmp_path, text)


@pytest.mark.parametrize(
    ("header", "is_placed"), [("length | count", False), ("k₁ | k₂", True), ("dim 1 | dim 2", True), ("0 | 1", True)]
)
def test_columns_of_other_words_count_against_a_step_and_counted_ones_do_not(
    tmp_path: Path, header: str, is_placed: bool
) -> None:
    rows = "".join(f"| {word} | {at} | {7 * at} |\n" for at, word in enumerate(["The", "chai", "is", "hot"], 2))
    text = f"The keys:\n\n| word | {header} |\n|-|-|-|\n{rows}"
    report = check(tmp_path, f"W_Q = [[1, 0], [0, 1], [0, 0], [0, 0]]\n\n{text}")
    assert placed(report)[1:] == ["head.1.key"] * is_placed


def test_labels_of_ones_own_do_not_matter_where_the_numbers_agree(tmp_path: Path) -> None:
    rows = shown(loaded("chai")[1].only("scores").array).split("\n")
    lines = [
        f"| {word} | {' | '.join(row.split())} |" for word, row in zip(["Der", "Tee", "ist", "heiß"], rows, strict=True)
    ]
    report = check(tmp_path, "Scores\n\n| | Der | Tee | ist | heiß |\n|-|-|-|-|-|\n" + "\n".join(lines))
    assert placed(report) == ["head.1.scores"]
