"""The oracle itself: numbers that can be worked out by hand, and generators that leave nothing out."""

from __future__ import annotations

import importlib
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")
yaml = pytest.importorskip("yaml")
reference = importlib.import_module("tests.oracle.reference")

from tests.oracle.compare import MOST_SENSITIVE, difference, sensitivity, unexpected  # noqa: E402
from tests.oracle.features import PRESENT, features  # noqa: E402
from tests.oracle.scenarios import KINDS, as_yaml, seeded_scenario  # noqa: E402

pytestmark = pytest.mark.torch

SETTINGS = {
    "softmax": "plain shifted",
    "norm_order": "post pre none",
    "residual": "True False",
    "epsilon": "1e-05 1e-12 0.1 0",
    "variance": "population sample",
    "epsilon_in": "variance std",
    "activation": "relu gelu gelu_tanh silu sigmoid none",
    "scale": "sqrt_d_k none 2.0 8 3.0",
    "mask": "none causal padding causal+padding matrix",
    "mask_value": "-inf -1000000000.0 -10000.0 -5.0",
    "mask_first": "True False",
    "embedding_scale": "none sqrt_d_model 2.0",
    "positional_encoding": "none sinusoidal matrix options",
    "layout": "interleaved halves tensor2tensor",
    "angle": "radians degrees",
    "base": "10000 100 10.0",
    "temperature": "1 0.5 2.0",
    "tied": "True False",
    "num_heads": "1 2 3",
    "matrix_convention": "row column",
    "embeddings": "mapping list",
    "vocabulary": "mapping list",
    "layers": "1 2 3",
    "heads": "1 2 3",
}
PARTS = [*PRESENT, "no feed_forward", "no attention", "d_v is not d_k", "heads of different d_k"]


def test_an_attention_by_hand():
    """Scores 0 and 2·ln 3, ÷ √4: weights 1/4 and 3/4 for the first token, the causal mask leaves the second one all."""
    queries = [[1.0, 0, 0, 0], [2.0, 0, 0, 0]]
    scenario = {
        "title": "by hand",
        "tokens": ["a", "b"],
        "embeddings": {"b": [0.0, 1.0], "a": [1.0, 0.0]},
        "attention": {
            "heads": [{"q": queries, "k": [[0, 0, 0, 0], [2 * math.log(3), 0, 0, 0]], "v": [[4.0], [8.0]]}],
            "w_o": [[1.0, -1.0]],
            "b_o": [0.5, 0.0],
            "mask": [[1, 1], [0, 1]],
        },
    }
    arrays = reference.expected(scenario)
    head = "attention.head.1."
    np.testing.assert_allclose(arrays["embeddings"], [[0, 1], [1, 0]])
    np.testing.assert_allclose(arrays["input"], [[1, 0], [0, 1]])
    np.testing.assert_allclose(arrays[head + "scaled_scores"], np.array([[0, 1], [0, 2]]) * math.log(3))
    np.testing.assert_allclose(arrays[head + "masked_scores"], [[0, math.log(3)], [-math.inf, 2 * math.log(3)]])
    np.testing.assert_allclose(arrays[head + "softmax.exp"], [[1, 3], [0, 9]])
    np.testing.assert_allclose(arrays[head + "softmax.sum"], [[4], [9]])
    np.testing.assert_allclose(arrays[head + "weights"], [[0.25, 0.75], [0, 1]])
    np.testing.assert_allclose(arrays[head + "output"], [[7], [8]])
    np.testing.assert_allclose(arrays["attention.output"], [[7.5, -7], [8.5, -8]])
    np.testing.assert_allclose(arrays["attention.b_o"], [[0.5, 0]])
    assert "attention.concat" not in arrays


def test_a_layer_by_hand():
    """Column convention, a feed-forward part alone, post-LN: [3, 4] + relu(-1, 2)·1 = [3, 6], normalized to [-1, 1]."""
    layer = {
        "feed_forward": {"w_1": [[-1.0, 0.5], [2.0, -1.0]], "w_2": [[1.0, 0.0], [0.0, 1.0]]},
        "norm_2": {"gamma": [2.0, 3.0]},
    }
    scenario = {
        "title": "by hand",
        "matrix_convention": "column",
        "tokens": ["a"],
        "embeddings": [[3.0, 4.0]],
        "encoder": {"layer_norm": {"epsilon": 0}, "layers": [layer]},
        "output_head": {"w": [[0.0, math.log(2) / 3], [0.0, 0.0], [0.0, 0.0]], "temperature": 0.5},
    }
    arrays = reference.expected(scenario)
    np.testing.assert_allclose(arrays["token_embedding"], [[3, 4]])
    np.testing.assert_allclose(arrays["encoder.1.feed_forward.hidden"], [[-1, 2]])
    np.testing.assert_allclose(arrays["encoder.1.feed_forward.activation"], [[0, 2]])
    np.testing.assert_allclose(arrays["encoder.1.residual_2"], [[3, 6]])
    np.testing.assert_allclose(arrays["encoder.1.norm_2.mean"], [[4.5]])
    np.testing.assert_allclose(arrays["encoder.1.norm_2.variance"], [[2.25]])
    np.testing.assert_allclose(arrays["encoder.1.norm_2.std"], [[1.5]])
    np.testing.assert_allclose(arrays["encoder.1.norm_2.normalized"], [[-1, 1]])
    np.testing.assert_allclose(arrays["encoder.output"], [[-2, 3]])
    np.testing.assert_allclose(arrays["output_head.scaled_logits"], [[2 * math.log(2), 0, 0]])
    np.testing.assert_allclose(arrays["output_head.prediction"], [[0, 4 / 6]])
    assert not {"embeddings", "encoder.1.residual_1"} & arrays.keys()


