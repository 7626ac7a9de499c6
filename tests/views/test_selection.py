"""A live reader holds the chosen steps and their operands."""

from tests.views.samples import bundled_trace
from walkthrough.views.selection import selection_of


def test_without_a_choice_everything_is_held_and_nothing_is_taken_as_given() -> None:
    trace = bundled_trace("chai")
    held = selection_of(trace)
    assert held.values == tuple(trace)
    assert not held.as_given


def test_operands_that_are_not_chosen_are_taken_as_given() -> None:
    trace = bundled_trace("chai")
    held = selection_of(trace, ["scores", "weights"])
    names = [value.path.rpartition(".")[2] for value in held.values]
    assert names == ["query", "key", "scores", "exp", "sum", "weights"]
    assert {value.kind.name for value in held.as_given} == {"query", "key", "exp", "sum"}
    assert held.is_given(trace.select("query")[0])
    assert not held.is_given(trace.select("scores")[0])
