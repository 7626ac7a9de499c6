"""Every language has every text under the same key, and every key is that of something that is said."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

import walkthrough.languages
import walkthrough.scenario.schema
import walkthrough.transformer
from tests.cli.program import run
from tests.oracle.scenarios import KINDS, as_yaml, seeded_scenario
from tests.teaching.sheets.make.test_maker import HEAD
from walkthrough.expressions.tree.nodes import Expression, Named, Phrase
from walkthrough.expressions.tree.walk import parts
from walkthrough.languages import LANGUAGES
from walkthrough.languages.catalogue import catalogue
from walkthrough.operations.definition import OPERATIONS, Operation
from walkthrough.recording.parts import parts_of
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema.sections import Section
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.transformer.loading.load import parse_scenario, read_scenario
from walkthrough.transformer.runs.run import trace
from walkthrough.transformer.scope import kind_of
from walkthrough.transformer.shapes import shape_trace
from walkthrough.views.page import assets
from walkthrough.views.page.data import language_data

OTHERS = [language for language in LANGUAGES if language != "en"]
ROOMS = ("mistakes", "teaching", "views", "explaining", "languages", "transformer", "cli")
"""Where texts are asked for."""
MADE = ("unreadable_", "waves_", "verdict_", "means_", "book_", "picture_")
"""Beginnings of names that are put together."""
SCHEMA = (walkthrough.scenario.schema.__path__, "walkthrough.scenario.schema.")
PACKAGE = Path(walkthrough.__file__ or "").parent
FILES = Path(walkthrough.languages.__file__ or "").parent
TRAINED = """
title: t
tokens: [a, b]
embeddings: [[1, 2], [2, 1]]
encoder:
  layers:
    - attention: {num_heads: 2, w_q: {values: [[1, 0], [0, 1]], quantize: absmax}, w_k: ONE, w_v: ONE, w_o: ONE}
      norm_1: {gamma: [[1, 2]]}
      feed_forward: {w_1: WEIGHT, w_2: [[1, 2]], activation: gelu_tanh}
