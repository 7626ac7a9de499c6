"""Somebody else's intermediates: one planted fault is named with its step, its followers are not blamed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.examples import all_in_a_thorough_run
from walkthrough.comparing.compare import compare
from walkthrough.comparing.matching.match import match
from walkthrough.comparing.outcomes import Comparison
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.trace import Trace
from walkthrough.views import json as json_view
from walkthrough.views import markdown
from walkthrough.views.report.comparison import report
from walkthrough.views.terminal import terminal

Arrays = dict[str, np.ndarray]
Fault = Callable[..., Any]


def tracing(name: str) -> Trace:
    return wt.trace(wt.load_scenario(name))


def recalculated(trace: Trace, path: str = "", fault: Fault | None = None, kind: Any = np.float32) -> Arrays:
    """All computed steps in another float type, one of them with a fault that the next ones are computed from."""
    arrays: dict[int, np.ndarray] = {}
    for value in trace:
        numbers = value.array
        if value.operation is not None:
            inputs = [arrays[id(given)].astype(np.float64) for given in value.inputs]
            doing = fault if fault is not None and value.path == path else value.operation.forward
            with np.errstate(all="ignore"):
                numbers = doing(*inputs, **value.settings)
        arrays[id(value)] = np.asarray(numbers).astype(kind)
    return {value.path: arrays[id(value)] for value in trace if value.operation is not None}


def compared(trace: Trace, tensors: dict[str, Any], names: dict[str, str] | None = None) -> Comparison:
    return compare(trace, *match(tensors, names or {}, trace), "x")


HEAD, LAYER = "encoder.1.attention.head.1.", "encoder.1."


@pytest.mark.parametrize(
    "name", all_in_a_thorough_run(["chai", "cooking", "fuchs", "not-on-your-life-teacher-forced", "tea-gpt"], ["fuchs"])
)
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16])
def test_what_is_right_is_the_same_in_every_float_type(name: str, kind: Any) -> None:
    trace = tracing(name)
    found = compared(trace, recalculated(trace, kind=kind))
    assert found.summary == {"same": len(found.steps), "follows": 0, "differs": 0}
    assert len(found.steps) > 20


def test_a_fault_in_a_step_that_was_not_given_is_found_in_the_next_one() -> None:
    trace = tracing("cooking")
    scaled = HEAD + "scaled_scores"
    tensors = recalculated(trace, scaled, lambda x, **_: x)
    given = {path: tensors[path] for path in (HEAD + "query", HEAD + "key", HEAD + "weights", HEAD + "output")}
    found = compared(trace, given)
    assert [(step.value.path, step.outcome) for step in found.steps] == [
        (HEAD + "query", "same"),
        (HEAD + "key", "same"),
        (HEAD + "weights", "differs"),
        (HEAD + "output", "follows"),
    ]
    assert found.steps[2].cause == f"not divided by √d_k ({scaled})"


def test_layouts_are_recognised() -> None:
    trace = tracing("cooking-multihead")
    tensors = recalculated(trace)
    heads = [np.array(tensors[f"encoder.1.attention.head.{h}.scores"]) for h in (1, 2)]
    query = tensors["encoder.1.attention.head.1.query"]
    concat = tensors["encoder.1.attention.concat"]
    found = compared(
        trace,
        {
            "scores": np.stack(heads)[None],
            "encoder.1.attention.concat": concat.T,
            "my.query": query[None],
            "encoder.1.norm_1.mean": tensors["encoder.1.norm_1.mean"].ravel(),
        },
        {"my.query": "encoder.head.1.query"},
    )
    assert found.summary == {"same": 5, "follows": 0, "differs": 0}


def outcomes(found: Comparison) -> list[tuple[str, str]]:
    return [(step.theirs.name, step.outcome) for step in found.steps]


def test_a_square_step_that_is_transposed_differs() -> None:
    trace = tracing("cooking")
    weights, value = trace[HEAD + "weights"].array, trace[HEAD + "value"].array
    for output, outcome in [(weights @ value, "same"), (weights.T @ value, "follows"), (value + 1, "differs")]:
        found = compared(trace, {"weights": weights.T, HEAD + "output": output})
        assert outcomes(found) == [("weights", "differs"), (HEAD + "output", outcome)]
        assert found.steps[0].cause == "transposed"
    found = compared(trace, {HEAD + "output": weights.T @ value})
    assert found.steps[0].cause == "the weights are taken column by column instead of row by row"
    chai = tracing("chai")
    assert compared(chai, {"embeddings": chai["embeddings"].array.T}).steps[0].cause == "transposed"


def test_of_a_symmetric_matrix_both_mistakes_are_named() -> None:
    trace = tracing("chai")
    found = compared(trace, {"weights": trace[HEAD + "weights"].array.T})
    assert found.steps[0].cause == "transposed, or softmax over the columns instead of the rows"


def test_a_given_weight_may_be_transposed() -> None:
    trace = wt.trace(
        wt.parse_scenario(
            "title: x\ntokens: [a, b]\nembeddings: {a: [1, 2], b: [0, 1]}\nattention:\n  heads:\n"
            "    - {w_q: [[1, 2], [3, 4]], w_k: [[1, 0], [0, 1]], w_v: [[1, 0, 2], [0, 1, 2]]}\n"
        )
    )
    tensors = {path: trace[path].array.T for path in ("attention.head.1.w_q", "attention.head.1.w_v")}
    found = compared(trace, tensors | {"query": trace.only("query").array})
    assert found.summary == {"same": 3, "follows": 0, "differs": 0}
    assert [step.theirs.is_transposed for step in found.steps] == [True, False, True]
    assert terminal.text([report(found, True)], 80).count("same, transposed") == 2
    assert [step.get("transposed", False) for step in json.loads(json_view.text([report(found)]))["steps"]] == [
        True,
        False,
        True,
    ]


@pytest.mark.parametrize("at", [0, 1])
def test_every_name_of_a_step_is_compared(at: int) -> None:
    trace = tracing("cooking")
    tensors = {path: value.array for path, value in trace.items()}
    assert compared(trace, tensors).summary == {"same": len(tensors), "follows": 0, "differs": 0}
    path = HEAD + ("weights", "softmax.weights")[at]
    found = compared(trace, {**tensors, path: tensors[path] + 1})
    assert [name for name, outcome in outcomes(found) if outcome == "differs"] == [path]
    assert found.summary == {"same": len(tensors) - 1, "follows": 0, "differs": 1}
    assert f"{len(trace)} steps under {len(tensors)} names compared" in terminal.text([report(found)], 80)


def test_the_next_steps_may_come_of_either_name() -> None:
    trace = tracing("cooking")
    right, value = trace[HEAD + "weights"].array, trace[HEAD + "value"].array
    wrong = right * 2
    for output, outcome in [(right @ value, "same"), (wrong @ value, "follows")]:
        tensors = {HEAD + "weights": wrong, HEAD + "softmax.weights": right, HEAD + "output": output}
        assert [one for _, one in outcomes(compared(trace, tensors))] == ["differs", "same", outcome]


def test_what_is_right_is_the_same_whatever_was_given_before_it() -> None:
    trace = tracing("chai")
    tensors = {value.path: value.array for value in trace if value.operation is not None}
    path = LAYER + "norm_1.output"
    found = compared(trace, {**tensors, path: tensors[path] + np.arange(4.0)})
    assert [name for name, outcome in outcomes(found) if outcome == "differs"] == [path]
    assert found.summary == {"same": len(tensors) - 1, "follows": 0, "differs": 1}
    assert not any(step.note or step.cause for step in found.steps)


def test_large_negative_numbers_hide_too() -> None:
    trace = tracing("masked-scores")
    masked = next(value for value in trace if value.path.endswith("masked_scores"))
    assert compared(trace, {masked.path: np.where(np.isinf(masked.array), -1e9, masked.array)}).first is None


def test_names_that_fit_nothing_are_said() -> None:
    trace = tracing("chai")
    found = compared(trace, {"nothing.here": np.zeros((2, 2))})
    assert not found.steps
    assert [(one.theirs, one.shape) for one in found.not_compared] == [("nothing.here", (2, 2))]
    assert found.not_compared[0].why == "no step is called 'nothing.here'"
    assert compared(trace, {"input": np.zeros((4, 4))}, {"inputt": "input"}).never_called == ("inputt",)
    with pytest.raises(SelectorError):
        compared(trace, {"a": np.zeros((4, 4))}, {"a": "nothing"})


@pytest.mark.parametrize("shape", [(5, 4), (2, 5, 4), (7,), (0, 4)])
def test_another_shape_is_listed_with_the_one_expected(shape: tuple[int, ...]) -> None:
    """It stops nothing, and is no difference."""
    trace = tracing("chai")
    shown = "×".join(map(str, shape))
    for name, names in [("input", {}), ("mine", {"mine": "input"})]:
        found = compared(trace, {name: np.zeros(shape), "scores": trace.only("scores").array}, names)
        assert outcomes(found) == [("scores", "same")]
        assert found.first is None
        for text in (terminal.text([report(found)], 200), markdown.text([report(found)])):
            assert f"{name} ({shown}): expected 4×4 for input" in text
        (other,) = json.loads(json_view.text([report(found)]))["not_compared"]
        assert (other["theirs"], other["shape"]) == (name, list(shape))
        assert other["why"].startswith("expected 4×4 for input")


def test_of_many_names_that_fit_nothing_ten_are_listed() -> None:
    trace = tracing("chai")
    found = compared(trace, {"input": trace["input"].array, **{f"Nothing{n}": np.zeros(2) for n in range(14)}})
    for text in (terminal.text([report(found)], 80), markdown.text([report(found)])):
        lines = text.partition("Not compared:")[2].split("\n")
        listed = [line.strip("- ") for line in lines if line.strip("* ")]
        assert len(listed) == 11
        assert listed[9].startswith("Nothing9 (2): ")
        assert listed[10] == "4 more"
    assert len(json.loads(json_view.text([report(found)]))["not_compared"]) == 14


@pytest.mark.parametrize("width", [60, 80])
def test_a_narrow_table_says_the_same(width: int) -> None:
    trace = tracing("cooking")
    tensors = {"mine": trace[HEAD + "weights"].array + 1, HEAD + "query": trace[HEAD + "query"].array}
    lines = terminal.text([report(compared(trace, tensors, {"mine": HEAD + "weights"}), True)], width).splitlines()
    assert max(map(len, lines)) <= width
    assert f"same     {HEAD}query" in lines
    said = " ".join(" ".join(lines).split())
    assert f"differs {HEAD}weights theirs: mine cell: [I, I] their number: 1.43194 right: 0.431937" in said


def test_the_views_say_where_by_how_much_and_why() -> None:
    trace = tracing("cooking")
    found = compared(trace, recalculated(trace, HEAD + "scaled_scores", lambda x, **_: x))
    text = terminal.text([report(found)], 80)
    assert f"First step that differs: {HEAD}scaled_scores[" in text
    assert "likely cause: not divided by √d_k" in text
    assert "because S'" in text
    assert "**First step that differs:**" in markdown.text([report(found)])
    document = json.loads(json_view.text([report(found)]))
    assert document["first"] == HEAD + "scaled_scores"
    assert {step["outcome"] for step in document["steps"]} == {"same", "differs", "follows"}
