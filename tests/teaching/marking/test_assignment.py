"""What was handed out: the sheet that answers belong to, and what was altered in it."""

from __future__ import annotations

import io

import pytest

from tests.teaching.marking.test_mark import read, yaml_text
from tests.teaching.sheets.make.test_maker import made
from walkthrough.languages.catalogue import catalogue
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.teaching.marking.assignment import Assignment
from walkthrough.teaching.marking.handed_in import mark_filled
from walkthrough.teaching.marking.marked import Marked
from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
from walkthrough.teaching.sheets.read import yaml as yaml_filled
from walkthrough.teaching.sheets.read.filled import Filled
from walkthrough.teaching.sheets.sheet import SheetError
from walkthrough.teaching.sheets.write import yaml as yaml_sheet
from walkthrough.transformer.loading.load import parse_scenario


def said(found: Marked) -> tuple[str, ...]:
    """What was altered, in English."""
    return tuple(one.say(catalogue("en")) for one in found.altered)


def test_altered_given_numbers_are_said() -> None:
    text = yaml_text(made().sheet(3))
    first = made().sheet(3).hand["embeddings"].array[0, 0]
    changed = text.replace(f"- [{first:.2f}, ", "- [9.99, ", 1)
    found = mark_filled(read(changed), Assignment())
    assert any("embeddings[tea, 1]: found 9.99, but" in one for one in said(found))


@pytest.mark.parametrize("digest", ["", "digest: null\n", "digest: ''\n"])
def test_a_sheet_without_its_digest_may_have_been_altered(digest: str) -> None:
    lines = yaml_text(made().sheet(3)).splitlines(keepends=True)
    text = "".join(digest if line.startswith("digest:") else line for line in lines)
    with pytest.raises(SheetError, match="the given numbers in its text were altered; mark it with --key"):
        mark_filled(read(text), Assignment())


def test_a_key_decides_by_student() -> None:
    sheets = [made().sheet(seed, name) for seed, name in ((1, "Ada"), (2, "Bo"))]
    out = io.BytesIO()
    yaml_sheet.write(sheets, out, solved=True)
    keys = yaml_filled.read("key.yaml", out.getvalue())
    assert [key.student for key in keys] == ["Ada", "Bo"]
    stolen = yaml_text(sheets[0]).replace("student: Ada", "student: Bo")
    found = mark_filled(read(stolen), Assignment(keys))
    assert found.counts["wrong"] > 0
    assert any("seed" in one for one in said(found))


def test_a_key_of_another_version_marks_by_its_own_numbers() -> None:
    """A sheet and a key hold their numbers, whatever a seed gives today."""
    own = made().sheet(student="Ada")
    assert made().sheet(7).digest != own.digest
    out = io.BytesIO()
    yaml_sheet.write([own], out, solved=True)
    key = yaml_filled.read("key.yaml", out.getvalue().replace(b"seed: null", b"seed: 7"))
    found = mark_filled(key[0], Assignment(key))
    assert (key[0].seed, found.points, found.altered) == (7, found.of, ())


@pytest.mark.parametrize(
    ("name", "student", "wanted"),
    [
        ("x.csv", " ada ", "Ada"),
        ("2-Bo.csv", "", "Bo"),
        ("Bo.csv", "", "Bo"),
        ("1.csv", "", "Ada"),
        ("1-x.csv", "Cy", "Ada"),
        ("x.csv", "Cy", None),
    ],
)
def test_a_student_is_found_in_the_key(name: str, student: str, wanted: str | None) -> None:
    text = made().sheet(1).text
    assignment = Assignment([Filled("key.yaml", {}, text, "two", 1, one) for one in ("Ada", "Bo")])
    if wanted is None:
        with pytest.raises(SheetError, match=r"no sheet for Cy; it has 1 for Ada to 2 for Bo: .* as 1-x\.csv$"):
            assignment.sheet(Filled(name, {}, student=student))
    else:
        assert assignment.sheet(Filled(name, {}, student=student)).student == wanted


def test_a_sheet_is_marked_against_the_scenario_that_it_was_made_of() -> None:
    assignment = Assignment.of("help-me", None)
    maker = Maker(parse_scenario(bundled_scenarios()["help-me"].read_text("utf-8")), "help-me", SheetOptions())
    found = mark_filled(read(yaml_text(maker.sheet(3, "Ada"))), assignment)
    assert (found.student, found.points) == ("Ada", 4)
    other = Maker(
        parse_scenario(bundled_scenarios()["help-me"].read_text("utf-8").replace("[6, 4]", "[6, 5]")),
        "x",
        SheetOptions(),
    )
    with pytest.raises(SheetError, match="not those of help-me"):
        mark_filled(read(yaml_text(other.sheet())), assignment)


def test_a_sheet_whose_numbers_were_altered_is_marked_by_a_key_alone() -> None:
    sheet = made().sheet(3, "Ada")
    text = yaml_text(sheet)
    weights = text.index("w_q", text.index("\ntext:"))
    at = next(at for at in range(weights, len(text)) if text[at].isdigit())
    altered = text[:at] + str(9 - int(text[at])) + text[at + 1 :]
    with pytest.raises(SheetError, match="the given numbers in its text were altered; mark it with --key"):
        mark_filled(read(altered), Assignment())
    found = mark_filled(read(altered), Assignment([read(text)]))
    assert found.points == found.of
    assert said(found) == ("the given numbers are not the ones that the sheet was made with",)
    for assignment in (Assignment([read(altered)]), Assignment(base=[read(altered)])):
        with pytest.raises(SheetError, match="were altered; take the file as it was written"):
            mark_filled(read(text), assignment)


def test_a_sheet_without_steps_is_none() -> None:
    with pytest.raises(SheetError, match="has no step with answers"):
        read(yaml_text(made().sheet()).replace("\nsteps:", "\nstops:"))
