"""`--help` and `--version`: every command says what it does and how it is used."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
import typer

from tests.cli.program import invoke, run
from walkthrough import __version__
from walkthrough.cli.app import application

_FILE = "FILE|FOLDER|SCENARIO"
COMMANDS = {command.name or "": command for command in application().registered_commands}


@cache
def made() -> dict[str, typer.core.TyperCommand]:
    """The commands as they are made of their functions."""
    return typer.main.get_command(application()).commands  # type: ignore[attr-defined, no-any-return]


def test_version() -> None:
    assert invoke("--version").stdout == invoke("-V").stdout == f"walkthrough {__version__}\n"


def test_no_arguments_is_help() -> None:
    assert "Usage:" in run().stdout + run().stderr


def test_the_commands() -> None:
    assert {"run", "export", "steps", "list", "new", "validate", "schema"} <= set(COMMANDS)
    shown = invoke("--help").stdout
    assert all(re.search(rf"^│ {name} ", shown, re.MULTILINE) for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(name: str) -> None:
    result = invoke(name, "-h")
    assert result.exit_code == 0
    assert f"walkthrough {name}" in " ".join((COMMANDS[name].epilog or "").split())
    assert re.search(r"Examples?:", result.stdout)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_does(name: str) -> None:
    assert not [option.name for option in made()[name].params if not getattr(option, "help", None)]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_it_in_one_sentence_and_stands_in_a_group(name: str) -> None:
    options = [one for one in made()[name].params if isinstance(one, typer.core.TyperOption) and one.name != "help"]
    assert not [one.name for one in options if not re.fullmatch(r"[A-Za-z].*[^.]\.", one.help or "")]
    assert not [one.name for one in options if re.search(r"\. [A-Z]", one.help or "")]
    assert not [one.name for one in options if len(one.help or "") > 130]
    assert not [one.name for one in options if one.rich_help_panel is None]
    assert not [one.name for one in options if re.search(r"\b[Ww]ith --(?!step)", one.help or "")]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_can_be_typed(name: str) -> None:
    """Each option of an example is one that its command has."""
    for example in (COMMANDS[name].epilog or "").partition(":")[2].split(" · "):
        for part in re.split(r" && | \| ", example.strip()):
            program, command, *words = part.split()
            if program == "walkthrough":
                known = {flag for option in made()[command].params for flag in option.opts}
                assert {word for word in words if re.match(r"--?[a-z]", word)} <= known, part


def test_no_option_that_names_a_file_or_folder_takes_an_empty_name_or_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tried = set()
    for name, command in made().items():
        needed = ["-o", "x"] if name == "worksheet" else []
        options = [option for option in command.params if re.search(_FILE, option.metavar or "")]
        for option, flag in ((one, flag) for one in options for flag in one.opts):
            result = invoke(name, "chai", *(needed if flag not in ("-o", "--output") else []), flag, "")
            assert (result.exit_code, "it is empty" in result.stderr) == (2, True), flag
            if not getattr(option, "multiple", False):
                result = invoke(name, "chai", *needed, flag, "y", flag, "z")
                assert (result.exit_code, "it is given twice" in result.stderr) == (2, True), flag
            tried.add(f"{name} {flag}")
    assert {"mark --feedback", "mark --key", "worksheet -o", "worksheet --students", "compare --names"} <= tried
    assert {"practice -o", "new --from", "new --like", "export --output", "check --scenario"} <= tried
    assert not list(tmp_path.iterdir())
