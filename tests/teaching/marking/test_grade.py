"""Marking in Python: the same marks as `walkthrough mark` gives for the same answers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt
from tests.cli.program import run
from tests.teaching.students import digits_of, handed_out, worked_out, written
from walkthrough.scenario.sources import bundled_scenarios

HEAD = "attention.head.1."
ADA = {
    "scaled_scores": {"help": {"help": "6", "me": "4"}, "me": {"help": 3, "me": "8,0"}},
    "softmax.exp": [[403.429, 54.598], [20.086, "2980,958"]],
    f"{HEAD}softmax.sum": np.array([[458.027], [3001.044]]),
    "weights": {"help": {"help": "0.881"}},
}


def test_the_marks_are_those_of_the_command(tmp_path: Path) -> None:
    result = wt.mark("help-me", ADA)
    lines = [f'{one.path},{one.row},{one.column},"{one.answer}"' for one in result.cells if one.answer]
    file = tmp_path / "help-me.csv"
    file.write_text("path,row,column,answer\n" + "\n".join(lines), encoding="utf-8")
    said = run("mark", str(file), "--scenario", "help-me", "--format", "json")
    sheet = json.loads(said.stdout)
    sheet = sheet["sheets"][0] if "sheets" in sheet else sheet
    own = json.loads(json.dumps(result.data()))
    for name in ("cells", "steps", "points", "of", "slips"):
        assert own[name] == sheet[name]
    assert (result.points, result.of) == (2.25, 4)


def test_what_json_says_has_the_same_names() -> None:
    result = wt.mark("help-me", ADA)
    cell = result.cells[0]
    assert (cell.path, cell.row, cell.column) == (f"{HEAD}scaled_scores", "help", "help")
    assert (cell.answer, cell.right, cell.verdict) == ("6", 1.5, "wrong")
    assert cell.line.endswith("= 6 / √16 = 1.500")
    assert [(step.path.rpartition(".")[2], step.wrong, step.missing, step.points) for step in result.steps] == [
        ("scaled_scores", 4, 0, 0),
        ("exp", 0, 0, 1),
        ("sum", 0, 0, 1),
        ("weights", 0, 3, 0.25),
    ]
    (slip,) = result.slips
    assert (slip.cause, slip.likely, slip.costs) == ("not_scaled", "Probably not divided by √d_k.", 1.0)
    assert [(one.row, one.column) for one in slip.cells] == [
        ("help", "help"),
        ("help", "me"),
        ("me", "help"),
        ("me", "me"),
    ]
    assert repr(result) == "<2.25 of 4 points>"


@pytest.mark.parametrize("seed", [None, 7])
def test_right_answers_get_all_points_however_the_scenario_is_given(seed: int | None, tmp_path: Path) -> None:
    sheet = handed_out("help-me", seed, 2)
    digits, numbers = digits_of(sheet), worked_out(sheet)
    answers = {
        step.value.path: [
            [written(step.value, column, number, digits[step.value]) for column, number in enumerate(row)]
            for row in numbers[step.value]
        ]
        for step in sheet.blank_steps
    }
    text = bundled_scenarios()["help-me"].read_text("utf-8")
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    for scenario in ("help-me", file, str(file), text, wt.load_scenario("help-me")):
        result = wt.mark(scenario, answers, seed=seed, decimals=2)
        assert (result.points, result.of) == (4, 4)


def test_a_word_is_an_answer_and_so_are_some_steps() -> None:
    word = {"output_head.prediction": {"cooking": {"token": "fun"}}}
    result = wt.mark("cooking", word, blank=["prediction"])
    assert next(cell.path for cell in result.cells).endswith("prediction")
    assert result.of == 1


def test_nothing_handed_in_is_missing() -> None:
    result = wt.mark("help-me", {"weights": {"help": {"help": None, "me": ""}}})
    assert {cell.verdict for cell in result.cells} == {"missing"}
    assert result.points == 0


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"weihgts": [[1]]}, "weights"),
        ({"wieghts": {}}, "did you mean 'weights'"),
        ({"weights": {"hlp": {"me": 1}}}, "has no row 'hlp'; did you mean"),
        ({"weights": {"help": {"mee": 1}}}, "has no column 'mee'; did you mean"),
        ({"weights": [[1, 2, 3]]}, "has the shape 2×2, the answers 1×3"),
        ({"weights": {"help": [1, 2]}}, "expected a mapping"),
    ],
)
def test_what_is_not_on_the_sheet_is_an_error_with_near_names(answers: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match="(?s)" + said):
        wt.mark("help-me", answers)


def test_what_is_no_answer_is_an_error() -> None:
    with pytest.raises(TypeError, match="not bool"):
        wt.mark("help-me", {"weights": [[True]]})
    with pytest.raises(ValueError, match="no language"):
        wt.mark("help-me", {}, language="xx")


def test_numbers_that_are_none_cannot_be_read_and_hidden_ones_can() -> None:
    result = wt.mark("masked-scores", {"masked_scores": [[float("nan"), -float("inf"), -float("inf")]]})
    verdicts = {(cell.row, cell.column): cell.verdict for cell in result.cells if cell.path.endswith("masked_scores")}
    assert list(verdicts.values())[:2] == ["unreadable", "right"]


def test_its_html_is_the_inside_of_the_feedback_page_in_the_language_of_the_sheet() -> None:
    result = wt.mark("help-me", ADA, language="de")
    page = result.html()
    assert page.startswith('<article class="feedback" lang="de" data-points="2.25" data-of="4">')
    assert "Vermutlich nicht durch √d<sub>k</sub> geteilt." in page
    assert "<html" not in page
    assert result._repr_html_() == page
    assert repr(result) == "<2.25 of 4 points>"


def test_a_number_beyond_the_largest_is_unreadable() -> None:
    marked = wt.mark("help-me", {"scaled_scores": {"help": {"help": 10**400, "me": -(10**400)}}})
    assert [cell.verdict for cell in marked.cells if cell.answer] == ["unreadable", "unreadable"]
