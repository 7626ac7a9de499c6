"""Lens and attribution beside a calculation of their own, in every order of norms and every kind of sum."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import walkthrough as wt
from tests.examples import some
from walkthrough.languages.catalogue import ENGLISH

from .small import HEADS, LAYERS, Choices, Small

CHOICES = [
    Choices(order, norm, column, has_w_o, parallel, tied, is_plain, seed)
    for seed, (order, norm, column, has_w_o, parallel, tied, is_plain) in enumerate(
        product(
            ("pre", "post", "none", "branch", "sandwich"),
            ("layer", "rms", "rms_plus_one"),
            (False, True),
            (True, False),
            (False, True),
            (False, True),
            (False, True),
        )
    )
    if not (parallel and order == "post")
]
DRAWN = CHOICES[:: some(23, 3)]


def test_enough_is_drawn() -> None:
    for field in Choices._fields[:-1]:
        assert {getattr(one, field) for one in DRAWN} == {getattr(one, field) for one in CHOICES}


@pytest.fixture(scope="module", params=DRAWN, ids=lambda one: "-".join(map(str, one)))
def drawn(request: pytest.FixtureRequest) -> tuple[Small, wt.Trace]:
    small = Small(request.param)
    return small, wt.trace(wt.parse_scenario(small.yaml(inspect=["lens", "attribution"])))


def test_the_lens_is_the_output_head_of_every_state(drawn: tuple[Small, wt.Trace]) -> None:
    small, trace = drawn
    states = {path: state for path, state in small.run().items() if path != "logits"}
    for path, state in states.items():
        logits = small.logits(state)
        power = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares = power / power.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(trace[f"lens.{path}.logits"].array, logits, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(trace[f"lens.{path}.probabilities"].array, shares, rtol=1e-11, atol=1e-11)
        assert trace[f"lens.{path}.prediction"].array[:, 0].tolist() == shares.argmax(axis=1).tolist()
    found = {path.removeprefix("lens.").removesuffix(".logits") for path, _ in trace.items() if path[:5] == "lens."}
    assert {path for path in found if path in states} == set(states)
    assert trace[f"lens.{list(states)[-1]}.logits"] is trace["output_head.logits"]


def test_the_parts_add_up_to_the_logits(drawn: tuple[Small, wt.Trace]) -> None:
    _, trace = drawn
    found, logits = trace["attribution.logits"], trace["output_head.logits"].array[-1]
    most = np.abs(found.array).max()
    assert found.rows[-1] == "sum"
    np.testing.assert_allclose(found.array[:-1].sum(axis=0), logits, atol=1e-12 * most, rtol=0)
    np.testing.assert_allclose(found.array[-1], logits, atol=1e-12 * most, rtol=0)


def test_a_part_is_what_the_logits_lack_without_it(drawn: tuple[Small, wt.Trace]) -> None:
    """In numpy: the last row without a head's share, through the norm with its deviation as it was."""
    small, trace = drawn
    parts, pushed = trace["attribution.parts"], trace["attribution.logits"]
    whole = parts.array.sum(axis=0)
    given = small.final if small.choices.order != "post" else small.layers[-1]["norm_2"]

    def logits(x: np.ndarray) -> np.ndarray:
        if given is None:
            return x @ small.w
        is_layer = small.choices.norm == "layer"
        centered, centers = (x - x.mean(), whole - whole.mean()) if is_layer else (x, whole)
        gamma = given.get("gamma", np.zeros((1, 4)) if small.choices.norm == "rms_plus_one" else np.ones((1, 4)))[0]
        scale = 1 + gamma if small.choices.norm == "rms_plus_one" else gamma
        return (centered / np.sqrt((centers**2).mean() + 1e-5) * scale) @ small.w

    for part, row in zip(parts.array, pushed.array, strict=False):
        np.testing.assert_allclose(row, logits(whole) - logits(whole - part), rtol=1e-9, atol=1e-10)


def test_every_part_has_its_path_and_its_numbers(drawn: tuple[Small, wt.Trace]) -> None:
    small, trace = drawn
    parts, order = trace["attribution.parts"], small.choices.order
    layers = range(LAYERS if order == "post" else 1, LAYERS + 1)
    wanted = ["decoder.2.norm_1.output"] if order == "post" else ["token_embedding", "positional_encoding"]
    for layer in layers:
        at = f"decoder.{layer}"
        heads = [f"{at}.self_attention.head.{head}" for head in range(1, HEADS + 1)]
        bias = [f"{at}.self_attention.b_o"] if small.choices.has_w_o and not small.choices.is_plain else []
        attention = [*heads, *bias] if order != "post" else []
        if order in ("branch", "sandwich"):
            wanted += [f"{at}.branch_norm_1.output", f"{at}.branch_norm_2.output"]
        else:
            wanted += [*attention, f"{at}.feed_forward.output"]
    assert list(parts.rows) == wanted
    assert ("only what the last one reads is a sum" in ENGLISH.purpose(parts.kind)) == (order == "post")
    for label, row in zip(parts.rows, parts.array, strict=True):
        if label in trace:
            assert row.tolist() == trace[label].array[-1].tolist()
        else:
            layer, head = int(label.split(".")[1]), int(label.split(".")[-1])
            own, width = trace[f"{label}.output"].array[-1], small.value_width
            placed = np.zeros(HEADS * width)
            placed[(head - 1) * width : head * width] = own
            w_o = small.layers[layer - 1].get("w_o", np.eye(HEADS * width))
            np.testing.assert_allclose(row, placed @ w_o, rtol=1e-12, atol=1e-12)
