"""Of a long training the page holds every k-th step."""

from __future__ import annotations

import re

import pytest

from tests.views.samples import bundled_trace, small_trace, small_training
from walkthrough.recording.parts import training_step_of
from walkthrough.views import formats
from walkthrough.views.options import Options
from walkthrough.views.page import thinning
from walkthrough.views.page.thinning import thin
from walkthrough.views.selection import selection_of


def test_what_is_small_is_held_whole() -> None:
    trace = small_trace()
    assert thin(trace, ()) == (selection_of(trace), (), 0)


@pytest.mark.slow
def test_the_page_of_a_long_training_opens_at_once_and_says_what_it_holds() -> None:
    trace = bundled_trace("specialise")
    found = thin(trace, ())
    assert found.kept == (*range(1, 300, 20), 300)
    assert sum(value.array.size for value in found.selection.values) < 200_000
    with_ten = sum(
        value.array.size for value in trace if (step := training_step_of(value.path)) % 10 == 1 or step in (0, 300)
    )
    assert with_ten > 200_000
    text = formats.to_bytes(trace, Options(), "html").decode()
    assert "Of the 300 training steps this page holds 16: 1, 21, 41, " in text


@pytest.mark.parametrize(("share", "kept"), [(1.1, ()), (0.9, (1, 3, 5)), (0, (1, 5))])
def test_every_kept_step_is_whole_and_takes_its_parameters_as_given(
    monkeypatch: pytest.MonkeyPatch, share: float, kept: tuple[int, ...]
) -> None:
    trace = small_training(5)
    monkeypatch.setattr(thinning, "_MOST_NUMBERS", share * sum(value.array.size for value in trace))
    found = thin(trace, ())
    assert found.kept == kept
    if not kept:
        return
    values, given = found.selection
    assert {training_step_of(value.path) for value in set(values) - given} == {0, *kept}
    for value in set(values) - given:
        assert set(value.inputs) <= set(values)
    assert trace["training"] in given
    assert all(re.match(r"train\.\d+\.update|training", value.path) for value in given)
