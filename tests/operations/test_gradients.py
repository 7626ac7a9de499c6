"""Every gradient rule against differences of the forward calculation, on random shapes and numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from tests.examples import some
from tests.operations.drawing import Example, examples
from walkthrough.operations import (
    OPERATIONS,
    Array,
    Operation,
    activation,
    attribution,
    beams,
    byte_pairs,
    clipping,
    definition,
    dropout,
    loss,
    matrix,
    normalization,
    norms,
    online,
    prediction,
    quantization,
    report,
    rotation,
    sampling,
    schedule,
    update,
)
from walkthrough.operations import softmax as softmaxes
from walkthrough.operations.backward import column_sum
from walkthrough.operations.definition import PASSED, Backward, Composite, InputGradient
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Kind, Value

_SOFTMAX = "a part of softmax, whose gradient is one operation"
_NORM = "a part of a norm, whose gradient is one operation"
_CONSTANT = "made of settings alone"
_BEHIND = "reports on a training or a generation; nothing is computed from it"
_BACK = "leads a gradient back; nothing is trained through it"
_WHERE_BACK_BEGINS = "with softmax one operation, cross_entropy_gradient, where the way back begins"
OF_FILES = {
    byte_pairs: "words are counted and merged before the model reads them",
    quantization: "a quantized matrix is not trained",
    sampling: _BEHIND,
    beams: _BEHIND,
    prediction: "an arg-max has no slope",
    report: _BEHIND,
    update: "the update, behind the way back",
    clipping: "the update, behind the way back",
    schedule: "the update, behind the way back",
    attribution: "looks inside a model, which is not trained meanwhile",
    online: "attention in blocks of keys is not trained here",
}
"""Files of operations none of which has a rule, and why."""
WITHOUT = {
    **{
        one.name: why
        for file, why in OF_FILES.items()
        for one in vars(file).values()
        if isinstance(one, Operation) and one.gradient is None
    },
    **{name: _BACK for name in OPERATIONS if name.endswith("_gradient")},
    **dict.fromkeys(
        ("add_to_buckets", "add_to_rows", "column_sum", "column_sum_of_products", "keep_visible", "place_columns",
         "row_products", "sum_of_products", "times_column"),
        _BACK,
    ),
    **dict.fromkeys(("subtract_row_maximum", "exp_of_sink", "exp_of_shifted_sink"), _SOFTMAX),
    "divide_rows": "a part of softmax and of layer norm, whose gradients are one operation each",
    **dict.fromkeys(
        ("row_mean", "subtract_rows", "mean_square", "root_of_mean_square", "scale_and_shift"), _NORM
    ),
    "root_of_squares": "a part of the L2 norm, whose gradient is one operation",
    "tanh": "a part of dynamic tanh, whose gradient is one operation",
    **dict.fromkeys(
        ("rotary_angles", "yarn_frequencies", "relative_buckets", "sinusoidal_positions", "position_rotation",
         "smooth_targets"),
        _CONSTANT,
    ),
    "angles_of_frequencies": "made of frequencies, which are made of settings alone",
    "log": "only for what others give as logarithms, to be compared",
    "last_rows": _BEHIND,
    **dict.fromkeys(("cross_entropy", "sum_of_kept"), _WHERE_BACK_BEGINS),
    "what_if": "numbers in place of others are where the way back ends",
}  # fmt: skip
"""The operations without a rule, and why they need none."""

CONSTANT = {
    "choose_largest": [0],
    "two_largest": [0],
    "repeat_columns": [0],
    "keep_chosen": [1],
    "mask": [1],
    "drop": [1],
    "rotate": [1],
    "causal_convolution": [2],
}
"""Inputs that the loss cannot move: masks of 0 and 1, and angles, here 0 and 1 too."""

Whole = Operation | Composite
Shares = list[Array | None]

TRAINABLE = [operation for operation in OPERATIONS.values() if operation.gradient is not None]


def test_every_operation_has_a_rule_or_a_reason() -> None:
    assert WITHOUT.keys() == {name for name, operation in OPERATIONS.items() if operation.gradient is None}


def _inside_softmax(arrays: list[Array], options: dict[str, Any]) -> dict[str, Array]:
    x, *sink = arrays
    power = [np.exp(one).repeat(len(x), axis=0) for one in sink]
    return {"sum": np.exp(x).sum(axis=1, keepdims=True) + sum(power), **dict.fromkeys(["sink"][: len(power)], *power)}


def _inside_rms_norm(arrays: list[Array], options: dict[str, Any]) -> dict[str, Array]:
    rms = np.sqrt(np.square(arrays[0]).mean(axis=1, keepdims=True) + options["epsilon"])
    return {"rms": rms, "normalized": arrays[0] / rms}


def _inside_norm(arrays: list[Array], options: dict[str, Any]) -> dict[str, Array]:
    centered = arrays[0] - arrays[0].mean(axis=1, keepdims=True)
    variance = np.square(centered).sum(axis=1, keepdims=True) / (arrays[0].shape[1] - options["sample"])
    std = np.sqrt(variance) + options["epsilon"] if options["on_std"] else np.sqrt(variance + options["epsilon"])
    return {"centered": centered, "variance": variance, "std": std, "normalized": centered / std}


INSIDE: dict[str, Callable[[list[Array], dict[str, Any]], dict[str, Array]]] = {
    "softmax": _inside_softmax,
    "layer_norm": _inside_norm,
    "rms_norm": _inside_rms_norm,
    "l2_norm": lambda arrays, options: {"length": normalization.root_of_squares.forward(arrays[0], **options)},
    "dyt": lambda arrays, options: {
        "normalized": np.tanh((arrays[1] if "alpha" in options["parts"] else options["factor"]) * arrays[0])
    },
}
"""Of a composite what its rule reads of the steps inside."""


def by_rule(whole: Whole, arrays: list[Array], options: dict[str, Any], gradient: Array) -> Shares:
    """The gradient of each input, as the rule says it; None where it says there is none."""
    recorder = Recorder(Trace())

    def given(name: str, array: Array) -> Value:
        return recorder.record_given(Kind(name, name, name), array)

    inputs = tuple(given(str(at), array) for at, array in enumerate(arrays))
    result = given("result", whole.forward(*arrays, **options))
    result.parts = {
        name: given(name, array)
        for name, array in (INSIDE[whole.name](arrays, options) if isinstance(whole, Composite) else {}).items()
    }
    assert whole.gradient is not None
    shares = whole.gradient(Backward(inputs, result, given("gradient", gradient), options))
    return [None if share is None else _computed(share, gradient) for share in shares]


def _computed(part: Value | InputGradient, gradient: Array) -> Array:
    if isinstance(part, Value):
        return part.array
    if part.operation is None:
        return gradient
    return part.operation.forward(*(_computed(operand, gradient) for operand in part.operands), **part.settings)


def by_differences(operation: Whole, arrays: list[Array], options: dict[str, Any], gradient: Array) -> list[Array]:
    """The same from the forward calculation alone: five points, an error of the fourth power of their distance."""

    def outcome(at: int, cell: tuple[int, int], by: float) -> float:
        moved = [array.copy() if index == at else array for index, array in enumerate(arrays)]
        moved[at][cell] += by
        result = operation.forward(*moved, **options)
        seen = np.isfinite(result)  # a hidden score is −∞, whatever becomes of its input
        return float((result[seen] * gradient[seen]).sum())

    def slope(at: int, cell: tuple[int, int], h: float = 1e-3) -> float:
        near = outcome(at, cell, h) - outcome(at, cell, -h)
        far = outcome(at, cell, 2 * h) - outcome(at, cell, -2 * h)
        return (8 * near - far) / (12 * h)

    return [
        np.array([slope(at, (i, j)) for i, j in np.ndindex(*array.shape)]).reshape(array.shape)
        for at, array in enumerate(arrays)
    ]


def assert_rule_holds(operation: Whole, arrays: list[Array], options: dict[str, Any], seed: int) -> None:
    """The rule and the differences say the same, for a random gradient of the result."""
    gradient = np.random.default_rng(seed).uniform(-2, 2, operation.forward(*arrays, **options).shape)
    gradient.flags.writeable = False
    found, wanted = by_rule(operation, arrays, options, gradient), by_differences(operation, arrays, options, gradient)
    assert len(found) == len(wanted)
    for at, (own, other) in enumerate(zip(found, wanted, strict=True)):
        if at in CONSTANT.get(operation.name, []):
            assert own is None
            continue
        assert own is not None
        assert own.shape == other.shape
        np.testing.assert_allclose(own, other, rtol=1e-6, atol=1e-6 * max(1.0, np.abs(other).max()))


def prepared(example: Example) -> list[Array]:
    """Masks of 0 and 1; numbers away from the places where relu and a clamp have no slope."""
    operation, arrays, options, _ = example
    if operation.name in ("relu", "clamp"):
        corner = options.get("limit", 0.0)
        arrays = [np.where(np.abs(np.abs(array) - corner) < 0.01, array + 0.05, array) for array in arrays]
    constant = CONSTANT.get(operation.name, [])
    return [(array > 0).astype(np.float64) if at in constant else array for at, array in enumerate(arrays)]


@pytest.mark.parametrize("operation", TRAINABLE, ids=lambda operation: operation.name)
def test_rule_as_differences(operation: Operation) -> None:
    for seed, example in enumerate(examples(operation, some(3, 25))):
        assert_rule_holds(operation, prepared(example), example.settings, seed)


def conventions() -> Iterator[Any]:
    """What the examples of the operations leave out."""
    for sample in (False, True):
        for on_std in (False, True):
            for parts in ("", "gamma", "beta", "gamma beta"):
                settings = {"epsilon": 0.3, "on_std": on_std, "sample": sample, "parts": parts}
                shapes = [(3, 4), (1, 4), (1, 4)][: 1 + len(parts.split())]
                name = f"{'sample' if sample else 'population'}, {'std' if on_std else 'variance'}, {parts or 'plain'}"
                yield pytest.param(norms.layer_norm, shapes, settings, id=name)
    yield pytest.param(norms.layer_norm, [(2, 5)], _norm_settings(epsilon=0), id="no epsilon")
    for shapes in ([(3, 4)], [(3, 4), (1, 4)]):
        for plus_one in (False, True):
            settings = {"epsilon": 0.0, "plus_one": plus_one}
            yield pytest.param(norms.rms_norm, shapes, settings, id=f"rms_norm of {len(shapes)}, {plus_one}")
    for epsilon in (0.0, 0.3):
        yield pytest.param(norms.l2_norm, [(3, 4)], {"epsilon": epsilon}, id=f"l2_norm, {epsilon}")
    for shapes in ([(3, 4)], [(1, 1)], [(2, 3), (1, 1)]):
        yield pytest.param(softmaxes.softmax, shapes, {}, id=f"softmax of {len(shapes)}, {shapes[0]}")
    for parts in ("", "gamma", "beta", "gamma beta"):
        rest = [(1, 4)] * len(parts.split())
        for alpha in ([], [(1, 1)]):
            settings = {"parts": f"{'alpha ' * len(alpha)}{parts}", "factor": 0.5}
            yield pytest.param(norms.dyt, [(3, 4), *alpha, *rest], settings, id=f"dyt, {settings['parts'] or 'plain'}")
    for layout in ("halves", "interleaved"):
        for shapes in ([(3, 4), (3, 2)], [(2, 5), (2, 1)], [(2, 6), (2, 2)]):
            options = {"layout": layout, "back": False}
            yield pytest.param(rotation.rotate, shapes, options, id=f"{layout} {shapes}")
    yield pytest.param(softmaxes.mask, [(3, 4), (3, 4)], {"value": -np.inf}, id="hidden")
    yield pytest.param(softmaxes.mask, [(3, 4), (3, 4)], {"value": -5.0}, id="added")
    for indices in ((0, 0, 0, 0), (2, 1, 2, 1), (2,)):
        yield pytest.param(matrix.select_rows, [(3, 2)], {"indices": indices}, id=f"rows {indices}")
    for widths in ((1, 1), (3, 1, 2), (2, 2, 2, 2)):
        yield pytest.param(matrix.concatenate, [(2, width) for width in widths], {}, id=f"widths {widths}")
    yield pytest.param(dropout.drop, [(3, 3), (3, 3)], {"rate": 0.0}, id="nothing dropped")
    yield pytest.param(activation.silu, [(3, 3)], {}, id="silu as it is")


def test_every_composite_is_tried() -> None:
    tried = {param.values[0] for param in conventions() if isinstance(param.values[0], Composite)}
    assert tried == {*norms.NORMS, norms.l2_norm, softmaxes.softmax}


def _norm_settings(**changed: Any) -> dict[str, Any]:
    return {"epsilon": 0.3, "on_std": False, "sample": False, "parts": "", **changed}


@pytest.mark.parametrize(("operation", "shapes", "options"), list(conventions()))
@pytest.mark.parametrize("seed", range(3))
def test_rule_in_every_convention(operation: Whole, shapes: list, options: dict[str, Any], seed: int) -> None:
    random = np.random.default_rng(seed)
    arrays = [random.uniform(-3, 3, shape) for shape in shapes]
    constant = CONSTANT.get(operation.name, [])
    assert_rule_holds(
        operation, [(a > 0).astype(float) if at in constant else a for at, a in enumerate(arrays)], options, seed
    )


@pytest.mark.parametrize("targets", [(0, 1, 0), (2, None, 1), (1, None, None)])
@pytest.mark.parametrize("mean", [True, False])
def test_the_way_back_begins_with_softmax_and_cross_entropy(targets: tuple, mean: bool) -> None:
    """cross_entropy_gradient is the slope of the whole loss in the logits."""
    kept = tuple(row for row, target in enumerate(targets) if target is not None)
    count = len(kept) if mean else 1

    def whole(logits: Array) -> Array:
        losses = loss.cross_entropy.forward(softmaxes.softmax.forward(logits), targets=targets)
        return loss.sum_of_kept.forward(losses, kept=kept) / count

    logits = np.random.default_rng(len(kept)).uniform(-2, 2, (3, 4))
    shares = softmaxes.softmax.forward(logits)
    found = loss.cross_entropy_gradient.forward(shares, targets=targets, count=count)
    slopes = by_differences(_like("whole", whole), [logits], {}, np.ones((1, 1)))
    np.testing.assert_allclose(found, slopes[0], rtol=1e-8, atol=1e-9)


def _like(name: str, function: Any, gradient: Any = None, shapes: str = "n×m → n×m", sizes: Any = None) -> Operation:
    """An operation for a test alone."""
    known = definition.OPERATIONS
    definition.OPERATIONS = {}
    try:
        return Operation(name, shapes, lambda inputs: None, function, gradient=gradient, sizes=sizes)  # type: ignore
    finally:
        definition.OPERATIONS = known


class TestTheTestIsSeenToFail:
    """A checker that cannot fail checks nothing."""

    X = np.array([[0.3, -1.2], [2.0, 0.7]])

    @pytest.mark.parametrize(
        "rule",
        [
            lambda b: (PASSED,),
            lambda b: (InputGradient(matrix.add, (b.gradient, b.gradient)),),
            lambda b: (InputGradient(matrix.product_transposed, (b.gradient, b.inputs[0])),),
            lambda b: (InputGradient(column_sum, (b.gradient,)),),
            lambda b: (None,),
            lambda b: (),
        ],
        ids=["passed on", "factor", "other inputs", "shape", "none", "too few"],
    )
    def test_on_a_wrong_rule(self, rule: Any) -> None:
        squares = _like("squares", np.square, rule)
        with pytest.raises(AssertionError):
            assert_rule_holds(squares, [self.X], {}, 1)
