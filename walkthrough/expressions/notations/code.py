"""Writes a formula over matrices as one line of Python, for numpy or PyTorch: `X @ W_Q + b_Q`.

`precedence.py` decides where brackets are needed, except for what is a function in Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from walkthrough.expressions.notations.precedence import ATOM, CHOICE, RULES, SUM, Rule
from walkthrough.expressions.notations.writing import LEAVES, Form, Notation, Writer
from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import Call, Expression
from walkthrough.expressions.tree.walk import is_matrix, parts, with_parts


class NoCode(LookupError):  # noqa: N818
    """A formula that says in words what is calculated, or with a function that only cells have."""


class Library(NamedTuple):
    """What differs between the libraries.

    module:  the name that it is imported by
    array:   makes a matrix of nested lists
    axis:    what it calls an axis, and keep: an axis that stays, of length 1, when numbers are added along it
    largest: its maximum along an axis
    numbers: the module whose functions take a plain number
    """

    module: str
    array: str
    axis: str
    keep: str
    largest: str
    numbers: str

    def number(self, value: float) -> str:
        """A constant as the shortest text that Python reads as the same number."""
        if not math.isfinite(value):
            text = f"{self.module}.{'nan' if math.isnan(value) else 'inf'}"
            return f"-{text}" if value < 0 else text
        if abs(value) in (math.pi, 2 * math.pi):
            sign = "-" if value < 0 else ""
            return f"{sign}{'' if abs(value) == math.pi else '2 * '}{self.numbers}.pi"
        return str(int(value)) if float(value).is_integer() and abs(value) < 1e16 else repr(float(value))

    def along(self, axis: int) -> str:
        """How a sum or maximum along an axis is asked for: down the columns (0), or along the rows (1)."""
        return f"{self.axis}={axis}, {self.keep}=True"


NUMPY = Library("np", "np.array", "axis", "keepdims", "max", "np")
TORCH = Library("torch", "torch.tensor", "dim", "keepdim", "amax", "math")


def to_code(expression: Expression, writer: Writer, library: Library) -> str:
    """`expression` on one line. Raises NoCode."""
    return _NOTATIONS[library.module].write(expression, writer)


_FUNCTION = Rule(ATOM, SUM, SUM)
_RULES = RULES | {
    "Where": Rule(ATOM, CHOICE, SUM),
    "exp": _FUNCTION,
    "sqrt": _FUNCTION,
    "sum": _FUNCTION,
}


def guard_unknown(expression: Expression) -> Expression:
    """The same where numbers may be unknown: of them there is no best, and they are on neither side of a step."""
    inner = with_parts(expression, [guard_unknown(part) for part in parts(expression)])
    if not isinstance(inner, Call) or inner.function not in ("best", "step"):
        return inner
    known = Call("rowmax", inner.arguments[1:]) if inner.function == "best" else inner.arguments[0]
    return nodes.Where(Call("equal", (known, known)), inner, nodes.Number(math.nan))


def _listed(node: Expression) -> list[int]:
    assert isinstance(node, Call)
    return [int(part.value) for part in node.arguments if isinstance(part, nodes.Number)]


def _functions(lib: Library) -> dict[str, Callable[[Call, list[str]], str]]:
    """How a call is written, from the node and its arguments as texts; those of rules of `code`, too."""
    of = lib.module

    def one(name: str) -> Callable[[Call, list[str]], str]:
        return lambda node, parts: f"{of if is_matrix(node.arguments[0]) else lib.numbers}.{name}({parts[0]})"

    def maximum(node: Call, parts: list[str]) -> str:
        if lib is TORCH and node.arguments[0] == nodes.Number(0):
            return f"torch.relu({parts[1]})"
        if lib is TORCH and isinstance(node.arguments[0], nodes.Number):
            return f"torch.clamp({parts[1]}, min={parts[0]})"
        line = parts[0]
        for part in parts[1:]:
            line = f"{of}.maximum({line}, {part})"
        return line

    def nearest(node: Call, parts: list[str]) -> str:
        """A half that misses its last bits is one."""
        rounding = f"{of}.round" if is_matrix(node.arguments[0]) else "round"
        decimals = "decimals=12" if lib is TORCH and is_matrix(node.arguments[0]) else "12"
        return f"{rounding}({rounding}({parts[0]}, {decimals}))"

    def onehot(node: Call, parts: list[str]) -> str:
        """For each place a row of so many zeros with a 1 there."""
        places, count = _listed(node.arguments[0]), int(parts[1])
        if count <= _SMALL:
            return f"{of}.eye({count})[{places}]"
        return f"(1.0 * ({of}.arange({count}) == {lib.array}({places})[:, None]))"

    def best(node: Call, parts: list[str]) -> str:
        """For each row, the number of a list at the place of the row's largest; unknown where the row is."""
        places = _listed(node.arguments[0])
        found = f"{of}.argmax({parts[1]}, {lib.along(1)})"
        return found if places == list(range(len(places))) else f"{lib.array}({places})[{found}]"

    def table(node: Call, parts: list[str]) -> str:
        """Single numbers, so many in a row."""
        width, numbers = int(parts[0]), parts[1:]
        if is_matrix(node.arguments[1]):
            return f"{of}.hstack([{', '.join(numbers)}]).reshape(-1, {width})"
        rows = (", ".join(numbers[at : at + width]) for at in range(0, len(numbers), width))
        return f"{lib.array}([{', '.join(f'[{row}]' for row in rows)}])"

    def largest(node: Call, parts: list[str]) -> str:
        """The largest absolute value in several matrices."""
        sizes = [f"{of}.{lib.largest}({of}.abs({part}))" for part in parts]
        most = f"max({', '.join(sizes)})" if len(sizes) > 1 else sizes[0]
        return f"{lib.array}([[{most}]])"

    return {
        **{name: one(name) for name in ("log", "sin", "cos", "tanh")},
        "abs": lambda node, parts: f"{f'{of}.' if is_matrix(node.arguments[0]) else ''}abs({parts[0]})",
        "round": nearest,
        "erf": lambda node, parts: f"{'torch.' if lib is TORCH else ''}erf({parts[0]})",
        "max": maximum,
        "step": lambda node, parts: f"({parts[0]} > 0)",
        "rowmax": lambda node, parts: f"{of}.{lib.largest}({parts[0]}, {lib.along(1)})",
        "colsum": lambda node, parts: f"{of}.sum({parts[0]}, {lib.along(0)})",
        "join": lambda node, parts: f"{of}.hstack([{', '.join(parts)}])",
        "stack": lambda node, parts: f"{of}.vstack([{', '.join(parts)}])",
        "list": lambda node, parts: str(_listed(node)),
        "column": lambda node, parts: f"{lib.array}({[[number] for number in _listed(node.arguments[0])]})",
        "rows": lambda node, parts: f"{parts[0]}[{parts[1]}]",
        "columns": lambda node, parts: f"{parts[0]}[:, {parts[1]}:{parts[2]}]",
        "at": lambda node, parts: f"{parts[0]}[{parts[1]}, {parts[2]}][:, None]",
        "lastrow": lambda node, parts: f"{parts[0]}[-1:]",
        "repeat": lambda node, parts: f"{of}.tile({parts[0]}, ({parts[1]}, 1))",
        "zeros": lambda node, parts: f"{of}.zeros((1, {parts[0]}))",
        "table": table,
        "ranked": lambda node, parts: f"ranked({', '.join(parts)})",
        "onehot": onehot,
        "best": best,
        "largest": largest,
        "added": lambda node, parts: f"{of}.sum({parts[0]}, {lib.axis}=-1)",
        "highest": lambda node, parts: f"{of}.{lib.largest}({parts[0]}, {lib.axis}=-1)",
    }


