"""A long training keeps what is asked for, and lets go of the rest."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

import walkthrough as wt
from tests.examples import slow
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

SCENARIO = wt.load_scenario("specialise")


def training(steps: int) -> wt.Scenario:
    return wt.parse_scenario(SCENARIO.source.text.replace("steps: 300", f"steps: {steps}"))


def alive() -> int:
    gc.collect()
    return sum(type(found) is Value for found in gc.get_objects())


def after(steps: int) -> int:
    """The values that are alive when so many steps have been made."""
    scenario = training(steps)
    before = alive()
    trace = wt.trace(scenario, wanted=[])
    found = alive() - before
    assert len(trace) == 1
    return found


def largest_memory(steps: int) -> int:
    """The most bytes that are taken at any time, beyond those before."""
    scenario = training(steps)
    wt.trace(scenario, wanted=[])
    tracemalloc.start()
    wt.trace(scenario, wanted=[])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def test_40_steps_leave_no_more_values_than_10() -> None:
    assert after(40) == after(10) <= 10


def test_25_steps_take_hardly_more_memory_than_5() -> None:
    short, long = largest_memory(5), largest_memory(25)
    # 20 steps have 8 MB of matrices; Python itself keeps some thousand empty tuples for later
    assert long < short + 1_000_000


@pytest.mark.parametrize("keep", [slow([]), ["loss.mean"]])
def test_a_step_takes_no_longer_for_those_before_it(keep: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What the trace is asked for in a step, in a long run as in a short one."""
    asked: list[str] = []
    paths = Trace.forget

    def forget(trace: Trace, prefix: str, keep: Sequence[str]) -> dict[str, str]:
        trace.values, trace.aliases = _Counting(trace.values, asked), _Counting(trace.aliases, asked)
        return paths(trace, prefix, keep)

    monkeypatch.setattr(Trace, "forget", forget)
    calls = []
    for steps in (10, 20):
        asked.clear()
        wt.trace(training(steps), wanted=keep)
        calls.append(len(asked))
    assert calls[1] <= 2.05 * calls[0]


class _Counting(dict[str, Value]):
    """A dictionary that notes every key it hands out."""

    def __init__(self, entries: dict[str, Value], asked: list[str]) -> None:
        super().__init__(entries)
        self.asked = asked

    def __iter__(self) -> Iterator[str]:
        for key in super().__iter__():
            self.asked.append(key)
            yield key

    def __reversed__(self) -> Iterator[str]:
        for key in super().__reversed__():
            self.asked.append(key)
            yield key


def test_a_long_run_says_how_far_it_is() -> None:
    scenario = training(3)
    said: list[str] = []

    class Watched(Trace):
        def __setattr__(self, name: str, found: object) -> None:
            if name == "progress":
                said.append(str(found))
            super().__setattr__(name, found)

    from walkthrough.transformer.calculation import Calculation
    from walkthrough.transformer.model.model import Model
    from walkthrough.transformer.runs.training.train import train

    train(Recorder(Watched()), scenario, Model(Calculation(scenario)), [])
    assert said == ["", *(f"training step {number} of 3" for number in (1, 2, 3)), ""]


def test_every_name_that_is_asked_for_is_kept() -> None:
    text = wt.load_scenario("cooking-training").source.text
    scenario = wt.parse_scenario(text.replace("learning_rate: 0.1", "learning_rate: 0.1, steps: 3"))
    first, second = "train.3.encoder.1.norm_2.output", "train.3.encoder.output"
    for keep in ([first, second], [second, first], ["train.3", second]):
        trace = wt.trace(scenario, wanted=keep)
        assert trace[first] is trace[second]
    trace = wt.trace(scenario, wanted=[second])
    assert [path for path, _ in trace.items()] == [second, "training"]


def test_the_run_can_still_be_worked_out() -> None:
    from walkthrough.explaining.worked import work_out

    scenario = training(4)
    table = wt.trace(scenario, wanted=[])["training"]
    assert str(work_out(table, 2, 0, 3)) == "T[3, loss] = ℓ_mean[3] = 1.132"


def test_nothing_is_kept_but_the_run_and_what_is_asked_for() -> None:
    scenario = training(4)
    trace = wt.trace(scenario, wanted=["attention.head.1.weights"])
    paths = {f"train.{step}.{kind}attention.head.1.weights" for step in range(1, 5) for kind in ("", "gradient.")}
    assert set(trace.values) == {*paths, "training"}
    assert wt.trace(scenario, wanted=[]).values.keys() == {"training"}


@pytest.mark.parametrize("keep", [["loss"], ["train.2.attention.head.1.w_q"], ["weights", "update"]])
def test_what_is_kept_is_what_the_whole_trace_has(keep: list[str]) -> None:
    scenario = training(4)
    whole, few = wt.trace(scenario), wt.trace(scenario, wanted=keep)
    for selector in keep:
        wanted, found = whole.select(selector), few.select(selector)
        for own, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(own.array, other.array)
        assert [value.formula for value in found] == [value.formula for value in wanted]
        assert [(value.rows, value.columns) for value in found] == [(value.rows, value.columns) for value in wanted]
    np.testing.assert_array_equal(few["training"].array, whole["training"].array)


def test_of_a_whole_step_its_given_matrices_are_kept_too() -> None:
    scenario = training(4)
    whole, few = wt.trace(scenario), wt.trace(scenario, wanted=["train.3"])
    paths = [path for path, value in whole.items() if path.startswith("train.3.") and value.path == path]
    assert [path for path, _ in few.items() if path in paths] == paths
    for name in ("w_q", "mask"):
        path = f"train.3.attention.{'head.1.' if name != 'mask' else ''}{name}"
        np.testing.assert_array_equal(few[path].array, whole[path].array)


def test_what_is_kept_can_be_worked_out_and_holds_on_to_nothing() -> None:
    scenario = training(8)
    trace = wt.trace(scenario, wanted=["scaled_scores"])
    value = trace["train.7.attention.head.1.scaled_scores"]
    assert [given.path for given in value.inputs] == ["train.7.attention.head.1.scores"]
    assert value.inputs[0].inputs == ()
    assert value.cell(0, 0) is not None


def test_an_unknown_step_is_answered_with_names_that_were_let_go() -> None:
    scenario = training(3)
    trace = wt.trace(scenario, wanted=["train.3.weightz"])
    with pytest.raises(SelectorError) as caught:
        trace.select("train.3.weightz")
    assert str(caught.value) == "no step is called 'train.3.weightz'; did you mean 'train.3.weights'?"


@pytest.mark.parametrize(
    "keep", [["train.1", "train.2"], ["update", "train.4"], *map(slow, (["train.1"], ["train.2"], ["query", "key"]))]
)
def test_what_is_kept_is_computed_from_what_is_kept(keep: list[str]) -> None:
    """A path is one value, whether it is recorded or an operand that was let go."""
    scenario = training(4)
    trace = wt.trace(scenario, wanted=keep)
    by_path: dict[str, Value] = dict(trace.values)
    operands = [given for value in trace for given in value.inputs]
    assert operands
    for given in operands:
        assert by_path.setdefault(given.path, given) is given
