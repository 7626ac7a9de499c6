"""What people look up before they calculate with it: roots of constants, sine and cosine, a sigmoid."""

from __future__ import annotations

from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import Expression, Number
from walkthrough.expressions.tree.walk import parts


def is_root(node: Expression) -> bool:
    """The root of a constant: √2."""
    return isinstance(node, nodes.Call) and node.function == "sqrt" and not _reads(node)


def is_wave(node: Expression) -> bool:
    """A sine or a cosine."""
    return isinstance(node, nodes.Call) and node.function in ("sin", "cos")


def is_sigmoid(node: Expression) -> bool:
    """1 / (1 + e^−x)."""
    return isinstance(node, nodes.Quotient) and node.numerator == Number(1) and _is_of_sigmoid(node.denominator)


def is_with_sigmoid(node: Expression) -> bool:
    """x / (1 + e^−x): x times a sigmoid."""
    return isinstance(node, nodes.Quotient) and node.numerator != Number(1) and _is_of_sigmoid(node.denominator)


def is_looked_up(node: Expression) -> bool:
    """Whether it is any of these, by itself."""
    return is_root(node) or is_wave(node) or is_sigmoid(node)


def has_looked_up(node: Expression) -> bool:
    """Whether a step that is calculated like this has any of these inside."""
    return is_with_sigmoid(node) or any(is_looked_up(part) or has_looked_up(part) for part in parts(node))


def _is_of_sigmoid(node: Expression) -> bool:
    return isinstance(node, nodes.Sum) and any(
        isinstance(one, nodes.Call) and one.function == "exp" for one in parts(node)
    )


def _reads(node: Expression) -> bool:
    return isinstance(node, nodes.Entry | nodes.Cell) or any(map(_reads, parts(node)))
