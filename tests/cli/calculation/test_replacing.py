"""`--set` of calculated steps, and `--inspect`: what changed comes first; a wrong one is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.program import invoke, refusal, run


def test_what_changed_stands_first() -> None:
    lines = invoke("run", "chai", "--set", "weights[chai, is]=0.9", "--step", "head.1.output").stdout.splitlines()
    asked = next(at for at, line in enumerate(lines) if line.startswith("With other numbers: weights[chai, is]=0.9."))
    first = next(at for at, line in enumerate(lines) if at > asked and "→" in line)
    told = [" ".join(line.split()) for line in lines[first : first + 2]]
    assert told == [
        "encoder.1.attention.head.1.weights[chai, is] 0.203 → 0.900",
        "encoder.1.attention.head.1.output[chai, 1] 1.810 → 3.504",
    ]
    assert any("encoder.1.attention.head.1.output ───" in line for line in lines[first + 2 :])


def test_the_prediction_before_and_after_in_each_pass() -> None:
    shown = invoke("run", "tea-gpt", "--set", "feed_forward.output=0", "--step", "generated").stdout
    assert "Prediction at the last position, before → after:" in shown
    assert "tea: is 0.984 → tea 0.813" in shown


def test_in_german_too() -> None:
    shown = invoke("run", "chai", "--set", "scores=mean", "--language", "de", "--step", "head.1.scores").stdout
    assert "mit der größten Änderung:" in " ".join(shown.split())
    assert "S = Mittel der Zeilen von Q·Kᵀ" in shown


def test_what_makes_no_difference_says_so() -> None:
    shown = invoke("run", "chai", "--set", "scores=from chai", "--step", "head.1.scores").stdout
    assert "No number differs by it." in shown
    assert "S = chai" in shown


def test_a_number_says_what_it_was() -> None:
    shown = invoke("explain", "chai", "scaled_scores[chai, is]", "--set", "scores[chai, is]=2").stdout
    assert "\nbefore: 1.449\n" in shown


def test_a_word_says_what_it_was() -> None:
    cell = "output_head.prediction[hot, token]"
    shown = invoke("explain", "tea-gpt", cell, "--set", "feed_forward.output=0", "--depth", "0").stdout
    assert "\nbefore: tea\n" in shown


def test_a_word_with_a_point_in_it_has_no_comma_in_german(tmp_path: Path) -> None:
    path = tmp_path / "pi.yaml"
    head = "output_head: {vocabulary: ['3.14', '2.72'], w: [[1, -1]]}"
    path.write_text(f"title: Pi\nlanguage: de\ntokens: [a]\nembeddings: [[1]]\nencoder: {{layers: [{{}}]}}\n{head}\n")
    shown = invoke("run", str(path), "--set", "logits[a, 2.72]=2", "--step", "prediction").stdout
    assert "3.14 → 2.72" in shown
    assert "a: 3.14 0,881 → 2.72 0,731" in shown


@pytest.mark.parametrize("command", ["run", "view", "explain", "export"])
def test_a_wrong_one_is_one_line_and_writes_nothing(command: str) -> None:
    more = {"export": ["-o", "never.json"], "explain": ["scores"]}.get(command, [])
    done = run(command, "tea-gpt", *more, "--set", "w_q=0")
    assert done.returncode == 2
    assert done.stderr.endswith("is given, not calculated: of given numbers only single cells can be others\n")


def test_a_part_that_a_what_if_leaves_nothing_to_look_at_is_left_out_and_an_error_where_it_is_named() -> None:
    change = ("--set", "final_norm.output=0")
    shown = invoke("run", "lens", "--inspect", "all", *change, "--work", "none").stdout
    assert "lens.input.prediction" in shown
    assert "attribution.logits" not in shown
    done = run("run", "lens", "--inspect", "attribution", *change)
    assert done.returncode == 2
    assert done.stderr.startswith("'final_norm.output=0': attribution does not apply: what it starts from has other")


def test_only_what_is_inspected_is_shown() -> None:
    shown = invoke("export", "tea-gpt", "--inspect", "attribution").stdout
    assert "`generate.5.attribution.logits`" in shown
    assert "`generate.5.output_head.logits`" not in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chai", "--inspect", "lenz"], "nothing to inspect is called 'lenz'; did you mean 'lens'?"),
        (["chai", "--inspect", "lens", "--position", "chai"], "only attribution has a position; name it too"),
        (["tea-gpt", "--position", "cold"], "'cold' is none of the tokens"),
    ],
)
def test_what_cannot_be_inspected_is_told(arguments: list[str], message: str) -> None:
    assert message in refusal("run", *arguments)
