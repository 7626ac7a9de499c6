"""A third language is one file: with French beside the tests, `run chai` says nothing in English."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

import walkthrough as wt
from tests.languages.test_catalogues import blanks_in, flat
from walkthrough.languages import LANGUAGES
from walkthrough.languages import catalogue as module
from walkthrough.languages.catalogue import ENGLISH, Catalogue, catalogue
from walkthrough.views.options import Options
from walkthrough.views.terminal.terminal import show


@pytest.fixture
def french(monkeypatch: pytest.MonkeyPatch) -> Iterator[Catalogue]:
    """French, from the file beside this one."""
    assert ENGLISH.words  # read where it is, before another folder takes its place
    catalogue.cache_clear()
    monkeypatch.setattr(module, "FOLDER", Path(__file__).parent)
    yield catalogue("fr")
    catalogue.cache_clear()


def test_a_run_is_in_french_by_one_file(french: Catalogue) -> None:
    trace = wt.trace(wt.load_scenario("chai"))
    trace.language = "fr"
    file = io.StringIO()
    show(trace, Options(), Console(file=file, width=200))
    _, heading, text = file.getvalue().partition("Plan : 37 étapes")  # what is above is the scenario's own
    assert heading
    assert "Encodeur · Couche 1 · L'attention · Tête 1" in text
    assert "E = lignes choisies de W_E" in text
    assert "Poids d'attention. Combien chaque mot (ligne) regarde chaque mot (colonne)" in text
    assert "A[chai, is] = 4,261 / 21,040 = 0,203" in text
    english = flat(ENGLISH.words)
    said = {english[key] for key in flat(french.words) if key in english and not key.startswith(" parts ")}
    said |= {value.kind.title for value in trace}  # names of parts stand in paths, which no language changes
    sentences = {one for one in said if len(one.strip()) > 4 and not blanks_in(one)} - set(flat(french.words).values())
    assert len(sentences) > 60
    assert [one for one in sentences if one in text] == []


def test_french_has_only_keys_of_english_and_is_not_offered(french: Catalogue) -> None:
    own = {key for key in flat(french.words) if not (key.startswith(" steps ") and key.endswith(" title"))}
    assert own - flat(ENGLISH.words).keys() == set()
    assert "fr" not in LANGUAGES
