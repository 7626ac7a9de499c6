"""Matrices made by a rule: each is what numpy makes of it, in the orientation of the file."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.tensors.arrays import array_of

START = "title: t\ntokens: [a, b]\n"


def made(rule: str, convention: str = "row") -> np.ndarray:
    """A weight from 3 to 5 features."""
    text = f"{START}matrix_convention: {convention}\nembeddings: [[1, 2, 3], [4, 5, 6]]\n"
    trace = wt.trace(wt.parse_scenario(f"{text}output_head: {{vocabulary: [v, w, x, y, z], w: {{{rule}}}}}\n"))
    return trace["output_head.w"].array


@pytest.mark.parametrize(("convention", "shape"), [("row", (3, 5)), ("column", (5, 3))])
def test_the_rules(convention: str, shape: tuple[int, int]) -> None:
    def generator() -> np.random.Generator:
        return np.random.default_rng(7)

    bound = math.sqrt(6 / 8)
    for rule, expected in {
        "init: zeros": np.zeros(shape),
        "init: ones": np.ones(shape),
        "init: identity": np.eye(*shape),
        "init: normal, seed: 7": generator().normal(0, 0.02, shape),
        "init: normal, std: 1.5, seed: 7": generator().normal(0, 1.5, shape),
        "init: xavier_uniform, seed: 7": generator().uniform(-bound, bound, shape),
    }.items():
        np.testing.assert_array_equal(made(rule, convention), expected, err_msg=rule)


def test_the_defaults_are_seed_1_and_std_0_02() -> None:
    np.testing.assert_array_equal(made("init: normal"), np.random.default_rng(1).normal(0, 0.02, (3, 5)))


def test_numbers_of_the_same_seed_are_the_same_in_every_matrix() -> None:
    """A generator afresh for each: two weights of one shape are equal, unless their seeds differ."""
    layers = "encoder: {layers: [{attention: {num_heads: 1, w_q: {init: normal}, w_k: {init: normal}, "
    layers += "w_v: {init: normal, seed: 2}}}]}"
    trace = wt.trace(
        wt.parse_scenario(f"{START}embeddings: [[1, 2], [3, 4]]\ndimensions: {{d_k: 2, d_v: 2}}\n{layers}")
    )
    head = "encoder.1.attention.head.1."
    np.testing.assert_array_equal(trace[head + "w_q"].array, trace[head + "w_k"].array)
    assert not np.array_equal(trace[head + "w_q"].array, trace[head + "w_v"].array)


def repeated() -> Scenario:
    forward = "{w_1: {init: normal, seed: 10}, w_2: {init: normal, seed: 20}, b_1: {init: ones}}"
    return wt.parse_scenario(
        f"{START}embeddings: {{init: normal, std: 1, seed: 5}}\ndimensions: {{d_model: 3, d_ff: 4}}\n"
        f"encoder: {{layers: [{{repeat: 2, layer: {{feed_forward: {forward}}}}}, "
        f"{{repeat: 2, layer: {{feed_forward: {forward}}}}}]}}\n"
    )


def test_in_repeated_layers_the_seed_grows() -> None:
    """From 0 within each repeat."""
    trace = wt.trace(repeated())
    for layer, i in ((1, 0), (2, 1), (3, 0), (4, 1)):
        path = f"encoder.{layer}.feed_forward."
        for name, seed, shape in (("w_1", 10, (3, 4)), ("w_2", 20, (4, 3))):
            expected = np.random.default_rng(seed + i).normal(0, 0.02, shape)
            np.testing.assert_array_equal(trace[path + name].array, expected)
    np.testing.assert_array_equal(trace["token_embedding"].array, np.random.default_rng(5).normal(0, 1, (2, 3)))


def test_a_repeat_counts_from_its_first(tmp_path: Path) -> None:
    """In the names of tensors, and for the seeds."""
    arrays = {f"layers.{i}.b": np.full(4, float(i)) for i in range(4)}
    np.savez(tmp_path / "w.npz", **arrays)
    forward = "{w_1: {init: normal, seed: 10}, w_2: {init: normal, seed: 20}, b_1: {tensor: 'layers.{i}.b'}}"
    path = tmp_path / "scenario.yaml"
    path.write_text(
        f"{START}weights_file: w.npz\nembeddings: [[1, 2, 3], [4, 5, 6]]\nencoder:\n  layers:\n"
        f"  - {{repeat: 1, layer: {{feed_forward: {forward}}}}}\n"
        f"  - {{repeat: 2, first: 2, layer: {{feed_forward: {forward}}}}}\n"
    )
    trace = wt.trace(wt.load_scenario(path))
    for layer, i in ((1, 0), (2, 2), (3, 3)):
        np.testing.assert_array_equal(trace[f"encoder.{layer}.feed_forward.b_1"].array, np.full((1, 4), i))
        expected = np.random.default_rng(10 + i).normal(0, 0.02, (3, 4))
        np.testing.assert_array_equal(trace[f"encoder.{layer}.feed_forward.w_1"].array, expected)


def test_a_table_by_id_has_a_row_for_each_id() -> None:
    text = f"{START}vocabulary: {{a: 2, b: 6}}\nembeddings: {{init: normal}}\ndimensions: {{d_model: 3}}\n"
    trace = wt.trace(wt.parse_scenario(f"{text}output_head: {{tied: true}}\n"))
    table = np.random.default_rng(1).normal(0, 0.02, (7, 3))
    np.testing.assert_array_equal(trace["embeddings"].array, table)
    np.testing.assert_array_equal(trace["token_embedding"].array, table[[2, 6]])


def test_unknown_numbers_are_nan() -> None:
    scenario = wt.parse_scenario(f"{START}attention: {{heads: [{{scores: [[1, null], [-.inf, 2]], d_k: 1}}]}}")
    assert scenario.spec.attention is not None
    assert scenario.spec.attention.heads is not None
    scores = scenario.spec.attention.heads[0].scores
    assert scores is not None
    np.testing.assert_array_equal(array_of(scores, Path(), None), [[1, np.nan], [-np.inf, 2]])


def test_a_scenario_makes_its_matrices_once() -> None:
    scenario = repeated()
    first, second = wt.trace(scenario), wt.trace(scenario)
    for value in first:
        if value.operation is None:
            assert second[value.path].array is value.array
        np.testing.assert_array_equal(second[value.path].array, value.array)
