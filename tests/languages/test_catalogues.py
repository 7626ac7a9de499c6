"""Every language has every text and every title."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import walkthrough.transformer
from tests.cli.program import run
from tests.oracle.scenarios import KINDS, as_yaml, seeded_scenario
from tests.teaching.make.test_maker import HEAD
from walkthrough.languages import LANGUAGES, en
from walkthrough.recording.values import Kind
from walkthrough.teaching.catalogue import catalogue
from walkthrough.transformer.loading.load import parse_scenario
from walkthrough.transformer.runs.run import trace

OTHERS = [language for language in LANGUAGES if language != "en"]
SAME = {"Scores", "Logits", "Gamma", "Beta"}
"""Titles that other languages share."""


def titles() -> set[str]:
    """The titles of all steps, as far as they are constants."""

    def kinds(one: Any) -> Iterator[Kind]:
        if isinstance(one, Kind):
            yield one
        elif isinstance(one, tuple | list):
            for part in one:
                yield from kinds(part)
        elif isinstance(one, dict):
            yield from kinds(list(one.values()))

    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(walkthrough.transformer.__path__, "walkthrough.transformer.")
    ]
    return {kind.title for module in modules for one in vars(module).values() for kind in kinds(one)} - {""}


def test_a_language_is_one_file() -> None:
    """A file is enough for a scenario to be in that language, and for the command line to offer it."""
    assert LANGUAGES[0] == "en"
    assert "de" in LANGUAGES
    for language in LANGUAGES:
        assert parse_scenario(f"language: {language}\n{HEAD}").spec.language == language
        assert run("practice", "help-me", "--language", language).returncode == 0
    refused = run("practice", "help-me", "--language", "xx")
    assert (refused.returncode, ", ".join(f"'{language}'" for language in LANGUAGES) in refused.stderr) == (2, True)


@pytest.mark.parametrize("language", OTHERS)
def test_no_text_is_missing(language: str) -> None:
    words = catalogue(language)
    assert words.texts.keys() == en.TEXTS.keys()
    for name, text in en.TEXTS.items():
        assert set(re.findall(r"{\w+}", text)) == set(re.findall(r"{\w+}", words.texts[name])), name


@pytest.mark.parametrize("language", OTHERS)
def test_no_mistake_is_missing(language: str) -> None:
    words = catalogue(language)
    assert words.mistakes.keys() == en.MISTAKES.keys()
    for key, said in en.MISTAKES.items():
        other = words.mistakes[key]
        assert isinstance(other, tuple) == isinstance(said, tuple), key
        for one, same in zip(np.atleast_1d(said), np.atleast_1d(other), strict=True):
            assert set(re.findall(r"{\w+}", one)) == set(re.findall(r"{\w+}", same)), key


def test_every_mistake_with_a_key_is_said_and_every_key_is_some_mistakes() -> None:
    root = Path(walkthrough.__file__ or "").parent
    made = {key for path in (root / "mistakes").rglob("*.py") for key in keys_of(path, "mistake")}
    assert made == en.MISTAKES.keys()


def keys_of(path: Path, function: str) -> set[str]:
    """The first argument of the calls of a function: a text, or one of two."""
    found = set()
    for call in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(call, ast.Call) and call.args and ast.unparse(call.func).rpartition(".")[2] == function:
            found |= {one.value for one in constants(call.args[0]) if isinstance(one.value, str) and one.value}
    return found


def constants(node: ast.expr) -> list[ast.Constant]:
    """The constants that an expression may be."""
    if isinstance(node, ast.IfExp):
        return [*constants(node.body), *constants(node.orelse)]
    return [node] if isinstance(node, ast.Constant) else []


@pytest.mark.parametrize("language", OTHERS)
def test_no_title_is_missing(language: str) -> None:
    words = catalogue(language)
    assert len(titles()) > 50
    prefixes = tuple(words.prefixes)
    assert [title for title in titles() if title not in words.titles and not title.startswith(prefixes)] == []


@pytest.mark.parametrize("language", OTHERS)
def test_titles_of_recorded_steps_are_translated(language: str) -> None:
    words = catalogue(language)
    for seed, kind in enumerate(KINDS):
        for value in trace(parse_scenario(as_yaml(seeded_scenario(kind, seed)))):
            assert (
                words.title(value) != value.kind.title
                or value.kind.title in SAME
                or value.kind.title.startswith("Bias")
            ), value.kind.title


def test_every_text_is_used() -> None:
    root = Path(walkthrough.__file__ or "").parent
    source = "\n".join(path.read_text("utf-8") for room in ("teaching", "cli") for path in (root / room).rglob("*.py"))
    names = {name.removesuffix("_one") for name in en.TEXTS if not name.startswith(("unreadable_", "waves_"))}
    assert [name for name in names if not re.search(f"[\"']{name}[\"']", source)] == []
