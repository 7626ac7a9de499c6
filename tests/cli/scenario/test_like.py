"""`walkthrough new --like` as users start it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import walkthrough as wt
from tests.cli.program import invoke, refusal
from tests.examples import all_in_a_thorough_run
from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
from walkthrough.transformer.loading.load import parse_scenario


def drawn(file: Path, *arguments: str) -> str:
    file.unlink(missing_ok=True)
    result = invoke("new", str(file), "--like", *arguments)
    assert result.exit_code == 0, result.output
    return file.read_text("utf-8")


def decimals_of(number: float) -> int:
    """The exact decimals of a number, six at most."""
    return min((count for count in range(6) if abs(number - round(number, count)) <= 1e-9), default=6)


def mean_length(text: str) -> float:
    numbers = [number for value in wt.trace(parse_scenario(text)) if value.operation for number in value.array.ravel()]
    lengths = [decimals_of(number) for number in numbers if abs(number) != float("inf")]
    return sum(lengths) / len(lengths)


@pytest.mark.parametrize("name", all_in_a_thorough_run(["chai", "cooking", "tea-gpt"]))
def test_its_numbers_are_those_of_the_sheet(name: str, tmp_path: Path) -> None:
    text = drawn(tmp_path / "mine.yaml", name, "--seed", "7")
    sheet = Maker(wt.load_scenario(name), name, SheetOptions()).sheet(7)
    again = Maker(parse_scenario(text), name, SheetOptions()).sheet()
    assert again.digest == sheet.digest
    for word in ("published", "description", "source:", "#"):
        assert f"\n{word}" not in text


@pytest.mark.parametrize(
    "name",
    all_in_a_thorough_run(
        ["cooking-training", "not-on-your-life", "key-cache", "tiny-llama", "sandwich"],
        ["cooking-training", "key-cache"],
    ),
)
def test_it_runs_unedited_and_generates_and_trains_as_before(name: str, tmp_path: Path) -> None:
    drawn(tmp_path / "mine.yaml", name, "--seed", "2")
    paths = [value.path for value in wt.trace(wt.load_scenario(tmp_path / "mine.yaml"))]
    own = [value.path for value in wt.trace(wt.load_scenario(name))]
    assert {path.partition(".")[0] for path in paths} == {path.partition(".")[0] for path in own}


def test_a_dash_is_standard_output_and_what_varies_can_be_chosen(tmp_path: Path) -> None:
    result = invoke("new", "-", "--like", "help-me", "--seed", "3", "--vary", "scores")
    assert result.output == drawn(tmp_path / "mine.yaml", "help-me", "--seed", "3")
    chai = wt.load_scenario("chai")
    one = parse_scenario(drawn(tmp_path / "mine.yaml", "chai", "--vary", "w_q"))
    own, found = wt.trace(chai), wt.trace(one)
    changed = [v.path for v in own if v.operation is None and (v.array != found[v.path].array).any()]
    assert changed == [path for path in changed if path.endswith("w_q")] != []


def test_nice_numbers_are_shorter_and_as_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("walkthrough.teaching.sheets.make.nice._TRIES", 15)
    plain = drawn(tmp_path / "plain.yaml", "one-head", "--seed", "5")
    result = invoke("new", str(tmp_path / "nice.yaml"), "--like", "one-head", "--seed", "5", "--nice")
    nice = (tmp_path / "nice.yaml").read_text("utf-8")
    assert mean_length(nice) < mean_length(plain)
    assert result.stderr.partition("\n")[2] == (
        f"mean length of a calculated number: {mean_length(plain):.2f} decimals without --nice, "
        f"{mean_length(nice):.2f} with it\n"
    )
    assert drawn(tmp_path / "again.yaml", "one-head", "--seed", "5", "--nice") == nice
    draws = Maker(wt.load_scenario("one-head"), "one-head", SheetOptions()).draws
    texts = {value.matrix.path: value.array.tolist() for value in wt.trace(parse_scenario(nice)) if value.matrix}
    rows = {
        source.matrix: [[f"{number:.{source.decimals}f}" for number in row] for row in texts[source.matrix.path]]
        for source in draws.sources
    }
    found = draws.examine(rows)
    assert not found.faults
    assert draws.is_usual(found)
    for source in draws.sources:
        assert source.array.min() <= min(map(min, texts[source.matrix.path]))
        assert max(map(max, texts[source.matrix.path])) <= source.array.max()


DIGITS = """
title: t
decimals: 1
tokens: [a, b]
embeddings: [[0.25, 1], [1, -0.75]]
output_head: {w: [[1.5, -0.21, 0.35], [0.13, 0.95, -0.44]], b: [0, 0, BIAS], vocabulary: [x, y, z]}
"""


def test_nice_numbers_have_the_digits_that_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("walkthrough.teaching.sheets.make.nice._TRIES", 10)
    file = tmp_path / "a.yaml"
    file.write_text(DIGITS.replace("BIAS", "0.5"), encoding="utf-8")
    result = invoke("new", "-", "--like", str(file), "--nice")
    assert result.exit_code == 0, result.output
    numbers = re.findall(r"\d+\.(\d+)", result.stdout)
    assert numbers
    assert {len(one) for one in numbers} == {1}


def test_where_a_number_that_stays_has_more_digits_nice_says_so(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(DIGITS.replace("BIAS", "0.512"), encoding="utf-8")
    result = invoke("new", "-", "--like", str(file), "--nice")
    assert str(result.exception) == (
        "output_head.b has 3 decimals, more than 1; draw it too, with --vary, or ask for more, with --decimals"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("chai", "--vary", "nothing"), "no step is called 'nothing'"),
        (("chai", "--seed", "-1"), "-1 is not in the range"),
        (("chai", "--from", "folder"), "--from and --like cannot be combined"),
    ],
)
def test_what_cannot_be_drawn_leaves_no_file(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    assert said in refusal("new", str(tmp_path / "mine.yaml"), "--like", *arguments)
    assert not list(tmp_path.iterdir())
