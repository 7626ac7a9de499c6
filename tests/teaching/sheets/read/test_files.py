"""What is handed in and is no sheet: one sentence that says what it is, or what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from walkthrough.teaching.sheets.read.files import read_file
from walkthrough.teaching.sheets.sheet import SheetError

SHEET = "worksheet: 1\nscenario: help-me\nsteps: [{path: scores, answers: {a: {b: 1}}}]\n"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.pdf", b"%PDF-1.4", "a.pdf: a filled-in sheet ends in .xlsx, .ods, .yaml or .csv"),
        ("a.html", b"<p>", "; of a sheet filled in as a page, take the file that it downloads"),
        ("a.yaml", b"", "a.yaml is empty; expected a filled-in sheet"),
        ("a.yaml", b"---\n---\n", "a.yaml is empty; expected a filled-in sheet"),
        ("a.yaml", b"tokens: [a]\n", "it has no key 'worksheet', as every sheet of `walkthrough worksheet` has"),
        ("a.yaml", b"a: \0", "a.yaml is not a text file: line 1 holds a NUL character"),
        ("a.xlsx", b"%PDF-1.4", "a.xlsx is not a workbook, whatever its name ends in"),
        ("a.ods", b"", "a.ods is not a workbook, whatever its name ends in"),
    ],
)
def test_what_is_no_sheet_is_refused_in_a_sentence(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SheetError) as caught:
        read_file(str(tmp_path / name))
    assert str(caught.value).endswith(said)
    assert "\n" not in str(caught.value)


def test_a_sheet_without_a_name_is_none() -> None:
    with pytest.raises(SheetError, match="a sheet has no name"):
        read_file("")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_a_sheet_in_yaml_may_be_in_any_encoding_of_an_editor(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(SHEET.encode(encoding))
    (filled,) = read_file(str(tmp_path / "a.yaml"))
    assert (filled.scenario, list(filled.answers)) == ("help-me", [("scores", "a", "b")])


def test_a_scenario_that_was_altered_into_none_is_told_with_the_name_of_the_sheet(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"{SHEET}text: |\n  title: T\n  tokns: [a]\n", "utf-8")
    (filled,) = read_file(str(tmp_path / "a.yaml"))
    with pytest.raises(SheetError, match=r"a\.yaml: its `text` is no scenario any more; line \d of it: "):
        filled.sheet()
