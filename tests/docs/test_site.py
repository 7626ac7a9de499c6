"""The site: every link leads somewhere, nothing comes from elsewhere, and each page says what the program says."""

from __future__ import annotations

import inspect
import json
import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest

import walkthrough
from docs.site import api, build, course
from docs.site.documents import LIST, entries
from docs.site.examples import Example, first_sentence
from docs.site.output import Output
from docs.site.page import NAVIGATION
from tests.docs.outputs import ROOT
from walkthrough.scenario.gallery import GROUPS, gallery
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.teaching.lessons.chapters import Chapter, chapters
from walkthrough.teaching.lessons.questions import judge_of
from walkthrough.views.data import safe_json
from walkthrough.views.report.published import report

NAMES = ("one-head", "cat-sat", "first-step")
SECTIONS = {
    "learn": "Learn",
    "teach": "Teach",
    "build": "Build",
    "reference": "Reference",
    "work-on-it": "Work on it",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site with a few of the scenarios and one chapter."""
    place = tmp_path_factory.mktemp("site")
    with Output(place) as out:
        build.build(out, None, [one for one in gallery() if one.name in NAMES], chapters()[:1])
    return place


@pytest.fixture(scope="module")
def pages(folder: Path) -> dict[Path, str]:
    """All pages but the live ones."""
    live = {folder / "scenarios", folder / "live", folder / "course" / "live"}
    found = (page for page in sorted(folder.rglob("*.html")) if page.parent not in live)
    return {page: page.read_text(encoding="utf-8") for page in found}


def links(text: str) -> list[str]:
    found = [unquote(unescape(link)) for link in re.findall(r'(?:href|src)="([^"]+)"', text)]
    return [link for link in found if not re.match(r"https?:|data:|mailto:", link)]


def leads_to(folder: Path, page: Path, place: str) -> Path:
    """The file of a link; of a folder its index. Of scenarios and chapters only a few are built here."""
    target = (page.parent / place).resolve() if place else page
    if target.is_dir():
        return target / "index.html"
    if re.fullmatch(r"\d-[\w-]+\.html", target.name) and target.parent == folder / "course":
        return folder / "course" / "1-one-head.html"
    return target


def test_every_link_leads_to_a_page_of_the_site_and_its_anchor(folder: Path, pages: dict[Path, str]) -> None:
    for page, text in pages.items():
        for link in links(text):
            place, _, anchor = link.partition("#")
            target = leads_to(folder, page, place)
            assert target.is_file(), f"{page.name}: {link}"
            if anchor and "=" not in anchor:
                assert f'id="{anchor}"' in target.read_text(encoding="utf-8"), f"{page.name}: {link}"


def test_steps_of_the_course_are_tables_and_what_a_question_needs_is_framed(folder: Path) -> None:
    """The first question multiplies the row of *drinks* by the first column of W_Q."""
    text = (folder / "course" / "1-one-head.html").read_text(encoding="utf-8")
    before, _, after = text.partition("<form")
    asked = [
        [unescape(line).partition(" = ")[0] for line in re.findall(r'data-line="([^"]+)" class="asked"', table)]
        for table in re.findall(r"<table data-step=.*?</table>", before, re.DOTALL)
    ]
    assert asked == [[f"E[drinks, {column}]" for column in range(1, 5)], [f"W_Q[{row}, 1]" for row in range(1, 5)]]
    assert "<b>2. Token embedding</b> <span>E = selected rows of W_E" in before
    assert "framed in the tables above" in after.partition("</form>")[0]
    assert "\n            1  2  3  4\n" not in text


def test_every_page_has_what_all_have(folder: Path, pages: dict[Path, str]) -> None:
    for page, text in pages.items():
        up = "../" * (len(page.relative_to(folder).parts) - 1)
        assert '<html lang="en">' in text
        assert re.search(r"<title>[^<]+</title>", text), page
        assert len(re.findall(r"<h1[ >]", text)) == 1, page
        assert '<a class="skip" href="#main">' in text
        assert '<input id="search" type="search"' in text
        assert all(f'<a href="{up}{place}"' in text for place in NAVIGATION), page
        ids = re.findall(r'\bid="([^"]+)"', text)
        assert len(ids) == len(set(ids)), page
        assert len(text.encode()) <= 150_000, page


def test_nothing_is_loaded_from_elsewhere_and_no_script_stands_in_a_page(folder: Path, pages: dict[Path, str]) -> None:
    for page in folder.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "default-src 'none'" in text, page
        assert not re.search(r"<(?:img|script|link|iframe)[^>]*(?:src|href)=.(?:https?:)?//", text), page
    for page, text in pages.items():
        policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
        assert policy, page
        assert "unsafe-eval" not in policy[1]
        assert not re.search(r"script-src[^;]*unsafe-inline", policy[1]), page
        assert not re.search(r"<script(?![^>]* src=)|\son\w+=", re.sub(r"<pre.*?</pre>", "", text, flags=re.DOTALL)), (
            page
        )


def test_a_link_to_a_document_is_called_as_the_document_is(pages: dict[Path, str]) -> None:
    named = {page.name: re.findall(r"<a href[^>]*>([^<]+\.md)</a>", text) for page, text in pages.items()}
    assert {name: found for name, found in named.items() if found} == {}


def test_documents_stand_in_the_order_and_under_the_headings_of_their_list(folder: Path) -> None:
    written, page = LIST.read_text(encoding="utf-8"), (folder / "docs" / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", written, re.MULTILINE) == list(SECTIONS.values())
    assert re.findall(r'<h2 id="([^"]+)"', page) == list(SECTIONS)
    listed = [one.file for one in entries(written) if one.file.suffix == ".md" and one.file.parent == ROOT / "docs"]
    assert sorted(listed) == sorted(path for path in (ROOT / "docs").glob("*.md") if path != LIST)


def test_the_reference_of_the_library_has_every_name_with_signature_and_docstring(folder: Path) -> None:
    written = api.api()
    assert "compare(" in written
    assert inspect.cleandoc(walkthrough.compare.__doc__ or "").partition("\n")[0] in written
    page = (folder / "docs" / "api.html").read_text(encoding="utf-8")
    names = [f"walkthrough.{name}" for name in walkthrough.__all__]
    names += [
        "walkthrough.Trace.explain",
        "walkthrough.Trace.select",
        "walkthrough.Value.array",
        "walkthrough.Value.rows",
    ]
    assert [name for name in names if f'id="{name}"' not in page] == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("One head, d_k = 0.5 wide. Then more.", "One head, d_k = 0.5 wide."),
        ("Once more. What is\ndifferent:", "Once more."),
        ("From `hot` it writes *hot tea*. `cold` does not.", "From `hot` it writes *hot tea*."),
        ("Nothing ends here", "Nothing ends here"),
    ],
)
def test_a_card_says_one_sentence(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence


def test_the_gallery_has_a_card_for_each_scenario_in_its_groups(folder: Path) -> None:
    page = (folder / "gallery.html").read_text(encoding="utf-8")
    sections = dict(re.findall(r'<h2 id="([^"]+)">.*?(<ul class="gallery">.*?</ul>)', page, re.DOTALL))
    assert list(sections) == list(GROUPS)
    for one in gallery():
        if one.name in NAMES:
            for group in GROUPS:
                assert (f'href="scenarios/{one.name}.html"' in sections[group]) == (group in one.groups)
            assert f'href="try/#scenario={one.name}"' in page
            assert f"<code>walkthrough run {one.name}</code>" in page
            assert (f'href="errata/{one.name}.html"' in page) == one.published
            assert (folder / "scenarios" / f"{one.name}.html").stat().st_size > 10_000


def test_every_bundled_scenario_is_in_a_group() -> None:
    assert {one.name for one in gallery()} == set(bundled_scenarios())


def test_pictures_tell_the_examples_apart(folder: Path) -> None:
    drawn = [(folder / "pictures" / f"{name}.svg").read_text(encoding="utf-8") for name in NAMES]
    bodies = {text.partition("</title>")[2].partition("</desc>")[2] or text for text in drawn}
    assert len(bodies) == len(NAMES)


def test_errata_have_the_numbers_of_check(folder: Path) -> None:
    example = Example(next(one for one in gallery() if one.name == "cat-sat"))
    assert example.report is not None
    found = json.loads(safe_json(report(example.report).data()))
    row = re.search(r'<tr id="cat-sat">.*?</tr>', (folder / "errata" / "index.html").read_text(encoding="utf-8"))
    assert row
    counts = {verdict: int(count) for verdict, count in re.findall(r'data-verdict="(\w+)">(\d+)<', row[0])}
    assert counts == found["summary"]
    failed = sum(not one["holds"] for one in found["conclusions"])
    assert f"<td data-conclusions>{failed}</td>" in row[0]
    page = (folder / "errata" / "cat-sat.html").read_text(encoding="utf-8")
    wrong = {f"{one['path']}[{one['row']}, {one['column']}]" for one in found["cells"] if one["verdict"] == "wrong"}
    assert {unescape(cell) for cell in re.findall(r'<tr data-cell="([^"]+)">', page)} == wrong
    assert page.index('id="conclusions"') < page.index('id="numbers"')
    assert "likely cause" not in page  # none is known here
    assert 'href="../scenarios/cat-sat.html"' in page


def test_a_chapter_asks_what_the_course_asks(folder: Path) -> None:
    chapter: Chapter = chapters()[0]
    page = (folder / "course" / "1-one-head.html").read_text(encoding="utf-8")
    forms = re.findall(r'<form class="ask" (data-[a-z]+)[^>]*? data-right="([^"]+)">', page)
    assert len(forms) == len(chapter.questions)
    for question, (kind, right) in zip(chapter.questions, forms, strict=True):
        assert kind == ("data-choose" if question.letter else "data-cell")
        judge, known = judge_of(question), json.loads(unescape(right))
        if question.letter:
            assert known == {"letter": question.letter, "reasons": dict(question.reasons)}
            continue
        for edge, way in (("low", -1), ("high", 1)):
            assert judge.judge(repr(known[edge])).is_right
            assert not judge.judge(repr(known[edge] + way * 1e-4)).is_right
    assert page.count("<iframe") == 1
    assert (folder / "course" / "live" / "1-1.html").is_file()


def test_the_edge_of_what_is_right_is_found() -> None:
    class Near:
        hint, right = "", "2.50"

        def judge(self, text: str) -> object:
            return type("Verdict", (), {"is_right": 2.4 <= float(text) <= 2.71})

    assert course._edge(Near(), 2.5, -1) == pytest.approx(2.4, abs=1e-4)  # type: ignore[arg-type]
    assert course._edge(Near(), 2.5, 1) == pytest.approx(2.71, abs=1e-4)  # type: ignore[arg-type]


def test_llms_txt_has_a_line_for_each_document(folder: Path) -> None:
    text = (folder / "llms.txt").read_text(encoding="utf-8")
    for place in re.findall(r"\]\(([^)]+)\): \S", text):
        assert (folder / place).is_file()
    assert "(docs/scenario-format.html)" in text


def test_a_member_of_the_library_is_found_with_its_class(folder: Path) -> None:
    text = (folder / "search-index.js").read_text(encoding="utf-8")
    entries = json.loads(text.removeprefix("window.searchIndex = ").rstrip(";\n"))
    found = {link: f"{title} {kind} {words}".lower().split() for link, title, kind, words in entries}
    assert {"trace", "picture"} <= set(found["docs/api.html#walkthrough.Trace.picture"])


def test_the_index_of_the_search_is_small_enough(folder: Path) -> None:
    assert (folder / "search-index.js").stat().st_size <= 300_000
