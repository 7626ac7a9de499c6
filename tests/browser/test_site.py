"""The site in a browser, from its folder: the search, the questions of the course, nothing for axe to complain of."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docs.site import build
from docs.site.output import Output
from tests.browser.firefox import Marionette
from tests.browser.pages import until
from tests.examples import slow
from walkthrough.scenario.gallery import gallery
from walkthrough.teaching.lessons.chapters import chapters

pytestmark = pytest.mark.browser
PAGES = (
    *("index.html", "gallery.html", "course/index.html", "course/1-one-head.html", "docs/index.html"),
    *("docs/commands.html", "docs/api.html", "errata/index.html", "errata/cat-sat.html", "try/index.html"),
)
SHORT = ("index.html", "course/1-one-head.html", "errata/cat-sat.html", "try/index.html")
"""Of each kind one that is read in seconds: all have one style sheet."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("site")
    with Output(place) as out:
        build.build(out, None, [one for one in gallery() if one.name in ("one-head", "cat-sat")], chapters()[:2])
    return place


@pytest.fixture
def page(browser: Any, folder: Path) -> Iterator[Any]:
    """A page of the folder, which may ask for nothing outside of it."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    shown, faults = context.new_page(), list[str]()
    shown.on("pageerror", lambda error: faults.append(str(error)))
    shown.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    inside = (folder.as_uri(), "data:", "http://127.0.0.1")
    context.on("request", lambda asked: None if asked.url.startswith(inside) else faults.append(asked.url))
    yield shown
    context.close()
    assert faults == []


def results(page: Any, text: str) -> list[str]:
    page.fill("#search", text)
    page.wait_for_selector("#results > *")
    found: list[str] = page.locator("#results a").evaluate_all("links => links.map(one => one.getAttribute('href'))")
    return found


def test_the_search_leads_into_documents_course_examples_errata_and_the_library(page: Any, folder: Path) -> None:
    page.goto((folder / "docs" / "index.html").as_uri())
    assert results(page, "load_scenario")[0] == "../docs/api.html#walkthrough.load_scenario"
    assert results(page, "Trace.picture")[0] == "../docs/api.html#walkthrough.Trace.picture"
    assert "../scenarios/cat-sat.html" in results(page, "cat-sat")
    assert "../errata/cat-sat.html" in results(page, "errata cat sat")
    assert any(link.startswith("../course/1-one-head.html#") for link in results(page, "three matrices why"))
    assert results(page, "softmax zebra") == []
    assert page.inner_text("#results") == "Nothing found."
    page.press("#search", "Escape")
    assert page.input_value("#search") == ""
    assert not page.is_visible("#results")
    page.fill("#search", "exit status")
    page.press("#search", "Enter")
    page.wait_for_url("**/docs/commands.html#*")


def test_what_is_found_is_walked_with_the_arrows_and_covers_nothing_that_has_the_focus(page: Any, folder: Path) -> None:
    page.goto((folder / "docs" / "index.html").as_uri())
    count = len(results(page, "mask"))
    assert page.inner_text("#found") == f"{count} results"
    links = page.locator("#results a")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert links.nth(1).evaluate("link => link === document.activeElement")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert focused(page)["id"] == "search"
    for _ in range(count + 1):
        page.keyboard.press("Tab")
    assert page.locator("main a").first.evaluate("link => link === document.activeElement")
    assert not page.is_visible("#results")
    page.keyboard.press("Shift+Tab")
    assert page.is_visible("#results")
    assert page.input_value("#search") == "mask"


def focused(page: Any) -> dict[str, Any]:
    """What has the focus, and whether one sees that: its outline, and that nothing lies over its beginning."""
    found: dict[str, Any] = page.evaluate(
        """() => {
            const at = document.activeElement, box = at.getBoundingClientRect();
            const over = document.elementFromPoint(
                box.left + Math.min(box.width, 9) / 2, Math.max(box.top, 0) + Math.min(box.height, 9) / 2);
            return {tag: at.tagName, id: at.id, text: at.innerText, outline: getComputedStyle(at).outlineStyle,
                seen: box.bottom > 0 && box.top < innerHeight && !!over && (at.contains(over) || over.contains(at))};
        }"""
    )
    return found


@pytest.mark.parametrize(
    "name", ["course/1-one-head.html", *map(slow, ("index.html", "errata/cat-sat.html", "gallery.html"))]
)
def test_tab_leads_through_a_page_and_out_of_it_and_shows_where_it_is(page: Any, folder: Path, name: str) -> None:
    page.goto((folder / name).as_uri())
    stops = page.locator("a[href], button, input, summary, iframe, [tabindex='0']").count()
    words = []
    for _ in range(stops + 1):
        page.keyboard.press("Tab")
        now = focused(page)
        if now["tag"] == "BODY":
            break
        assert now["outline"] != "none", now
        assert now["seen"], now
        words.append(now["text"])
        if now["text"] == "Skip the live page":
            past = page.evaluate("document.activeElement.hash")
            page.keyboard.press("Enter")  # past all numbers of the frame
            until(page, f"location.hash === '{past}' && document.activeElement === document.body")
    assert now["tag"] == "BODY"
    assert words[0] == "Skip to the content"
    assert words[1:7] == ["walkthrough", "Course", "Docs", "Gallery", "Playground", "Errata"]
    assert page.locator("iframe").count() == words.count("Skip the live page")


def test_a_question_is_judged_and_opens_its_answer(page: Any, folder: Path) -> None:
    page.goto((folder / "course" / "1-one-head.html").as_uri())
    form = page.locator("form.ask[data-cell='attention.head.1.query[drinks, 1]']")
    answer = page.locator("form.ask + details").first
    for typed, verdict in (
        ("3", "wrong"),
        ("", "unreadable"),
        ("two", "unreadable"),
        ("2,0", "right"),
        ('"2"', "right"),
        ("4/2", "right"),
    ):
        form.locator("input").fill(typed)
        form.locator("input").press("Enter")
        assert form.get_attribute("data-verdict") == verdict, typed
        if verdict != "right":
            assert answer.get_attribute("open") is None
    assert answer.get_attribute("open") is not None
    choice = page.locator("form.ask[data-choose]").first
    choice.locator("button").click()
    assert choice.get_attribute("data-verdict") == "unreadable"
    choice.get_by_label("the same pattern").check()
    choice.locator("button").click()
    assert choice.locator("output").inner_text().startswith("No. A like pattern is not enough")
    choice.get_by_label("milk").check()
    choice.locator("button").click()
    assert choice.get_attribute("data-verdict") == "right"
    assert page.inner_text("#far") == "2 of 4 answered, 0 of them right at the first try."
    page.reload()
    assert page.inner_text("#far").startswith("2 of 4 answered")
    page.goto((folder / "course" / "index.html").as_uri())
    assert "One attention head (2 of 4 answered): queries" in page.inner_text("main")


def test_a_number_of_a_table_says_where_it_comes_from(page: Any, folder: Path) -> None:
    page.goto((folder / "course" / "1-one-head.html").as_uri())
    table = page.locator("table[data-step='attention.head.1.query']").first
    line = table.locator("xpath=ancestor::figure").locator(".line")
    table.locator("td[data-line]").nth(9).hover()
    assert line.inner_text() == "Q[drinks, 2] = 0×1 + 1×1 + 2×0 + 0×0 = 1"
    table.locator("td[data-line]").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert line.inner_text().startswith("Q[cat, 2] = ")


def test_a_slip_has_its_cause(page: Any, folder: Path) -> None:
    page.goto((folder / "course" / "2-scale-and-softmax.html").as_uri())
    form = page.locator("form.ask[data-cell^='attention.head.1.scaled_scores']")
    for typed, said in (
        ("1.25", "Probably divided by d_k instead of √d_k."),
        ("−2.5", "Probably the sign is flipped."),
    ):
        form.locator("input").fill(typed)
        form.locator("input").press("Enter")
        assert form.locator("output").inner_text() == f"No. {said}"
    page.keyboard.type("2,5")  # takes the place of the wrong one
    page.keyboard.press("Enter")
    assert form.locator("output").inner_text() == "Right."


def test_live_steps_stand_in_the_pages(page: Any, folder: Path) -> None:
    page.goto((folder / "index.html").as_uri())
    page.frame_locator("iframe").locator("table").first.wait_for()


@pytest.mark.parametrize(
    ("scheme", "names"), [("light", SHORT), ("dark", SHORT), *(slow(scheme, PAGES) for scheme in ("light", "dark"))]
)
def test_axe_finds_nothing_serious_and_no_page_scrolls_sideways(
    page: Any, folder: Path, scheme: str, names: tuple[str, ...]
) -> None:
    axe = pytest.importorskip("axe_core_python.sync_playwright").Axe()
    handler = functools.partial(_Quiet, directory=str(folder))  # from a folder, axe may not look into frames
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page.emulate_media(color_scheme=scheme)
        for name in names:
            page.set_viewport_size({"width": 360, "height": 740})
            page.goto(f"http://127.0.0.1:{server.server_port}/{name}")
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
            page.set_viewport_size({"width": 1280, "height": 900})
            found = [one for one in axe.run(page)["violations"] if one["impact"] in ("serious", "critical")]
            assert found == [], name
        server.shutdown()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Says nothing."""


def test_firefox_searches_in_a_folder_too(firefox: Marionette, folder: Path) -> None:
    firefox.open((folder / "gallery.html").as_uri())
    found = firefox.wait_for("""const input = document.getElementById("search");
        input.value = "load_scenario";
        input.dispatchEvent(new Event("input"));
        const look = () => document.querySelector("#results a") ? done(document.querySelector("#results a").href)
            : setTimeout(look, 50);
        look();""")
    assert found.endswith("docs/api.html#walkthrough.load_scenario")
