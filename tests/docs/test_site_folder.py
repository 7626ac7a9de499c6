"""The folder of a site: what is ours is replaced and removed, nothing else is touched; what cannot be is said first."""

from __future__ import annotations

import importlib.util
import json
import sys
import zipfile
from pathlib import Path

import pytest

from docs.site.__main__ import main
from docs.site.output import Output, SiteError
from docs.site.playground.bundle import ROOT, bundle, requirements
from docs.site.playground.pyodide import CORE, Pyodide, read_pyodide

WHEEL = "numpy-2.2.5-cp313-cp313-pyodide_2025_0_wasm32.whl"


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


def pyodide_folder(folder: Path, *wheels: str, python: str = "3.13.2", abi: str = "2025_0") -> Path:
    """A folder that looks like Pyodide."""
    folder.mkdir()
    for name in CORE:
        (folder / name).write_text('version="0.29.5"')
    (folder / "pyodide-lock.json").write_text(json.dumps({"info": {"python": python, "abi_version": abi}}))
    for wheel in wheels:
        with zipfile.ZipFile(folder / wheel, "w") as archive:
            archive.writestr("numpy-2.2.5.dist-info/METADATA", "Classifier: License :: OSI Approved :: BSD License\n")
    return folder


def test_a_folder_that_fits_is_read(tmp_path: Path) -> None:
    found = read_pyodide(pyodide_folder(tmp_path / "p", WHEEL))
    assert (found.version, found.python, found.numpy) == ("0.29.5", "3.13.2", "2.2.5")


@pytest.mark.parametrize(
    ("wheels", "info", "said"),
    [
        ((), {}, "no wheel of numpy"),
        ((WHEEL, WHEEL.replace("2.2.5", "2.2.6")), {}, "2 wheels of numpy"),
        ((WHEEL,), {"abi": "2026_0"}, "does not fit Python 3.13.2 with the ABI 2026_0"),
        ((WHEEL,), {"python": "3.14.2"}, "does not fit Python 3.14.2"),
        ((WHEEL,), {"python": "wasm"}, "not a version of Python"),
        (("numpy-2.2.5-cp313-cp313-manylinux2014_x86_64.whl",), {}, "does not fit"),
    ],
)
def test_a_folder_of_pyodide_that_does_not_fit_is_named_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wheels: tuple[str, ...], info: dict[str, str], said: str
) -> None:
    folder = pyodide_folder(tmp_path / "p", *wheels, **info)
    assert main([str(tmp_path / "site"), "--pyodide", str(folder)]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("missing", CORE)
def test_what_a_folder_of_pyodide_lacks_is_named(tmp_path: Path, missing: str) -> None:
    folder = pyodide_folder(tmp_path / "p", WHEEL)
    (folder / missing).unlink()
    with pytest.raises(SiteError, match=f"without {missing}"):
        read_pyodide(folder)


def test_what_is_packed_for_the_browser_is_pure_python_and_the_same_bytes_each_time(tmp_path: Path) -> None:
    pyodide = Pyodide(tmp_path, "0.29.5", "3.99.0", tmp_path / WHEEL)
    packed = bundle(pyodide)
    assert packed == bundle(pyodide)
    (tmp_path / "walkthrough.zip").write_bytes(packed)
    with zipfile.ZipFile(tmp_path / "walkthrough.zip") as archive:
        inside = archive.namelist()
    assert {"driver.py", "walkthrough/cli/__init__.py", "walkthrough/scenarios/chai.yaml", "yaml/__init__.py"} <= {
        *inside
    }
    assert not [name for name in inside if name.endswith(".so") or name.startswith(("_yaml", "numpy"))]
    assert {"PyYAML", "rich", "typer"} <= {part.name for part in requirements()}


def test_for_a_pyodide_of_this_python_what_the_first_run_imports_is_compiled(tmp_path: Path) -> None:
    version = ".".join(map(str, sys.version_info[:3]))
    packed = bundle(Pyodide(tmp_path, "0.29.5", version, tmp_path / WHEEL))
    (tmp_path / "walkthrough.zip").write_bytes(packed)
    with zipfile.ZipFile(tmp_path / "walkthrough.zip") as archive:
        inside = set(archive.namelist())
        code = archive.read("driver.pyc")
    assert {"walkthrough/cli/__init__.pyc", "walkthrough/operations/softmax.pyc", "typer/main.pyc"} <= inside
    assert {"walkthrough/teaching/classroom/__init__.py", "walkthrough/views/workbook/workbook.py"} <= inside
    assert not [name for name in inside if name.endswith(".pyc") and name.removesuffix("c") in inside]
    assert code[:4] == importlib.util.MAGIC_NUMBER
    assert str(ROOT).encode() not in code
