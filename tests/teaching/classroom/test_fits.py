"""A sheet with another student's numbers is said to be so; its points stay as they are."""

from __future__ import annotations

from collections.abc import Sequence

from tests.teaching.students import handed_in, maker, worked_out
from walkthrough.languages.catalogue import catalogue
from walkthrough.teaching.classroom.data import sheet_data
from walkthrough.teaching.classroom.fits import find_fits
from walkthrough.teaching.classroom.report import class_report
from walkthrough.teaching.classroom.results import Result
from walkthrough.teaching.mark.mark import mark
from walkthrough.teaching.mark.marked import Marked
from walkthrough.teaching.read.answer import Answer
from walkthrough.teaching.sheet import Sheet
from walkthrough.views.report.blocks import Items

CHAI = maker("chai")
ADA, BO, CY = (CHAI.sheet(seed, student) for seed, student in ((1, "Ada"), (2, "Bo"), (3, "Cy")))


CELLS = [place for step, place in ADA.places if step.value.path.endswith((".query", ".key", ".value"))]


def filled(sheet: Sheet, by: Sheet) -> Marked:
    """A sheet with the right numbers of another one."""
    return mark(sheet, handed_in(by, worked_out(by)), f"{sheet.student}.yaml")


def fits(results: Sequence[Result], *key: Sheet) -> list[tuple[str, str] | None]:
    """For each sheet the file and the student whose numbers it holds."""
    found = find_fits(results, lambda: [("key.yaml", sheet) for sheet in key])
    assert [getattr(one, "points", None) for one in found] == [getattr(one, "points", None) for one in results]
    said = [one.fits if isinstance(one, Marked) else None for one in found]
    return [None if fit is None else (fit.sheet, fit.student) for fit in said]


def test_a_copied_sheet_fits_the_one_it_is_from() -> None:
    assert fits([filled(ADA, ADA), filled(BO, ADA), filled(CY, CY)]) == [None, ("Ada.yaml", "Ada"), None]


def test_it_may_fit_a_sheet_of_the_key_that_was_not_handed_in() -> None:
    assert fits([filled(BO, CY)], ADA, BO, CY) == [("key.yaml", "Cy")]


def test_of_two_that_fit_each_other_the_one_with_less_credit_is_named() -> None:
    """Both hold Cy's numbers, who handed nothing in."""
    pair = [filled(ADA, CY), filled(BO, CY)]
    credit = [one.counts["right"] + one.counts["follows"] for one in pair]
    assert credit[0] > credit[1]
    assert fits(pair) == [None, ("Ada.yaml", "Ada")]
    assert fits(pair[::-1]) == [("Ada.yaml", "Ada"), None]


def test_of_equals_it_is_said_of_both() -> None:
    one, other = (mark(sheet, {place: Answer("77", 77.0, 0) for place in CELLS}) for sheet in (ADA, BO))
    assert one.counts == other.counts
    assert [fit is not None for fit in fits([one, other])] == [True, True]


def test_honest_sheets_fit_nothing() -> None:
    assert fits([filled(one, one) for one in (ADA, BO, CY)], ADA, BO, CY) == [None, None, None]


def test_the_class_and_json_say_so() -> None:
    results = find_fits([filled(ADA, ADA), filled(BO, ADA)], list)
    said = [one for one in class_report(results, catalogue("en")).blocks() if isinstance(one, Items)]
    assert any("Bo" in line and "those of Ada" in line for one in said for line in one.lines)
    first, second = (sheet_data(one) for one in results)
    assert first["fits"] is None
    assert second["fits"]["student"] == "Ada"
    assert second["fits"]["cells"] >= 0.8 * second["fits"]["of"]
