"""What the page draws again when numbers move is what Python has drawn: heat maps, axes, arcs."""

from __future__ import annotations

import json
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.views.page.js.engine import HERE, NODE, needs_node
from walkthrough.recording.values import Kind, Value
from walkthrough.views.page import assets
from walkthrough.views.pictures.arcs import Weight, bend
from walkthrough.views.pictures.curve import step_ticks, ticks
from walkthrough.views.pictures.heat import shade_areas, shades
from walkthrough.views.pictures.svg import path_of

pytestmark = needs_node
RANDOM = np.random.default_rng(7)
MATRICES = [
    (RANDOM.normal(size=(3, 4)), False),
    (np.round(RANDOM.normal(size=(5, 5))), False),
    (RANDOM.dirichlet(np.ones(6), 4), True),
    (RANDOM.normal(size=(50, 7)), False),
    (RANDOM.normal(size=(2, 60)), False),
]
RANGES = [(0, 1.179), (0, 0.001), (0, 0), (0, 5), (0.9, 1.1), (0, 12345), (-3, 4)]
LAST = [1, 2, 3, 12, 60, 301]
ARCS = [(40, 220, 0, True), (220, 40, 3, True), (100, 100, 2, True), (10, 1000, 5, True), (30, 90, 1, False)]


@cache
def page_draws() -> dict[str, Any]:
    heats = [(array.ravel().tolist(), *array.shape, "share" if is_share else None) for array, is_share in MATRICES]
    asked = {"modules": (Path(assets.__file__).parent / "js").as_uri(), "heats": heats, "ranges": RANGES}
    request = json.dumps({**asked, "last": LAST, "arcs": ARCS})
    done = subprocess.run([str(NODE), HERE / "pictures.mjs"], input=request, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("at", range(len(MATRICES)))
def test_a_heat_map_has_the_same_cells_of_each_shade(at: int) -> None:
    array, is_share = MATRICES[at]
    shaded = shades(Value("x", Kind("x", "X", "X", is_distribution=is_share), array))
    areas = shade_areas(shaded, 1, 1)
    assert page_draws()["heats"][at] == {f"{'n' if one < 0 else 'p'}{abs(one)}": path_of(areas[one]) for one in areas}


def test_axes_have_the_same_labels() -> None:
    assert page_draws()["ticks"] == [pytest.approx(ticks(*between)) for between in RANGES]
    assert page_draws()["steps"] == [list(step_ticks(last)) for last in LAST]


@pytest.mark.parametrize("at", range(len(ARCS)))
def test_an_arc_goes_the_same_way(at: int) -> None:
    start, end, head, is_one_line = ARCS[at]
    value = Value("x", Kind("x", "X", "X"), np.ones((1, 1)))
    points = bend(Weight(value, head, 0, 0, 1.0), start, end, is_one_line).points
    x_and_y = np.array(re.findall(r"-?[\d.]+", page_draws()["arcs"][at]), float).reshape(4, 2)
    x_and_y[:, 1] -= x_and_y[0, 1]  # where the words are
    np.testing.assert_allclose(x_and_y, points, atol=1e-9)


def test_loops_of_a_word_to_itself_are_apart_however_heavy() -> None:
    value = Value("x", Kind("x", "X", "X"), np.ones((1, 1)))
    inner, outer = (bend(Weight(value, head, 0, 0, 1.0), 50, 50, True) for head in (0, 1))
    between = 0.75 * (inner.points[1][1] - outer.points[1][1])  # a Bézier curve comes three quarters of the way
    assert between > (inner.width + outer.width) / 2
