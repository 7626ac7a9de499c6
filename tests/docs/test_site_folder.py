"""The folder of a site: what is ours is replaced and removed, nothing else is touched; what cannot be is said first."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path

import pytest

from docs.site.__main__ import main
from docs.site.output import Output, SiteError
from docs.site.playground.bundle import bundle, requirements
from docs.site.playground.pyodide import CORE, LOCK, read_pyodide

WHEEL = "numpy-2.2.5-cp313-cp313-pyemscripten_2025_0_wasm32.whl"


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_what_an_earlier_build_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    with Output(tmp_path / "site") as out:
        out.write("old/page.html", "old")
        out.write("index.html", "old")
    (tmp_path / "site" / "notes.txt").write_text("mine")
    with Output(tmp_path / "site") as out:
        out.write("index.html", "new")
    assert names(tmp_path / "site") == [".built", "index.html", "notes.txt"]
    assert not (tmp_path / "site" / "old").exists()
    assert (tmp_path / "site" / "index.html").read_text() == "new"
    assert out.strangers() == ["notes.txt"]


def test_a_list_that_leads_out_of_the_folder_removes_nothing_there(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("mine")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / ".built").write_text(f"../precious.txt\n{tmp_path / 'precious.txt'}\n")
    with Output(tmp_path / "site") as out:
        out.write("index.html", "")
    assert (tmp_path / "precious.txt").read_text() == "mine"


def test_after_a_failure_all_of_ours_is_still_known(tmp_path: Path) -> None:
    with Output(tmp_path) as out:
        out.write("old.html", "")
    out = Output(tmp_path)
    out.write("new.html", "")
    out.__exit__(ValueError)
    with Output(tmp_path) as out:
        out.write("index.html", "")
    assert names(tmp_path) == [".built", "index.html"]


def test_a_site_folder_that_is_a_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "site").write_text("mine")
    assert main([str(tmp_path / "site")]) == 2
    assert "a file; name a folder" in capsys.readouterr().err
    assert (tmp_path / "site").read_text() == "mine"


@pytest.fixture
def pyodide(tmp_path: Path) -> Path:
    """A folder that looks like Pyodide, with another package and the tests of numpy."""
    folder = tmp_path / "pyodide"
    folder.mkdir()
    for name in (*CORE, WHEEL, "numpy_tests-2.2.5-py3-none-any.whl", "scipy-1.14.1.whl", "README.md"):
        (folder / name).write_text('version="0.29.5"')
    packages = {"numpy": {"file_name": WHEEL, "version": "2.2.5", "sha256": ""}, "scipy": {}}
    lock = {"info": {"python": "3.99.2", "abi_version": "2025_0"}, "packages": packages}
    (folder / LOCK).write_text(json.dumps(lock))
    return folder


def test_of_pyodide_as_it_is_published_only_what_is_used_is_taken(pyodide: Path) -> None:
    found = read_pyodide(pyodide)
    assert (found.version, found.python, found.numpy) == ("0.29.5", "3.99.2", "2.2.5")
    files = dict(found.files())
    assert set(files) == {*CORE, LOCK, WHEEL}
    packages = json.loads(files[LOCK])["packages"]
    assert packages["numpy"]["sha256"] == hashlib.sha256(files[WHEEL]).hexdigest()
    assert list(packages) == ["numpy"]


def test_a_wheel_that_calls_the_platform_by_its_other_name_is_found(pyodide: Path) -> None:
    other = (pyodide / WHEEL).rename(pyodide / WHEEL.replace("pyemscripten", "pyodide"))
    assert read_pyodide(pyodide).wheel == other
    other.rename(pyodide / other.name.replace("cp313", "cp312"))
    with pytest.raises(SiteError, match=f"without {WHEEL}"):
        read_pyodide(pyodide)


@pytest.mark.parametrize("missing", [*CORE, LOCK, WHEEL])
def test_what_a_folder_of_pyodide_lacks_is_named_before_anything_is_written(
    pyodide: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], missing: str
) -> None:
    (pyodide / missing).unlink()
    assert main([str(tmp_path / "site"), "--pyodide", str(pyodide)]) == 2
    assert f"{pyodide}: without {missing};" in capsys.readouterr().err
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    "lock",
    [
        "",
        "[]",
        '{"info": {"python": "3.13.2"}}',
        '{"packages": {"numpy": {"file_name": "n.whl", "version": "2"}}}',
        '{"info": {"python": "3.13.2"}, "packages": {"numpy": {"file_name": ["n.whl"], "version": "2"}}}',
    ],
)
def test_a_lock_file_that_is_none_is_named(pyodide: Path, lock: str) -> None:
    (pyodide / LOCK).write_text(lock)
    with pytest.raises(SiteError, match=f"{LOCK}: not the lock file"):
        read_pyodide(pyodide)


def test_what_is_packed_for_the_browser_is_pure_python_and_the_same_bytes_each_time(tmp_path: Path) -> None:
    packed = bundle()
    assert packed == bundle()
    (tmp_path / "walkthrough.zip").write_bytes(packed)
    with zipfile.ZipFile(tmp_path / "walkthrough.zip") as archive:
        inside = archive.namelist()
    assert {"driver.py", "walkthrough/cli/__init__.py", "walkthrough/scenarios/chai.yaml", "yaml/__init__.py"} <= {
        *inside
    }
    assert not [name for name in inside if name.endswith(".so") or name.startswith(("_yaml", "numpy"))]
    assert {"PyYAML", "rich", "typer"} <= {part.name for part in requirements()}
