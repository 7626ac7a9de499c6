"""The JSON trace, to the letter of its specification."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

import walkthrough as wt
from tests.views.samples import HOSTILE, bundled_trace, hostile_trace, small_trace, wide_trace
from walkthrough.operations.definition import OPERATIONS
from walkthrough.views.formats import to_bytes
from walkthrough.views.options import Options


def document(trace: wt.Trace, *steps: str) -> dict[str, Any]:
    return json.loads(to_bytes(trace, Options(steps=steps), "json"))  # type: ignore[no-any-return]


def numbers(value: wt.Value) -> list[list[float | str | None]]:
    """As JSON has them, which knows none that is infinite or none."""
    none = None if value.unknown else "nan"
    return [[none if math.isnan(x) else x if math.isfinite(x) else str(x) for x in row] for row in value.array.tolist()]


@pytest.mark.parametrize("name", ["chai", "fuchs", "tea-gpt", "show-me-the-money", "masked-scores"])
def test_every_step_with_every_number(name: str) -> None:
    trace = bundled_trace(name)
    found = document(trace)
    assert list(found) == ["format", "version", "title", "arithmetic", "steps"]
    assert (found["format"], found["version"], found["title"]) == ("walkthrough-trace", 2, trace.title)
    assert [step["path"] for step in found["steps"]] == [value.path for value in trace]
    for step, value in zip(found["steps"], trace, strict=True):
        assert step["values"] == numbers(value)
        assert (step["rows"], step["columns"]) == (list(value.rows), list(value.columns))
        assert step.get("also", []) == list(value.also)


def test_the_keys_of_a_step() -> None:
    steps = {step["path"]: step for step in document(bundled_trace("chai"))["steps"]}
    scores = steps["encoder.1.attention.head.1.scores"]
    assert list(scores) == ["path", "title", "formula", "op", "inputs", "rows", "columns", "values"]
    assert scores["formula"] == "S = Q·Kᵀ"
    assert scores["op"] == "product_transposed"
    assert scores["inputs"] == ["encoder.1.attention.head.1.query", "encoder.1.attention.head.1.key"]
    assert scores["rows"] == scores["columns"] == ["The", "chai", "is", "hot"]
    assert (steps["embeddings"]["op"], steps["embeddings"]["formula"]) == ("given", "")
    assert "encoder.output" in steps["encoder.1.norm_2.output"]["also"]


def test_inputs_come_before_and_operations_exist() -> None:
    seen: set[str] = set()
    for step in document(bundled_trace("tea-gpt"))["steps"]:
        assert set(step["inputs"]) <= seen
        assert step["op"] in {"given", *OPERATIONS}
        seen.add(step["path"])


def test_unknown_and_infinite_numbers() -> None:
    (step,) = document(small_trace(), "masked_scores")["steps"]
    assert step["values"] == [[2, None], ["-inf", 3]]


def test_selected_steps() -> None:
    assert [step["title"] for step in document(bundled_trace("chai"), "scores", "query")["steps"]] == [
        "Queries",
        "Scores",
    ]


def test_labels_are_kept_as_they_are() -> None:
    tokens = [token for token in HOSTILE if HOSTILE.count(token) == 1]
    found = document(hostile_trace(tokens))
    assert found["title"] == "[bold]T[/] | <b>x</b> $x$ \x1b[31m # `c`"
    assert found["steps"][0]["rows"] == tokens


@pytest.mark.parametrize("steps", [(), ("token_embedding",)])
def test_large_matrices_keep_every_bit(steps: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Written in pieces of a thousand numbers, and those with hidden scores at once."""
    monkeypatch.setattr("walkthrough.views.json._CHUNK", 1000)
    trace = wide_trace(80 if steps else 40, causal=not steps)
    found = document(trace, *steps)["steps"]
    assert steps or any("-inf" in step["values"][0] for step in found)
    for step in found:
        value = trace[step["path"]]
        assert step["values"] == numbers(value)


def test_any_json_reader_can_read_it() -> None:
    """UTF-8, no NaN or Infinity; a line for each step."""

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    data = to_bytes(bundled_trace("fuchs"), Options(), "json")
    steps = json.loads(data.decode(), parse_constant=refuse)["steps"]
    assert len(data.splitlines()) == len(steps) + 6


def test_a_whole_file(golden: Callable[[str, str], None]) -> None:
    """Of numbers that are the same on every machine."""
    options = Options(steps=["scores", "scaled_scores"])
    golden("help-me.json", to_bytes(bundled_trace("help-me"), options, "json").decode())
