"""The generated tables of the docs: keys of the scenario format, rooms, families."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import walkthrough
from tests.docs import sources
from walkthrough.checkpoints.families import FAMILIES
from walkthrough.recording import SelectorError
from walkthrough.scenario.schema.keys import ScenarioSpec
from walkthrough.scenario.schema.sections import Section

PACKAGE = Path(walkthrough.__file__).parent


def _below(section: type[Section]) -> Iterable[type[Section]]:
    for found in section.__subclasses__():
        yield found
        yield from _below(found)


SECTIONS = {section.__name__: section for section in _below(Section) if section.KEYS}
assert ScenarioSpec in SECTIONS.values(), "importing the schema defines all sections"


def _table(*rows: Iterable[str]) -> str:
    """A pipe table; the first row is its head."""
    head, *body = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *body])


def _code(words: Iterable[str]) -> str:
    return " or ".join(f"`{word}`" for word in words)


_SIMPLE = {
    "number": "number",
    "integer": "whole number",
    "boolean": "`true` or `false`",
    "object": "mapping",
    "array": "list",
    "null": "`null`",
}


def _words(schema: dict[str, Any]) -> list[str]:
    """What a piece of JSON Schema accepts, in words."""
    if "$ref" in schema:
        return [schema["$ref"].rpartition("/")[2]]
    if "enum" in schema:
        return [f"`{str(word).lower() if isinstance(word, bool) else word}`" for word in schema["enum"]]
    if "anyOf" in schema:
        words = list(dict.fromkeys(word for part in schema["anyOf"] for word in _words(part)))
        made = (
            {"FileTensor", "Init", "Written", "Adapter"} if {"vector", "matrix"} & set(words) else set()
        )  # see the section on matrices
        return [word for word in words if word not in made and not (word == "matrix" and "vector" in words)]
    kind = schema.get("type", "string")
    kinds = [kind] if isinstance(kind, str) else [name for name in kind if name != "null"]
    if kinds == ["array"] and "items" in schema:
        items = _words(schema["items"])
        return {"number": ["vector"], "vector": ["matrix"]}.get(
            items[0], [f"list of ({_joined(items)})" if items[1:] else f"list of {items[0]}"]
        )
    if "string" in kinds:
        return ["text"]
    above = " above 0" if schema.get("exclusiveMinimum") == 0 else ""
    return [_SIMPLE[name] + above for name in kinds]


def _joined(words: list[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _value(field: Any) -> str:
    """What stands for the value; that the key is required, or what it is when it is left out."""
    words = _joined(_words(field.reader.schema()))
    if field.required:
        return f"{words}, required"
    if field.default in (None, ""):
        return words
    if isinstance(field.default, bool):
        return f"{words}; default `{str(field.default).lower()}`"
    if isinstance(field.default, float):
        return f"{words}; default `{field.default:g}`".replace("inf", ".inf")
    return f"{words}; default `{field.default}`"


def keys(name: str, *without: str) -> str:
    """The keys of a section of the format; those that stand in the lists of the sections `without` are left out."""
    known = {key for section in without for key in SECTIONS[section].KEYS}
    lines = [
        f"- {_code([key, *field.also])} ({_value(field)}): {field.doc}"
        for key, field in SECTIONS[name].KEYS.items()
        if key not in known
    ]
    return "\n".join(lines)


def rooms() -> str:
    """The packages, and what each is for."""
    folders = sorted(path.parent for path in PACKAGE.glob("*/__init__.py"))
    return _table(["room", "what it is"], *([f"`{one.name}/`", _summary(one / "__init__.py")] for one in folders))


def _summary(file: Path) -> str:
    """The first sentence of a module's docstring."""
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return text.split("\n\n")[0].replace("\n", " ").rstrip(".")


def families() -> str:
    """The families of checkpoints, and what each is built of."""
    rows = [[family.name, f"`{kind}`", family.built] for kind, family in FAMILIES.items()]
    return _table(["family", "`model_type`", "in the scenario"], *rows)


def selectors(scenario: str, *given: str) -> str:
    """How many steps each selector names, and the first of them."""
    trace = walkthrough.trace(walkthrough.load_scenario(scenario))
    rows = []
    for selector in given:
        try:
            found = trace.select(selector)
        except SelectorError as error:
            rows.append([f"`{selector}`", "0", str(error)])
        else:
            rows.append([f"`{selector}`", str(len(found)), f"`{found[0].path}`"])
    return _table(["selector", f"steps of `{scenario}`", "the first"], *rows)


TABLES: dict[str, Callable[..., str]] = {
    function.__name__: function
    for function in (
        keys,
        rooms,
        families,
        selectors,
        sources.verdicts,
    )
}
