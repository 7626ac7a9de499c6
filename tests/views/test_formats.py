"""Every format of the one table, with one sample; and a new one, added without touching any other."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

import walkthrough as wt
import walkthrough.views
from tests.cli.program import invoke
from tests.views.samples import SAMPLES
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.trace import Trace
from walkthrough.views import formats
from walkthrough.views.options import Options

TOY = '''"""A list of paths."""


def write(trace, options, out):
    out.write("\\n".join(value.path for value in trace.select(*options.steps)).encode())
'''


def usual(name: str, trace: Trace) -> Options:
    """Without options, but for the step that a format needs."""
    return Options(steps=[next(iter(trace)).path] if name == "embed" else [])


@pytest.mark.parametrize("name", formats.FORMATS)
def test_every_format_writes_unknown_and_hidden_numbers(name: str) -> None:
    trace = SAMPLES["small"]()
    assert formats.to_bytes(trace, usual(name, trace), name)


@pytest.mark.parametrize("name", formats.FORMATS)
def test_every_format_writes_the_same_twice(name: str) -> None:
    trace = SAMPLES["chai"]()
    every = Options(steps=["scores", "weights"], tokens=["chai"], decimals=5, work="all", full=True)
    assert formats.to_bytes(trace, every, name) == formats.to_bytes(trace, every, name)


@pytest.mark.parametrize("name", formats.FORMATS)
def test_every_format_refuses_a_step_that_is_not_there(name: str) -> None:
    with pytest.raises(SelectorError, match="did you mean 'scores'"):
        formats.to_bytes(SAMPLES["chai"](), Options(steps=["scroes"]), name)


@pytest.mark.parametrize("name", ["markdown", "latex", "html", "handout", "notebook", "python", "torch", "xlsx"])
def test_every_document_says_what_if(name: str) -> None:
    trace = wt.trace(wt.load_scenario("help-me"), changes={"scaled_scores": "mean"})
    content = formats.to_bytes(trace, Options(["weights"]), name)
    if name == "xlsx":
        content = ZipFile(io.BytesIO(content)).read("xl/sharedStrings.xml")
    assert "With other numbers: scaled_scores=mean." in content.decode().replace("\\", "")


@pytest.mark.parametrize("name", formats.FORMATS)
def test_every_format_has_suffixes_of_its_own_and_says_what_it_is(name: str) -> None:
    format = formats.FORMATS[name]
    assert formats.FORMATS[name].view.__doc__
    assert format.purpose
    assert format.suffixes or name in ("torch", "embed", "handout"), "only --format chooses these"
    for suffix in format.suffixes:
        assert formats.by_suffix(f"a.b{suffix}") == formats.by_suffix(f"A{suffix.upper()}") == name


def test_a_suffix_is_looked_up_without_loading_a_format() -> None:
    program = (
        "import sys; from walkthrough.views.formats import by_suffix; print(by_suffix('a.xlsx'), *sorted("
        "name for name in sys.modules if name.startswith('walkthrough.views.')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.split() == ["xlsx", "walkthrough.views.formats", "walkthrough.views.options"]


@pytest.mark.parametrize("filename", ["", "x", "x.txt", ".md", "folder.md/x"])
def test_no_format_for_another_suffix(filename: str) -> None:
    assert formats.by_suffix(filename) is None


def test_a_new_format_is_one_file_and_one_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its suffix, by --format, and in the messages; no module of the package is changed."""
    (tmp_path / "toy.py").write_text(TOY)
    monkeypatch.setattr(walkthrough.views, "__path__", [*walkthrough.views.__path__, str(tmp_path)])
    monkeypatch.setitem(formats.FORMATS, "toy", formats.FileFormat("toy", "a list of paths", (".paths", ".toy")))

    target = tmp_path / "out.paths"
    assert invoke("export", "help-me", "-o", str(target), "-s", "softmax").exit_code == 0
    assert target.read_text() == "attention.head.1.softmax.exp\nattention.head.1.softmax.sum\nattention.head.1.weights"
    shown = invoke("export", "help-me", "-o", "-", "--format", "toy", "-s", "scores")
    assert shown.stdout == "attention.head.1.scores"
    refused = invoke("export", "help-me", "-o", "x.txt")
    assert ".paths" in refused.stderr
