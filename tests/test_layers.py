"""Rooms import one way, and so do the folders inside them; each folder says what it is.

Who may know whom is the table KNOWS; a new room is added there, or not at all.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

from docs.pictures.house import FLOORS, GROUND

ROOT = Path(__file__).resolve().parents[1] / "walkthrough"
CORE = {"errors", "records", "text", "notation", "numerals", "number_formats", "expressions"}
TRACES = {*CORE, "operations", "recording"}
ANY = {"*"}

KNOWS: dict[str, set[str]] = {
    "version": set(),
    "errors": set(),
    "languages": {"records"},
    "records": set(),
    "text": set(),
    "notation": set(),
    "numerals": set(),
    "number_formats": {"records"},
    "expressions": {"records", "notation"},
    "operations": {"records", "expressions"},
    "recording": {*TRACES, "languages"},
    "scenario": {"errors", "languages", "records", "text", "notation", "numerals", "number_formats"},
    "checkpoints": {"errors", "records", "text", "scenario"},
    "transformer": {*TRACES, "scenario"},
    "sizes": {*TRACES, "scenario", "transformer"},
    "explaining": {*TRACES, "languages"},
    "judging": {*TRACES, "languages", "scenario", "explaining", "mistakes"},
    "mistakes": {*TRACES, "languages", "explaining"},
    "comparing": {*TRACES, "scenario", "checkpoints", "mistakes"},
    "drafts": {*TRACES, "languages", "scenario", "judging"},
    "views": {*TRACES, "languages", "explaining", "mistakes", "judging", "drafts", "comparing", "sizes", "version"},
    "teaching": {*TRACES, "languages", "scenario", "transformer", "explaining", "judging", "mistakes", "views"},
    "describing": {*TRACES, "scenario", "checkpoints", "transformer", "comparing", "mistakes"},
    "library": {
        "errors",
        "number_formats",
        "languages",
        "recording",
        "explaining",
        "judging",
        "views",
        "scenario",
        "transformer",
        "sizes",
    },
    "comparison": {"errors", "text", "recording", "comparing", "views", "scenario", "transformer", "library"},
    "description": {
        "errors",
        "comparing",
        "checkpoints",
        "scenario",
        "transformer",
        "comparison",
        "describing",
        "views",
    },
    "cli": ANY,
    "__main__": ANY,
    "__init__": ANY,
}
"""The other rooms that each room may import."""

INSTALLED = {"operations": {"numpy"}, "recording": {"numpy"}, "explaining": {"numpy"}, "transformer": {"numpy"},
             "expressions": {"numpy"}, "errors": set(), "languages": {"yaml"}, "records": set(), "text": set(),
             "notation": set(), "numerals": set(), "number_formats": {"numpy"}, "version": set()}  # fmt: skip
"""What has to be installed for a room, beyond Python; other rooms are free."""


class Import(NamedTuple):
    """One import: where, what, and the function that it waits for; none: it is made at once; TYPE_CHECKING: never."""

    file: str
    module: str
    function: str

    @property
    def from_room(self) -> str:
        return self.file.partition("/")[0].removesuffix(".py")

    @property
    def package(self) -> str:
        return self.module.partition(".")[0]

    @property
    def to_room(self) -> str:
        return self.module.split(".")[1] if "." in self.module else "__init__"


def imports_of(tree: ast.AST, file: str, function: str = "") -> Iterator[Import]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (Import(file, name.name, function) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: imports are absolute"
            modules = [node.module] if node.module != "walkthrough" else [f"walkthrough.{n.name}" for n in node.names]
            yield from (Import(file, str(module), function) for module in modules)
        elif not isinstance(node, ast.expr):
            inside = function
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                inside = node.name
            elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                inside = "TYPE_CHECKING"
            yield from imports_of(node, file, inside)


FILES = sorted(ROOT.rglob("*.py"))


@cache
def all_imports() -> list[Import]:
    return [
        found
        for path in FILES
        for found in imports_of(ast.parse(path.read_text(encoding="utf-8")), path.relative_to(ROOT).as_posix())
    ]


def trespasses(imports: list[Import]) -> list[str]:
    """The imports of a room that the importing room must not know."""
    return [
        f"{found.file} imports {found.module}"
        for found in imports
        if found.package == "walkthrough"
        and found.to_room != found.from_room
        and not KNOWS[found.from_room] & {found.to_room, "*"}
    ]


def test_every_room_has_its_place() -> None:
    rooms = {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in FILES}
    assert rooms <= KNOWS.keys(), "say in KNOWS what the new room may import"


def test_no_two_rooms_know_each_other() -> None:
    def reached(room: str) -> set[str]:
        return KNOWS[room].union(*(reached(other) for other in KNOWS[room] - {room}))

    for room in KNOWS.keys() - {"cli", "__main__", "__init__"}:
        for other in KNOWS[room] - {room}:
            assert room not in reached(other), f"{room} and {other}"


def test_the_picture_has_every_room_above_what_it_imports() -> None:
    """A room imports from the floors below its own, and from the rooms to its left."""
    rooms = [room.name.rstrip("/") for _, floor in reversed(FLOORS) for room in floor]
    ground = {name.rstrip("/") for name in GROUND if name.endswith("/")}
    assert {*rooms, *ground, "cli"} == {path.name for path in ROOT.iterdir() if (path / "__init__.py").is_file()}
    for at, room in enumerate(rooms):
        assert KNOWS[room] & {*rooms} <= {*rooms[: at + 1]}, room


def test_rooms_import_one_way() -> None:
    assert len(all_imports()) > 300
    assert trespasses(all_imports()) == []


@pytest.mark.parametrize(
    ("file", "line", "is_wrong"),
    [
        ("views/x.py", "from walkthrough.transformer.runs.run import trace", True),
        ("views/x.py", "from walkthrough import transformer", True),
        ("views/x.py", "import walkthrough.scenario.schema.keys", True),
        ("views/x.py", "def f():\n    from walkthrough.scenario import schema", True),
        ("text.py", "from walkthrough import notation", True),
        ("recording/trace.py", "from walkthrough.library import trace", True),
        ("library.py", "from walkthrough.views.markdown import render", False),
        ("recording/x.py", "if TYPE_CHECKING:\n    from walkthrough.views.markdown import render", True),
        ("transformer/x.py", "from walkthrough.scenario.schema.keys import Head", False),
        ("cli/x.py", "from walkthrough.transformer.runs.run import trace", False),
        ("scenario/x.py", "from walkthrough import trace", True),
    ],
)
def test_an_import_the_wrong_way_is_seen(file: str, line: str, is_wrong: bool) -> None:
    assert bool(trespasses(list(imports_of(ast.parse(line), file)))) is is_wrong


def test_each_room_needs_only_what_it_is_for() -> None:
    foreign = [
        f"{found.file} imports {found.module}"
        for found in all_imports()
        if found.from_room in INSTALLED
        and found.package not in {"walkthrough", *sys.stdlib_module_names, *INSTALLED[found.from_room]}
    ]
    assert foreign == []


def test_scenarios_are_read_without_numpy_until_numbers_are_asked_for() -> None:
    heavy = {"numpy", "safetensors", "ml_dtypes", "orjson"}
    scenario = [found for found in all_imports() if found.from_room == "scenario"]
    early = {found.file for found in scenario if found.package in heavy and not found.function}
    assert early == {"scenario/tensors/arrays.py", "scenario/tensors/file_matrix.py"}  # both when they are needed


def imported(found: Import) -> str:
    """The file that an import of the package loads."""
    names = found.module.split(".")[1:]
    while names and not (ROOT / "/".join(names)).with_suffix(".py").is_file() and not (ROOT / "/".join(names)).is_dir():
        names.pop()
    path = ROOT.joinpath(*names)
    return (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).relative_to(ROOT).as_posix()


def folder(file: str, depth: int = 2) -> str:
    """The room's folder that a file is in, or one further inside; a file beside the folders stands for itself."""
    return "/".join(file.split("/")[:depth])


def circle(imports: list[Import], place_of: Callable[[str], str]) -> list[str]:
    """Places that import one another all round, imports inside functions included; empty where there are none."""
    graph: dict[str, set[str]] = {}
    for found in imports:
        if found.package == "walkthrough":
            here, there = place_of(found.file), place_of(imported(found))
            if here != there:
                graph.setdefault(here, set()).add(there)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_one_another_in_a_circle() -> None:
    assert circle(all_imports(), str) == []


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_nor_do_the_folders_of_a_room(depth: int) -> None:
    assert circle(all_imports(), lambda file: folder(file, depth)) == []


def test_a_circle_is_seen() -> None:
    to = Import("views/text/columns.py", "walkthrough.views.report.blocks", "")
    back = Import("views/report/grid.py", "walkthrough.views.text", "a_function")
    assert circle([to, back], str) == []
    assert set(circle([to, back], folder)) == {"views/text", "views/report"}


def test_every_folder_says_what_it_is() -> None:
    for place in {path.parent for path in FILES}:
        text = ast.get_docstring(ast.parse((place / "__init__.py").read_text(encoding="utf-8"))) or ""
        assert text.split("\n\n")[0].endswith("."), f"{place.name}/__init__.py begins with a sentence"
