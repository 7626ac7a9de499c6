"""Why a gradient is what it is: told by the operation that computes it, as it is the same wherever that is met."""

from __future__ import annotations

from walkthrough.operations.definition import Operation

_WHY = (
    "Training needs to know of every number in which direction the loss falls. The chain rule gives that backwards, "
    "step by step: each turns the gradient of its result into those of its inputs, and nothing is calculated twice."
)
_PRODUCT = (
    "In a product each factor counts as much as the other one is large. So the gradient of one factor is the gradient "
    "of the result times the other factor: one more matrix product, the way there walked backwards."
)
_WEIGHT = (
    "One matrix serves all rows, and every row wants it changed in its own way. Each says so by its gradient, the "
    "louder the larger its own number was; the product adds up what all of them say."
)
_BIAS = (
    "What is added changes the result by just as much, so it gets the gradient of the result as it is. It was added to "
    "every row, so it gets that of every row, added up."
)
_BEND = (
    "A small change of a number comes through an activation as steeply as the curve is there. Where a relu has made a "
    "0 of it, nothing comes through, and nothing comes back."
)
_NORM = (
    "Every norm forgets how large a vector is, and a layer norm also its mean. So a change in these ways changes "
    "nothing behind it: they are taken out of the gradient, and what is left is divided by the scale as the vector was."
)
_SOFTMAX = (
    "The weights of a row are shares of one whole: who gains takes it from the others. So only how far a gradient is "
    "above or below the row's average counts, and where a weight is nearly 0 or 1, hardly anything comes back."
)
_SCALE = (
    "What is multiplied or divided by a number has that much more or less influence. So its gradient is multiplied or "
    "divided by the same number."
)
_HIDDEN = (
    "What is hidden, or not chosen, had no say in the result, whatever it was. So it has no part in the loss either, "
    "and its gradient is 0."
)
_ROWS = (
    "Only the rows that were looked up had a part in the loss. One that was looked up twice gets the gradients of both "
    "places, one that never was gets none."
)
_SUM = (
    "A value that is used in several places influences the loss in several ways. What comes back through each of them "
    "is added up."
)

_WHYS = {
    "matrix_product": _PRODUCT,
    "product_transposed": _PRODUCT,
    "transposed_product": _WEIGHT,
    "column_sum": _BIAS,
    **dict.fromkeys(("relu_gradient", "gelu_gradient", "gelu_tanh_gradient", "silu_gradient"), _BEND),
    **dict.fromkeys(("norm_gradient", "rms_norm_gradient"), _NORM),
    "softmax_gradient": _SOFTMAX,
    **dict.fromkeys(("divide_by_root", "scale_by_root", "scale_by", "divide_by"), _SCALE),
    "keep_visible": _HIDDEN,
    "add_to_rows": _ROWS,
    "add": _SUM,
}


def reason_of(operation: Operation) -> str:
    """Why a gradient is computed by this operation; where that has no reason of its own, why there are gradients."""
    return _WHYS.get(operation.name, _WHY)
