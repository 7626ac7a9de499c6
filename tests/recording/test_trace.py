"""A trace finds its values by path, by second name and by selector, and says what is near where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from walkthrough.errors import ArgumentError
from walkthrough.expressions.tree.nodes import Cell, Product, Sum
from walkthrough.operations import matrix, scaling
from walkthrough.recording import Kind, Recorder, SelectorError, Trace, Value


def step(name: str) -> Kind:
    return Kind(name, name[0].upper(), name.title())


@pytest.fixture
def trace() -> Trace:
    """Two heads: query, key and scores each; the second head's scores are also the encoder's output."""
    trace = Trace("A test", decimals=2)
    trace.add_tokens(("The", "cat"))
    recorder = Recorder(trace, "encoder.1.attention.")
    for head in (1, 2):
        below = recorder.under(f"head.{head}")
        query = below.record_given(step("query"), np.array([[1.0, 2.0], [3.0, 4.25]]), rows=("The", "cat"))
        key = below.record_given(step("key"), np.array([[0.125, 1.0], [1.0, 0.0]]) * head, rows=("is", "hot"))
        scores = below.record(step("scores"), matrix.product_transposed, (query, key))
        below.record(step("scaled_scores"), scaling.divide_by, (scores,), {"divisor": 3.0})
    Recorder(trace, "encoder.").alias("output", scores)
    return trace


def paths(values: list[Value]) -> list[str]:
    return [value.path.removeprefix("encoder.1.attention.") for value in values]


def test_a_path_and_a_second_name_are_one_value(trace: Trace) -> None:
    scores = trace["encoder.1.attention.head.2.scores"]
    assert trace["encoder.output"] is scores
    assert scores.also == ("encoder.output",)
    assert "encoder.output" in trace
    assert "output" not in trace
    assert trace.select("output") == [scores]
    assert trace.select("encoder.output", "head.2.scores") == [scores]


def test_an_alias_to_itself_or_said_twice_is_said_once(trace: Trace) -> None:
    scores = trace["encoder.output"]
    recorder = Recorder(trace)
    assert recorder.alias("encoder.output", scores) is scores
    recorder.alias(scores.path, scores)
    assert scores.also == ("encoder.output",)


def test_what_is_not_there_is_a_lookup_error_that_names_what_is_near(trace: Trace) -> None:
    with pytest.raises(SelectorError, match=r"^no step is called 'qeury'; did you mean 'query'\?$"):
        trace.select("scores", "qeury")
    with pytest.raises(LookupError, match=r"^no step is called 'encoder\.outputs'; did you mean 'encoder\.output'\?$"):
        trace["encoder.outputs"]
    with pytest.raises(SelectorError, match=r"^no step is called 'weights'; see `walkthrough steps`$"):
        trace.only("weights")


def test_only_one_of_several_is_an_error_that_names_them(trace: Trace) -> None:
    assert trace.only("head.1.scores").path == "encoder.1.attention.head.1.scores"
    assert trace.only("output") is trace["encoder.output"]
    head = "encoder.1.attention.head"
    with pytest.raises(SelectorError) as error:
        trace.only("scores")
    assert str(error.value) == f"'scores' matches 2 steps: {head}.1.scores, {head}.2.scores"
    with pytest.raises(SelectorError) as error:
        trace.only("encoder")
    paths = ", ".join(value.path for value in trace.select("encoder"))
    assert str(error.value) == f"'encoder' matches 8 steps: {paths}"


def test_tokens_of_a_sequence_are_noted_once(trace: Trace) -> None:
    trace.add_tokens(("The", "cat"))
    trace.add_tokens(())
    trace.add_tokens(("is",))
    assert trace.tokens == [("The", "cat"), ("is",)]


def test_a_value_knows_its_numbers_labels_and_origin(trace: Trace) -> None:
    scores = trace["encoder.1.attention.head.1.scores"]
    np.testing.assert_array_equal(scores.array, [[2.125, 1.0], [4.625, 3.0]])
    assert scores.shape == (2, 2)
    assert (scores.rows, scores.columns) == (("The", "cat"), ("is", "hot"))
    assert trace["encoder.1.attention.head.1.query"].columns == ("1", "2")
    assert [value.kind.name for value in scores.inputs] == ["query", "key"]
    assert scores.cell(1, 0) == Sum((Product((Cell(0, 1, 0), Cell(1, 0, 0))), Product((Cell(0, 1, 1), Cell(1, 0, 1)))))
    assert scores.formula == matrix.product_transposed.formula(2)
    assert repr(scores) == "<encoder.1.attention.head.1.scores 2×2>"
    assert repr(trace) == "<Trace 'A test': 8 values>"


def test_a_given_matrix_has_no_formula_and_no_cells(trace: Trace) -> None:
    query = trace["encoder.1.attention.head.1.query"]
    assert query.formula is None
    with pytest.raises(ValueError, match=r"^encoder\.1\.attention\.head\.1\.query is given, not computed$"):
        query.cell(0, 0)


def test_recording_keeps_references() -> None:
    array = np.ones((2, 2))
    recorder = Recorder(Trace())
    value = recorder.record_given(step("x"), array)
    assert value.array is array
    result = recorder.record(step("y"), scaling.scale_by, (value,), {"factor": 1.0}, array=array)
    assert result.array is array
    assert result.inputs == (value,)


def test_what_is_broken_first_is_a_nan_an_unknown_number_or_an_infinity() -> None:
    recorder = Recorder(Trace())
    for name, number in (("hidden", -np.inf), ("x", 1.0)):
        recorder.record_given(step(name), np.array([[number]]))
    assert recorder.trace.first_broken() == ""
    later = recorder.under("train.2")
    for name, number in (("infinite", np.inf), ("unknown", np.nan)):
        later.under(name).record_given(step("y"), np.array([[number]]))
    assert recorder.trace.first_broken() == "train.2.infinite.y"
    assert recorder.trace.first_broken("train.2.unknown.") == "train.2.unknown.y"
    assert recorder.trace.first_broken("train.1.") == ""


@pytest.mark.parametrize("wrong", [None, 3, ["a"]])
def test_what_is_no_path_is_refused(wrong: Any, trace: Trace) -> None:
    with pytest.raises(ArgumentError, match="expected how paths begin"):
        trace.first_broken(wrong)
    with pytest.raises(ArgumentError, match="expected a path"):
        trace.alias(wrong, trace["encoder.output"])
