"""Every mistake has a row by its word, and every row a mistake."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import walkthrough
from walkthrough.languages.catalogue import ENGLISH
from walkthrough.mistakes.words import WORDS

ROOT = Path(walkthrough.__file__).parent


def keys() -> Iterator[str]:
    """The keys of all mistakes, as they stand in the code."""
    for file in (*ROOT.glob("mistakes/**/*.py"), *ROOT.glob("comparing/*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "mistake":
                yield from constants_in(node.args[0])


def constants_in(node: ast.expr) -> Iterator[str]:
    """The texts that an argument may be: one, or one of two."""
    if isinstance(node, ast.IfExp):
        yield from (*constants_in(node.body), *constants_in(node.orelse))
    elif isinstance(node, ast.Constant):
        yield str(node.value)


def words_of(some: set[str]) -> set[str]:
    return {key.partition(".")[0] for key in some}


def test_every_mistake_has_a_row_and_every_row_a_mistake() -> None:
    assert words_of(set(keys())) == set(WORDS)


def test_every_mistake_is_said_and_so_is_what_those_of_a_word_have_in_common() -> None:
    made = set(keys())
    assert set(ENGLISH.mistakes) == made | set(WORDS)
    common = words_of({key for key in made if "." in key})
    assert [word for word in common if "{" in ENGLISH.mistakes[word]] == []
