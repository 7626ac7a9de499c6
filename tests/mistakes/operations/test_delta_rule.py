"""Mistakes in what linear attention forgets and writes are named, also where nobody gives the state: by plain numpy."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.comparing.test_compare import compared, recalculated
from walkthrough.mistakes.mistake import Instead, mistake
from walkthrough.mistakes.search import try_places
from walkthrough.recording.recalculation import Recalculation

TEXT = """
title: x
tokens: [a, b, c, a]
embeddings: {a: [1, 0.5, -1], b: [0.3, 2, 1], c: [-1, 0.2, 0.7]}
decoder:
  norm_order: none
  residual: false
  layers:
    - linear_attention:
        w_q: [[1, 0.2], [0, 1], [0.3, 0]]
        w_k: [[0.5, 1], [0.1, 1], [0.3, -0.4]]
        w_v: [[1, 2], [0, 1], [1, 1]]
        w_beta: [[1], [-0.5], [0.2]]
        w_alpha: [[0.4], [0.5], [0.2]]
        a_log: [0.5]
        output_norm: {}
"""
PART = "decoder.1.linear_attention."
KEPT = ("embeddings", "token_embedding", "w_q", "w_k", "w_v", "_projected", "logits", "a_log")
"""What somebody hands in beside the output: the projections, and nothing of the states."""


@pytest.mark.parametrize(
    ("step", "fault", "said"),
    [
        ("alpha", lambda log_decay: np.ones(log_decay.shape), "nothing is forgotten: the decay is 1 throughout"),
        ("forgetting", lambda step, rate: step, "the time step is not multiplied by the rate of the head"),
        ("beta", lambda x: np.ones(x.shape), "the sigmoid is left out: 1 stands in its place throughout"),
        ("head.1.key_norm.output", lambda x, length: x, "the division by r_k is missing"),
        ("head.1.scaled_query", lambda x, **_: x, "not divided by √d_k"),
    ],
)
def test_a_mistake_is_named(step: str, fault: Callable[..., Any], said: str) -> None:
    trace = wt.trace(wt.parse_scenario(TEXT))
    given = recalculated(trace, PART + step, fault, np.float64)
    handed_in = {name: one for name, one in given.items() if name.endswith((*KEPT, "output_norm.output"))}
    found = compared(trace, handed_in).cause
    made_in = PART + ("alpha" if step == "forgetting" else step)
    assert found == f"{said} ({made_in})"


def drawn(rows: int, columns: int, seed: int) -> list[list[float]]:
    numbers: list[list[float]] = np.random.default_rng(seed).normal(size=(rows, columns)).round(2).tolist()
    return numbers


SHARED = f"""
title: x
tokens: [a, b, c, a]
embeddings: {{a: [1, 0.5, -1], b: [0.3, 2, 1], c: [-1, 0.2, 0.7]}}
decoder:
  norm_order: none
  residual: false
  layers:
    - linear_attention:
        num_heads: 4
        num_key_heads: 2
        w_q: {drawn(3, 4, 1)}
        w_k: {drawn(3, 4, 2)}
        w_v: {drawn(3, 8, 3)}
        conv_q: {drawn(3, 4, 4)}
        conv_k: {drawn(3, 4, 5)}
        conv_v: {drawn(3, 8, 6)}
        w_gate: {drawn(3, 8, 7)}
        w_beta: {drawn(3, 4, 8)}
        w_alpha: {drawn(3, 4, 9)}
        b_alpha: [0.3, -0.2, 0.4, 0.6]
        a_log: [0.5, 0.2, -0.3, 0.1]
        output_norm: {{}}
        w_o: {drawn(8, 3, 10)}
