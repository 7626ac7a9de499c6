"""Long lines of a program are broken where a person would break them, and mean the same."""

from __future__ import annotations

import ast

import pytest

from walkthrough.views.code.lines import WIDEST, assignment

MANY = ", ".join(f"np.max(np.abs(dW_{at}))" for at in range(9))
TERMS = " + ".join(f"A_{at}[:, 0:1] * B_{at}" for at in range(12))


@pytest.mark.parametrize(
    "code",
    [
        "A @ B",
        f"max({MANY})",
        f"np.array([[max({MANY})]])",
        TERMS,
        f"({TERMS})",
        f"f({TERMS})",
        f"[{MANY}] * 2",
        f"x[{MANY}]",
    ],
)
def test_it_means_the_same(code: str) -> None:
    lines = assignment("g", code)
    assert ast.dump(ast.parse("\n".join(lines))) == ast.dump(ast.parse(f"g = {code}"))
    assert max(map(len, lines)) <= WIDEST


def test_a_call_is_opened_an_argument_a_line() -> None:
    lines = assignment("g", f"np.array([[max({MANY})]])")
    assert lines[:6] == [
        "g = np.array(",
        "    [",
        "        [",
        "            max(",
        "                np.max(np.abs(dW_0)),",
        "                np.max(np.abs(dW_1)),",
    ]
    assert assignment("g", f"f({'a, ' * 31}b)") == ["g = f(", f"    {'a, ' * 31}b", ")"]


def test_what_is_no_call_stands_in_brackets() -> None:
    lines = assignment("g", TERMS)
    assert (lines[0], lines[-1]) == ("g = (", ")")
