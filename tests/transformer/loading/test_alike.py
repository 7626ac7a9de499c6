"""Texts that differ in given numbers alone are read once, and give what each gives when it is read by itself."""

from __future__ import annotations

import numpy as np
import pytest

import walkthrough.transformer.loading.alike as module
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.sources import bundled
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.teaching.make.maker import Maker, Wishes
from walkthrough.transformer.loading.alike import Alike
from walkthrough.transformer.loading.load import parse_scenario
from walkthrough.transformer.runs.run import trace

TWICE = """
title: One layer, twice
tokens: [a, b]
embeddings: [[1.5, 0.5], [0.25, 1.0]]
encoder:
  layers:
  - repeat: 2
    layer:
      feed_forward: {w_1: [[1.0, 2.0], [0.5, 1.5]], w_2: [[0.5, 0.25], [1.0, 2.5]]}
"""


@pytest.fixture
def read_whole(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are read as a whole."""
    texts: list[str] = []
    walked = module.walked_scenario

    def noted(source: module.Source) -> object:
        texts.append(source.text)
        return walked(source)

    monkeypatch.setattr(module, "walked_scenario", noted)
    return texts


def assert_same(one: Scenario, other: Scenario) -> None:
    assert one.source == other.source
    for by_hand in (False, True):
        values, others = trace(one, by_hand=by_hand), trace(other, by_hand=by_hand)
        assert list(values.values) == list(others.values)
        for value in values:
            np.testing.assert_array_equal(value.array, others[value.path].array, err_msg=value.path)
            assert (value.rows, value.columns) == (others[value.path].rows, others[value.path].columns)


@pytest.mark.parametrize("name", ["chai", "cooking", "key-cache", "masked-scores", "not-on-your-life", "tea-gpt"])
def test_a_class_is_read_once(name: str, read_whole: list[str]) -> None:
    made = Maker(parse_scenario(bundled()[name].read_text(encoding="utf-8")), name, Wishes())
    texts = [made.sheet(seed).text for seed in (1, 2, 3)]
    assert len(set(texts)) == 3
    alike = Alike()
    for text in texts:
        assert_same(alike.parse(text, name), parse_scenario(text, name))
    assert len(read_whole) == 1


@pytest.mark.parametrize(
    ("old", "new", "times"),
    [
        ("[[1.5,", "[[1.75,", 1),
        ("repeat: 2", "repeat: 3", 2),
        ("w_1: [[1.0,", "w_1: [[3.0,", 2),  # it stands for two numbers
        ("tokens: [a, b]", "tokens: [a, c]", 2),
    ],
)
def test_what_is_more_than_a_given_number_is_read(old: str, new: str, times: int, read_whole: list[str]) -> None:
    alike = Alike()
    alike.parse(TWICE)
    text = TWICE.replace(old, new)
    assert text != TWICE
    assert_same(alike.parse(text), parse_scenario(text))
    assert len(read_whole) == times


def test_a_number_that_an_alias_repeats_is_read(read_whole: list[str]) -> None:
    text = TWICE.replace("embeddings: [", "embeddings: &e [").replace("w_2: [[0.5, 0.25], [1.0, 2.5]]", "w_2: *e")
    other = text.replace("[[1.5,", "[[7.5,")
    alike = Alike()
    alike.parse(text)
    assert_same(alike.parse(other), parse_scenario(other))
    assert len(read_whole) == 2


def test_what_is_no_number_of_a_float_is_refused_as_ever() -> None:
    alike = Alike()
    alike.parse(TWICE)
    with pytest.raises(ScenarioError, match="finite"):
        alike.parse(TWICE.replace("[[1.5,", "[[1.5e+400,"))
