"""The playground: what the program says in the browser is what it says natively; a stranger's link harms nobody.

Needs a folder of Pyodide, which WALKTHROUGH_PYODIDE names, and Chromium.
"""

from __future__ import annotations

import base64
import functools
import http.server
import json
import os
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from docs.site.output import Output
from docs.site.page import SCRIPT, WEB
from docs.site.playground.page import write_playground
from docs.site.playground.pyodide import read_pyodide
from walkthrough.scenario.sources import bundled_scenarios

ROOT = Path(__file__).resolve().parents[2]
FOLDER = os.environ.get("WALKTHROUGH_PYODIDE")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(FOLDER is None, reason="needs a folder of Pyodide in WALKTHROUGH_PYODIDE"),
]
SLOW = 60_000
"""Milliseconds that a first output may take here, where others use the machine too."""
SCENARIOS = bundled_scenarios()
TOO_LARGE = {"specialise", "transformer-base"}
"""A million numbers and more: their every line takes minutes natively."""
FEW = ("one-head", "chai", "cooking", "tea-gpt", "cooking-training")


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a host, in which the playground is `site/try`."""
    folder = tmp_path_factory.mktemp("host")
    assert FOLDER is not None
    with Output(folder / "site") as out:
        write_playground(out, read_pyodide(Path(FOLDER)))
        out.write(SCRIPT, (WEB / SCRIPT).read_bytes())
    return folder


@pytest.fixture(scope="module")
def address(built: Path) -> Iterator[str]:
    """Where the playground is served."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(built)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/site/try/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def host(browser: Any, address: str) -> Iterator[Any]:
    """A page on which no request may leave the playground, and no script may fail."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page, faults = context.new_page(), list[str]()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    context.on("request", lambda request: None if known(request.url, address) else faults.append(request.url))
    page.goto(address)
    page.wait_for_selector("#output[data-status]", timeout=2 * SLOW)
    yield page
    context.close()
    assert faults == []


@pytest.fixture
def page(host: Any, address: str) -> Any:
    """The page with one-head, as it is first seen."""
    host.evaluate("playground.setText('')")
    host.wait_for_url("**#yaml=*")
    opened(host, f"{address}#scenario=one-head")
    return host


def known(url: str, address: str) -> bool:
    return url.startswith((address, "blob:", "data:")) or url == address.replace("try/", SCRIPT)


def opened(page: Any, url: str) -> None:
    """Follows a link to the page that is open already, and waits until its command is carried out."""
    page.evaluate("document.getElementById('output').removeAttribute('data-status')")
    page.evaluate("url => { location.hash = new URL(url).hash }", url)
    page.wait_for_selector("#output[data-status]", timeout=SLOW)


def carried_out(page: Any, words: Sequence[str]) -> dict[str, Any]:
    """What the playground gives, with files as text."""
    script = """words => playground.run(words).then((result) => ({...result, files: Object.fromEntries(
        Object.entries(result.files).map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]))}))"""
    found: dict[str, Any] = page.evaluate(script, list(words))
    return found


def native(words: Sequence[str], text: str, folder: Path) -> dict[str, Any]:
    """What the program itself gives in a pipe, 80 columns wide."""
    folder.mkdir(exist_ok=True)
    (folder / "scenario.yaml").write_text(text, encoding="utf-8")
    environment = {**os.environ, "COLUMNS": "80", "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    environment["XDG_STATE_HOME"] = str(folder.parent)  # nobody has begun the course
    command = [sys.executable, "-m", "walkthrough", *words]
    done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    written = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir() if path.name != "scenario.yaml"}
    return {
        "status": done.returncode,
        "stdout": done.stdout.decode(),
        "stderr": done.stderr.decode(),
        "files": written,
    }


def packed(text: str | bytes) -> str:
    """A text as a link has it."""
    content = text.encode() if isinstance(text, str) else text
    squeezed = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = squeezed.compress(content) + squeezed.flush()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def test_all_of_it_is_at_most_12_megabytes_compressed(built: Path) -> None:
    files = [path for path in (built / "site" / "try").rglob("*") if path.is_file()]
    assert sum(len(zlib.compress(path.read_bytes(), 9)) for path in files) <= 12_000_000


@pytest.mark.parametrize(
    "words",
    [
        ["run", "scenario.yaml", "--all", "--full", "--work", "all"],
        ["run", "scenario.yaml", "--by-hand"],
        ["check", "scenario.yaml"],
        ["worksheet", "scenario.yaml", "-o", "sheet.md", "--seed", "3"],
        ["export", "scenario.yaml", "-o", "scenario.tex"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("name", FEW)
def test_output_and_files_are_the_native_ones(host: Any, tmp_path: Path, name: str, words: list[str]) -> None:
    text = SCENARIOS[name].read_text(encoding="utf-8")
    host.evaluate("text => playground.setText(text)", text)
    assert carried_out(host, words) == native(words, text, tmp_path / "native")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(SCENARIOS) - TOO_LARGE))
def test_every_scenario_is_calculated_as_natively(host: Any, tmp_path: Path, name: str) -> None:
    text = SCENARIOS[name].read_text(encoding="utf-8")
    host.evaluate("text => playground.setText(text)", text)
    for number, words in enumerate(
        (["run", "scenario.yaml", "--all", "--full", "--work", "all"], ["run", name, "--by-hand"])
    ):
        assert carried_out(host, words) == native(words, text, tmp_path / str(number))


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--help"],
        ["run", "--help"],
        ["list"],
        ["explain", "scenario.yaml", "weights[drinks, milk]"],
        ["run", "nowhere"],
        ["ran", "scenario.yaml"],
        ["run", "../../etc"],
        ["run", "-"],
        ["export", "scenario.yaml", "-o", "../../etc/page.md"],
        ["validate", "scenario.yaml", "--format", "json"],
        ["learn", "--list"],
    ],
    ids=lambda words: " ".join(words) or "nothing",
)
def test_commands_and_refusals_are_the_native_ones(page: Any, tmp_path: Path, words: list[str]) -> None:
    text = page.evaluate("playground.text()")
    assert carried_out(page, words) == native(words, text, tmp_path / "native")


@pytest.mark.parametrize("command", ["learn", "practice scenario.yaml"])
def test_what_asks_in_a_terminal_says_so(page: Any, command: str) -> None:
    done = carried_out(page, command.split())
    assert (done["status"], done["stdout"]) == (2, "")
    assert "terminal" in done["stderr"]


def test_numbers_in_full_precision_are_nearly_the_native_ones(page: Any, tmp_path: Path) -> None:
    words = ["export", "scenario.yaml", "--format", "json"]
    here, there = carried_out(page, words), native(words, page.evaluate("playground.text()"), tmp_path / "native")
    assert numbers(json.loads(here["stdout"])) == pytest.approx(numbers(json.loads(there["stdout"])), rel=1e-12)


def numbers(tree: Any) -> list[float]:
    """All numbers of a document, in order."""
    if isinstance(tree, dict | list):
        return [one for part in (tree.values() if isinstance(tree, dict) else tree) for one in numbers(part)]
    return [tree] if isinstance(tree, int | float) else []


def test_it_opens_with_one_head_carried_out(page: Any, tmp_path: Path) -> None:
    text = SCENARIOS["one-head"].read_text(encoding="utf-8")
    assert page.input_value("#scenario") == text
    assert page.input_value("#command") == "run scenario.yaml"
    assert page.text_content("#output") == native(["run", "scenario.yaml"], text, tmp_path / "native")["stdout"]
    assert page.get_attribute("#output", "data-status") == "0"


def test_a_link_holds_the_text_and_the_command(page: Any, address: str) -> None:
    text = SCENARIOS["one-head"].read_text(encoding="utf-8").replace("drinks", "trinkt · 喝")
    opened(page, f"{address}#yaml={packed(text)}&command={quote('explain scenario.yaml weights[the,milk]')}")
    assert page.evaluate("playground.text()") == text
    assert "weights[the, milk]" in page.text_content("#output")
    assert page.input_value("#command") == "explain scenario.yaml weights[the,milk]"


def test_the_address_follows_the_editor_and_share_copies_it(page: Any) -> None:
    text = page.input_value("#scenario") + "# mine\n"
    page.fill("#scenario", text)
    page.wait_for_url("**#yaml=*")
    page.click("#share")
    page.wait_for_selector("#doing:has-text('clipboard')")
    link = page.evaluate("navigator.clipboard.readText()")
    data = link.partition("#yaml=")[2]
    assert zlib.decompress(base64.urlsafe_b64decode(data + "=" * (-len(data) % 4)), -15).decode() == text


@pytest.mark.parametrize(
    ("hash", "said"),
    [
        ("scenario=nowhere", "nowhere"),
        ("scenario=..%2f..%2fetc", "etc"),
        ("yaml=AAAA", "damaged"),
        ("yaml=!", "base64url"),
        ("yaml=", "base64url"),
        (f"yaml={packed(bytes([0xFF, 0xFE, 0x41]))}", "UTF-8"),
        (f"yaml={packed(b'0' * 10_000_000)}", "1,000,000"),
        ("scenario=one-head&command=%E0%A4%A", "%"),
    ],
    ids=lambda text: text[:24],
)
def test_a_link_that_cannot_be_read_is_said_and_one_head_stands_there(
    page: Any, address: str, hash: str, said: str
) -> None:
    opened(page, f"{address}#{hash}")
    assert said in page.text_content("#messages")
    assert page.evaluate("playground.text()") == SCENARIOS["one-head"].read_text(encoding="utf-8")
    assert page.get_attribute("#output", "data-status") == "0"


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [*a, *a]",
        "[" * 100_000,
        "title: </script><script>document.title = 'harmed'</script>\ntokens: [<b>x</b>]",
        ": :\n\t- x",
    ],
    ids=["loop", "deep", "script", "no YAML"],
)
def test_a_hostile_text_is_refused_with_its_problems(page: Any, address: str, text: str) -> None:
    opened(page, f"{address}#yaml={packed(text)}")
    page.wait_for_selector("#output[data-status='2']", timeout=SLOW)
    page.wait_for_selector("#problems button[data-line][data-column]", timeout=SLOW)
    assert "harmed" not in page.title()
    assert page.locator("#problems b, #messages b").count() == 0
    assert carried_out(page, ["list"])["status"] == 0


def test_problems_are_shown_at_their_line(page: Any) -> None:
    text = page.input_value("#scenario").replace("tokens:", "tokenz:")
    page.fill("#scenario", text)
    line = text[: text.index("tokenz")].count("\n") + 1
    problem = page.locator(f"#problems button[data-line='{line}'][data-column='1']")
    problem.wait_for(timeout=SLOW)
    assert page.text_content("#numbers mark") == str(line)
    problem.click()
    assert page.evaluate("document.activeElement.selectionStart") == text.index("tokenz")


def test_enter_keeps_the_indentation_and_tab_leaves(page: Any) -> None:
    page.evaluate("playground.setText('a:\\n  b: 1')")
    page.focus("#scenario")
    page.keyboard.press("Control+End")
    page.keyboard.press("Enter")
    page.keyboard.type("c: 2")
    assert page.input_value("#scenario") == "a:\n  b: 1\n  c: 2"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") != "scenario"


def test_tab_leads_through_it_in_the_order_in_which_one_sees_it(page: Any) -> None:
    order = [
        "example",
        "save",
        "share",
        "scenario",
        "add",
        "command",
        "go",
        "run",
        "view",
        "check",
        "worksheet",
        "output",
    ]
    page.wait_for_selector("#problems:empty", state="attached")  # those of the text before
    page.focus("#search")
    for wanted in order:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == wanted
    for wanted in reversed(order[:-1]):
        page.keyboard.press("Shift+Tab")
        assert page.evaluate("document.activeElement.id") == wanted


def test_view_shows_the_live_page_in_a_frame_of_its_own(page: Any) -> None:
    page.click("#view")
    frame = page.frame_locator("#page")
    frame.locator("table").first.wait_for(timeout=SLOW)
    page.wait_for_selector("#output[data-status]")
    assert page.get_attribute("#files a", "download") == "scenario.html"
    assert "allow-same-origin" not in page.get_attribute("#page", "sandbox")
    inside = page.query_selector("#page").content_frame()
    assert inside.evaluate("origin") == "null"
    assert inside.locator("h1").inner_text() == 'One attention head on "the cat drinks milk"'
    assert inside.evaluate("document.querySelector('.front, #-bar') !== null")
    page.click("#worksheet")  # the next page comes into a new frame
    page.wait_for_selector("iframe[title='worksheet.html']", timeout=SLOW)
    assert page.frame_locator("#page").locator("input").first.is_visible()


def test_a_written_file_can_be_taken_away(page: Any, tmp_path: Path) -> None:
    page.fill("#command", "export scenario.yaml -o mine.md")
    page.press("#command", "Enter")
    page.wait_for_selector("#files a[download='mine.md']", timeout=SLOW)
    with page.expect_download() as taken:
        page.click("#files a")
    text = SCENARIOS["one-head"].read_text(encoding="utf-8")
    wanted = native(["export", "scenario.yaml", "-o", "mine.md"], text, tmp_path / "native")
    assert taken.value.path().read_text(encoding="utf-8") == wanted["files"]["mine.md"]
    with page.expect_download() as saved:
        page.click("#save")
    assert saved.value.path().read_text(encoding="utf-8") == text


def test_a_numpy_that_does_not_come_is_said(browser: Any, address: str) -> None:
    context = browser.new_context()
    context.route("**/numpy-*.whl", lambda route: route.abort())
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("#messages:has-text('numpy could not be loaded')", timeout=2 * SLOW)
    assert "Traceback" not in page.text_content("#messages")
    context.close()


def test_added_files_stand_beside_the_scenario_even_after_stop(page: Any) -> None:
    page.set_input_files("#add", {"name": "class.txt", "mimeType": "text/plain", "buffer": b"Ada\nBo\n"})
    page.wait_for_selector("#doing:has-text('class.txt')")
    words = ["worksheet", "scenario.yaml", "--students", "class.txt", "-o", "sheets"]
    first = carried_out(page, words)
    assert (first["status"], sorted(first["files"])[:1]) == (0, ["sheets/1-Ada.html"]), first["stderr"]
    text = SCENARIOS["cooking"].read_text(encoding="utf-8")
    page.evaluate("text => playground.setText(text)", text)
    page.fill("#command", "run scenario.yaml --all --full --work all")
    page.press("#command", "Enter")
    page.wait_for_selector("#stop:enabled")
    page.press("#stop", "Enter")
    page.wait_for_selector("#output[data-status='130']")
    assert page.evaluate("document.activeElement.id") == "go"  # Stop can hold it no more
    page.evaluate("text => playground.setText(text)", SCENARIOS["one-head"].read_text(encoding="utf-8"))
    assert carried_out(page, words)["files"].keys() == first["files"].keys()
