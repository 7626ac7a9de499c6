"""README.md and docs/ show what the program does, mention all it has, and link to what exists."""

from __future__ import annotations

import difflib
import html
import re
import shlex
from pathlib import Path

import pytest
import typer.main

from docs.pictures.make import HERE, PICTURES
from tests.cli.program import run
from tests.docs.outputs import PAGES, ROOT, in_a_process, page_made
from tests.docs.outputs import main as outputs
from tests.docs.tables import PACKAGE, SECTIONS
from tests.examples import all_in_a_thorough_run
from walkthrough.cli.app import application
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.scenario.yaml.reading import read_nodes
from walkthrough.views.formats import FORMATS

app = application()

TEXTS = {path: path.read_text(encoding="utf-8") for path in PAGES}
ALL = "\n".join(TEXTS.values())
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_shows_what_the_program_does(page: Path) -> None:
    made = in_a_process(page_made, page)
    changes = difflib.unified_diff(TEXTS[page].splitlines(), made.splitlines(), page.name, "program", lineterm="")
    assert "\n".join(changes) == "", "`python -m tests.docs.outputs` rewrites it"


def test_stale_output_is_noticed_and_rewritten(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- output -->\n```console\n$ walkthrough --version\nold\n```\n", encoding="utf-8")
    assert outputs(["--check", str(page)]) == 1
    assert "old" in page.read_text(encoding="utf-8")
    outputs([str(page)])
    assert "$ walkthrough --version\nwalkthrough " in page.read_text(encoding="utf-8")
    assert outputs(["--check", str(page)]) == 0


@pytest.mark.parametrize(
    ("block", "failure"),
    [
        ("<!-- output -->\n```console\n$ walkthrough run nothing\n```\n", AssertionError),
        ("<!-- output -->\n```console\n$ walkthrough run nothing | cat\n```\n", AssertionError),
        ("<!-- output -->\n```console\n$ walkthrough list | grep no-such\n```\n", AssertionError),
        ("```python\n1 / 0\n```\n", ZeroDivisionError),
    ],
)
def test_failing_block_is_noticed(block: str, failure: type[Exception], tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(block, encoding="utf-8")
    with pytest.raises(failure):
        outputs(["--check", str(page)])


def test_every_command_has_a_section() -> None:
    text = TEXTS[ROOT / "docs" / "commands.md"]
    assert [name for name in COMMANDS if f"\n## `{name}`\n" not in text] == []


def test_every_output_for_programs_has_a_schema_or_an_example() -> None:
    written = {name for path in PACKAGE.rglob("*.py") for name in re.findall(r'document\(\s*"(\w+)"', path.read_text())}
    assert written >= {"trace", "explain", "list"}
    shown = set(re.findall(r'"format": "walkthrough-(\w+)"', TEXTS[ROOT / "docs" / "outputs.md"]))
    assert written - shown - {"trace", "check", "against", "mark"} == set()


@pytest.mark.parametrize("kind", ["formats", "scenarios", "keys"])
def test_everything_is_mentioned(kind: str) -> None:
    names = {
        "formats": FORMATS,
        "scenarios": bundled_scenarios(),
        "keys": {key for section in SECTIONS.values() for key in section.KEYS},
    }[kind]
    assert [name for name in names if f"`{name}`" not in ALL] == []


def test_every_scenario_has_its_lesson() -> None:
    lessons = TEXTS[ROOT / "docs" / "examples.md"] + TEXTS[ROOT / "docs" / "modern.md"]
    assert [name for name in bundled_scenarios() if f"`{name}`" not in lessons] == []


def test_every_section_of_the_format_has_its_table() -> None:
    """Or is told in a sentence: those of one key, and those whose keys stand in the table of another."""
    text = TEXTS[ROOT / "docs" / "scenario-format.md"]
    elsewhere = {
        "StackSpec": ["Encoder"],
        "Decoder": ["Encoder", "SequenceSpec"],
        "Sentence": ["SequenceSpec"],
        "LayerNorm": ["Norm"],
        "Expert": ["FeedForward"],
        "Shared": ["FeedForward"],
        "QueryLatentNorm": ["LatentNorm"],
    }
    for name, section in SECTIONS.items():
        own = set(section.KEYS).difference(*(SECTIONS[other].KEYS for other in elsewhere.get(name, [])))
        told = len(own) <= 1 and (name in text or name == "StackSpec")
        assert told or f"<!-- table: keys {name}" in text, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", TEXTS[page], flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        name, _, anchor = target.partition("#")
        if name.startswith("http"):
            continue
        path = (page.parent / name).resolve() if name else page
        assert path.exists(), target
        if anchor:
            assert anchor in map(slug, re.findall(r"^#+ (.+)$", TEXTS[path], re.MULTILINE)), target


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_every_page_is_in_the_index() -> None:
    index = TEXTS[ROOT / "docs" / "README.md"]
    pages = [page.name for page in PAGES if page.parent.name == "docs" and page.name != "README.md"]
    assert [name for name in pages if f"({name})" not in index] == []


def commands_in_prose() -> list[str]:
    """Every command in running text that can be run as it stands, and is not shown with what it prints."""
    shown = set(re.findall(r"^<!-- output -->\n```console\n\$ (.+)$", ALL, re.MULTILINE))
    prose = re.sub(r"^```.*?^```$", "", ALL, flags=re.DOTALL | re.MULTILINE)
    found = re.findall(r"`(walkthrough (?:run|export|steps|shapes|explain) [^`|>]+)`", prose)
    return sorted({line for line in found if line not in shown and not re.search(r"[A-Z]{2}|<Tab", line)})


LONG = {"walkthrough export microgpt -o microgpt.html", "walkthrough run specialise"}


@pytest.mark.parametrize("line", all_in_a_thorough_run(commands_in_prose(), set(commands_in_prose()) - LONG))
def test_command_in_prose_works(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*shlex.split(line)[1:])
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_yaml_is_read(page: Path) -> None:
    for block in re.findall(r"```yaml\n(.*?)```", TEXTS[page], re.DOTALL):
        problems = Problems()
        read_nodes(block, problems)
        assert not problems.found, block


@pytest.mark.parametrize("name", PICTURES)
def test_picture_is_current(name: str) -> None:
    assert (HERE / name).read_text(encoding="utf-8") == PICTURES[name](), "python -m docs.pictures.make draws it anew"


def test_every_picture_is_shown_by_a_document() -> None:
    shown = {name for text in TEXTS.values() for name in re.findall(r"pictures/(\w+\.(?:svg|png))\)", text)}
    assert shown == {path.name for path in HERE.iterdir() if path.suffix in {".svg", ".png"}}


def test_every_benchmark_is_named_by_a_document_or_a_test() -> None:
    texts = [*TEXTS.values(), *(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))]
    named = {name for text in texts for name in re.findall(r"docs\.benchmarks\.(\w+)", text)}
    assert named == {path.stem for path in (ROOT / "docs" / "benchmarks").glob("*.py")} - {"__init__"}


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "pictures").glob("*.svg")), ids=lambda path: path.name)
def test_pictures_load_nothing_and_have_a_name(path: Path) -> None:
    text = html.unescape(path.read_text(encoding="utf-8")).replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "http" not in text
    assert "@font-face" not in text
    assert "<title" in text
    assert 'role="img"' in text or "<desc>" in text  # SVG 1.1, which the program writes, has no roles


def test_ci_runs_the_commands_of_the_readme() -> None:
    """In a fresh copy each, to the letter."""
    commands = re.findall(r"```sh\n(python3 -m venv .+)\n```", TEXTS[ROOT / "README.md"])
    script = [line.strip() for line in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()]
    assert len(commands) == 2
    for command in commands:
        assert command in script
