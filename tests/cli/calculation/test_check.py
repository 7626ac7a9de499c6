"""`walkthrough check`: verdicts in three formats, exit status, names that fit nothing, somebody else's tensors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt
from tests.cli.program import invoke, refusal, run

SCENARIO = """title: Mine
tokens: [a, b]
embeddings: {a: [0.5, 1.25], b: [2.0, 0.1]}
attention:
  heads:
    - {w_q: [[1, 0], [0, 1]], w_k: [[1, 0], [0, 1]], w_v: [[1, 0], [0, 1]]}
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(SCENARIO + "published:\n  scores: {a: [1.81, 1.13]}\n", encoding="utf-8")
    return path


def test_status(scenario: Path) -> None:
    assert invoke("check", "cooking").exit_code == 1
    assert invoke("check", "help-me", str(scenario)).exit_code == 0
    assert invoke("check").exit_code == 2
    assert run("check", "no-such").returncode == 2


def test_the_first_wrong_number_comes_first() -> None:
    lines = invoke("check", "cat-sat").stdout.splitlines()
    assert lines[:5] == [
        "cat-sat: 19 published numbers",
        "",
        "First wrong number: positional_encoding[cat, 4]",
        "    printed 0.99, right is 1.00",
        "    because PE[cat, 4] = cos(1 / 10000^(2 / 4)) = 1.00",
    ]
    assert not any(line.endswith("exact") for line in lines)
    assert any(line.endswith("exact") for line in invoke("check", "cat-sat", "--all").stdout.splitlines())


def test_the_wrong_next_token_is_shown() -> None:
    assert "output_head.prediction[cooking]: printed “learned”, right is “.”" in invoke("check", "cooking").stdout


def test_json() -> None:
    one = json.loads(invoke("check", "cat-sat", "--format", "json").stdout)
    assert one["scenario"] == "cat-sat"
    assert one["summary"] == {"exact": 16, "rounding": 0, "inherited": 1, "wrong": 2}
    assert len(one["cells"]) == 19
    wrong = next(cell for cell in one["cells"] if cell["verdict"] == "wrong")
    assert wrong["computed"] == pytest.approx(0.99995, abs=1e-6)
    assert {key: wrong[key] for key in ("path", "row", "column", "published")} == {
        "path": "positional_encoding",
        "row": "cat",
        "column": "4",
        "published": "0.99",
    }
    both = json.loads(invoke("check", "cat-sat", "cooking", "--format", "json").stdout)
    assert [report["scenario"] for report in both] == ["cat-sat", "cooking"]
    words = [cell for cell in both[1]["cells"] if cell["column"] == "token"]
    assert {"published": "learned", "computed": "."}.items() <= {**words[-1]}.items()


