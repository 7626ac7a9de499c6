"""The modules of a page are joined into one, whose text is theirs."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from graphlib import CycleError
from pathlib import Path

import pytest

from tests.views.page.js.engine import NODE, needs_node
from walkthrough.views.page import assets


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(assets, "_FOLDER", tmp_path)
    assets.script.cache_clear()
    (tmp_path / "js/inner").mkdir(parents=True)
    yield tmp_path / "js"
    assets.script.cache_clear()


def test_a_script_has_the_comments_and_types_of_its_modules(folder: Path) -> None:
    text = (
        "// Says.\n// @ts-check\n/** @typedef {{ x: number }} P */\n\nconst f = (/** @type {P} */ a) => a.x; // why\n"
    )
    (folder / "main.js").write_text(text)
    assert assets.script() == text


def test_what_a_module_imports_stands_before_it_once_and_word_for_word(folder: Path) -> None:
    (folder / "main.js").write_text('import { b } from "./b.js";\nimport { c } from "./inner/c.js";\nb(c);\n')
    (folder / "b.js").write_text('// Says.\nimport { c } from "./inner/c.js";\n\nexport const b = (x) => x + c;\n')
    (folder / "inner/c.js").write_text('import { d } from "../d.js";\nexport class c {}\n')
    (folder / "d.js").write_text("export async function d() {}\nlet exported;\n")
    assert assets.script() == (
        "async function d() {}\nlet exported;\n\nclass c {}\n\n// Says.\n\nconst b = (x) => x + c;\n\nb(c);\n"
    )


def test_no_height_of_a_window_counts_the_address_bar_of_a_phone() -> None:
    package = Path(assets.__file__).parents[2]
    for path in (*package.rglob("*.css"), *Path("docs/site").rglob("*.css")):
        assert not re.findall(r"\d[sl]?vh\b", path.read_text(encoding="utf-8")), path


def test_a_module_may_stand_alone(folder: Path) -> None:
    (folder / "main.js").write_text("export const a = 1;\n")
    assert assets.script() == "const a = 1;\n"


def test_modules_that_import_each_other_are_refused(folder: Path) -> None:
    (folder / "main.js").write_text('import { b } from "./b.js";\n')
    (folder / "b.js").write_text('import { a } from "./main.js";\n')
    with pytest.raises(CycleError):
        assets.script()


def test_nothing_is_imported_by_or_exported_from_the_script_of_a_page() -> None:
    assert not re.findall("^(?:import|export) .*", assets.script(), re.MULTILINE)


def test_every_module_is_in_the_script_of_a_page() -> None:
    """There is none that nobody imports."""
    script = assets.script()
    modules = [path.read_text(encoding="utf-8") for path in (Path(assets.__file__).parent / "js").rglob("*.js")]
    assert [text for text in modules if text.splitlines()[0] not in script] == []


def test_a_script_does_not_end_the_element_that_it_stands_in() -> None:
    assert not re.findall(r"</script|<!--", assets.script(), re.IGNORECASE)


def test_no_rule_asks_what_the_page_has_in_it() -> None:
    """A browser answers that again at every number that is written, and finds the style of all sections for it.

    What is asked of children and theirs alone concerns no number.
    """
    rules = re.findall(r"^[^/\n]*(?:html|body|main)[^ {]*:has\((?!> body > ).*$", assets.style(), re.MULTILINE)
    assert rules == []


@needs_node
def test_no_two_modules_declare_the_same_name(tmp_path: Path) -> None:
    script = tmp_path / "page.mjs"
    script.write_text(assets.script(), encoding="utf-8")
    done = subprocess.run([str(NODE), "--check", script], capture_output=True, encoding="utf-8")
    assert done.stderr == ""
