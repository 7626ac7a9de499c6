"""A low-rank change of a weight. Hu et al. 2021."""

from __future__ import annotations

from walkthrough.expressions.tree.nodes import Number, Product
from walkthrough.operations.definition import A, B, Backward, InnerGradient, InputGradient, Operation
from walkthrough.operations.matrix import product_transposed, transposed_product
from walkthrough.operations.scaling import scale_by

_SCALED = InnerGradient("scaled", "α", "α/r", "product")


def _gradient(b: Backward) -> tuple[InputGradient, ...]:
    left, right = b.inputs
    scaled = InputGradient(scale_by, (b.gradient,), {"factor": b.settings["alpha"] / b.settings["rank"]}, kind=_SCALED)
    return InputGradient(product_transposed, (scaled, right)), InputGradient(transposed_product, (left, scaled))


low_rank_change = Operation(  # Hu et al. 2021, §4.1
    name="low_rank_change",
    shapes="n×r, r×m → n×m",
    forward=lambda a, b, alpha, rank: alpha / rank * (a @ b),
    formula=lambda inputs, alpha, rank: Number(alpha) / Number(rank) * Product((A, B)),
    gradient=_gradient,
    example={"alpha": 3.0, "rank": 2},
)
