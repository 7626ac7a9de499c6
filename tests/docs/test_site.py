"""The site of static pages: every link leads somewhere, and nothing is asked for from elsewhere."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest

from docs.site import build
from docs.site.output import Output
from walkthrough.scenario.sources import bundled_scenarios

NAMES = ("chai", "help-me")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site with two of the scenarios."""
    place = tmp_path_factory.mktemp("site")
    few = {name: bundled_scenarios()[name] for name in NAMES}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "bundled_scenarios", lambda: few)
        with Output(place) as out:
            build.build(out)
    return place


def links(page: Path) -> list[str]:
    return [unquote(unescape(link)) for link in re.findall(r'(?:href|src)="([^"]+)"', page.read_text(encoding="utf-8"))]


def test_every_link_leads_to_a_page_of_the_site_and_its_anchor(folder: Path) -> None:
    for page in [folder / "index.html", *folder.glob("docs/*.html")]:
        for link in links(page):
            place, _, anchor = link.partition("#")
            target = (page.parent / place).resolve() if place else page
            if re.match(r"https?:|data:", link):
                continue
            assert target.is_file(), f"{page.name}: {link}"
            assert not anchor or f'id="{anchor}"' in target.read_text(encoding="utf-8"), f"{page.name}: {link}"


def test_the_gallery_shows_each_scenario_with_a_picture(folder: Path) -> None:
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert index.count("<svg") == len(NAMES)
    for name in NAMES:
        assert f'href="scenarios/{name}.html"' in index
        assert (folder / "scenarios" / f"{name}.html").stat().st_size > 10_000


def test_documents_are_pages_with_their_tables(folder: Path) -> None:
    commands = (folder / "docs" / "commands.html").read_text(encoding="utf-8")
    assert '<h1 id="commands">Commands</h1>' in commands
    assert "<table>" in commands
    assert "&lt;!-- output" not in commands


def test_nothing_is_loaded_from_elsewhere(folder: Path) -> None:
    for page in folder.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "default-src 'none'" in text or "default-src &#39;none&#39;" in text
        assert not re.search(r'<(?:img|script|link|iframe)[^>]*(?:src|href)="(?:https?:)?//', text)