def test_json_tells_what_is_unknown_from_what_breaks_down(tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("""
title: Deviation 0, and an unknown score
tokens: [a]
embeddings: [[2, 2]]
embedding_norm: {epsilon: 0}
attention: {heads: [{scores: [[null]], d_k: 1}]}
published: {embedding_norm.output: [[0.5, 0.5]], weights: [[0.5]]}
""")
    done = invoke("check", str(path), "--format", "json")
    assert [cell["computed"] for cell in json.loads(done.stdout)["cells"]] == ["nan", "nan", None]
    tensors = tmp_path / "mine.npz"
    np.savez(
        tensors, **{"embedding_norm.output": np.array([[np.inf, np.nan]]), "embedding_norm.std": np.array([[np.nan]])}
    )
    done = invoke("compare", str(path), str(tensors), "--format", "json")
    (step,) = [one for one in json.loads(done.stdout)["steps"] if one["path"] == "embedding_norm.std"]
    assert (step["published"], step["computed"]) == ("nan", 0.0)


HEAD = "output_head: {w: [[1, 0], [0, 1]], vocabulary: [tea, milk]}\npublished:\n  prediction: "
NUMBER = "9" * 5000
"""A word that Python takes for a number, as it does ²."""


@pytest.mark.parametrize("command", ["check", "validate"])
@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("published:\n  scorse: {a: [1, 2]}", "8:3: no step is called 'scorse'; did you mean 'scores'?"),
        ("published:\n  scores: {c: [1, 2]}", "8:12: attention.head.1.scores has no row 'c'"),
        ("published:\n  scores: {a: [1, 2, 3]}", "8:15: a row of attention.head.1.scores has 2 numbers, but published"),
        ("published:\n  scores: [[1, 2]]", "8:11: attention.head.1.scores has 2 rows, but published has 1"),
        ("published:\n  scores: {a: [1, x]}", "8:19: expected a number or null, found text 'x'"),
        (f"published:\n  - {{step: train.{NUMBER}.scores, values: [[1]]}}", "8:5: no step is called 'train.999"),
        (f"{HEAD}{{a: tee}}", "9:19: 'tee' is not a word of the vocabulary"),
        (f"{HEAD}{{a: ²}}", "9:19: '²' is not a word of the vocabulary"),
        (f"{HEAD}{{a: {NUMBER}}}", f"9:19: '{NUMBER}' is not a word of the vocabulary"),
    ],
)
def test_names_that_fit_nothing(command: str, more: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "faulty.yaml"
    path.write_text(f"{SCENARIO}{more}\n", encoding="utf-8")
    told = refusal(command, str(path))
    assert f"{path}:{message}" in told
    assert ("did you mean 'tea'?" in told) == ("tee" in more)


def test_validate_knows_the_steps_that_rounding_names(tmp_path: Path) -> None:
    path = tmp_path / "faulty.yaml"
    path.write_text(f"{SCENARIO}rounding:\n  decimals: 2\n  steps: {{scorse: 3, weights: 2}}\n", encoding="utf-8")
    assert f"{path}:9:11: no step is called 'scorse'" in refusal("validate", str(path))


def test_against(scenario: Path, tmp_path: Path) -> None:
    trace = wt.trace(wt.load_scenario(str(scenario)))
    head = "attention.head.1."
    np.savez(tmp_path / "right.npz", **{head + "scores": trace["attention.head.1.scores"].array})
    np.savez(tmp_path / "mine.npz", logits=trace["attention.head.1.scores"].array.T + np.diag([0, 1]))
    (tmp_path / "names.yaml").write_text("logits: scores\n")
    right = ["compare", str(scenario), str(tmp_path / "right.npz")]
    assert invoke(*right, "--require", "1").exit_code == 0
    assert invoke(*right).exit_code == 1  # the output is no tensor of theirs
    named = [str(tmp_path / "mine.npz"), "--names", str(tmp_path / "names.yaml")]
    done = invoke("compare", str(scenario), *named)
    assert done.exit_code == 1
    assert "First step that differs: attention.head.1.scores[b, b]" in done.stdout
    document = json.loads(invoke("compare", str(scenario), *named, "--format", "json").stdout)
    assert document["first"] == "attention.head.1.scores"
    assert "**First step that differs:**" in invoke("compare", str(scenario), *named, "--format", "markdown").stdout


def test_names_of_a_known_layout(scenario: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A keyword wins over a file of that name; `./torch` is the file."""
    monkeypatch.chdir(tmp_path)
    output = wt.trace(wt.load_scenario(str(scenario)))["attention.output"].array
    np.savez("mine.npz", output=output[None], other=np.zeros(3))
    Path("torch").write_text("other: scores\noutput: attention.output\n")
    theirs = ["compare", str(scenario), "mine.npz"]
    for names in ([], ["--names", "torch"], ["--names", "./torch"]):
        done = invoke(*theirs, *names, "--format", "json")
        assert done.exit_code == 0
        document = json.loads(done.stdout)
        assert [(step["path"], step["outcome"]) for step in document["steps"]][-1][1] == "same"
        (other,) = document["not_compared"]
        assert (other["theirs"], other["shape"]) == ("other", [3])
        assert ("expected 2×2" in other["why"]) == ("./torch" in names)
    assert "attention.output" not in invoke(*theirs).stdout
    assert "same" in invoke(*theirs, "--all").stdout.partition("follows")[0]


def test_nothing_under_published(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(SCENARIO, encoding="utf-8")
    done = invoke("check", str(path))
    assert done.exit_code == 0
    assert "There is nothing to judge: the scenario has no published numbers." in " ".join(done.stdout.split())
    assert "exact" not in done.stdout
    assert "There is nothing to judge" in invoke("check", str(path), "--format", "markdown").stdout
    assert json.loads(invoke("check", str(path), "--format", "json").stdout)["cells"] == []


def test_a_narrow_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = invoke("check", "cooking").stdout.splitlines()
    assert max(map(len, lines)) <= 60
    at = lines.index("encoder.1.norm_1.std")
    assert [line.split() for line in lines[at + 1 : at + 3]] == [
        ["[I]", "0.523", "0.554", "inherited"],
        ["[learned]", "0.544", "0.471", "wrong"],
    ]


@pytest.mark.parametrize("format", ["table", "markdown", "json"])
@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({}, "the file holds no tensors"),
        ({"scorse": np.zeros((2, 2))}, "scorse (2×2): no step is called 'scorse'; did you mean 'scores'?"),
    ],
)
def test_nothing_to_compare(
    format: str, tensors: dict[str, np.ndarray], message: str, scenario: Path, tmp_path: Path
) -> None:
    np.savez(tmp_path / "mine.npz", allow_pickle=False, **tensors)
    told = refusal("compare", str(scenario), str(tmp_path / "mine.npz"), "--format", format)
    assert "nothing in mine.npz could be compared" in told
    assert message in told


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["gone.npz"], "there is no file 'gone.npz'"),
        (["mine.txt"], "mine.txt is not a .npz, .safetensors, .json, .npy or .csv file"),
        (["mine.json"], "mine.json cannot be read"),
        (["fine.json", "--names", "gone.yaml"], "gone.yaml"),
        (["fine.json", "--names", "transformer-lens"], "did you mean 'transformer_lens'"),
        (["fine.json", "--names", "mine.txt"], "mine.txt should be a mapping"),
    ],
)
def test_faulty_tensors(options: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.txt").write_text("- 1\n")
    Path("mine.json").write_text("{")
    Path("fine.json").write_text("{}")
    assert message in refusal("compare", "chai", *options)
