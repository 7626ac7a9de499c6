"""Large models: of the weights in files only what a step needs is read, and only what it needs is calculated."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt
from tests.examples import slow
from walkthrough.library import calculate
from walkthrough.scenario.tensors import files as weights_files
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.transformer.loading import load as loading

LAYERS = 3


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scenario of three layers whose weights are in a file, of too many numbers to be read unasked."""
    monkeypatch.setattr(loading, "MANY", 100)
    rng = np.random.default_rng(2)
    names = [f"{i}.{name}" for i in range(LAYERS) for name in ("q", "k", "v")]
    np.savez(tmp_path / "w.npz", **{name: rng.normal(size=(4, 4)) for name in names}, table=rng.normal(size=(5, 4)))
    weights = ", ".join(f"w_{x}: {{tensor: '{{i}}.{x}'}}" for x in "qkv")
    text = f"""
title: t
weights_file: w.npz
tokens: [a, b]
vocabulary: [a, b, c, d, e]
embeddings: {{tensor: table}}
decoder: {{layers: {{repeat: {LAYERS}, layer: {{self_attention: {{num_heads: 2, {weights}}}}}}}}}
output_head: {{tied: true}}
"""
    path = tmp_path / "model.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the tensors that have been read, in order."""
    names: list[str] = []
    original = weights_files.KINDS[".npz"]

    class Watched(original):  # type: ignore[misc, valid-type]
        def read(self, name: str, rows: list[int] | None) -> object:
            names.append(name)
            return super().read(name, rows)

    monkeypatch.setitem(weights_files.KINDS, ".npz", Watched)
    return names


def test_only_what_a_step_needs_is_read(model: Path, read: list[str]) -> None:
    scenario = wt.load_scenario(model)
    assert read == []
    trace = calculate(scenario, wanted=["decoder.1.head.2.scores"], explained=True)
    assert set(read) == {"table", "0.q", "0.k", "0.v"}
    assert "decoder.2.self_attention.head.1.query" not in trace


@pytest.mark.parametrize(
    "selector",
    ["decoder.2.residual_1", "weights", "embeddings", *map(slow, ("decoder.1.head.2.scores", "prediction"))],
)
def test_what_is_asked_for_is_as_in_the_whole(model: Path, selector: str) -> None:
    whole, part = (
        wt.trace(wt.load_scenario(model)),
        calculate(wt.load_scenario(model), wanted=[selector], explained=True),
    )
    wanted = whole.select(selector)
    assert [value.path for value in part.select(selector)] == [value.path for value in wanted]
    for value in wanted:
        np.testing.assert_array_equal(part[value.path].array, value.array)
        assert part[value.path].also == value.also
        users = [user.path for user in whole if value in user.inputs]
        assert [user.path for user in part if part[value.path] in user.inputs] == users
    numbers = {value.path: number for number, value in enumerate(whole)}
    assert all(numbers[value.path] == number for number, value in enumerate(part))


def test_a_selector_that_names_nothing_is_looked_for_in_all_steps(model: Path) -> None:
    assert "output_head.prediction" in wt.trace(wt.load_scenario(model), wanted=["nothing"])


def test_a_tensor_that_is_at_fault_is_told_when_it_is_wanted(model: Path) -> None:
    arrays = dict(np.load(model.parent / "w.npz"))
    arrays["1.q"][0, 0] = np.nan
    np.savez(model.parent / "w.npz", **arrays)
    scenario = wt.load_scenario(model)
    wt.trace(scenario, wanted=["decoder.1.scores"])
    with pytest.raises(ScenarioError, match=r"tensor '1\.q' has 1 NaN, the first in row 1, column 1") as caught:
        wt.trace(scenario)
    assert caught.value.problems[0].line == 7
