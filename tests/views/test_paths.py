"""No view knows a transformer: the words of paths are read in recording/, and a value says what it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from walkthrough import views

HOME = Path(views.__file__).parent
_WORD = "(?:encoder|decoder|attention|head|output_head|loss|gradient|update|train|trained|generate|beam|example|lens)"
WORDS = re.compile(rf"\b{_WORD}\\?\.(?!py\b|js\b|css\b|\s|$)|^{_WORD}\.$")
COMMENTS = re.compile(r"/\*.*?\*/|(?<![:\\\"])//[^\n]*", re.DOTALL)
STRINGS = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`|/\S+/")


def texts_of(source: str) -> Iterator[str]:
    """The texts in a module that are no docstrings, written one after the other where one is made of several."""
    tree = ast.parse(source)
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
            yield node.value


def test_no_text_of_a_view_has_words_of_a_path() -> None:
    found = [
        (path.relative_to(HOME), text)
        for path in HOME.rglob("*.py")
        for text in texts_of(path.read_text(encoding="utf-8"))
        if WORDS.search(text)
    ]
    assert found == []


def test_nor_has_a_script_of_the_page() -> None:
    found = [
        (path.relative_to(HOME), text)
        for path in HOME.rglob("*.js")
        for text in STRINGS.findall(COMMENTS.sub("", path.read_text(encoding="utf-8")))
        if WORDS.search(text)
    ]
    assert found == []


def test_a_word_of_a_path_is_seen() -> None:
    for text in ("gradient.", "output_head.prediction", r"train\.(\d+)\.", "trained.loss.mean"):
        assert WORDS.search(text)
    assert not WORDS.search("the loss.")
