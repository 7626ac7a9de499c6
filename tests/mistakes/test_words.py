"""Every mistake has a row by its word, and every row a mistake."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import walkthrough
from walkthrough.languages.catalogue import ENGLISH
from walkthrough.mistakes.words import OTHER, WORDS

ROOT = Path(walkthrough.__file__).parent


def keys() -> Iterator[str]:
    """The keys of all mistakes, as they stand in the code."""
    for file in (*ROOT.glob("mistakes/**/*.py"), *ROOT.glob("comparing/*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "mistake":
                yield from (
                    part.value
                    for part in ast.walk(node.args[0])
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                )


def words_of(some: set[str]) -> set[str]:
    return {key.partition(".")[0] or OTHER for key in some}


def test_every_mistake_has_a_row_and_every_row_a_mistake() -> None:
    assert words_of(set(keys())) == set(WORDS)


def test_every_sentence_is_of_a_mistake() -> None:
    assert words_of(set(ENGLISH.mistakes)) <= set(WORDS)
