"""Every reader has a row for every node that it may meet, and for every function."""

from __future__ import annotations

import re

import pytest

from walkthrough.expressions import evaluate, latex, nodes, shapes, text
from walkthrough.operations import OPERATIONS

ALL = set(nodes.Expression.__subclasses__())
MATRICES = {nodes.Operand, nodes.Transposed, nodes.Named}
CONSTANTS = {nodes.Number, nodes.Cell, nodes.Named}


@pytest.mark.parametrize(
    ("reader", "kinds"),
    [(evaluate, ALL - MATRICES), (text, ALL), (latex, ALL), (shapes, ALL - CONSTANTS)],
    ids=["evaluate", "text", "latex", "shapes"],
)
def test_a_row_for_each_kind_of_node_and_none_too_many(reader: object, kinds: set[type]) -> None:
    assert set(reader._RULES) == kinds


def test_evaluate_knows_every_function_of_numbers() -> None:
    assert set(evaluate.FUNCTIONS) == set(nodes.FUNCTIONS)


def functions_in(expression: nodes.Expression) -> set[str]:
    found = {expression.function} if isinstance(expression, nodes.Call) else set()
    for part in expression._parts():
        for inner in part if isinstance(part, tuple) else (part,):
            if isinstance(inner, nodes.Expression):
                found |= functions_in(inner)
    return found


def formula_of(name: str) -> nodes.Expression:
    operation = OPERATIONS[name]
    return operation.formula(max(len(operation.axes[0]), 1), **operation.example)


@pytest.mark.parametrize("name", OPERATIONS)
def test_formulas_use_the_functions_that_are_listed(name: str) -> None:
    assert functions_in(formula_of(name)) <= {*nodes.FUNCTIONS, *nodes.MATRIX_FUNCTIONS}


@pytest.mark.parametrize("name", OPERATIONS)
def test_formulas_keep_to_the_latex_that_all_renderers_share(name: str) -> None:
    written = latex.to_latex(formula_of(name), text.Writer())
    assert written
    assert not set("*<>|#%&$") & set(written), written
    assert r"\," not in written
    assert r"\operatorname" not in written
    assert re.sub(r"\\text\{[^}]*\}", "", written).isascii(), written
    assert written.count("{") == written.count("}")
    assert written.count(r"\left(") == written.count(r"\right)")
