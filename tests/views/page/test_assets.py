"""Scripts and style sheets lose what only their readers need, and nothing else."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from walkthrough.views.page import assets, html
from walkthrough.views.page.data import SCRIPTS


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(assets, "_FOLDER", tmp_path)
    assets.script.cache_clear()
    assets.style.cache_clear()
    return tmp_path / "file"


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("// comment\nconst a = 1 // one\nlet b = 2\n", "let a=1\nlet b=2\n"),
        ("say(\"a // b\", `c  ${d}  e`, '/* f */')", "say(\"a // b\",`c  ${d}  e`,'/* f */')\n"),
        ("a = x / y / z", "a=x/y/z\n"),
        ('a = /[/"]  \\//g.test(b)', 'a=/[/"]  \\//g.test(b)\n'),
        ("f({\n  a,\n  b\n})\n[c] = d", "f({a,b})\n[c]=d\n"),
        ("const f = () => {\n}\nconst g = 1", "let a=()=>{}\nlet b=1\n"),
        ("a + +b - -c", "a+ +b- -c\n"),
        ("return x in y", "return x in y\n"),
    ],
)
def test_a_script_says_the_same_in_fewer_characters(file: Path, source: str, wanted: str) -> None:
    file.write_text(source, encoding="utf-8")
    assert assets.script(("file",)) == wanted


def test_a_page_has_the_files_whose_first_line_it_fits(file: Path) -> None:
    for name, text in (
        ("always", "let a"),
        ("curve", "// Where a page has: data-(curve|line)\nlet b"),
        ("sheet", "/* Where a page has: id=x */\np{}"),
    ):
        (file.parent / name).write_text(text, encoding="utf-8")
    names = ("always", "curve", "sheet")
    assert assets.needed(names, "<p>") == ("always",)
    assert assets.needed(names, "<p data-line>") == ("always", "curve")
    assert assets.needed(names, "<p id=x data-curve>") == names
    assert assets.style("sheet") == "p{}"


def test_a_style_sheet_keeps_its_texts(file: Path) -> None:
    file.write_text('/* c */\na , b > c {\n  content : "x , y";\n  margin: 0 auto;\n}\n', encoding="utf-8")
    assert assets.style("file") == 'a,b>c{content : "x , y";margin: 0 auto}'


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_script_of_a_page_can_be_read(tmp_path: Path) -> None:
    script = tmp_path / "page.js"
    script.write_text(assets.script((*SCRIPTS, "begin.js"), makeFace=html.FACE), encoding="utf-8")
    done = subprocess.run(["node", "--check", script], capture_output=True, encoding="utf-8")
    assert done.stderr == ""
