"""`walkthrough export`: where it writes, in which format, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.program import invoke, refusal, run, shell
from tests.examples import slow
from walkthrough.cli.calculation.export import format_of
from walkthrough.views.formats import FORMATS

NAMES = ", ".join(FORMATS)
SUFFIXES = ", ".join(suffix for format in FORMATS.values() for suffix in format.suffixes)


def message(text: str) -> str:
    """A message of typer's, without the box around it."""
    return " ".join("".join(character for character in text if character not in "│╭╮╰╯─").split())


@pytest.mark.parametrize("name", ["chai.md", "chai.markdown", "CHAI.MD"])
def test_markdown(tmp_path: Path, name: str) -> None:
    assert invoke("export", "chai", "-o", str(tmp_path / name)).exit_code == 0
    assert (tmp_path / name).read_text(encoding="utf-8").startswith('# One encoder layer on "The chai is hot"\n')


def test_a_name_without_a_known_suffix_has_its_format_by_to(tmp_path: Path) -> None:
    assert invoke("export", "chai", "-o", str(tmp_path / "x.txt"), "--format", "json").exit_code == 0
    assert json.loads((tmp_path / "x.txt").read_text(encoding="utf-8"))["version"] == 2


def test_standard_output() -> None:
    assert invoke("export", "chai", "-o", "-").stdout.startswith("# One")
    assert json.loads(invoke("export", "chai", "-o", "-", "--format", "json").stdout)["version"] == 2
    assert invoke("export", "chai", "-o", "-", "--format", "npz").stdout_bytes[:2] == b"PK"


def test_options_of_the_handout() -> None:
    text = invoke("export", "chai", "-o", "-", "-s", "weights", "-t", "hot", "-d", "1", "--work", "all").stdout
    assert "| **hot** | 0.3 | 0.3 | 0.2 | 0.3 |" in text
    assert "**chai**" not in text
    assert text.count("A\\[hot, ") == 4


def test_pictures_are_chosen_by_their_kind_and_by_steps() -> None:
    assert 'width="420mm"' in invoke("export", "help-me", "-o", "-", "--format", "svg").stdout
    text = invoke("export", "help-me", "-o", "-", "--format", "svg", "-s", "weights").stdout
    assert text.count("data-heat") == 1
    arcs = ("export", "cooking", "-o", "-", "--format", "svg", "--picture", "arcs", "--work", "none", "--token", "I")
    assert 'data-c="0,2"' in invoke(*arcs).stdout  # what has no effect takes nothing from what has
    curve = invoke("export", "warmup", "-o", "-", "--format", "svg", "--picture", "curve", "-s", "train.2").stdout
    assert "loss 2.588 → 1.297" in curve


@pytest.mark.parametrize(
    "options", [("--picture", "curve"), ("--picture", "equation", "-s", "w_q"), ("--picture", "x")]
)
def test_a_picture_that_cannot_be_drawn_is_an_error_and_no_file(tmp_path: Path, options: tuple[str, ...]) -> None:
    assert "poster, heat" in refusal("export", "chai", "-o", str(tmp_path / "x.svg"), *options)
    assert not list(tmp_path.iterdir())


def test_the_pictures_of_a_document_are_files_beside_it(tmp_path: Path) -> None:
    assert invoke("export", "cooking-training", "-o", str(tmp_path / "a b.md"), "--pictures").exit_code == 0
    text = (tmp_path / "a b.md").read_text(encoding="utf-8")
    names = [path.name for path in (tmp_path / "a b.pictures").iterdir()]
    weights = "encoder.1.attention.head.1.weights.svg"
    assert sorted(names) == sorted(["poster.svg", "curve.svg", weights, f"trained.{weights}"])
    for name in names:
        assert f"](a%20b.pictures/{name})" in text


def test_pictures_need_a_file_to_stand_beside_but_not_in_latex(tmp_path: Path) -> None:
    assert "give it a name" in refusal("export", "chai", "-o", "-", "--pictures")
    assert r"\begin{tikzpicture}" in invoke("export", "chai", "-o", "-", "--format", "latex", "--pictures").stdout
    result = run("export", "help-me", "-o", str(tmp_path / "x.json"), "--pictures")
    assert result.stderr == "--pictures has no effect in json\n"


