"""Tensors of a program that calculates in a number format: drift accuses nobody, a mistake is found where it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.cli.program import invoke
from tests.examples import slow
from walkthrough.comparing.matching.files import TensorsError
from walkthrough.number_formats import FLOAT_NAMES, NumberFormat, number_format

Arrays = dict[str, np.ndarray]
HEAD, LAYER = "encoder.1.attention.head.1.", "encoder.1."
FAULTS: list[tuple[str, Callable[..., Any], str]] = [
    (HEAD + "scaled_scores", lambda x, **_: x, "not divided by √d_k"),
    (LAYER + "norm_1.variance", lambda x, sample: np.square(x).sum(axis=1, keepdims=True) / (x.shape[1] - 1), "sample"),
    (LAYER + "feed_forward.hidden", lambda x, w, *b: x @ w, "the bias is missing"),
]


def form_of(name: str) -> NumberFormat:
    found = number_format(name)
    assert found is not None
    return found


def program(
    name: str, arithmetic: str, path: str = "", fault: Callable[..., Any] | None = None, seed: int = 0
) -> Arrays:
    """Somebody's own program in a format, which rounds once more than ours in every step: it drifts away."""
    form, random = form_of(arithmetic), np.random.default_rng(seed)
    arrays: dict[int, np.ndarray] = {}
    trace = wt.trace(wt.load_scenario(name))
    for value in trace:
        doing = fault if fault is not None and value.path == path else value.operation and value.operation.forward
        inputs = [arrays[id(given)] for given in value.inputs]
        with np.errstate(all="ignore"):
            numbers = value.array if doing is None else doing(*inputs, **value.settings)
        if not value.kind.fixed and doing is not None and seed and not value.holds_ids:
            numbers = numbers * (1 + form.roundoff * random.uniform(-1, 1, numbers.shape))
        arrays[id(value)] = value.in_format(form, np.asarray(numbers))
    return {value.path: arrays[id(value)] for value in trace}


@pytest.mark.parametrize("arithmetic", [one for one in FLOAT_NAMES if one != "float8_e5m2"])
def test_drift_accuses_nobody(arithmetic: str) -> None:
    tensors = program("cooking", arithmetic, seed=1)
    found = wt.compare("cooking", tensors, arithmetic=arithmetic)
    assert found.first is None
    assert found.summary["differs"] == found.summary["follows"] == 0
    assert f"In {arithmetic}: every step is worked out from their own numbers" in str(found)


@pytest.mark.parametrize("arithmetic", ["bfloat16", slow("float16")])
@pytest.mark.parametrize(("path", "fault", "cause"), FAULTS, ids=[path for path, _, _ in FAULTS])
def test_a_mistake_is_the_first_that_differs_and_has_its_cause(
    path: str, fault: Callable[..., Any], cause: str, arithmetic: str
) -> None:
    found = wt.compare("fuchs", program("fuchs", arithmetic, path, fault, seed=2), arithmetic=arithmetic)
    assert found.first is not None
    assert found.first.value.path == path
    assert cause in (found.cause or "")
    assert found.summary["differs"] == 1


def test_what_the_file_lacks_follows_from_theirs_in_the_format() -> None:
    tensors = program("fuchs", "bfloat16", seed=3)
    kept = {name: array for name, array in tensors.items() if name.endswith(("query", "key", "value", "output"))}
    assert len(kept) < len(tensors) / 2
    assert wt.compare("fuchs", kept, arithmetic="bfloat16").first is None


def test_a_step_is_the_same_up_to_eight_roundings_of_the_largest_in_its_row() -> None:
    tensors = program("cooking", "bfloat16")
    path = next(name for name in tensors if name.endswith("query"))
    largest = np.abs(tensors[path]).max(axis=1)
    for roundings, outcome in ((7.0, None), (9.0, path)):
        moved = tensors[path].copy()
        moved[:, 0] += roundings * 2.0**-8 * largest
        first = wt.compare("cooking", {**tensors, path: moved}, arithmetic="bfloat16").first
        assert (first and first.value.path) == outcome


def test_what_their_format_cannot_hold_is_no_mistake() -> None:
    text = "title: t\ntokens: [a]\nembeddings: [[1]]\nattention: {heads: [{scores: [[12]], v: [[1]]}], scale: none}"
    scenario, exp = wt.parse_scenario(text), "attention.head.1.softmax.exp"
    tensors = {"attention.head.1.scores": np.array([[12.0]]), exp: np.array([[np.inf]])}
    assert wt.compare(scenario, tensors, arithmetic="float8_e5m2").first is None
    first = wt.compare(scenario, {**tensors, exp: np.array([[57344.0]])}, arithmetic="float8_e5m2").first
    assert first is not None
    assert first.value.path == exp


def test_squares_that_their_format_cannot_hold_are_named() -> None:
    """Of a norm written by hand: x·x is infinite, and the row 0; the other row is what it should be."""
    network = "{activation: relu, w_1: [[1, 0], [0, 1]], w_2: [[0.5, 0], [0, 1]]}"
    layers = f"{{norm: rms, norm_order: none, layers: [{{feed_forward: {network}}}], final_norm: {{gamma: [1, 2]}}}}"
    trace = wt.trace(
        wt.parse_scenario(f"title: t\ntokens: [a, b]\nembeddings: [[300, 2], [3, 1]]\ndecoder: {layers}\n")
    )
    norm = trace["decoder.final_norm.output"]
    residual = trace["decoder.1.residual_2"]
    right, wrong = norm.array.astype(np.float16), np.where([[True], [False]], 0, norm.array).astype(np.float16)
    before = {residual.path: residual.array.astype(np.float16)}
    assert wt.compare(trace, {**before, norm.path: right}).ok
    cause = wt.compare(trace, {**before, norm.path: wrong}).cause or ""
    assert cause.startswith("x² of the row a is larger than float16 holds (65504)"), cause


def test_formats_that_say_nothing_of_a_row_are_refused(tmp_path: Any) -> None:
    tensors = program("help-me", "bfloat16")
    with pytest.raises(TensorsError, match="cannot be compared in int8, whose numbers share a scale"):
        wt.compare("help-me", tensors, arithmetic="int8")
    file = tmp_path / "t.npz"
    np.savez(file, **tensors)
    against = ("compare", "help-me", str(file))
    for options, message in (
        (["--arithmetic", "int8"], "cannot be compared in int8"),
        (["--arithmetic", "by-hand"], "cannot be compared in by-hand"),
        (["--arithmetic", "bfloat16", "--tolerance", "0.1"], "leave out one"),
    ):
        done = invoke(*against, *options)
        assert done.exit_code == 2
        assert message in " ".join(done.stderr.replace("│", " ").split())
    assert invoke("check", "help-me", "--arithmetic", "bfloat16").exit_code == 2
    assert invoke(*against, "--arithmetic", "bfloat16").exit_code == 0
    assert '"arithmetic": "bfloat16"' in invoke(*against, "--arithmetic", "bfloat16", "--format", "json").stdout


def test_a_given_matrix_kept_in_few_bits_is_the_same_up_to_eight_roundings() -> None:
    trace = wt.trace(wt.load_scenario("cooking"))
    path = next(one.path for one in trace if one.path.endswith(".w_q"))
    largest = np.abs(trace[path].array).max(axis=1)
    for roundings, outcome in ((7.0, None), (9.0, path)):
        moved = trace[path].array.copy()
        moved[:, 0] = np.round(moved[:, 0], 1) + roundings * 2.0**-11 * largest
        kept = {path: moved.astype(np.float16)}
        first = wt.compare("cooking", kept).first
        assert (first and first.value.path) == outcome