def test_positions_and_ids_by_hand():
    given = {"sinusoidal": {"base": 100, "layout": "halves"}}
    scenario = {"title": "by hand", "tokens": ["x", "y"], "vocabulary": {"y": 0, "x": 2}, "positional_encoding": given}
    scenario |= {"embeddings": [[0.0] * 5, [1.0] * 5, [2.0] * 5], "embedding_scale": "sqrt_d_model"}
    scenario |= {"output_head": {"w": [[1.0, 0.0]] * 5}}
    arrays = reference.expected(scenario)
    np.testing.assert_allclose(arrays["token_ids"], [[2], [0]])
    np.testing.assert_allclose(arrays["scaled_embedding"], [[2 * math.sqrt(5)] * 5, [0] * 5])
    angles = [1, 100**-0.4]
    wanted = [[0, 0, 1, 1, 0], [*map(math.sin, angles), *map(math.cos, angles), 0]]
    np.testing.assert_allclose(arrays["positional_encoding"], wanted)
    assert arrays["output_head.prediction"][:, 0].tolist() == [0, 0], "the first column is the word of the lowest id"
    odd = reference.positional("sinusoidal", 2, 3)[1]
    np.testing.assert_allclose(odd, [math.sin(1), math.cos(1), math.sin(1e4 ** (-2 / 3))])
    degrees = {"sinusoidal": {"layout": "tensor2tensor", "angle": "degrees", "base": 10}}
    sines = [math.sin(math.radians(1)), math.sin(math.radians(0.1))]
    np.testing.assert_allclose(reference.positional(degrees, 2, 4)[1][:2], sines)


def test_the_joined_matrices_are_cut_by_head():
    rows = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]
    attention = {"num_heads": 2, "w_q": rows, "w_k": rows, "w_v": rows, "b_q": [1.0, 2.0, 3.0, 4.0]}
    scenario = {"title": "joined", "tokens": ["a"], "embeddings": [[1.0, 1.0]], "attention": attention}
    arrays = reference.expected(scenario)
    np.testing.assert_array_equal(arrays["attention.head.2.w_q"], [[3, 4], [7, 8]])
    np.testing.assert_array_equal(arrays["attention.head.2.b_q"], [[3, 4]])
    np.testing.assert_array_equal(arrays["attention.head.2.query"], [[13, 16]])
    np.testing.assert_array_equal(arrays["attention.output"], [[6, 8, 10, 12]])
    turned = attention | {key: np.transpose(rows).tolist() for key in ("w_q", "w_k", "w_v")}
    again = reference.expected(scenario | {"matrix_convention": "column", "attention": turned})
    np.testing.assert_array_equal(again["attention.head.2.w_q"], [[3, 7], [4, 8]])
    np.testing.assert_array_equal(again["attention.head.2.query"], [[13, 16]])


@pytest.mark.parametrize("kind", KINDS)
def test_every_drawn_scenario_has_values(kind):
    """The oracle's own comparisons with PyTorch's functions hold, and hardly a scenario is too sensitive."""
    used = 0
    for seed in range(20):
        scenario = seeded_scenario(kind, seed)
        assert yaml.safe_load(as_yaml(scenario)) == scenario
        arrays = reference.expected(scenario)
        assert all(array.ndim == 2 and array.dtype == np.float64 for array in arrays.values())
        used += max(sensitivity(reference.expected, scenario, arrays).values()) < MOST_SENSITIVE
    assert used >= 15


def test_every_option_is_drawn():
    found = set().union(*(features(seeded_scenario(kind, seed)) for kind in KINDS for seed in range(300)))
    wanted = {f"{key}={value}" for key, values in SETTINGS.items() for value in values.split()} | set(PARTS)
    assert wanted <= found, wanted - found


def test_the_comparison_objects():
    """A checker must be seen to fail."""
    wanted = np.array([[1.0, 1e-200], [math.nan, -math.inf]])
    assert difference(wanted.copy(), wanted, "a", 1) is None
    off = np.array([[1.0, 0], [0, 0]])
    assert difference(wanted + 1e-11 * off, wanted, "a", 1)
    assert difference(wanted + 1e-11 * off, wanted, "a", 1e4) is None
    assert difference(wanted + 1e-8 * off, wanted, "a", 1e9)
    assert difference(wanted * [[1, 1.1], [1, 1]], wanted, "softmax.exp", 1)
    assert difference(np.nan_to_num(wanted), wanted, "a", 1)
    assert difference(wanted[:1], wanted, "a", 1)
    assert unexpected(["x.masked_scores", "x.scores"], {"x.scores": wanted}) == ["x.masked_scores"]


def test_the_oracles_own_comparison_objects():
    agree = importlib.import_module("tests.oracle.agree").agree
    with pytest.raises(AssertionError):
        agree(torch.ones(1, 2), torch.ones(1, 2) + 1e-6, "x")