@pytest.mark.parametrize("name", ["chai.json", "chai.npz"])
def test_options_without_effect_are_said_on_one_line(tmp_path: Path, name: str) -> None:
    plain, told = tmp_path / f"plain-{name}", tmp_path / name
    assert run("export", "chai", "-o", str(plain)).stderr == ""
    done = run("export", "chai", "-o", str(told), "--token", "no-such", "--work", "all", "--full")
    format = name.partition(".")[2]
    assert (done.returncode, done.stderr) == (0, f"--token, --work and --full have no effect in {format}\n")
    assert told.read_bytes() == plain.read_bytes()
    assert run("export", "chai", "-o", str(told), "--full").stderr == f"--full has no effect in {format}\n"


def test_help_says_what_each_format_is_for() -> None:
    told = invoke("export", "--help").stdout
    assert all(f"{name}: {format.purpose[:40]}" in told for name, format in FORMATS.items())


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (
            ["-o", "x.txt"],
            "Invalid value for --output: the format is not clear from the name 'x.txt'; "
            f"end it in one of {SUFFIXES}, or add --format: {NAMES}",
        ),
        (
            ["-o", "x", "--format", "markdwn"],
            "Invalid value for --format: no format is called 'markdwn'; did you mean 'markdown'?",
        ),
        (["-o", "x", "--format", "doc"], f"Invalid value for --format: no format is called 'doc'; known: {NAMES}"),
        (
            ["-o", "x.md", "--format", "json"],
            "Invalid value for --format: 'x.md' is a name for markdown, not for json; "
            "rename the file or leave out --format",
        ),
        (
            ["-o", "x.html", "--format", "torch"],
            "Invalid value for --format: 'x.html' is a name for html, not for torch; "
            "rename the file or leave out --format",
        ),
    ],
)
def test_formats_that_are_none(arguments: list[str], wanted: str) -> None:
    result = invoke("export", "no-such-scenario", *arguments)
    assert result.exit_code == 2
    assert message(result.stderr).endswith(wanted)


def test_a_format_that_is_chosen_by_name_has_the_suffix_of_the_one_that_it_is_written_in() -> None:
    assert {name: format.within for name, format in FORMATS.items() if not format.suffixes} == {
        "torch": "python",
        "handout": "html",
        "embed": "html",
    }
    assert all(
        format_of(f"x{FORMATS[format.within].suffixes[-1]}", name) == name
        for name, format in FORMATS.items()
        if format.within
    )
    assert format_of("x.txt", "json") == format_of("x.JSON", "json") == format_of("-", "json") == "json"


def test_a_failed_export_leaves_no_file_and_harms_no_old_one(tmp_path: Path) -> None:
    old = tmp_path / "old.md"
    old.write_text("old")
    for target in (old, tmp_path / "new.md"):
        done = run("export", "chai", "-o", str(target), "-s", "scroes")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "no step is called 'scroes'; did you mean 'scores'?\n"
    assert [path.name for path in tmp_path.iterdir()] == ["old.md"]
    assert old.read_text() == "old"


def test_places_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name, reason in [
        ("folder", "Is a directory"),
        ("none/x.md", f"there is no folder {tmp_path}/none"),
        ("none/", "Is a directory"),
        ("x" * 300, "File name too long"),
    ]:
        target = f"{tmp_path}/{name}"
        done = run("export", "help-me", "--format", "markdown", "-o", target)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{target}: {reason}\n")
    assert [path.name for path in tmp_path.rglob("*")] == ["folder"]


def test_a_scenario_that_fails_is_named_before_the_file_is_touched(tmp_path: Path) -> None:
    assert "no-such-scenario" in refusal("export", "no-such-scenario", "-o", str(tmp_path / "x.md"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["/dev/stdout", slow("/dev/fd/1")])
def test_devices(name: str) -> None:
    done = shell(f"walkthrough export help-me -o {name} --format markdown | head -1; exit ${{PIPESTATUS[0]}}")
    assert (done.returncode, done.stdout, done.stderr) == (0, '# Scores to weights for "help me"\n', "")
    assert run("export", "help-me", "-o", "/dev/null", "--format", "json").returncode == 0
    assert Path("/dev/null").is_char_device()