output_head: {vocabulary: [a, b], w: [[1, 0], [0, 1]]}
training: {targets: [b, a], steps: 2, clip: 1, optimizer: OPTIMIZER, schedule: SCHEDULE}
"""
"""Of what no bundled scenario has: optimizers, weights in few bits, one of them with a low-rank change."""
WEIGHTS = [f"{{base: {{values: [[1], [2]], quantize: {way}}}, a: [[1], [1]], b: [[1]], alpha: 1}}"
           for way in ("absmax", "zero_point")]  # fmt: skip
OPTIMIZERS = ("adamw", "{momentum: 0.9}", "adam", "sgd")
SCHEDULES = ("{cosine: {warmup_steps: 1}}", "{linear: {warmup_steps: 1}}")


def trained() -> list[Trace]:
    """The trainings of all these."""
    found = []
    for weight, optimizer, schedule in zip(WEIGHTS * 2, OPTIMIZERS, SCHEDULES * 2, strict=True):
        text = (
            TRAINED.replace("WEIGHT", weight)
            .replace("ONE", "[[1, 0], [0, 1]]")
            .replace("OPTIMIZER", optimizer)
            .replace("SCHEDULE", schedule)
        )
        found.append(trace(parse_scenario(text)))
    return [*found, trace(parse_scenario("{title: t, embeddings: [[1]], training: {gradients: {embeddings: 1}}}"))]


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


@cache
def of_bundled_scenarios() -> list[Value]:
    """Their steps, without numbers."""
    return [value for scenario in bundled_scenarios() for value in shape_trace(read_scenario(scenario))]


@cache
def recorded() -> list[Kind]:
    """The kinds of all steps of bundled scenarios, of drawn ones and of some trainings; and of all parameters."""
    found = [value.kind for value in of_bundled_scenarios()]
    texts = [as_yaml(seeded_scenario(kind, seed)) for seed, kind in enumerate(KINDS)]
    read = [*map(parse_scenario, texts), *map(read_scenario, ("cooking-training", "two-sentences", "warmup"))]
    found += [value.kind for one in (*trained(), *(trace(one, most_steps=2) for one in read)) for value in one]
    return found + [kind_of(object.__new__(section), key) for section in sections() for key in parameters_of(section)]


def sections() -> set[type[Section]]:
    """Those of the schema."""
    modules = [importlib.import_module(found.name) for found in pkgutil.walk_packages(*SCHEMA)]
    return {one for module in modules for one in vars(module).values() if is_section(one)}


def parameters_of(section: type[Section]) -> list[str]:
    return [name for name, key in section.KEYS.items() if key.parameter is not None]


def is_section(one: object) -> bool:
    return isinstance(one, type) and issubclass(one, Section) and one is not Section


def flat(words: Any, before: str = "") -> dict[str, str]:
    """The texts of a language by their whole keys."""
    if isinstance(words, str):
        return {before: words}
    return {key: text for name, one in words.items() for key, text in flat(one, f"{before} {name}").items()}


def source_of(*rooms: str, kind: str = "py") -> str:
    """All files of a kind of these rooms, one after the other."""
    return "\n".join(path.read_text("utf-8") for room in rooms for path in sorted((PACKAGE / room).rglob(f"*.{kind}")))


def quoted_in(source: str) -> set[str]:
    """The words that are texts of their own."""
    return set(re.findall(r"(?<=[\"'])\w+(?=[\"'])", source))


def blanks_in(text: str) -> set[str]:
    return set(re.findall(r"{\w+}", text))


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
def test_a_language_has_the_keys_of_english_and_their_blanks(language: str) -> None:
    """Beside them the titles of steps, whose English ones are in the code; it lacks the sources, which are the same."""
    english, other = (flat(catalogue(one).words) for one in ("en", language))
    english = {key: text for key, text in english.items() if not re.fullmatch(" steps .* source", key)}
    other = {key: text for key, text in other.items() if not re.fullmatch(" steps .* title", key)}
    assert english.keys() == other.keys()
    assert [key for key, text in english.items() if blanks_in(text) != blanks_in(other[key])] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_key_is_no_sentence_and_is_there_once(language: str) -> None:
    def keys_in(node: yaml.Node) -> Iterator[str]:
        if isinstance(node, yaml.MappingNode):
            names = [key.value for key, _ in node.value]
            assert len(names) == len(set(names)), [name for name in names if names.count(name) > 1]
            yield from names
            for _, value in node.value:
                yield from keys_in(value)

    root = yaml.compose((FILES / f"{language}.yaml").read_text("utf-8"), Loader=yaml.CSafeLoader)
    assert [key for key in keys_in(root) if not re.fullmatch(r"[a-z][a-z0-9_.]*", key)] == []


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
def test_every_step_has_a_title_a_purpose_and_if_it_is_computed_a_reason(language: str) -> None:
    words, english = catalogue(language), catalogue("en")
    assert len(kinds()) > 120
    for kind in (*kinds(), *recorded()):
        if kind.title:
            assert words.purpose(kind), kind
            assert bool(words.why(kind)) == bool(english.why(kind)), kind
            assert words._say(kind, kind.key, "title"), kind


def test_two_kinds_of_steps_have_one_key_only_where_they_are_alike() -> None:
    titles: dict[str, str] = {}
    for kind in kinds():
        assert titles.setdefault(kind.key, kind.title) == kind.title, kind


def test_every_key_of_a_step_is_that_of_some_step() -> None:
    """It stands there itself, or something of it is said where a longer key lacks that."""
    asked = {key for kind in (*kinds(), *recorded()) for key in (kind.key, kind.reason)}
    used = {".".join(key.split(".")[: at + 1]) for key in asked for at in range(len(key.split(".")))}
    assert catalogue("en").words["steps"].keys() - used == set()


def test_every_word_in_a_formula_is_there_and_every_one_is_used() -> None:
    phrases = {phrase.key: phrase for operation in OPERATIONS.values() for phrase in phrases_of(operation)}
    assert len(phrases) > 50
    assert all(catalogue("en").phrase(phrase) for phrase in phrases.values())
    source = source_of("operations", "explaining", "expressions")
    assert [key for key in catalogue("en").words["phrases"].keys() - phrases if f'"{key}"' not in source] == []


def test_no_formula_has_words_of_its_own() -> None:
    """What stands between the symbols is a sign, or a phrase."""
    names = {part.name for operation in OPERATIONS.values() for part in named_in(operation)}
    assert [name for name in names if len(re.findall("[a-z]+", name, re.IGNORECASE)) > 1 and " " in name] == []


def formulas_of(operation: Operation) -> Iterator[Expression]:
    """The formula of an operation, for several numbers of inputs, and for the choices whose words a key has."""
    count = len(operation.axes[0])
    choices = {"share": ("tensor", "row", "column", "group"), "layout": ("halves", "interleaved")}
    varied = [{name: one} for name, several in choices.items() if name in operation.example for one in several]
    for inputs in range(max(count - 2, 1 if operation.axes[0] else 0), count + 2):
        for other in varied or [{}]:
            with suppress(IndexError):
                yield operation.formula(inputs, **{**operation.example, **other})


def nodes_of(expression: Expression) -> Iterator[Expression]:
    yield expression
    for part in parts(expression):
        yield from nodes_of(part)


def phrases_of(operation: Operation) -> Iterator[Phrase]:
    return (one for formula in formulas_of(operation) for one in nodes_of(formula) if isinstance(one, Phrase))


def named_in(operation: Operation) -> Iterator[Named]:
    return (one for formula in formulas_of(operation) for one in nodes_of(formula) if isinstance(one, Named))


def test_the_controls_of_the_page_are_all_there_and_no_others() -> None:
    said = set(re.findall(r'\bsay\(\s*"([^"]*)"', assets.script()))
    assert len(said) > 50
    assert said == language_data("en")["texts"].keys()


def test_the_page_knows_what_is_said_of_every_mistake_that_it_finds() -> None:
    assert set(re.findall(r'\bword: "(\w+)"', assets.script())) == language_data("en")["mistakes"].keys()


def test_the_scripts_say_nothing_past_the_catalogue() -> None:
    """What a script makes or labels is a text that is looked up, or a word of the scenario."""
    labels = r'(?:"aria-label"|title): "[A-Z]|button\("[A-Z]|make\("summary", {}, "|textContent = "[A-Z]'
    assert re.findall(labels, assets.script()) == []


def test_every_meaning_is_read_somewhere_and_no_reader_has_words_of_its_own() -> None:
    source = source_of("drafts", "teaching", "views", "languages", "judging")
    assert catalogue("en").words["read"].keys() - quoted_in(source) == set()
    foreign = {
        word for language in OTHERS for one in catalogue(language).words["read"].values() for word in one.split(", ")
    }
    whole = {word for word in foreign if len(word) > 4 and "…" not in word} - set(words_in_english())
    text = (source + source_of(".", kind="js")).lower()
    assert [word for word in whole if word.lower() in text and re.search(rf"\b{word.lower()}\b", text)] == []


def words_in_english() -> Iterator[str]:
    for one in catalogue("en").words["read"].values():
        for word in one.split(", "):
            yield from (word, word.capitalize())


def test_every_text_is_used() -> None:
    names = {name.removesuffix("_one") for name in catalogue("en").texts if not name.startswith(MADE)}
    assert names - quoted_in(source_of(*ROOMS)) == set()


def test_every_part_of_bundled_scenarios_has_a_name() -> None:
    words = {part.word for value in of_bundled_scenarios() for part in parts_of(value.path)}
    assert words - catalogue("en").words["parts"].keys() == set()


def test_every_part_that_is_recorded_under_a_name_has_one() -> None:
    """Also in trainings and of weights in few bits, whose paths are put together, and which no walk over shapes has."""
    root = Path(walkthrough.transformer.__file__ or "").parent
    names = {name for path in root.rglob("*.py") for name in keys_of(path, "under")} | {"head", "group", "norm"}
    paths = [f"{name}.x" for name in names]
    paths += [value.path for one in trained() for value in one]
    words = {part.word for path in paths for part in parts_of(path)}
    assert words - catalogue("en").words["parts"].keys() == set()


def test_every_name_of_a_part_and_every_origin_is_said_of_something() -> None:
    source = source_of(".")
    words = catalogue("en").words
    parts = {part.removesuffix("_corrected") for part in words["parts"]}  # of a moment, which is put behind its name
    ends = list(product("\"'.", "\"'._{"))
    assert [part for part in parts if not any(f"{before}{part}{after}" in source for before, after in ends)] == []
    assert [name for key in ("origins", "columns") for name in words[key] if f'"{name}"' not in source] == []
