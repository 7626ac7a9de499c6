"""A folder of Pyodide as it is published, and what the playground takes of it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs.site.output import SiteError
from walkthrough.records import Record

LOCK = "pyodide-lock.json"
CORE = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")


class Pyodide(Record):
    """Python for the browser, and numpy for it.

    lock: its lock file; python, numpy: their versions, as the lock file has them; wheel: the file of numpy
    """

    folder: Path
    lock: dict[str, Any]
    python: str
    numpy: str
    wheel: Path

    @property
    def version(self) -> str:
        """The version of Pyodide."""
        found = re.search(r'="(\d+\.\d+\.\d+[\w.]*)"', (self.folder / "pyodide.mjs").read_text(encoding="utf-8"))
        return found[1] if found else "unknown"

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Names and contents of all that the playground loads of it; in its lock file numpy is the only package."""
        for file in (*(self.folder / name for name in CORE), self.wheel):
            yield file.name, file.read_bytes()
        digest = hashlib.sha256(self.wheel.read_bytes()).hexdigest()
        numpy = self.lock["packages"]["numpy"] | {"file_name": self.wheel.name, "sha256": digest}
        yield LOCK, json.dumps(self.lock | {"packages": {"numpy": numpy}}).encode()


def read_pyodide(folder: Path) -> Pyodide:
    """What a folder holds. Raises SiteError, which names what is missing, or a lock file that is none."""
    _require(folder, *CORE, LOCK)
    try:
        lock = json.loads((folder / LOCK).read_text(encoding="utf-8"))
        python, numpy = str(lock["info"]["python"]), lock["packages"]["numpy"]
        version, name = str(numpy["version"]), Path(numpy["file_name"]).name
    except (ValueError, KeyError, TypeError):
        raise SiteError(f"{folder / LOCK}: not the lock file of a Pyodide with numpy") from None
    wheel = folder / name.replace("pyemscripten_", "pyodide_")  # the platform's name in wheels built without Pyodide
    if not wheel.is_file():
        _require(folder, name)
        wheel = folder / name
    return Pyodide(folder, lock, python, version, wheel)


def _require(folder: Path, *names: str) -> None:
    """Raises SiteError for files that are not in a folder."""
    if missing := [name for name in names if not (folder / name).is_file()]:
        raise SiteError(f"{folder}: without {', '.join(missing)}; name a folder of Pyodide as it is published")