"""
CONVOLVED = r"(query|key|value)_convolved"
Redo = Callable[[Any, Callable[[Any], np.ndarray]], np.ndarray]
"""What a step is instead, by the numbers of any step."""


def state_before(value: Any, of: Callable[[Any], np.ndarray]) -> np.ndarray:
    state = value.inputs[1]
    return of(state.inputs[0].inputs[0]) if len(state.inputs) == 2 and ".token.1." not in value.path else 0 * of(state)


def gated_first(value: Any, of: Callable[[Any], np.ndarray]) -> np.ndarray:
    normed, gate = value.inputs
    norm, (x, *given), settings = normed.composite
    made: np.ndarray = norm.forward(of(x) * of(gate), *map(of, given), **settings)
    return made


def convolved(rows: Any, weights: Any, later: int = 0) -> np.ndarray:
    """Each row from its own weighted last ones, or from those up to some rows later."""
    taps = len(weights)
    padded = np.vstack([np.zeros((taps - 1, rows.shape[1])), rows, np.zeros((taps, rows.shape[1]))])
    return np.stack([(padded[at + later : at + later + taps] * weights).sum(axis=0) for at in range(len(rows))])


def another_key(value: Any, of: Callable[[Any], np.ndarray], trace: Any) -> np.ndarray:
    """Heads 1, 3 and 2, 4 share instead of 1, 2 and 3, 4."""
    number = int(value.path.split(".head.")[1][0])
    name = value.inputs[0].path.split(".head.")[1][2:]
    whole = trace[f"{PART}head.{3 if number % 2 == 0 else 1}.{name}"]
    made: np.ndarray = value.operation.forward(of(whole), **value.settings)
    return made


@pytest.mark.parametrize(
    ("ending", "redo", "said"),
    [
        (CONVOLVED, lambda v, of: of(v.inputs[0]), "the convolution is left out"),
        (CONVOLVED, lambda v, of: convolved(*map(of, v.inputs), later=1), "the convolution is not causal"),
        (CONVOLVED, lambda v, of: convolved(*map(of, v.inputs), later=2), "the convolution is not causal"),
        (
            CONVOLVED,
            lambda v, of: convolved(of(v.inputs[0]), of(v.inputs[1])[::-1]),
            "the weights of the convolution are",
        ),
        (
            r"attention\.alpha",
            lambda v, of: np.exp(of(v.inputs[0].inputs[0])),
            "the minus is missing: the decay is e to the",
        ),
        (
            r"biased_decay_logits",
            lambda v, of: of(v.inputs[0]),
            f"nothing was added: these are the numbers of {PART}decay",
        ),
        (r"attention\.beta", lambda v, of: 2 * v.operation.forward(of(v.inputs[0])), ""),  # nobody knows it
        (r"\.rate", lambda v, of: of(v.inputs[0]), "the rate of the head is a_log itself, not its exponential"),
        (r"\.answer", lambda v, of: of(v.inputs[0]) @ state_before(v, of), "the state is read before the token is"),
        (r"\.read", lambda v, of: of(v.inputs[0]) @ of(v.inputs[1].inputs[0]), "the error is computed from the state"),
        (r"\.error", lambda v, of: of(v.inputs[0]), "what the state has at the key is not taken off the value"),
        (r"\.gated", gated_first, "the norm comes after the gate"),
        (r"\.token\.\d\.(query|key)", another_key, "heads that share keys and values are taken with a stride"),
    ],
)
def test_a_mistake_in_every_token_of_every_head_is_named_once(ending: str, redo: Any, said: str) -> None:
    trace = wt.trace(wt.parse_scenario(SHARED))
    arrays = {value: value.array for value in trace if value.operation is None}
    more = (trace,) if redo is another_key else ()

    def of(value: Any) -> np.ndarray:
        if value not in arrays and re.search(f"{ending}$", value.path):
            arrays[value] = redo(value, of, *more)
        elif value not in arrays:
            arrays[value] = value.operation.forward(*map(of, value.inputs), **value.settings)
        return arrays[value]

    for value in trace:
        of(value)
    given = {one.path: array for one, array in arrays.items() if one.path.endswith((*KEPT, "linear_attention.output"))}
    found = compared(trace, given)
    assert (found.ok, (found.cause or "").startswith(said)) == (False, True), found
    gated = {one.path: array for one, array in arrays.items() if one.path.endswith(".gated")}
    assert (compared(trace, given | gated).cause or "").startswith(said)


def test_a_state_with_too_few_rows_explains_nothing() -> None:
    trace = wt.trace(wt.parse_scenario(SHARED))
    row, whole = trace[f"{PART}head.1.token.4.value"], trace[f"{PART}head.1.value"]
    one_row = Instead(None, (np.zeros((1, whole.shape[1])),))
    assert list(try_places(mistake("transposed"), [(whole, one_row)], row, Recalculation())) == []


def test_a_norm_that_queries_and_keys_both_lack_is_named_once() -> None:
    trace, without = (wt.trace(wt.parse_scenario(TEXT + more)) for more in ("", "        qk_norm: none\n"))
    given = {value.path: value.array for value in without if value.path.endswith((*KEPT, "output_norm.output"))}
    said = "queries and keys are not divided by their length"
    assert compared(trace, given).cause == f"{said} ({PART}head.1.query_norm.output and others)"