_SMALL = 1000
"""With at most this many columns, a row with a single 1 is taken from an identity matrix."""


def _words(node: Expression, parts: object) -> str:
    raise NoCode("words have no code")


def _forms(lib: Library) -> dict[str, Form]:
    functions = _functions(lib)

    def function(node: Expression, parts: list[str]) -> str:
        assert isinstance(node, Call)
        if node.function not in functions:
            raise NoCode(f"{node.function} has no code")
        return functions[node.function](node, parts)

    def root(node: Expression, parts: list[str]) -> str:
        assert isinstance(node, Call)
        return f"{lib.module if is_matrix(node.arguments[0]) else lib.numbers}.sqrt({parts[0]})"

    return {
        "Where": lambda node, parts: f"{lib.module}.where({', '.join(parts)})",
        "words": _words,
        "noted": lambda node, parts: parts[0],
        "Negative": lambda node, parts: f"-{parts[0]}",
        "exp": lambda node, parts: f"{lib.module}.exp({parts[0]})",
        "sqrt": root,
        "sum": lambda node, parts: f"{lib.module}.sum({parts[0]}, {lib.along(1)})",
        "Transposed": lambda node, parts: f"{parts[0]}.T",
        "function": function,
    }


_SIGNS = {"Sum": " + ", "Difference": " - ", "Product": " * ", "matrices": " @ ", "times": " * ", "Quotient": " / "}
_SIGNS |= {"Power": "**", "equal": " == ", "unequal": " != "}
_NOTATIONS = {
    lib.module: Notation(
        _RULES,
        _SIGNS,
        _forms(lib),
        leaves=LEAVES | {nodes.Named: lambda node, writer: writer.named(node.name), nodes.Phrase: _words},
        bracketed=lambda text: f"({text})",
        minus="-",
        power=" * ",
    )
    for lib in (NUMPY, TORCH)
}
