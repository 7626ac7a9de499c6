"""A scenario's text is found, or the reason why not is said; nothing is read without end."""

from __future__ import annotations

import io
import os
import sys
import threading
from pathlib import Path

import pytest

from walkthrough.scenario import sources
from walkthrough.scenario.sources import ScenarioSource, bundled_scenarios, open_source
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.transformer.loading.load import read_scenario


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test works in an empty folder, with two bundled scenarios elsewhere."""
    package = tmp_path / "package"
    (package / "scenarios").mkdir(parents=True)
    for name in ("chai", "bert"):
        (package / "scenarios" / f"{name}.yaml").write_text(f"title: bundled {name}\n", encoding="utf-8")
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr(sources, "_PACKAGE", package)
    return here


def refusal(name: str) -> str:
    with pytest.raises(ScenarioError) as caught:
        open_source(name)
    assert [problem.line for problem in caught.value.problems] == [0]
    assert caught.value.source == ("<stdin>" if name == "-" else name)
    return str(caught.value).removeprefix(f"{caught.value.source}: ")


LIST = "`walkthrough list` shows the bundled scenarios"
SMALLER = "\n     = help: keep big matrices in a .npz or .safetensors file: `{file: FILE, tensor: NAME}`"


def test_bundled_scenarios_are_listed_by_name(tmp_path: Path) -> None:
    root = tmp_path / "package" / "scenarios"
    assert list(bundled_scenarios().items()) == [("bert", root / "bert.yaml"), ("chai", root / "chai.yaml")]


def test_without_a_folder_in_the_package_those_of_the_checkout_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "_PACKAGE", tmp_path / "package" / "other")
    assert list(bundled_scenarios()) == ["bert", "chai"]


@pytest.mark.parametrize("name", ["chai", "chai.yaml"])
def test_a_bundled_scenario_is_found_by_name(name: str, tmp_path: Path) -> None:
    assert open_source(name) == ScenarioSource(name, "title: bundled chai\n", tmp_path / "package" / "scenarios")


def test_a_file_comes_before_a_bundled_scenario(place: Path) -> None:
    (place / "chai.yaml").write_text("title: mine\n", encoding="utf-8")
    assert open_source("chai.yaml") == ScenarioSource("chai.yaml", "title: mine\n", Path())
    assert open_source("chai").text == "title: bundled chai\n"
    (place / "chai").write_text("title: short\n", encoding="utf-8")
    assert open_source("chai").text == "title: short\n"


def test_a_folder_does_not_hide_a_bundled_scenario(place: Path) -> None:
    (place / "chai").mkdir()
    (place / "other").mkdir()
    assert open_source("chai").text == "title: bundled chai\n"
    assert refusal("other") == "a folder, not a scenario file"


def test_relative_paths_start_at_the_folder_of_the_file(place: Path) -> None:
    (place / "sub").mkdir()
    (place / "sub" / "x.yaml").write_bytes(b"\xef\xbb\xbftitle: \xc3\xa9\r\n")
    assert open_source("sub/x.yaml") == ScenarioSource("sub/x.yaml", "title: é\r\n", Path("sub"))


def test_an_unknown_name_is_answered_with_near_ones(place: Path) -> None:
    (place / "mine.yaml").touch()
    assert refusal("chia") == f"no such file or bundled scenario\n     = help: did you mean 'chai'? {LIST}"
    assert refusal("mine") == f"no such file or bundled scenario\n     = help: did you mean 'mine.yaml'? {LIST}"
    assert refusal("mine.yaml/x") == f"no such file or bundled scenario\n     = help: {LIST}"
    assert refusal("qqqq\0") == f"qqqq\\x00: no such file or bundled scenario\n     = help: {LIST}"


def test_an_empty_name_is_refused() -> None:
    assert refusal("").endswith(f"no scenario is named\n     = help: {LIST}")


def test_a_dangling_link_and_a_loop_are_named(place: Path) -> None:
    (place / "link.yaml").symlink_to("gone.yaml")
    (place / "loop.yaml").symlink_to("loop.yaml")
    assert refusal("link.yaml") == "a link to gone.yaml, which does not exist"
    assert refusal("loop.yaml") == "cannot be read: too many levels of symbolic links"


def test_a_name_that_is_too_long_is_refused() -> None:
    assert refusal("x" * 5000) == "cannot be read: file name too long"


def test_no_permission_is_said(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "x.yaml").touch()

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert refusal("x.yaml") == "cannot be read: permission denied"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"abc\0", "not a text file: byte 4 is NUL"),
        (b"a: 1\nb: caf\xe9\n", "not UTF-8: byte 12, on line 2, is 0xE9\n     = help: save it as UTF-8"),
        (b"\xef\xbb\xbfa\n\xff", "not UTF-8: byte 6, on line 2, is 0xFF\n     = help: save it as UTF-8"),
        ("a: 1".encode("utf-16"), "saved as UTF-16\n     = help: save it as UTF-8"),
        ("a: 1".encode("utf-32"), "saved as UTF-32\n     = help: save it as UTF-8"),
    ],
)
def test_what_is_not_utf_8_text_is_refused(place: Path, content: bytes, message: str) -> None:
    (place / "x.yaml").write_bytes(content)
    assert refusal("x.yaml") == message


def test_a_file_of_weights_is_recognised(place: Path) -> None:
    (place / "w.npz").write_bytes(b"PK\3\4\0\0")
    assert refusal("w.npz").splitlines()[1] == (
        "     = help: a scenario names its weights: `{file: FILE, tensor: NAME}`"
    )


def test_a_file_that_is_too_large_is_not_read(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (place / "x.yaml").open("wb") as stream:
        stream.truncate(10**12)
    monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("it was opened"))
    assert refusal("x.yaml") == "larger than 32 MB" + SMALLER


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs /dev/zero")
def test_an_endless_device_is_given_up() -> None:
    assert refusal("/dev/zero") == "larger than 32 MB" + SMALLER
    assert open_source("/dev/null") == ScenarioSource("/dev/null", "", Path())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_can_be_read(place: Path) -> None:
    os.mkfifo(place / "pipe")
    writer = threading.Thread(target=(place / "pipe").write_bytes, args=(b"title: x",))
    writer.start()
    assert open_source("pipe") == ScenarioSource("pipe", "title: x", Path())
    writer.join()


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("title: é".encode())))
    assert open_source("-") == ScenarioSource("<stdin>", "title: é", Path())
    monkeypatch.setattr(sys, "stdin", io.StringIO("title: é"))
    assert open_source("-").text == "title: é"


def test_standard_input_is_bounded_and_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_BYTES", 2**20)
    monkeypatch.setattr(sys, "stdin", io.StringIO("x" * (2**20 + 1)))
    assert refusal("-") == "larger than 1 MB" + SMALLER
    monkeypatch.setattr(sys, "stdin", None)
    assert refusal("-") == "not available: the program was started without standard input"
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stdin", closed)
    assert refusal("-") == "cannot be read: i/o operation on closed file"


@pytest.mark.parametrize("more", ["", "---\nworksheet: 1\n"])
def test_a_sheet_is_called_so_and_nothing_else_is_said_of_it(place: Path, more: str) -> None:
    Path("ada.yaml").write_text(f"# Round.\nworksheet: 1\nscenario: chai\nsteps: []\n{more}", encoding="utf-8")
    with pytest.raises(ScenarioError) as said:
        read_scenario("ada.yaml")
    assert [(one.line, one.message) for one in said.value.problems] == [
        (2, "this is a worksheet or an answer key, and no scenario")
    ]
