"""Rows that count nothing, on a page whose numbers are edited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import walkthrough as wt
from walkthrough.views.options import Options

pytestmark = pytest.mark.browser
ROOT = Path(__file__).parents[2]
PART = "encoder.1.feed_forward"


def idle(page: Any, path: str) -> list[bool]:
    rows = page.locator(f'[id="{path}"] tbody tr')
    return list(rows.evaluate_all("rows => rows.map(row => row.hasAttribute('data-idle'))"))


def test_a_word_that_an_expert_does_not_get_is_grey_there_and_follows_an_edit(show: Any) -> None:
    trace = wt.trace(wt.load_scenario("experts"))
    text = (ROOT / "scenarios/experts.yaml").read_text()
    changed = wt.trace(
        wt.parse_scenario(text.replace("w:\n            - [1, 0, 0]", "w:\n            - [-3, 0, 0]", 1))
    )
    experts = [f"{PART}.expert.{number}.{step}" for number in (1, 2, 3) for step in ("hidden", "output")]

    def expected(of: wt.Trace) -> dict[str, list[bool]]:
        weights = of[f"{PART}.router.weights"].array
        return {path: (weights[:, int(path.split(".")[4]) - 1] == 0).tolist() for path in experts}

    assert expected(trace) != expected(changed)
    page = show(trace)
    assert {path: idle(page, path) for path in experts} == expected(trace)
    page.evaluate(f"walkthrough.set('{PART}.router.w', 0, 0, -3)")
    page.locator(f'[id="{experts[0]}"]').scroll_into_view_if_needed()
    page.wait_for_function(
        "want => Object.entries(want).every(([path, rows]) => rows.every((is, i) =>"
        " document.getElementById(path).querySelectorAll('tbody tr')[i].hasAttribute('data-idle') === is))",
        arg=expected(changed),
    )


def test_a_step_whose_weights_are_not_on_the_page_is_as_any_other(show: Any) -> None:
    options = Options(steps=(f"{PART}.expert.1.hidden",))
    trace = wt.trace(wt.load_scenario("experts"))
    page = show(trace, options=options)
    assert page.locator("[data-idle], [data-weights]").count() == 0
