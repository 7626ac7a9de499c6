"""`walkthrough check DRAFT --scenario S`: what it prints, and its status."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.program import invoke, refusal, run

SLIP = "W_Q = [[1, 0], [0, 1], [0, 2], [0, 0]]\n\n| a | b | c |\n|-|-|-|\n| 1.5 | 2.5 | 3.5 |\n| 1.5 | 2.5 | 3.5 |\n"


def test_what_is_wrong_has_a_line_and_what_is_not_placed_is_said(tmp_path: Path) -> None:
    draft = tmp_path / "text.md"
    draft.write_text(SLIP, encoding="utf-8")
    done = invoke("check", str(draft), "--scenario", "chai")
    assert done.exit_code == 1
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert f"{draft}:1 encoder.1.attention.head.1.w_q[3, 2] 2 0 wrong 1" in lines
    assert "Not placed: 1 table" in lines
    assert lines[-1].startswith("A table is named by a heading") or lines[-2].startswith("A table is named by")
    assert "(2×3): no step is 2×3" in " ".join(lines)


def test_a_right_draft_has_status_0_whatever_the_scenario_publishes(tmp_path: Path) -> None:
    draft = tmp_path / "text.md"
    draft.write_text("W_Q = [[1, 0], [0, 1], [0, 0], [0, 0]]\n", encoding="utf-8")
    assert invoke("check", str(draft), "--scenario", "chai").exit_code == 0
    assert invoke("check", "chai").exit_code == 1


def test_numbers_in_a_text_stand_in_places_and_those_of_tables_in_tables(tmp_path: Path) -> None:
    for text, said in (
        ("S[chai, is] = 2.05, S[is, chai] = 2.05", "2 numbers in 2 places"),
        (CUT, "2 numbers in 1 table"),
    ):
        (tmp_path / "text.md").write_text(text, encoding="utf-8")
        shown = invoke("check", str(tmp_path / "text.md"), "--scenario", "chai").stdout
        assert said in " ".join(shown.split())  # where a line ends depends on the folder


CUT = "scores\n\n| | is | chai |\n|-|-|-|\n| hot | -0.719 | -0.139 |"


def test_several_drafts_are_a_list(tmp_path: Path) -> None:
    files = [tmp_path / "one.md", tmp_path / "two.txt"]
    for file in files:
        file.write_text(SLIP, encoding="utf-8")
    found = json.loads(invoke("check", *map(str, files), "--scenario", "chai", "--format", "json").stdout)
    assert [one["draft"] for one in found] == list(map(str, files))
    assert found[0]["tables"] == [
        {"line": 1, "path": "encoder.1.attention.head.1.w_q", "rows": ["1", "2", "3", "4"], "columns": ["1", "2"]}
    ]
    assert found[0]["not_placed"] == [{"line": 5, "shape": "2×3", "why": "no step is 2×3"}]


def test_a_draft_without_its_scenario_is_an_error_that_says_so(tmp_path: Path) -> None:
    draft = tmp_path / "text.md"
    draft.write_text(SLIP, encoding="utf-8")
    done = invoke("check", str(draft))
    assert done.exit_code == 2
    assert "--scenario" in done.stderr
    assert invoke("check", str(draft), "--scenario", "chai", "--tolerance", "1").exit_code == 2
    for name, said in ((str(tmp_path / "none.md"), "No such file"), ("chai", "a draft is one of .md")):
        assert said in refusal("check", name, "--scenario", "chai")


@pytest.mark.parametrize(
    ("text", "not_placed"),
    [
        ("Nothing but words.\n", []),
        ("sizes\n\n1 2 3 4 5 6 7 8 9\n", [{"line": 3, "shape": "1×9", "why": "no step is 1×9"}]),
    ],
)
def test_json_also_says_that_nothing_can_be_placed(tmp_path: Path, text: str, not_placed: list[object]) -> None:
    draft = tmp_path / "text.csv"
    draft.write_text(text.replace(" ", ","), encoding="utf-8")
    done = run("check", str(draft), "--scenario", "chai", "--format", "json")
    assert done.returncode == 2
    assert "can be placed in chai" in done.stderr or "holds no matrix" in done.stderr
    found = json.loads(done.stdout)
    assert (found["tables"], found["cells"], found["not_placed"]) == ([], [], not_placed)
    assert set(found["summary"].values()) == {0}


def test_people_see_one_minus_sign(tmp_path: Path) -> None:
    draft = tmp_path / "text.txt"
    draft.write_text("k_is = [-1.409, -0.116]\n", encoding="utf-8")
    found = invoke("check", str(draft), "--scenario", "chai", "--all").stdout
    assert "−1.409" in found
    assert not re.search(r"-[0-9]", found.replace(str(tmp_path), ""))
    cells = json.loads(invoke("check", str(draft), "--scenario", "chai", "--format", "json").stdout)["cells"]
    assert cells[0]["published"] == "-1.409"
