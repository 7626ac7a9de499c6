"""What stands ready for the owner: addresses to fill in, workflows that keep to their rules, a citation."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from docs.publish import CONTACT, REPOSITORY, left, main
from walkthrough import __version__

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of what holds addresses."""
    for name in ("pyproject.toml", "README.md", "CITATION.cff"):
        shutil.copy(ROOT / name, tmp_path)
    for name in (".github", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_addresses_are_filled_in_everywhere_and_nothing_else_changes(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / ".venv").mkdir()
    (tree / ".venv" / "note").write_text(REPOSITORY)
    texts = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    assert main(["--check"], tree) == 1
    listed = capsys.readouterr().out.splitlines()
    assert {line.partition(":")[0] for line in listed} >= {"pyproject.toml", "CITATION.cff", ".github/SECURITY.md"}
    for line in listed:
        name, _, number = line.partition(":")
        found = (tree / name).read_text(encoding="utf-8").splitlines()[int(number) - 1]
        assert REPOSITORY in found or CONTACT in found
    assert main(["--repository", "https://example.org/us/it/", "--contact", "us@example.org"], tree) == 0
    assert list(left(tree)) == []
    for path, before in texts.items():
        after = before.replace(REPOSITORY.encode(), b"https://example.org/us/it").replace(
            CONTACT.encode(), b"us@example.org"
        )
        assert path.read_bytes() == (before if ".venv" in path.parts else after)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--check", "--contact", "us@example.org"],
        ["--repository", "https://example.org/us/it"],
        ["--repository", "example.org", "--contact", "us@example.org"],
        ["--repository", "https://example.org/us/it", "--contact", "nobody"],
    ],
)
def test_what_is_no_address_is_refused_before_anything_is_written(tree: Path, arguments: list[str]) -> None:
    before = list(left(tree))
    with pytest.raises(SystemExit) as stop:
        main(arguments, tree)
    assert stop.value.code == 2
    assert list(left(tree)) == before


def test_no_address_is_made_up() -> None:
    """Every host in what is published is one that others have, or says that nobody has it."""
    known = {"docs.astral.sh", "json-schema.org", "keepachangelog.com", "semver.org", "huggingface.co"}
    for name in (
        "pyproject.toml",
        "README.md",
        "CITATION.cff",
        *(".github/" + one.name for one in (ROOT / ".github").glob("*.md")),
    ):
        hosts = set(re.findall(r"https?://([\w.-]+)", (ROOT / name).read_text(encoding="utf-8")))
        assert hosts <= {"repository.invalid", *known}, name


def test_the_citation_is_valid_and_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (citation["cff-version"], citation["version"], citation["license"]) == ("1.2.0", __version__, "MIT")
    assert citation["authors"] == [{"name": "The walkthrough authors"}]


@pytest.mark.parametrize(("schema", "files"), [("vendor.github-workflows", WORKFLOWS)])
def test_workflows_keep_to_their_schema(schema: str, files: list[Path]) -> None:
    pytest.importorskip("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *map(str, files)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_workflows_can_do_no_more_than_they_must(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets." not in text
    for job in workflow["jobs"].values():
        assert isinstance(job["timeout-minutes"], int)
        for step in job["steps"]:
            assert "github.event" not in step.get("run", "")
            assert "${{" not in step.get("run", "")
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


def jobs(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / f".github/workflows/{name}.yml").read_text(encoding="utf-8"))["jobs"]
    return found


def test_everything_runs_on_linux_and_readme_everywhere() -> None:
    everything, readme = jobs("ci").values()
    assert [step["run"] for step in everything["steps"] if "run" in step] == [".ci/run"]
    assert readme["strategy"]["fail-fast"] is False
    assert readme["strategy"]["matrix"] == {
        "os": ["ubuntu-latest", "macos-latest", "windows-latest"],
        "python": ["3.11", "3.12", "3.13", "3.14"],
    }
    commands = re.findall(r"```sh\n(python3 -m venv .*)\n```", (ROOT / "README.md").read_text(encoding="utf-8"))
    runs = [step["run"] for step in readme["steps"] if "run" in step]
    assert runs[: len(commands)] == commands
    windows = [line.replace("python3 ", "python ").replace(".venv/bin/", ".venv/Scripts/") for line in commands]
    assert runs[len(commands) :] == windows


def test_a_release_is_checked_before_it_is_built_and_published_without_a_token() -> None:
    build, publish = jobs("release")["build"], jobs("release")["publish"]
    runs = [step["run"] for step in build["steps"] if "run" in step]
    assert runs[0] == "python -m docs.publish --check"
    assert "permissions" not in build
    assert (publish["needs"], publish["environment"]) == ("build", "pypi")
    assert publish["permissions"] == {"id-token": "write"}
    assert not any("run" in step for step in publish["steps"])
    uses = [step["uses"].partition("@")[0] for step in publish["steps"]]
    assert uses == ["actions/download-artifact", "pypa/gh-action-pypi-publish"]
    assert publish["steps"][-1]["uses"].endswith("@release/v1")
    assert yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())[True] == {"push": {"tags": ["v*"]}}


@pytest.mark.parametrize("file", sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")), ids=lambda file: file.stem)
def test_forms_ask_for_what_an_answer_needs(file: Path) -> None:
    form = yaml.safe_load(file.read_text(encoding="utf-8"))
    if file.stem == "config":
        assert form["blank_issues_enabled"] is False
        return
    ids = [field["id"] for field in form["body"]]
    assert len(set(ids)) == len(ids)
    assert all(field["attributes"]["label"] for field in form["body"])
    if file.stem == "number":
        assert ids == ["scenario", "cell", "right", "version"]
        assert all(field["validations"]["required"] for field in form["body"])
