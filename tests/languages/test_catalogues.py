"""Every language has every text and every title."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import walkthrough.scenario.schema
import walkthrough.transformer
from tests.cli.program import run
from tests.oracle.scenarios import KINDS, as_yaml, seeded_scenario
from tests.teaching.make.test_maker import HEAD
from walkthrough.expressions.tree.nodes import Expression, Named
from walkthrough.expressions.tree.walk import parts
from walkthrough.languages import LANGUAGES, en
from walkthrough.languages.catalogue import catalogue
from walkthrough.operations.definition import OPERATIONS, Operation
from walkthrough.recording.parts import parts_of
from walkthrough.recording.values import Kind
from walkthrough.scenario.schema.parameters import Parameter
from walkthrough.scenario.schema.sections import Section
from walkthrough.scenario.schema.sections import keys_of as keys_of_section
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.transformer.loading.load import parse_scenario, read_scenario
from walkthrough.transformer.runs.run import trace
from walkthrough.transformer.shapes.check import shape_trace
from walkthrough.views.page import assets

OTHERS = [language for language in LANGUAGES if language != "en"]
ROOMS = ("teaching", "views", "explaining", "languages", "cli")
"""Where texts are asked for."""
MADE = ("unreadable_", "waves_", "verdict_", "means_", "book_", "picture_")
"""Beginnings of names that are put together."""
SCHEMA = (walkthrough.scenario.schema.__path__, "walkthrough.scenario.schema.")
SAME = {"Scores", "Logits", "Gamma", "Beta"}
"""Titles that other languages share."""


@cache
def kinds() -> list[Kind]:
    """The kinds of all steps, as far as they are constants; of parameters too."""

    def kinds_in(one: Any) -> Iterator[Kind]:
        if isinstance(one, Kind):
            yield one
        elif isinstance(one, tuple | list):
            for part in one:
                yield from kinds_in(part)
        elif isinstance(one, dict):
            yield from kinds_in(list(one.values()))

    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(walkthrough.transformer.__path__, "walkthrough.transformer.")
    ]
    return [kind for module in modules for one in vars(module).values() for kind in kinds_in(one)]


def titles() -> set[str]:
    """Their titles."""
    return {kind.title for kind in kinds()} - {""}


def parameters() -> list[Parameter]:
    """What the schema declares of weights, biases and the like."""
    modules = [importlib.import_module(found.name) for found in pkgutil.walk_packages(*SCHEMA)]
    sections = {one for module in modules for one in vars(module).values() if is_section(one)}
    found = [key.parameter for section in sections for key in keys_of_section(section).values()]
    return [parameter for parameter in found if parameter is not None]


def is_section(one: object) -> bool:
    return isinstance(one, type) and issubclass(one, Section) and one is not Section


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


def strings_of(tree: ast.AST) -> Iterator[str]:
    """All texts in a program."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def patterns_of(tree: ast.AST) -> Iterator[str]:
    """What the texts with blanks in a program may become, as patterns; without those that say next to nothing."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            said = [one.value for one in node.values if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            if any(len(word) > 1 and word.isalpha() for text in said for word in text.split()):
                blank = iter(said)
                yield "".join(re.escape(next(blank)) if isinstance(one, ast.Constant) else ".*" for one in node.values)


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
def test_no_purpose_and_no_reason_is_missing(language: str) -> None:
    words = catalogue(language)
    said = {text for kind in kinds() for text in (kind.purpose, kind.why) if text}
    said |= {parameter.purpose for parameter in parameters()}
    assert len(said) > 200
    assert [text for text in said if words.prose(text) == text] == []


@pytest.mark.parametrize("language", OTHERS)
def test_no_word_in_a_formula_is_missing(language: str) -> None:
    words = catalogue(language)
    phrases = {name for operation in OPERATIONS.values() for name in names_in(operation) if " " in name.strip(", ")}
    assert len(phrases) > 30
    assert [phrase for phrase in phrases if words.phrases(phrase) == phrase] == []


def names_in(operation: Operation) -> Iterator[str]:
    """All words and symbols in the formula of an operation."""
    count = len(operation.axes[0])
    for inputs in range(max(count - 2, 1 if operation.axes[0] else 0), count + 2):
        with suppress(IndexError):
            yield from names_of(operation.formula(inputs, **operation.example))


def names_of(expression: Expression) -> Iterator[str]:
    if isinstance(expression, Named):
        yield expression.name
    for part in parts(expression):
        yield from names_of(part)


@pytest.mark.parametrize("language", OTHERS)
def test_the_controls_of_the_page_are_all_there_and_no_others(language: str) -> None:
    controls = catalogue(language).controls
    source = assets.script()
    said = set(re.findall(r'\bsay\(\s*"((?:[^"\\]|\\.)*)"', source))
    assert len(said) > 50
    assert said - en.TEXTS.keys() - catalogue(language).phrases.texts.keys() == controls.keys()
    for text, other in controls.items():
        assert set(re.findall(r"{\w+}", text)) == set(re.findall(r"{\w+}", other)), text


def test_the_scripts_say_nothing_past_the_catalogue() -> None:
    """What a script makes or labels is a text that is looked up, or a word of the scenario."""
    labels = r'(?:"aria-label"|title): "[A-Z]|button\("[A-Z]|make\("summary", {}, "|textContent = "[A-Z]'
    assert re.findall(labels, assets.script()) == []


@pytest.mark.parametrize("language", OTHERS)
def test_translations_are_of_texts_that_are_there(language: str) -> None:
    """What nobody says any more is not kept."""
    words = catalogue(language)
    root = Path(walkthrough.__file__ or "").parent
    rooms = ("transformer", "scenario", "operations", "explaining")
    source = [ast.parse(path.read_text("utf-8")) for room in rooms for path in (root / room).rglob("*.py")]
    known = {text for one in source for text in strings_of(one)} | {one.purpose for one in parameters()}
    made = re.compile("|".join(pattern for one in source for pattern in patterns_of(one)), re.DOTALL)
    for table in (words.prose, words.phrases):
        assert [text for text in table.texts if text not in known and not made.fullmatch(text)] == []


@pytest.mark.parametrize("language", OTHERS)
def test_titles_of_recorded_steps_are_translated(language: str) -> None:
    words = catalogue(language)
    for seed, kind in enumerate(KINDS):
        for value in trace(parse_scenario(as_yaml(seeded_scenario(kind, seed)))):
            assert all(words.prose(text) != text for text in (value.kind.purpose, value.kind.why) if text), value.path
            assert (
                words.title(value.kind.title) != value.kind.title
                or value.kind.title in SAME
                or value.kind.title.startswith("Bias")
            ), value.kind.title


def test_every_text_is_used() -> None:
    root = Path(walkthrough.__file__ or "").parent
    source = "\n".join(path.read_text("utf-8") for room in ROOMS for path in (root / room).rglob("*.py"))
    names = {name.removesuffix("_one") for name in en.TEXTS if not name.startswith(MADE)}
    assert [name for name in names if not re.search(f"[\"']{name}[\"']", source)] == []


@pytest.mark.parametrize("language", OTHERS)
def test_no_english_is_left_of_what_is_said_of_the_steps_of_bundled_scenarios(language: str) -> None:
    words, en_words = catalogue(language), catalogue("en")
    for scenario in bundled_scenarios():
        for value in shape_trace(read_scenario(scenario)):
            kind = value.kind
            assert words.prose(kind.purpose) != kind.purpose, value.path
            assert not kind.why or words.prose(kind.why) != kind.why, value.path
            assert words.title(kind.title) != kind.title or kind.title.startswith(tuple(SAME | {"Bias "})), kind.title
            for part in parts_of(value.path):
                assert part.title.rstrip(" 0123456789") in words.parts, part
                assert en_words.heading(part.title) == part.title
            for phrase in names_of(value.formula) if value.formula is not None else ():
                assert words.phrases(phrase) != phrase or " " not in phrase.strip(", "), phrase


@pytest.mark.parametrize("language", OTHERS)
def test_no_part_has_a_name_that_is_none_in_english(language: str) -> None:
    assert catalogue(language).parts.keys() <= catalogue("en").parts.keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_part_that_is_recorded_under_a_name_has_one(language: str) -> None:
    root = Path(walkthrough.transformer.__file__ or "").parent
    names = {name for path in root.rglob("*.py") for name in keys_of(path, "under")} | {"head", "group", "norm"}
    titles = {part.title.rstrip(" 0123456789") for name in names for part in parts_of(f"{name}.x")}
    assert titles - catalogue(language).parts.keys() == set()


@pytest.mark.parametrize("language", OTHERS)
def test_every_heading_of_a_training_and_of_weights_in_few_bits_is_translated(language: str) -> None:
    """Their paths are put together, and no walk over shapes has them."""
    words, adapted = (
        catalogue(language),
        "{base: {values: [[1], [2]], quantize: absmax}, a: [[1], [1]], b: [[1]], alpha: 1}",
    )
    headings = set()
    for optimizer in ("adamw", "{momentum: 0.9}"):
        layer = f"{{feed_forward: {{w_1: {adapted}, w_2: [[1, 2]]}}}}"
        text = f"title: t\ntokens: [a, b]\nembeddings: [[1, 2], [2, 1]]\nencoder: {{layers: [{layer}]}}\n"
        text += "output_head: {vocabulary: [a, b], w: [[1, 0], [0, 1]]}\n"
        text += f"training: {{targets: [b, a], clip: 1, optimizer: {optimizer}}}\n"
        headings |= {part.title for value in trace(parse_scenario(text)) for part in parts_of(value.path)}
    shared = {"Encoder", "Softmax", "Norm 1", "Norm 2"}
    assert {heading for heading in headings if words.heading(heading) == heading} <= shared
