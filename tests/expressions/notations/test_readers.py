"""Every reader has a row for every node that it may meet, and for every function."""

from __future__ import annotations

import re

import pytest

from walkthrough.expressions.bounds import affine_functions, matrices
from walkthrough.expressions.fold import arrays
from walkthrough.expressions.notations import latex, text, writing
from walkthrough.expressions.tree import evaluate, nodes, shapes
from walkthrough.expressions.tree.walk import cells, parts, with_parts
from walkthrough.languages.catalogue import ENGLISH
from walkthrough.operations import OPERATIONS, Operation

EVERY = set(nodes.Expression.__subclasses__())
FOLDED = {nodes.Entry, nodes.IndexValue, nodes.Repeated, nodes.Loop}
ALL = EVERY - FOLDED
MATRICES = {nodes.Operand, nodes.Transposed, nodes.Named, nodes.Phrase}
CONSTANTS = {nodes.Number, nodes.Cell, nodes.Named, nodes.Phrase}
LEAVES = {nodes.Number, nodes.Cell, nodes.Operand, nodes.Named, nodes.Phrase}


@pytest.mark.parametrize(
    ("rules", "kinds"),
    [
        (evaluate._RULES, ALL - MATRICES),
        (shapes._RULES, ALL - CONSTANTS),
        (arrays._RULES, EVERY - MATRICES - {nodes.Cell, nodes.Repeated, nodes.Loop}),
        (matrices._RULES, EVERY - MATRICES - {nodes.Cell, nodes.Repeated, nodes.Loop}),
    ],
    ids=["evaluate", "shapes", "arrays", "matrices"],
)
def test_a_row_for_each_kind_of_node_and_none_too_many(rules: dict, kinds: set[type]) -> None:
    assert set(rules) == kinds


@pytest.mark.parametrize("notation", [text._TEXT, latex._LATEX], ids=["text", "latex"])
def test_a_form_for_each_kind_of_node_and_a_rule_for_each_form(notation: writing.Notation) -> None:
    kinds = {kind.__name__ for kind in ALL - LEAVES} - {"Call"}
    functions = {"equal", "unequal", "times", "exp", "sqrt", "sum"}
    assert set(notation.leaves) == LEAVES - {nodes.Phrase}  # which becomes a name in the language of the reader
    assert {*notation.forms, *notation.signs} - {"matrices"} == kinds | functions
    assert set(notation.rules) == kinds | functions | {"words", "noted", "function"}


@pytest.mark.parametrize("reader", [evaluate, arrays, affine_functions], ids=["evaluate", "arrays", "affine"])
def test_every_function_of_numbers_is_known(reader: object) -> None:
    assert set(reader.FUNCTIONS) == set(nodes.FUNCTIONS)


@pytest.mark.parametrize("kind", sorted(ALL - LEAVES, key=lambda kind: kind.__name__))
def test_every_kind_of_node_can_be_walked_through_and_made_anew(kind: type) -> None:
    x, y, z = (nodes.Cell(0, 0, at) for at in range(3))
    made = {
        nodes.Call: nodes.Call("max", (x, y)),
        nodes.Sum: nodes.Sum((x, y)),
        nodes.Product: nodes.Product((x, y)),
        nodes.Power: nodes.Power(x, nodes.Number(2)),
    }
    node = made.get(kind) or kind(*(x, y, z)[: len(kind.fields)])
    assert list(cells(node)) == list(cells(with_parts(node, parts(node)))) != []
    assert with_parts(node, parts(node)) == node
    assert list(cells(with_parts(node, [z for _ in parts(node)]))) == [z] * len(parts(node))


def functions_in(expression: nodes.Expression) -> set[str]:
    found = {expression.function} if isinstance(expression, nodes.Call) else set()
    for part in expression._parts():
        for inner in part if isinstance(part, tuple) else (part,):
            if isinstance(inner, nodes.Expression):
                found |= functions_in(inner)
    return found


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=list(OPERATIONS))
def test_formulas_use_the_functions_that_are_listed_and_the_latex_that_all_renderers_share(
    operation: Operation,
) -> None:
    formula = operation.formula(max(len(operation.axes[0]), 1), **operation.example)
    assert functions_in(formula) <= {*nodes.FUNCTIONS, *nodes.MATRIX_FUNCTIONS}
    written = latex.to_latex(formula, text.Writer(phrase=ENGLISH.phrase))
    assert written
    assert not set("*<>|#%&$") & set(written), written
    assert r"\," not in written
    assert r"\operatorname" not in written
    assert re.sub(r"\\text\{[^}]*\}", "", written).isascii(), written
    assert written.count("{") == written.count("}")
    assert written.count(r"\left(") == written.count(r"\right)")
