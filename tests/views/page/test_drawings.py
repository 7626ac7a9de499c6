"""Which picture explains the numbers of a step."""

from __future__ import annotations

import pytest

import walkthrough as wt
from walkthrough.views.page.drawings import drawings_of


def described(name: str, path: str) -> tuple[str, list[str], dict[str, str]]:
    trace = wt.trace(wt.load_scenario(name))
    picture = drawings_of(list(trace))[trace[path]]
    marks = {mark: value.path for mark, value in picture.marks.items()}
    return picture.name, [value.path for value in picture.line], marks


def test_a_softmax_is_drawn_from_its_scores_to_its_weights() -> None:
    head = "encoder.1.attention.head.1."
    line = [head + name for name in ("scaled_scores", "softmax.exp", "weights")]
    for name in ("softmax.exp", "softmax.sum", "weights"):
        assert described("chai", head + name) == ("softmax", line, {})


def test_a_norm_knows_its_mean_and_deviation() -> None:
    norm = "encoder.1.norm_1."
    found = described("chai", norm + "variance")
    assert found[0] == "norm"
    assert (found[1][0], found[1][-1]) == ("encoder.1.residual_1", norm + "output")
    assert found[2] == {"mean": norm + "mean", "deviation": norm + "std"}
    assert described("tiny-llama", "decoder.1.norm_1.rms")[2] == {"deviation": "decoder.1.norm_1.rms"}


@pytest.mark.parametrize(
    ("path", "picture"),
    [("encoder.1.attention.head.1.scores", "product"), ("encoder.1.residual_1", "sum"), ("input", "sum")],
)
def test_products_and_sums_are_drawn_as_what_they_are(path: str, picture: str) -> None:
    assert described("chai", path)[0] == picture


def test_a_composite_is_drawn_only_where_all_of_its_steps_are_there() -> None:
    trace = wt.trace(wt.load_scenario("chai"))
    weights = trace["encoder.1.attention.head.1.weights"]
    assert drawings_of([weights]) == {}
