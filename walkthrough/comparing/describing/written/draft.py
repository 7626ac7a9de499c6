"""What becomes a scenario: its keys, and the lines that are asked about."""

from __future__ import annotations

from typing import Any

from walkthrough.comparing.describing.written.sections import Keys

Path = tuple[Any, ...]


class Draft:
    """The keys of a scenario, and the questions: of each the path of the line that it is about, and a sentence."""

    def __init__(self, title: str, file: str) -> None:
        self.keys: Keys = {"title": title, "weights_file": file, "matrix_convention": "column"}
        self.asked: list[tuple[Path, str]] = []

    def ask(self, sentence: str, *path: Any) -> None:
        """Asks about a line; where there is no such line, about the one that it would be in."""
        self.asked.append((self.line(*path), sentence))

    def line(self, *path: Any) -> Path:
        """The path of a line; of the one that it would be in, where there is none; at last that of the title."""
        while path and not _has(self.keys, path):
            path = path[:-1]
        return path or ("title",)

    @property
    def lines(self) -> set[Path]:
        """The paths of the lines that are asked about."""
        return {path for path, _ in self.asked}

    @property
    def questions(self) -> list[str]:
        """The sentences, each once."""
        return list(dict.fromkeys(sentence for _, sentence in self.asked))


def _has(held: Any, path: Path) -> bool:
    if not path:
        return True
    if isinstance(held, list):
        return isinstance(path[0], int) and path[0] < len(held) and _has(held[path[0]], path[1:])
    return isinstance(held, dict) and path[0] in held and _has(held[path[0]], path[1:])
