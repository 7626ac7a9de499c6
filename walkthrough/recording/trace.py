"""The trace: every value of one calculation, in the order of the calculation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from walkthrough.recording.cells import CellAt, find_cell, split_cell
from walkthrough.recording.labels import Labels
from walkthrough.recording.selectors import Pattern, SelectorError, is_selected, parse_words, unknown
from walkthrough.recording.values import Value


class Trace:
    """All recorded values of a scenario: `trace[path]`, `trace.select("softmax")`, or iterate in order."""

    def __init__(self, title: str = "", description: str = "", source: str = "", decimals: int = 3) -> None:
        self.title = title
        self.description = description
        self.source = source
        self.decimals = decimals
        self.values: dict[str, Value] = {}
        self.aliases: dict[str, Value] = {}
        self.tokens: list[Labels] = []
        self.forgotten: list[str] = []
        self.exact: Trace | None = None

    def __iter__(self) -> Iterator[Value]:
        return iter(self.values.values())

    def __len__(self) -> int:
        return len(self.values)

    def __contains__(self, path: object) -> bool:
        return path in self.values or path in self.aliases

    def __getitem__(self, path: str) -> Value:
        """The value of exactly this path; a SelectorError (a LookupError) that names near paths where there is none."""
        value = self.get(path)
        if value is None:
            raise unknown(path, [*self.values, *self.aliases, *self.forgotten])
        return value

    def get(self, path: str) -> Value | None:
        """The value of exactly this path, or None."""
        return self.values.get(path) or self.aliases.get(path)

    def alias(self, path: str, value: Value) -> None:
        """Lets `value` answer to a second path too."""
        self.aliases[path] = value
        value.also = (*value.also, path)

    def items(self) -> Iterator[tuple[str, Value]]:
        """Every path with its value, second names included."""
        yield from self.values.items()
        yield from self.aliases.items()

    def forget(self, prefix: str, keep: Sequence[str]) -> None:
        """Lets go of the values under a prefix; those that a selector names stay, without their history."""
        words = [parse_words(selector) for selector in keep]

        def is_kept(path: str) -> bool:
            return path in keep or any(is_selected(path, wanted) for wanted in words)

        self.forgotten = [path for path, _ in self.items() if path.startswith(prefix)]
        for path in [path for path in self.values if path.startswith(prefix)]:
            value = self.values.pop(path)
            if is_kept(path):
                self.values[path] = value.without_history()
        for path in [path for path in self.aliases if path.startswith(prefix)]:
            value = self.aliases.pop(path)
            if value.path not in self.values and is_kept(path):
                self.values[path] = value.without_history()
                self.values[path].path = path

    def add_tokens(self, labels: Labels) -> None:
        """Notes the tokens of a sequence: rows with these labels are theirs."""
        if labels and labels not in self.tokens:
            self.tokens.append(labels)

    def select(self, *selectors: str) -> list[Value]:
        """The values that any of the selectors names, in the order of the calculation; without selectors, all.

        Raises SelectorError for a selector that names nothing.
        """
        if not selectors:
            return list(self)
        chosen = {value for selector in selectors for value in self._one_selector(selector)}
        return [value for value in self if value in chosen]

    def only(self, selector: str) -> Value:
        """The one value that `selector` names; a SelectorError where it names none or several."""
        found = self._one_selector(selector)
        if len(found) > 1:
            paths = ", ".join(value.path for value in found[:3])
            raise SelectorError(f"{selector!r} names {len(found)} steps: {paths}{', …' if len(found) > 3 else ''}")
        return found[0]

    def cell(self, text: str) -> CellAt:
        """The cell that `SELECTOR[row, column]` names; a SelectorError that names near ones where there is none."""
        selector, labels = split_cell(text)
        return find_cell(self.only(selector), labels)

    def _one_selector(self, selector: str) -> list[Value]:
        if selector in self:
            return [self[selector]]
        words: Pattern = parse_words(selector)
        found = [value for value in self if any(is_selected(path, words) for path in (value.path, *value.also))]
        if not found:
            raise unknown(selector, [*self.values, *self.aliases, *self.forgotten])
        return found

    def __repr__(self) -> str:
        return f"<Trace {self.title!r}: {len(self)} values>"
