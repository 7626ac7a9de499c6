"""One writer of formulas: the terminal, an explanation, JSON and Markdown say the same."""

from __future__ import annotations

import json

import pytest

from tests.examples import slow
from tests.views.samples import bundled_trace
from walkthrough.explaining.explanation import explain
from walkthrough.explaining.formulas import formula_latex, formula_text
from walkthrough.languages.catalogue import ENGLISH
from walkthrough.operations import OPERATIONS
from walkthrough.recording.cells import CellAt
from walkthrough.views.formats import to_bytes
from walkthrough.views.options import Options

SCENARIOS = ["chai", "cooking-multihead", "cooking-training", slow("fuchs"), slow("tea-gpt")]


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_view_says_the_same(name: str) -> None:
    trace = bundled_trace(name)
    steps = {step["path"]: step["formula"] for step in json.loads(to_bytes(trace, Options(), "json"))["steps"]}
    for at, value in enumerate(trace):
        formula = formula_text(value)
        assert steps[value.path] == formula
        if value.operation is not None and at % 5 == 0:
            assert explain(trace, CellAt(value, 0, 0), 0).formula == formula


@pytest.mark.parametrize(
    ("name", "path", "text", "latex"),
    [
        ("cooking-multihead", "attention.concat", "C = (Z_1, Z_2)", r"C = \left(Z_{1}, Z_{2}\right)"),
        (
            "fuchs",
            "attention.head.1.masked_scores",
            "S_m = S' where M is 1, else −∞",
            r"S_{m} = S'\text{ where }M\text{ is 1, else }-\infty",
        ),
        ("chai", "norm_2.centered", "D_2 = R_2 − μ_2", r"D_{2} = R_{2} - \mu_{2}"),
        ("tea-gpt", "final_norm.std", "σ_f = √(σ²_f + ε)", r"\sigma_{f} = \sqrt{\sigma ^2_{f} + \epsilon}"),
    ],
)
def test_formulas(name: str, path: str, text: str, latex: str) -> None:
    value = bundled_trace(name).select(path)[0]
    assert formula_text(value) == text
    assert formula_latex(value) == latex


def test_a_given_matrix_has_none() -> None:
    trace = bundled_trace("chai")
    assert formula_text(trace["embeddings"]) == formula_latex(trace["embeddings"]) == ""
    assert explain(trace, CellAt(trace["embeddings"], 0, 0)).formula == "W_E is given"


@pytest.mark.parametrize("name", ["gelu", "gelu_tanh", "silu", "sigmoid", "relu"])
def test_an_activation_is_taken_cell_by_cell(name: str) -> None:
    assert "·" not in formula_of(name)
    assert "·" not in formula_of(f"{name}_gradient")


def formula_of(name: str) -> str:
    from walkthrough.expressions.notations.text import Writer, to_text

    operation = OPERATIONS[name]
    return to_text(operation.formula(len(operation.axes[0])), Writer(operand="HG".__getitem__, phrase=ENGLISH.phrase))


@pytest.mark.parametrize("name", SCENARIOS)
def test_no_two_norms_of_a_layer_share_a_symbol(name: str) -> None:
    trace = bundled_trace(name)
    seen: dict[tuple[str, str], str] = {}
    for value in trace:
        layer, dot, rest = value.path.rpartition("norm_")
        if dot and not value.path.startswith("gradient"):
            symbol = seen.setdefault((layer, value.kind.symbol), rest.partition(".")[0])
            assert symbol == rest.partition(".")[0]
