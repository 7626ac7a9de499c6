"""Operations whose settings choose between conventions: each against numbers known from elsewhere."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from tests.operations.drawing import agree
from walkthrough.operations import activation, backward, matrix, normalization, norms, softmax
from walkthrough.operations.definition import Array, Composite
from walkthrough.operations.generation import prediction
from walkthrough.operations.positions import sinusoidal
from walkthrough.operations.training import loss

INF, NAN = math.inf, math.nan
X = np.array([[1.0, -2.0, 4.0], [0.5, 0.5, -1.0]])
VISIBLE = np.array([[1.0, 0, 1], [0, 1, 0]])


def row(*numbers: float) -> Array:
    return np.array([numbers], dtype=float)


@pytest.mark.parametrize(
    ("operation", "inputs", "settings", "result"),
    [
        (matrix.append_rows, [X, X[:1]], {}, np.vstack([X, X[:1]])),
        (matrix.select_rows, [X], {"indices": (1, 1, 0, 1)}, X[[1, 1, 0, 1]]),
        (matrix.repeat_row, [row(1, 2)], {"count": 2}, [[1, 2], [1, 2]]),
        (softmax.mask, [X, VISIBLE], {"value": -INF}, [[1, -INF, 4], [-INF, 0.5, -INF]]),
        (softmax.mask, [X, VISIBLE], {"value": -1e4}, [[1, -10002, 4], [-9999.5, 0.5, -10001]]),
        (softmax.mask, [row(NAN, NAN, 1), row(0, 1, 1)], {"value": -INF}, [[-INF, NAN, 1]]),
        (softmax.mask, [row(NAN, 2), row(0, 0)], {"value": -5.0}, [[NAN, -3]]),
        (softmax.subtract_row_maximum, [row(-INF, 2, 1)], {}, [[-INF, 0, -1]]),
        (softmax.exponential, [row(0, -INF, 1)], {}, [[1, 0, math.e]]),
        (activation.soft_cap, [row(math.atanh(0.5), -math.inf, 0)], {"cap": 1}, [[0.5, -1, 0]]),
        (activation.soft_cap, [row(50 * math.atanh(0.9), 1e300, 1)], {"cap": 50}, [[45, 50, 0.9998666879965465]]),
        (loss.cross_entropy, [row(0.25, 0.75)], {"targets": (0,)}, [[math.log(4)]]),
        (loss.cross_entropy, [X**2], {"targets": (None, 1)}, [[NAN], [math.log(4)]]),
        (loss.cross_entropy_gradient, [X], {"targets": (None, 1), "count": 2}, [[0, 0, 0], [0.25, -0.25, -0.5]]),
        (loss.sum_of_kept, [X.T[:, :1]], {"kept": (0, 2)}, [[5]]),
        (backward.add_to_rows, [X], {"indices": (2, 2), "count": 4}, [[0] * 3, [0] * 3, [1.5, -1.5, 3], [0] * 3]),
        (prediction.prediction, [row(0.2, 0.4, 0.4)], {"ids": (7, 4, 9)}, [[4, 0.4]]),
        (prediction.prediction, [row(0.2, NAN, 0.4)], {"ids": (7, 4, 9)}, [[NAN, NAN]]),
    ],
)  # fmt: skip
def test_known_results(operation: object, inputs: list[Array], settings: dict, result: object) -> None:
    np.testing.assert_allclose(agree(operation, inputs, settings), result, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize(
    ("composite", "inputs", "settings", "result"),
    [
        (softmax.softmax, [row(math.log(1), math.log(2), math.log(5))], {}, [[0.125, 0.25, 0.625]]),
        (softmax.softmax, [row(-INF, 0, -INF, 0)], {}, [[0, 0.5, 0, 0.5]]),
        (softmax.softmax, [row(-INF, 3.0)], {}, [[0, 1]]),
        (softmax.softmax, [row(5000, 5000, -5000)], {}, [[0.5, 0.5, 0]]),
    ],
)  # fmt: skip
def test_known_results_of_composites(composite: Composite, inputs: list[Array], settings: dict, result: object) -> None:
    np.testing.assert_allclose(composite.forward(*inputs, **settings), result, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("sample", [False, True])
@pytest.mark.parametrize("on_std", [False, True])
@pytest.mark.parametrize("epsilon", [0, 1e-5, 2.0])
@pytest.mark.parametrize("parts", ["", "gamma", "beta", "gamma beta"])
def test_layer_norm_is_its_steps_one_after_the_other(sample: bool, on_std: bool, epsilon: float, parts: str) -> None:
    given = [row(*numbers) for numbers in ((1, -2, 0.5), (0.25, 0, 3))][: len(parts.split())]
    settings = {"sample": sample, "on_std": on_std, "epsilon": epsilon, "parts": parts}
    centered = normalization.subtract_rows.forward(X, normalization.row_mean.forward(X))
    variance = normalization.mean_square.forward(centered, sample=sample)
    deviation = normalization.root_of_mean_square.forward(variance, epsilon=epsilon, on_std=on_std)
    steps = softmax.divide_rows.forward(centered, deviation)
    if parts:
        steps = agree(normalization.scale_and_shift, [steps, *given], {"parts": parts})
    whole = norms.layer_norm.forward(X, *given, **settings)
    np.testing.assert_allclose(whole, steps, rtol=1e-14)


LAYOUTS = {  # the feature, of width 6 and 7: function, and exponent of the base
    "interleaved": [("sin", 0), ("cos", 0), ("sin", 2), ("cos", 2), ("sin", 4), ("cos", 4), ("sin", 6)],
    "halves": [("sin", 0), ("sin", 2), ("sin", 4), ("cos", 0), ("cos", 2), ("cos", 4), None],
    "tensor2tensor": [("sin", 0), ("sin", 0.5), ("sin", 1), ("cos", 0), ("cos", 0.5), ("cos", 1), None],
}


@pytest.mark.parametrize("angle", ["radians", "degrees"])
@pytest.mark.parametrize("width", [6, 7])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_sinusoidal_positions_in_each_layout(layout: str, width: int, angle: str) -> None:
    settings = {"positions": range(3), "width": width, "base": 100.0, "layout": layout, "angle": angle}
    found = agree(sinusoidal.sinusoidal_positions, [], settings)
    unit = math.pi / 180 if angle == "degrees" else 1
    for position, (column, feature) in itertools.product(range(3), enumerate(LAYOUTS[layout][:width])):
        wanted = 0.0
        if feature is not None:
            exponent = feature[1] if layout == "tensor2tensor" else feature[1] / width
            wanted = getattr(math, feature[0])(position * unit / 100**exponent)
        assert found[position, column] == pytest.approx(wanted, abs=1e-14)


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_sinusoidal_positions_of_few_features(layout: str, width: int) -> None:
    settings = {"positions": range(2), "width": width, "base": 10000.0, "layout": layout, "angle": "radians"}
    second = agree(sinusoidal.sinusoidal_positions, [], settings)[1]
    wanted = {1: [math.sin(1)] if layout == "interleaved" else [0], 2: [math.sin(1), math.cos(1)]}
    wanted[3] = [*wanted[2], math.sin(10000 ** (-2 / 3)) if layout == "interleaved" else 0]
    np.testing.assert_allclose(second, wanted[width], rtol=1e-14)
