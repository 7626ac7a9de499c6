"""The folder that a site is written into, and the list of what is ours in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Self

from walkthrough.errors import UserError

BUILT = ".built"
"""The list of all files that a build has written, a path on each line; itself among them."""


class SiteError(UserError):
    """Why a site cannot be built from what was given."""


class Output:
    """A folder, which may exist: what an earlier build left and this one does not write is removed at the end."""

    def __init__(self, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise SiteError(f"{folder}: a file; name a folder for the site")
        self.folder = folder
        self._old = self._listed()
        self._written = {BUILT}

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(self, failure: object, *_: object) -> None:
        if failure is None:
            self._remove(self._old - self._written)
            self._old = set()
        lines = sorted(self._old | self._written)
        (self.folder / BUILT).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        """A file to write, by its path in the site."""
        self._written.add(name)
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("wb") as out:
            yield out

    def write(self, name: str, content: str | bytes) -> None:
        """Writes a file, by its path in the site; text as UTF-8."""
        with self.open(name) as out:
            out.write(content.encode() if isinstance(content, str) else content)

    def strangers(self) -> list[str]:
        """What is in the folder and is not ours, in order."""
        found = (path for path in self.folder.rglob("*") if not path.is_dir())
        return sorted({path.relative_to(self.folder).as_posix() for path in found} - self._written)

    def _listed(self) -> set[str]:
        """What an earlier build wrote; a line that leads out of the folder is none of ours."""
        try:
            lines = (self.folder / BUILT).read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return set()
        except (OSError, ValueError) as error:
            raise SiteError(f"{self.folder / BUILT}: cannot be read as the list of an earlier build") from error
        inside = os.path.realpath(self.folder) + os.sep
        return {line for line in lines if line and os.path.realpath(self.folder / line).startswith(inside)}

    def _remove(self, names: set[str]) -> None:
        """Removes files, and the folders that are empty then."""
        for name in sorted(names):
            file = self.folder / name
            if file.is_file() or file.is_symlink():
                file.unlink()
            for folder in (one for one in file.parents if one != self.folder and one.is_relative_to(self.folder)):
                if folder.is_dir() and not any(folder.iterdir()):
                    folder.rmdir()
