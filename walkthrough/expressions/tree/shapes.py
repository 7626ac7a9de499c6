"""Writes the shapes of a formula: `(4×2)·(2×4)` for `Q·Kᵀ`. Constants have none and are left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import Expression

Shape = tuple[int, int]


def to_shapes(expression: Expression, shapes: Sequence[Shape], result: Shape) -> str:
    """`(4×2)·(2×4) → 4×4`, or only the result's shape where nothing changes it; `shapes` are those of the operands."""
    before = _write(expression, shapes)
    after = shape_text(result)
    return after if before in ("", f"({after})") else f"{before} → {after}"


def shape_text(shape: Shape) -> str:
    """`4×2`."""
    return f"{shape[0]}×{shape[1]}"


def _write(expression: Expression, shapes: Sequence[Shape]) -> str:
    rule = _RULES.get(type(expression))
    return rule(expression, shapes) if rule else ""


def _join(sign: str, parts: Sequence[Expression], shapes: Sequence[Shape]) -> str:
    return sign.join(text for part in parts if (text := _write(part, shapes)))


def _transpose(node: nodes.Transposed, shapes: Sequence[Shape]) -> str:
    if isinstance(node.argument, nodes.Operand):
        return f"({shape_text(shapes[node.argument.index][::-1])})"
    return _write(node.argument, shapes)


_RULES: dict[type[Expression], Callable[..., str]] = {
    nodes.Operand: lambda node, shapes: f"({shape_text(shapes[node.index])})",
    nodes.Transposed: _transpose,
    nodes.Sum: lambda node, shapes: _join(" + ", node.terms, shapes),
    nodes.Difference: lambda node, shapes: _join(" − ", (node.left, node.right), shapes),
    nodes.Product: lambda node, shapes: _join("·", node.factors, shapes),
    nodes.Quotient: lambda node, shapes: _join(" / ", (node.numerator, node.denominator), shapes),
    nodes.Negative: lambda node, shapes: _write(node.argument, shapes),
    nodes.Power: lambda node, shapes: _write(node.base, shapes),
    nodes.Where: lambda node, shapes: _join(", ", (node.then, node.condition, node.otherwise), shapes),
    nodes.Call: lambda node, shapes: _join(
        " ⊙ " if node.function == "times" else ", ", tuple(dict.fromkeys(node.arguments)), shapes
    ),
}
