"""The folder of Pyodide that is given: what it must hold, and whether the parts fit each other."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

from docs.site.output import SiteError
from walkthrough.records import Record

CORE = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
_WHEEL = re.compile(r"numpy-(?P<version>[^-]+)(-\d[^-]*)?-(?P<python>[^-]+)-(?P<abi>[^-]+)-(?P<platform>[^-]+)\.whl")


class Pyodide(Record):
    """Python for the browser, and numpy for it.

    version: of Pyodide; python: of its Python, as 3.13.2; wheel: the file of numpy
    """

    folder: Path
    version: str
    python: str
    wheel: Path

    @property
    def files(self) -> list[Path]:
        """All that the playground loads of it."""
        return [*(self.folder / name for name in CORE), self.wheel]

    @property
    def numpy(self) -> str:
        """The version of numpy."""
        return self.wheel.name.split("-")[1]


def read_pyodide(folder: Path) -> Pyodide:
    """The parts in a folder. Raises SiteError, which names what is missing or does not fit."""
    if not folder.is_dir():
        raise SiteError(f"{folder}: no such folder; it is to hold {', '.join(CORE)} and a wheel of numpy")
    missing = [name for name in CORE if not (folder / name).is_file()]
    if missing:
        raise SiteError(f"{folder}: without {', '.join(missing)}; npm's package pyodide has all of {', '.join(CORE)}")
    python, abi = _info(folder / "pyodide-lock.json")
    version = re.search(r'="(\d+\.\d+\.\d+[\w.]*)"', (folder / "pyodide.mjs").read_text(encoding="utf-8"))
    return Pyodide(folder, version[1] if version else "unknown", python, _wheel(folder, python, abi))


def _info(lock: Path) -> tuple[str, str]:
    """Python's version and the ABI, as the lock file has them."""
    try:
        info = json.loads(lock.read_text(encoding="utf-8"))["info"]
        python, abi = str(info["python"]), str(info["abi_version"])
    except (OSError, ValueError, KeyError, TypeError):
        raise SiteError(f"{lock}: not the lock file of a Pyodide: info.python and info.abi_version expected") from None
    if not re.fullmatch(r"3\.\d+\.\d+\w*", python):
        raise SiteError(f"{lock}: info.python is {python!r}, not a version of Python")
    return python, abi


def _wheel(folder: Path, python: str, abi: str) -> Path:
    """The one wheel of numpy, which must be for this Python and ABI."""
    tag = "cp" + "".join(python.split(".")[:2])
    platforms = [f"{name}_{abi}_wasm32" for name in ("pyodide", "pyemscripten")]
    wanted = f"numpy-VERSION-{tag}-{tag}-{platforms[0]}.whl"
    wheels = sorted(folder.glob("numpy-*.whl"))
    if not wheels:
        raise SiteError(f"{folder}: no wheel of numpy; put {wanted} beside pyodide.mjs")
    if len(wheels) > 1:
        names = ", ".join([wheel.name for wheel in wheels])
        raise SiteError(f"{folder}: {len(wheels)} wheels of numpy, {names}; leave one, {wanted}")
    parts = _WHEEL.fullmatch(wheels[0].name)
    if parts is None or parts["python"] != tag or parts["abi"] != tag or parts["platform"] not in platforms:
        raise SiteError(f"{wheels[0]}: does not fit Python {python} with the ABI {abi}; {wanted} would")
    if not zipfile.is_zipfile(wheels[0]):
        raise SiteError(f"{wheels[0]}: not a wheel, or damaged")
    return wheels[0]
