"""How far somebody is in the course: a small file of the user's, with no answers and no names in it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_VERSION = 1


def state_folder() -> Path:
    """Where programs keep such files on this system."""
    if given := os.environ.get("XDG_STATE_HOME"):
        return Path(given) / "walkthrough"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "walkthrough"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "walkthrough"
    return Path.home() / ".local" / "state" / "walkthrough"


class ProgressFile:
    """Of each chapter by name: the section that was begun last, the questions answered and whether the first answer
    was right, and whether it is done.

    say: is told what is wrong with the file, or with writing it, once in a line
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self.path = state_folder() / "learn.json"
        self._say = say
        self._is_said = False
        self._chapters: dict[str, dict[str, Any]] = self._read()

    def section(self, name: str) -> int:
        """The section of a chapter that was begun last, from 0; 0 of one that is done."""
        return 0 if self.is_done(name) else int(self._of(name)["section"])

    def answers(self, name: str) -> dict[int, bool]:
        """By the number of each question that was answered, whether the first answer was right."""
        return {int(number): bool(right) for number, right in self._of(name)["answers"].items()}

    def is_done(self, name: str) -> bool:
        """Whether a chapter was taken to its end."""
        return bool(self._of(name)["done"])

    def begin(self, name: str, section: int) -> None:
        """Notes the section that begins."""
        self._of(name)["section"] = section
        self._write()

    def answer(self, name: str, number: int, is_right: bool) -> None:
        """Notes an answered question; of one that is answered again the first answer counts."""
        self._of(name)["answers"].setdefault(str(number), is_right)
        self._write()

    def finish(self, name: str) -> None:
        """Notes that a chapter is done."""
        self._of(name)["done"] = True
        self._write()

    def forget(self, name: str | None) -> None:
        """Forgets a chapter; None: all."""
        if name is None:
            self._chapters.clear()
        else:
            self._chapters.pop(name, None)
        self._write()

    def _of(self, name: str) -> dict[str, Any]:
        return self._chapters.setdefault(name, {"section": 0, "answers": {}, "done": False})

    def _read(self) -> dict[str, dict[str, Any]]:
        """What the file says; a damaged one is put aside."""
        try:
            text = self.path.read_bytes()
        except OSError:
            return {}
        try:
            return _checked(json.loads(text))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            self._put_aside()
            return {}

    def _put_aside(self) -> None:
        bad = self.path.with_name(self.path.name + ".bad")
        try:
            os.replace(self.path, bad)
            self._say(f"{self.path} is damaged; it is kept as {bad.name}, and the course begins anew")
        except OSError:
            self._say(f"{self.path} is damaged; the course begins anew")

    def _write(self) -> None:
        """Whole or not at all; where it cannot be written, the course goes on."""
        from walkthrough.cli.files import write_file

        document = {"version": _VERSION, "chapters": self._chapters}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_file(str(self.path), (json.dumps(document, indent=1) + "\n").encode())
        except OSError as error:
            if not self._is_said:
                self._say(f"progress cannot be kept in {self.path}: {error.strerror or error}")
                self._is_said = True


def _checked(document: Any) -> dict[str, dict[str, Any]]:
    """The chapters of a document that is one of ours; any other raises."""
    if document["version"] != _VERSION:
        raise ValueError
    found = {}
    for name, one in document["chapters"].items():
        section, answers, done = one["section"], one["answers"], one["done"]
        right = all(number.isdecimal() and isinstance(is_right, bool) for number, is_right in answers.items())
        if type(section) is not int or section < 0 or not right or not isinstance(done, bool):
            raise ValueError
        found[name] = {"section": section, "answers": dict(answers), "done": done}
    return found
