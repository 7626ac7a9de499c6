"""Wheel and sdist carry what they must, and the wheel works in a virtual environment of its own, from any folder."""

from __future__ import annotations

import email
import json
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from docs.publish import REPOSITORY
from walkthrough import __version__

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = sorted(path.name for path in (ROOT / "scenarios").glob("*.yaml"))


def built(source: Path, kind: str, target: Path) -> Path:
    """Builds a wheel or an sdist without the network: the backend is one of the `test` requirements."""
    command = [sys.executable, "-m", "build", "--no-isolation", f"--{kind}", "--outdir", str(target), str(source)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = target.iterdir()
    return file


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("build")
    pytest.importorskip("hatchling")
    return built(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the unpacked sdist, so that the sdist is known to hold all it takes."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))  # Python 3.11.4
    (source,) = folder.iterdir()
    return built(source, "wheel", tmp_path_factory.mktemp("wheel"))


def test_sdist(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {"pyproject.toml", "README.md", "LICENSE", "docs/tutorial.md", "docs/pictures/arcs.svg", ".ci/run"}
    wanted |= {"CITATION.cff", ".github/SECURITY.md", ".github/workflows/release.yml"}
    wanted |= {
        "tests/transformer/test_agreement.py",
        "walkthrough/py.typed",
        *(f"scenarios/{name}" for name in SCENARIOS),
    }
    assert wanted - names == set()
    assert not [name for name in names if "__pycache__" in name or ".venv" in name or name.startswith("dist")]


def test_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = email.message_from_bytes(archive.read(f"walkthrough-{__version__}.dist-info/METADATA"))
    wanted = {"walkthrough/py.typed", "walkthrough/scenario/starter.yaml"}
    wanted |= {f"walkthrough/scenarios/{name}" for name in (*SCENARIOS, "scenario.schema.json")}
    wanted |= {f"walkthrough/schemas/{file.name}" for file in (ROOT / "walkthrough/schemas").iterdir()}
    wanted |= {f"walkthrough/course/{file.name}" for file in (ROOT / "docs/course").iterdir()}
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "walkthrough").rglob("*.py")}
    assert (wanted | modules) - names == set()
    assert {name.partition("/")[0] for name in names} == {"walkthrough", f"walkthrough-{__version__}.dist-info"}
    assert metadata["Name"] == "walkthrough"
    assert metadata["Version"] == __version__
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "MIT"
    needed = [one for one in metadata.get_all("Requires-Dist") if "extra ==" not in one]
    assert sorted(re.split("[<>=]", one)[0] for one in needed) == ["numpy", "pyyaml", "rich", "typer"]
    assert "Three ways in" in str(metadata.get_payload())
    assert wheel.stat().st_size <= 1.4 * 1024**2


def test_the_description_leads_into_the_repository_from_anywhere(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read(f"walkthrough-{__version__}.dist-info/METADATA").decode()
    targets = re.findall(r"\]\(([^)\s]+)\)", text.partition("\n\n")[2])
    assert len(targets) == len(re.findall(r"\]\(([^)\s]+)\)", (ROOT / "README.md").read_text(encoding="utf-8")))
    for target in targets:
        kind, _, path = target.removeprefix(f"{REPOSITORY}/").partition(f"/v{__version__}/")
        is_picture = path.endswith((".png", ".svg"))
        assert target.startswith("#") or kind == ("raw" if is_picture else "blob"), target
        assert target.startswith("#") or (ROOT / path.partition("#")[0]).exists(), target


def test_twine_has_nothing_to_say(sdist: Path, wheel: Path) -> None:
    pytest.importorskip("twine")
    command = [sys.executable, "-m", "twine", "check", "--strict", str(sdist), str(wheel)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no umask")
def test_the_same_tree_gives_the_same_bytes(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    """In another folder, at another time, under another umask."""
    before = os.umask(0o077)
    try:
        with tarfile.open(sdist) as archive:
            archive.extractall(tmp_path / "copy", **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        (source,) = (tmp_path / "copy").iterdir()
        for path in source.rglob("*"):
            os.utime(path, (1_000_000_000, 1_000_000_000))
        again = [built(source, kind, tmp_path / kind) for kind in ("sdist", "wheel")]
    finally:
        os.umask(before)
    assert [file.read_bytes() for file in again] == [sdist.read_bytes(), wheel.read_bytes()]


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, installed from the wheel into a clean environment; its requirements are borrowed from this one."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False, symlinks=True)
    site = next((folder / "lib").glob("python*/site-packages"))
    target = ["--target", str(site), "--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *target, str(wheel)], check=True)
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if "walkthrough" not in entry.name and entry.suffix != ".pth" and not (site / entry.name).exists():
            (site / entry.name).symlink_to(entry)
    return folder / "bin" / "python"


def run(program: Path, folder: Path, *arguments: str) -> str:
    """What the installed program prints, started in another folder."""
    return python(program, folder, "-m", "walkthrough", *arguments)


def python(program: Path, folder: Path, *arguments: str) -> str:
    """What the interpreter of that environment prints; it knows of no other place for packages."""
    without = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([str(program), *arguments], cwd=folder, capture_output=True, encoding="utf-8", env=without)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_installed_program_from_another_folder(program: Path, tmp_path: Path) -> None:
    assert run(program, tmp_path, "--version") == f"walkthrough {__version__}\n"
    assert "S[chai, is] = " in run(program, tmp_path, "run", "chai")
    listed = {line.split()[0] for line in run(program, tmp_path, "list").splitlines() if line.startswith("  ")}
    assert json.loads(run(program, tmp_path, "schema", "--of", "trace"))["$id"] == "urn:walkthrough:trace:2"
    assert {Path(name).stem for name in SCENARIOS} <= listed
    run(program, tmp_path, "new", "mine.yaml")
    assert "output_head.prediction" in run(program, tmp_path, "run", "mine.yaml")


@pytest.mark.slow
def test_it_is_the_installed_one(program: Path, tmp_path: Path) -> None:
    found = python(program, tmp_path, "-c", "import walkthrough; print(walkthrough.__file__)")
    assert str(program.parents[1]) in found
