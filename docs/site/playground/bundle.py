"""The program and what it needs, as one zip of pure Python; and whose work all of it is."""

from __future__ import annotations

import importlib.metadata
import io
import py_compile
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from email.message import Message
from email.parser import Parser
from pathlib import Path

from docs.site.playground.pyodide import Pyodide
from walkthrough.version import __version__

ROOT = Path(__file__).resolve().parents[3]
DRIVER = Path(__file__).parent / "web" / "driver.py"
_NEEDED, _WANTED = ("pyyaml", "rich", "typer"), "xlsxwriter"
_LEFT_OUT = re.compile(r"_yaml/|pygments/(lexers|styles)/(?!__init__|_mapping|default)")
"""Compiled parts, and the many lexers and styles of Pygments: nothing shows source code of other languages."""
_FIRST = """
import sys
from walkthrough.cli import main
sys.argv[1:] = ["run", "one-head"]
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""
"""What the playground carries out first; and what has been imported for it."""
_OLDEST = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the zip, so that the same tree gives the same bytes."""


def bundle(pyodide: Pyodide) -> bytes:
    """A zip of the program, its driver and its requirements, to be unpacked beside Python's own packages."""
    files = dict(_program())
    for part in requirements():
        files |= dict(_modules(part))
    is_same = pyodide.python.split(".")[:2] == [str(number) for number in sys.version_info[:2]]
    compiled = _first_modules() if is_same else set()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            written, content = _compiled(name, files[name]) if name in compiled else (name, files[name])
            info = zipfile.ZipInfo(written, _OLDEST)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
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


def _first_modules() -> set[str]:
    """The files of the modules that the first run imports: compiled they load faster, of others the source is less."""
    done = subprocess.run(
        [sys.executable, "-c", _FIRST], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    ).stderr
    places = [name.replace(".", "/") for name in ["driver", *done.split()]]
    return {f"{place}{end}" for place in places for end in (".py", "/__init__.py")}


def _compiled(name: str, content: bytes) -> tuple[str, bytes]:
    """A module as Python's own bytes, which load faster; they say no time and no place."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "source.py", Path(folder) / "source.pyc"
        source.write_bytes(content)
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(str(source), str(target), dfile=name, doraise=True, invalidation_mode=mode)
        return f"{name}c", target.read_bytes()


def licences(pyodide: Pyodide) -> str:
    """Each part with its version and licence, and the texts of those that bring theirs."""
    with zipfile.ZipFile(pyodide.wheel) as wheel:
        names = sorted(
            name for name in wheel.namelist() if re.fullmatch(r"[^/]+\.dist-info/(METADATA|LICENSE.*)", name)
        )
        texts = {name.rpartition("/")[2]: wheel.read(name).decode("utf-8", "replace") for name in names}
    metadata = Parser().parsestr(texts.pop("METADATA", ""))
    rows = [
        ("walkthrough", __version__, "MIT"),
        ("Pyodide", pyodide.version, "MPL-2.0"),
        ("Python", pyodide.python, "PSF-2.0"),
        ("numpy", pyodide.numpy, _licence(metadata)),
        *((part.name, part.version, _licence(part.metadata)) for part in requirements()),
    ]
    own = [
        ("walkthrough", (ROOT / "LICENSE").read_text(encoding="utf-8")),
        *(("numpy", text) for text in texts.values()),
    ]
    for part in requirements():
        own += [(part.name, text) for text in _texts(part)]
    table = "".join(f"{name:<16} {version:<10} {licence}\n" for name, version, licence in rows)
    return table + "".join(f"\n{'=' * 80}\n{name}\n{'=' * 80}\n{text.strip()}\n" for name, text in own)


def _licence(metadata: Message | importlib.metadata.PackageMetadata) -> str:
    """What the metadata of a distribution say of its licence, on one line."""
    classifiers = [one for one in metadata.get_all("Classifier") or () if one.startswith("License :: ")]
    named = metadata.get_all("License-Expression") or [one.rpartition(" :: ")[2] for one in classifiers]
    return ", ".join(named) or (metadata.get_all("License") or ["unknown"])[0].partition("\n")[0]


def _texts(part: importlib.metadata.Distribution) -> Iterator[str]:
    for file in part.files or ():
        if re.match(r"LICEN[SC]E|COPYING", file.name) and file.suffix != ".py":
            yield Path(str(file.locate())).read_text(encoding="utf-8", errors="replace")
