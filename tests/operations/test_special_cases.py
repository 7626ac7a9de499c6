"""Operations whose settings choose between conventions: each against numbers known from elsewhere."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from tests.operations.drawing import agree
from walkthrough.operations import activation, backward, matrix, normalization, norms, scaling, softmax
from walkthrough.operations.definition import Array, Composite
from walkthrough.operations.generation import prediction
from walkthrough.operations.positions import sinusoidal
from walkthrough.operations.training import loss, update

INF, NAN = math.inf, math.nan
X = np.array([[1.0, -2.0, 4.0], [0.5, 0.5, -1.0]])
VISIBLE = np.array([[1.0, 0, 1], [0, 1, 0]])


def row(*numbers: float) -> Array:
    return np.array([numbers], dtype=float)


@pytest.mark.parametrize(
    ("operation", "inputs", "settings", "result"),
    [
        (matrix.matrix_product, [X, X.T], {}, X @ X.T),
        (matrix.product_transposed, [X, X[:1]], {}, [[21.0], [-4.5]]),
        (matrix.linear, [X, np.eye(3)[:, :2]], {}, X[:, :2]),
        (matrix.linear, [X, np.eye(3)[:, :2], row(10, 20)], {}, [[11, 18], [10.5, 20.5]]),
        (matrix.linear_out_in, [X, row(1, 0, 1)], {}, [[5], [-0.5]]),
        (matrix.linear_out_in, [X, row(1, 0, 1), row(0.5)], {}, [[5.5], [0]]),
        (matrix.add, [X, X, X], {}, 3 * X),
        (matrix.concatenate, [X, X[:, :1], X[:, 1:]], {}, np.hstack([X, X])),
        (matrix.append_rows, [X, X[:1]], {}, np.vstack([X, X[:1]])),
        (matrix.select_rows, [X], {"indices": (1, 1, 0, 1)}, X[[1, 1, 0, 1]]),
        (matrix.repeat_row, [row(1, 2)], {"count": 2}, [[1, 2], [1, 2]]),
        (scaling.scale_by_root, [row(3)], {"root_of": 4, "name": "d_model"}, [[6]]),
        (scaling.divide_by_root, [row(3)], {"root_of": 4, "name": "d_k"}, [[1.5]]),
        (scaling.scale_by, [row(3)], {"factor": -2}, [[-6]]),
        (scaling.divide_by, [row(3)], {"divisor": 8}, [[0.375]]),
        (softmax.mask, [X, VISIBLE], {"value": -INF}, [[1, -INF, 4], [-INF, 0.5, -INF]]),
        (softmax.mask, [X, VISIBLE], {"value": -1e4}, [[1, -10002, 4], [-9999.5, 0.5, -10001]]),
        (softmax.mask, [row(NAN, NAN, 1), row(0, 1, 1)], {"value": -INF}, [[-INF, NAN, 1]]),
        (softmax.mask, [row(NAN, 2), row(0, 0)], {"value": -5.0}, [[NAN, -3]]),
        (softmax.subtract_row_maximum, [X], {}, [[-3, -6, 0], [0, 0, -1.5]]),
        (softmax.subtract_row_maximum, [row(-INF, 2, 1)], {}, [[-INF, 0, -1]]),
        (softmax.exponential, [row(0, -INF, 1)], {}, [[1, 0, math.e]]),
        (softmax.row_sum, [X], {}, [[3], [0]]),
        (softmax.divide_rows, [X, np.array([[2.0], [0.5]])], {}, [[0.5, -1, 2], [1, 1, -2]]),
        (normalization.row_mean, [X], {}, [[1], [0]]),
        (normalization.mean_square, [X], {"sample": False}, [[7], [0.5]]),
        (normalization.mean_square, [X], {"sample": True}, [[10.5], [0.75]]),
        (normalization.root_of_mean_square, [row(9)], {"epsilon": 7, "on_std": False}, [[4]]),
        (normalization.root_of_mean_square, [row(9)], {"epsilon": 7, "on_std": True}, [[10]]),
        (normalization.root_of_mean_square, [row(9)], {"epsilon": 0, "on_std": False}, [[3]]),
        (normalization.scale_and_shift, [X, row(1, 2, 3)], {"parts": "gamma"}, [[1, -4, 12], [0.5, 1, -3]]),
        (normalization.scale_and_shift, [X, row(1, 2, 3)], {"parts": "beta"}, [[2, 0, 7], [1.5, 2.5, 2]]),
        (normalization.scale_and_shift, [X, row(1, 2, 3), X[:1]], {"parts": "gamma beta"}, [[2, -6, 16], [1.5, -1, 1]]),
        (activation.relu, [row(-1, 0, 2)], {}, [[0, 0, 2]]),
        (activation.gelu, [row(-1, 0, 2)], {}, [[-0.15865525393145707, 0, 1.9544997361036416]]),
        (activation.gelu_tanh, [row(-1, 0, 2)], {}, [[-0.15880800939172324, 0, 1.954597694087775]]),
        (activation.silu, [row(-1, 0, 2)], {}, [[-0.2689414213699951, 0, 1.7615941559557646]]),
        (activation.sigmoid, [row(-1, 0, 2)], {}, [[0.2689414213699951, 0.5, 0.8807970779778823]]),
        (normalization.scale_and_shift, [X, row(1, 2, -1)], {"parts": "gamma", "plus_one": True},
         [[2, -6, 0], [1, 1.5, 0]]),
        (activation.soft_cap, [row(math.atanh(0.5), -math.inf, 0)], {"cap": 1}, [[0.5, -1, 0]]),
        (activation.soft_cap, [row(50 * math.atanh(0.9), 1e300, 1)], {"cap": 50}, [[45, 50, 0.9998666879965465]]),
        (update.gradient_step, [X, row(1, 2, 4) * [[1], [0]]], {"rate": 0.5}, [[0.5, -3, 2], [0.5, 0.5, -1]]),
        (update.velocity, [X, row(1, 2, 4) * [[1], [0]]], {"momentum": 0.5}, [[1.5, 1, 6], [0.25, 0.25, -0.5]]),
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
        (norms.rms_norm, [row(3, 4)], {"epsilon": 3.5, "plus_one": True}, [[0.75, 1]]),
        (norms.rms_norm, [row(3, 4), row(1, -0.5)], {"epsilon": 3.5, "plus_one": True}, [[1.5, 0.5]]),
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


@pytest.mark.parametrize("angle", ["radians", "degrees"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("width", [2, 6, 7])
def test_rotation_leads_from_one_position_to_a_later_one(layout: str, width: int, angle: str) -> None:
    settings = {"width": width, "base": 100.0, "layout": layout, "angle": angle}
    table = sinusoidal.sinusoidal_positions.forward(positions=range(6), **settings)
    rotation = agree(sinusoidal.position_rotation, [], {"offset": 2, **settings})
    whole = slice(0, width - width % 2)  # an odd width leaves a feature without its pair
    np.testing.assert_allclose((table[:4] @ rotation.T)[:, whole], table[2:, whole], rtol=1e-12, atol=1e-14)


@pytest.mark.torch
def test_velocity_and_update_are_those_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    weight = torch.tensor([[1.0, -2.0]], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1, momentum=0.9)
    own, along = weight.detach().numpy().copy(), None
    for gradient in ([[0.5, 3.0]], [[-1.0, 0.25]], [[2.0, 2.0]]):
        weight.grad = torch.tensor(gradient, dtype=torch.float64)
        optimizer.step()
        array = np.array(gradient)
        along = array if along is None else update.velocity.forward(along, array, momentum=0.9)
        own = update.gradient_step.forward(own, along, rate=0.1)
        np.testing.assert_allclose(own, weight.detach().numpy(), rtol=1e-15)
