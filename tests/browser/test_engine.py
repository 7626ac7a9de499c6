"""In Firefox every number and every worked line of a page is that of the trace, before and after changes.

Chromium calculates as Node does, which tests/views/page/js asks.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.browser.firefox import Marionette
from tests.browser.pages import opened, written
from tests.examples import slow
from tests.views.page.js.engine import cells_of, lines_of
from tests.views.samples import bundled_trace
from walkthrough.recording.cells import CellAt
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.transformer.loading.changes import name_of

pytestmark = pytest.mark.browser

LARGE = {"transformer-base", "specialise"}
"""More numbers than a page takes."""
NAMES = [name for name in bundled_scenarios() if name not in LARGE]
EDITED = ("chai", "cooking", "cat-sat", "parallel")


def asked(firefox: Marionette, expression: str) -> Any:
    """What an expression gives in the page, by way of JSON."""
    return json.loads(firefox.evaluate(f"JSON.stringify({expression})"))


VALUES = """walkthrough.paths.map(path => walkthrough.values(path).map(row => row.map(
    x => x === null || Number.isFinite(x) ? x : String(x))))"""
LINES = """walkthrough.paths.map(path => walkthrough.values(path).flatMap((row, i) => row.map(
    (_, j) => walkthrough.line(path, i, j))))"""
AGAIN = """walkthrough.paths.map(path => walkthrough.values(path).forEach((row, i) => row.forEach((x, j) => {
    if (!Number.isFinite(x)) return;
    try { walkthrough.set(path, i, j, x + 1); walkthrough.set(path, i, j, x); } catch {} })))"""


def assert_near(found: list[Any], trace: wt.Trace) -> None:
    for listed, value in zip(found, trace, strict=True):
        array = np.array([[math.nan if x is None else float(x) for x in row] for row in listed]).reshape(value.shape)
        np.testing.assert_allclose(array, value.array, rtol=1e-12, atol=1e-12, err_msg=value.path)


def scenarios(names: Collection[str]) -> pytest.MarkDecorator:
    """Those of a test: in the usual run one of them, a short one."""
    return pytest.mark.parametrize("name", [name if name == "parallel" else slow(name) for name in names])


@scenarios(NAMES)
def test_every_number_and_every_line(firefox: Marionette, name: str, tmp_path: Path) -> None:
    trace = bundled_trace(name)
    firefox.open(written(tmp_path, trace))
    assert_as(firefox, trace)
    asked(firefox, AGAIN)
    assert_as(firefox, trace)
    asked(firefox, "walkthrough.arithmetic('by hand') ?? 0")
    assert_as(firefox, wt.trace(wt.load_scenario(name), arithmetic="by-hand"))


def assert_as(firefox: Marionette, trace: wt.Trace) -> None:
    assert_near(asked(firefox, VALUES), trace)
    assert asked(firefox, LINES) == [lines_of(value, trace) for value in trace]


def test_what_breaks_in_a_number_format_is_said_as_long_as_it_does(tmp_path: Path, browser: Any) -> None:
    trace = bundled_trace("number-formats", by_hand=True)
    with opened(browser, written(tmp_path, trace)) as page:
        note = page.locator("[id='attention.head.1.softmax.exp'] .broken")
        assert note.is_visible()
        page.evaluate("walkthrough.set('embeddings', 0, 0, 1.8)")
        note.wait_for(state="hidden")
        page.evaluate("walkthrough.reset()")
        note.wait_for(state="visible")
        page.click(".more")
        page.get_by_label("float8_e4m3fn").uncheck()
        note.wait_for(state="hidden")


@scenarios(EDITED)
def test_after_changes_it_is_the_trace_of_the_changed_scenario(firefox: Marionette, name: str, tmp_path: Path) -> None:
    random, trace = Random(3), bundled_trace(name)
    cells = [CellAt(value, *cell) for value in trace if value.can_change for cell in cells_of(value)]
    firefox.open(written(tmp_path, trace))
    for cell in random.sample(cells, 8):
        number = round(random.uniform(-2, 2), 2)
        asked(firefox, "walkthrough.reset() ?? 0")
        at = json.dumps([cell.value.path, cell.row, cell.column, number])
        asked(firefox, f"walkthrough.set(...{at}) ?? 0")
        changed = wt.trace(wt.load_scenario(name), changes={name_of(cell): number})
        assert asked(firefox, "walkthrough.changes()") == list(changed.changed)
        assert_as(firefox, changed)
        asked(firefox, "walkthrough.arithmetic('by hand', 2) ?? 0")
        assert_as(
            firefox,
            wt.trace(wt.load_scenario(name), changes={name_of(cell): number}, arithmetic="by-hand", decimals=2),
        )
        asked(firefox, "walkthrough.arithmetic('exact') ?? 0")
