"""The oracle itself: generators that leave nothing out, and a comparison that is seen to fail."""

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
