"""Documents are in the language of the trace; what programs read of it is the same in every language."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

import walkthrough as wt
from tests.cli.program import run
from walkthrough.views.formats import FORMATS, to_bytes
from walkthrough.views.options import Options

SCENARIO = "help-me"
SAME = ("json", "npz", "safetensors", "python", "torch")


@cache
def exported(format: str, language: str, scenario: str = SCENARIO) -> bytes:
    trace = wt.trace(wt.load_scenario(scenario))
    trace.language = language
    return to_bytes(trace, Options(steps=("scores", "weights") if format == "embed" else ()), format)


@pytest.mark.parametrize("format", FORMATS)
def test_what_people_read_is_translated_and_nothing_else(format: str) -> None:
    assert (exported(format, "en") == exported(format, "de")) == (format in SAME)


def test_latex_has_a_comma_without_a_blank_behind_it() -> None:
    text = exported("latex", "de").decode()
    assert re.search(r"[0-9]\{,\}[0-9]", text)
    said = re.sub(r"head\.1|§[0-9.]+", "", text.partition(r"\begin{document}")[2])  # paths, and sections of papers
    assert not re.search(r"[0-9]\.[0-9]", said)
    assert "Attention-Gewichte" in text


def test_a_notebook_has_the_same_code_and_other_text() -> None:
    cells = {language: json.loads(exported("notebook", language))["cells"] for language in ("en", "de")}
    code = {name: [one for one in some if one["cell_type"] == "code"] for name, some in cells.items()}
    assert code["en"] == code["de"]
    text = "".join("".join(one["source"]) for one in cells["de"] if one["cell_type"] == "markdown")
    assert "Skalierte Scores" in text
    assert "aufgezeichnet" in text


def test_a_workbook_has_the_same_numbers_and_formulas_and_other_titles(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    books = {}
    for language in ("en", "de"):
        file = tmp_path / f"{language}.xlsx"
        file.write_bytes(exported("xlsx", language))
        books[language] = openpyxl.load_workbook(file)
    english, german = books["en"], books["de"]
    assert english.sheetnames == german.sheetnames
    assert list(english.defined_names) == list(german.defined_names)
    texts = set()
    for sheet in english.sheetnames[1:]:
        for one, other in zip(english[sheet].iter_rows(), german[sheet].iter_rows(), strict=True):
            for cell, same in zip(one, other, strict=True):
                if isinstance(cell.value, str) and not cell.value.startswith("="):
                    texts.add(same.value)
                else:
                    assert cell.value == same.value
    assert "2. Skalierte Scores" in texts
    assert "Diese Arbeitsmappe rechnet" in {row[0].value for row in german.worksheets[0].iter_rows()}


def test_a_page_says_its_language_and_has_its_controls() -> None:
    page = exported("html", "de").decode()
    assert '<html lang="de">' in page
    assert '"copy_link":"Link kopieren"' in page
    assert '"copy_link":"Copy link"' in exported("html", "en").decode()


@pytest.mark.parametrize("format", ["markdown", "latex", "html"])
def test_an_export_is_a_draft_in_which_every_number_is_right(format: str, tmp_path: Path) -> None:
    file = tmp_path / f"draft{FORMATS[format].suffixes[0]}"
    file.write_bytes(exported(format, "de"))
    done = run("check", str(file), "--scenario", SCENARIO, "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["summary"]["wrong"] == 0
    assert found["summary"]["exact"] > 10


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_pdflatex_sets_a_german_document(tmp_path: Path) -> None:
    (tmp_path / "chai.tex").write_bytes(exported("latex", "de", "chai"))
    done = subprocess.run(["pdflatex", "-halt-on-error", "chai.tex"], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stdout
