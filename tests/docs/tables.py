"""The generated tables of the docs: keys of the scenario format, operations, formats, rooms, families."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import walkthrough
from tests.docs import sources
from walkthrough.checkpoints.families import FAMILIES
from walkthrough.operations import OPERATIONS
from walkthrough.recording import SelectorError
from walkthrough.scenario.gallery import GROUPS
from walkthrough.scenario.gallery import gallery as listed
from walkthrough.scenario.schema.keys import ScenarioSpec
from walkthrough.scenario.schema.sections import Section, keys_of, reader_of
from walkthrough.views.formats import FORMATS, by_name

PACKAGE = Path(walkthrough.__file__).parent


def _below(section: type[Section]) -> Iterable[type[Section]]:
    for found in section.__subclasses__():
        yield found
        yield from _below(found)


SECTIONS = {section.__name__: section for section in _below(Section) if keys_of(section)}
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
        return [f"`{word}`" for word in schema["enum"]]
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


def _default(field: Any) -> str:
    """What stands behind the value: that the key is required, or what it is when it is left out."""
    if field.required:
        return ", required"
    if field.default in (None, ""):
        return ""
    if isinstance(field.default, bool):
        return f"; default `{str(field.default).lower()}`"
    if isinstance(field.default, float):
        return f"; default `{field.default:g}`".replace("inf", ".inf")
    return f"; default `{field.default}`"


def keys(name: str, *without: str) -> str:
    """The keys of a section of the format; those that stand in the tables of the sections `without` are left out."""
    known = {key for section in without for key in keys_of(SECTIONS[section])}
    rows = [
        [
            _code([key, *field.also]),
            field.doc,
            _joined(_words(reader_of(field).schema())) + _default(field),
        ]
        for key, field in keys_of(SECTIONS[name]).items()
        if key not in known
    ]
    return _table(["key", "meaning", "value"], *rows)


def operations() -> str:
    """The names of all operations, by the file that writes their formula."""
    files: dict[str, list[str]] = {}
    for name, operation in OPERATIONS.items():
        file = Path(inspect.getfile(operation.formula)).relative_to(PACKAGE / "operations")
        files.setdefault(str(file), []).append(f"`{name}`")
    return _table(["file", "operations"], *([f"`{file}`", ", ".join(names)] for file, names in sorted(files.items())))


def gallery(group: str) -> str:
    """The scenarios of a group, each with its title and description."""
    by_name = {one.name: one for one in listed()}
    parts = [
        f"## {name}\n\n[**{by_name[name].title}**](../scenarios/{name}.yaml)\n\n{by_name[name].description.strip()}"
        for name in GROUPS[group][1]
    ]
    return "\n\n".join(["", *parts]) + "\n"


def formats() -> str:
    """The export formats with their suffixes."""
    rows = [
        [f"`{name}`", _code(format.suffixes), _summary(Path(str(by_name(name).__file__)))]
        for name, format in FORMATS.items()
    ]
    return _table(["format", "suffix", "content"], *rows)


def rooms() -> str:
    """The packages, what each is for, and which of them it imports: always, or only inside a function."""
    rows = []
    for folder in sorted(path.parent for path in PACKAGE.glob("*/__init__.py")):
        modules = [ast.parse(file.read_text(encoding="utf-8")) for file in sorted(folder.rglob("*.py"))]
        always = {name for module in modules for name in _imports(module.body)} - {folder.name}
        wanted = {name for module in modules for name in _imports(ast.walk(module))} - {folder.name} - always
        names = [", ".join(f"`{name}`" for name in sorted(found)) for found in (always, wanted)]
        rows.append([f"`{folder.name}/`", _summary(folder / "__init__.py"), *names])
    return _table(["room", "what it is", "imports", "on demand"], *rows)


def _summary(file: Path) -> str:
    """The first sentence of a module's docstring."""
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return text.split("\n\n")[0].replace("\n", " ").rstrip(".")


def _imports(nodes: Iterable[ast.AST]) -> list[str]:
    """The rooms that statements import from."""
    modules = [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    parts = [module.split(".") for module in modules if module.startswith("walkthrough.")]
    return [part[1] for part in parts if (PACKAGE / part[1]).is_dir()]


def families() -> str:
    """The families of checkpoints: what each is built of, what is left out, and what transformers has in float32."""
    rows = [
        [family.name, f"`{kind}`", family.built, ", ".join(dict.fromkeys(family.left_out.values())), family.float32]
        for kind, family in FAMILIES.items()
    ]
    return _table(
        ["family", "`model_type`", "in the scenario", "left out, with a note", "float32 in transformers"], *rows
    )


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
        operations,
        gallery,
        formats,
        rooms,
        families,
        selectors,
        sources.verdicts,
        sources.slips,
    )
}
