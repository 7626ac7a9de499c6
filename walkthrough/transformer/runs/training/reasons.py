"""Why a gradient is what it is: by the operation that computes it, as it is the same wherever that is met."""

from __future__ import annotations

from walkthrough.operations.definition import Operation

_REASONS = {
    **dict.fromkeys(("matrix_product", "product_transposed"), "product"),
    "transposed_product": "weight",
    "column_sum": "bias",
    **dict.fromkeys(("relu_gradient", "gelu_gradient", "gelu_tanh_gradient", "silu_gradient"), "activation"),
    **dict.fromkeys(("norm_gradient", "rms_norm_gradient"), "norm"),
    "softmax_gradient": "softmax",
    **dict.fromkeys(("divide_by_root", "scale_by_root", "scale_by", "divide_by"), "scale"),
    "keep_visible": "hidden",
    "add_to_rows": "rows",
    "add": "sum",
}


def reason_of(operation: Operation) -> str:
    """The key of the reason that a gradient is computed so; without one of its own that of all gradients."""
    reason = _REASONS.get(operation.name)
    return f"gradient.{reason}" if reason else "gradient"
