"""The program and what it needs, as one zip of pure Python; and whose work all of it is."""

from __future__ import annotations

import importlib.metadata
import io
import re
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

from docs.site.playground.pyodide import Pyodide
from walkthrough.version import __version__

ROOT = Path(__file__).resolve().parents[3]
DRIVER = Path(__file__).parent / "web" / "driver.py"
_NEEDED, _WANTED = ("pyyaml", "rich", "typer"), "xlsxwriter"
_LEFT_OUT = re.compile(r"_yaml/|pygments/(lexers|styles)/(?!__init__|_mapping|default)")
"""Compiled parts, and the many lexers and styles of Pygments: nothing shows source code of other languages."""
_OLDEST = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the zip, so that the same tree gives the same bytes."""


def bundle() -> bytes:
    """A zip of the program, its driver and its requirements, to be unpacked beside Python's own packages."""
    files = dict(_program())
    for part in requirements():
        files |= dict(_modules(part))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, _OLDEST)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, files[name])
    return packed.getvalue()


def requirements() -> list[importlib.metadata.Distribution]:
    """The distributions that the program needs besides numpy, and those that they need; XlsxWriter where it is here."""
    found: dict[str, importlib.metadata.Distribution] = {}
    waiting = [*_NEEDED, _WANTED]
    while waiting:
        try:
            part = importlib.metadata.distribution(name := waiting.pop())
        except importlib.metadata.PackageNotFoundError:
            if name in _NEEDED:
                raise
            continue  # for another system
        if part.name not in found:
            found[part.name] = part
            needs = (need for need in part.requires or () if "extra ==" not in need)
            waiting += [name[0] for need in needs if (name := re.match(r"[\w.-]+", need))]
    return [found[name] for name in sorted(found, key=str.casefold)]


def _program() -> Iterator[tuple[str, bytes]]:
    """The package as a wheel has it, and the driver."""
    yield DRIVER.name, DRIVER.read_bytes()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    for source, place in {**{name: name for name in wheel["packages"]}, **wheel["force-include"]}.items():
        within = ROOT / source
        for file in within.rglob("*") if within.is_dir() else [within]:
            if file.is_file() and "__pycache__" not in file.parts:
                yield (Path(place) / file.relative_to(within)).as_posix(), file.read_bytes()


def _modules(part: importlib.metadata.Distribution) -> Iterator[tuple[str, bytes]]:
    for file in part.files or ():
        name = file.as_posix()
        if file.suffix == ".py" and not name.startswith("..") and not _LEFT_OUT.match(name):
            yield name, Path(str(file.locate())).read_bytes()


def licences(pyodide: Pyodide) -> str:
    """Each part with its version and licence, and the texts of what is in the zip; numpy's is in its wheel."""
    rows = [
        ("walkthrough", __version__, "MIT"),
        ("Pyodide", pyodide.version, "MPL-2.0"),
        ("Python", pyodide.python, "PSF-2.0"),
        ("numpy", pyodide.numpy, "BSD-3-Clause"),
        *((part.name, part.version, _licence(part.metadata)) for part in requirements()),
    ]
    own = [("walkthrough", (ROOT / "LICENSE").read_text(encoding="utf-8"))]
    own += [(part.name, text) for part in requirements() for text in _texts(part)]
    table = "".join(f"{name:<16} {version:<10} {licence}\n" for name, version, licence in rows)
    return table + "".join(f"\n{'=' * 80}\n{name}\n{'=' * 80}\n{text.strip()}\n" for name, text in own)


def _licence(metadata: importlib.metadata.PackageMetadata) -> str:
    """What the metadata of a distribution say of its licence, on one line."""
    classifiers = [one for one in metadata.get_all("Classifier") or () if one.startswith("License :: ")]
    named = metadata.get_all("License-Expression") or [one.rpartition(" :: ")[2] for one in classifiers]
    return ", ".join(named) or (metadata.get_all("License") or ["unknown"])[0].partition("\n")[0]


def _texts(part: importlib.metadata.Distribution) -> Iterator[str]:
    for file in part.files or ():
        if re.match(r"LICEN[SC]E|COPYING", file.name) and file.suffix != ".py":
            yield Path(str(file.locate())).read_text(encoding="utf-8", errors="replace")
