"""The search for mistakes: each of the tables is named, every sentence has its test, many steps alike are seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.comparing.test_compare import compared
from tests.examples import all_in_a_thorough_run, slow
from tests.mistakes import modern, test_heads, test_wiring
from tests.mistakes.classic import HEAD, Fault, assert_named, assert_named_elsewhere, model
from tests.mistakes.operations import activation, scaling, sinusoidal
from tests.mistakes.operations import test_matrix as matrix
from tests.mistakes.operations import test_normalization as normalization
from tests.mistakes.operations import test_rotation as rotation
from tests.mistakes.operations import test_softmax as softmax
from walkthrough.mistakes.search import usual_mistakes
from walkthrough.mistakes.sentences import say
from walkthrough.recording.trace import Trace

FAULTS = [fault for file in (matrix, scaling, softmax, normalization, sinusoidal, activation) for fault in file.FAULTS]
ELSEWHERE = [*softmax.ELSEWHERE, *normalization.ELSEWHERE, *test_wiring.ELSEWHERE]
IN_HEADS = [row for file in (softmax, normalization, rotation, test_wiring) for row in file.MODERN]
MODERN = [
    *((cause, modern.HEAD + name, fault) for cause, name, fault in IN_HEADS),
    *((cause, modern.FEED + name, fault) for cause, name, fault in activation.MODERN),
]


FURTHER = (
    *(f"the base is {base}" for base in (100, 100000, 500000, 1000000)),
    *(f"epsilon is {epsilon:g}" for epsilon in (1e-3, 1e-6, 1e-8, 1e-12)),
    *(f"{name} was used" for name in ("sigmoid", "squared relu", "quick_gelu (x·σ(1.702·x))")),
)
"""Mistakes that differ from others in a number or a name alone."""


@pytest.mark.parametrize(
    ("cause", "path", "fault", "changes"),
    [slow(*one) if one[0] in FURTHER else one for one in FAULTS],
    ids=[f"{one[0]} {one[1]}" for one in FAULTS],
)
def test_a_mistake_is_named(cause: str, path: str, fault: Fault, changes: dict[str, str]) -> None:
    assert_named(cause, path, fault, changes)


@pytest.mark.parametrize(("cause", "path", "numbers"), ELSEWHERE, ids=[f"{one[0]} {one[1]}" for one in ELSEWHERE])
def test_a_mistake_that_takes_other_steps_is_named(cause: str, path: str, numbers: Callable[[Trace], Any]) -> None:
    assert_named_elsewhere(cause, path, numbers)


@pytest.mark.parametrize(("cause", "path", "fault"), MODERN, ids=[f"{one[0]} {one[1]}" for one in MODERN])
def test_a_mistake_in_a_modern_part_is_named(cause: str, path: str, fault: Fault) -> None:
    assert modern.named(modern.MODEL, path, fault) == (path, cause)


def test_every_sentence_has_its_test() -> None:
    """What the variants of these models say is said in a test above, apart from roots of other widths."""
    tested = {cause for cause, *_ in (*FAULTS, *ELSEWHERE, *test_heads.OF_HEADS)} | {
        normalization.SQUARED,
        "the weight is transposed",
        "the weight is transposed and the bias is missing",
        "multiplied by the transposed values",
        "queries and keys are swapped",
        "query and key are swapped",
        "key and query are swapped",
    }
    said = set()
    for changes in ({}, {"scale": "5"}, {"variance": "sample"}, {"epsilon_in": "std"}, {"tokens": "[a, b, c, d]"}):
        trace = model(**changes)
        said |= {
            say([made]) for value in trace if value.operation is not None for made, _ in usual_mistakes(value, trace)
        }
    kinds = (
        "computed from",
        "the norm is missing: computed",
        "the norm comes before",
        "divided by √",
        "the step is missing",
        "nothing was added",
        "multiplied by 2",
        "divided by √2",
        "hidden scores are −1",
        "there is a window of",
    )
    said = {words for words in said if not words.endswith(" is added twice")}
    assert {words for words in said - tested if not words.startswith(kinds)} == {"the layout is tensor2tensor"}


@pytest.mark.parametrize(
    "make",
    [
        lambda: modern.MODEL,
        lambda: modern.model(alibi=True, rotary={"scaling": {"linear": 2}, "dimensions": 2}),
        lambda: wt.trace(wt.load_scenario("fuchs")),
        slow(lambda: wt.trace(wt.load_scenario("tea-gpt"))),
        slow(lambda: wt.trace(wt.load_scenario("not-on-your-life-teacher-forced"))),
    ],
)
def test_every_variant_can_be_tried(make: Callable[[], Trace]) -> None:
    """It gives a matrix, or says that the shapes do not fit."""
    trace, tried = make(), 0
    for value in trace:
        for words, instead in usual_mistakes(value, trace) if value.operation is not None else ():
            try:
                with np.errstate(all="ignore"):
                    array = instead.array(lambda given: given.array)
            except ValueError:
                continue
            assert array.ndim == 2, (value.path, words)
            tried += 1
    assert tried > 100


def test_a_transposed_step_before_one_that_is_right_is_not_blamed() -> None:
    trace = model(tokens="[a, b, c, d]")
    path = HEAD + "weights"
    tensors = {path: trace[path].array, HEAD + "output": trace[HEAD + "output"].array}
    assert compared(trace, tensors).first is None
    found = compared(trace, {path: trace[path].array.T})
    assert found.first is not None
    assert found.first.cause == "transposed"


def test_the_layer_in_numpy_is_the_same() -> None:
    assert compared(modern.MODEL, modern.layer_in_numpy()).first is None


STRIDED = "heads that share keys and values are taken with a stride instead of as neighbours"
SWAPPED = {name: lambda x: modern.rotated(x, interleaved=True) for name in ("turn_query", "turn_key")}


LAYERS: dict[str, tuple[dict, str]] = {
    "shared": ({"shared": lambda head: head % 2}, STRIDED),
    "layout": (SWAPPED, "the rotary layout is interleaved"),
    "keys": ({"turn_key": lambda x: x}, "the keys are not rotated"),
    "none": ({"turn_query": lambda x: x, "turn_key": lambda x: x}, "neither queries nor keys are rotated"),
    "values": ({"turn_value": modern.rotated}, "the values are rotated like queries and keys"),
    "narrow": ({"window": 2}, "the window is one token too narrow"),
    "wide": ({"window": 4}, "the window is one token too wide"),
    "everything": ({"window": 9}, "the window is missing"),
}


@pytest.mark.parametrize("name", LAYERS)
def test_a_mistake_in_a_whole_layer_is_named(name: str) -> None:
    changed, cause = LAYERS[name]
    found = compared(modern.MODEL, modern.layer_in_numpy(**changed))
    assert found.first is not None
    assert found.first.cause.startswith(cause)


@pytest.mark.parametrize("name", all_in_a_thorough_run(LAYERS, ["shared"]))
def test_so_it_is_by_the_output_alone(name: str) -> None:
    changed, cause = LAYERS[name]
    tensors = modern.layer_in_numpy(**changed)
    found = compared(modern.MODEL, {path: tensors[path] for path in tensors if path.endswith("attention.output")})
    assert found.first is not None
    assert found.first.cause.startswith(cause)
