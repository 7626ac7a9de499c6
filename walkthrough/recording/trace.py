"""The trace: every value of one calculation, in the order of the calculation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from walkthrough.errors import expect_text
from walkthrough.recording.cells import CellAt, find_cell, split_cell
from walkthrough.recording.labels import Labels
from walkthrough.recording.rounding import Rounding, StatedRounding
from walkthrough.recording.selectors import SelectorError, is_aside, no_match, no_path, resolve, within_pass
from walkthrough.recording.values import Value
from walkthrough.records import NONE, Record
from walkthrough.text import in_quotes


class StopRecording(Exception):  # noqa: N818 - nothing is wrong
    """All has been recorded that is asked for."""


class Needs(Record):
    """What of a calculation is needed.

    until:     the first step that is neither asked for nor computed from what is, and has only such steps behind it
    releases:  for each step the paths of those that it is the last to read, and that nobody asks for
    tokens:    whether it is asked how a text becomes tokens
    explained: whether all numbers that those come from are needed too; of the exact ones beside a rounded calculation
               they are not
    """

    until: str = ""
    releases: Mapping[str, Sequence[str]] = NONE
    tokens: bool = True
    explained: bool = False


class Trace:
    """All recorded values of a scenario: `trace[path]`, `trace.select("softmax")`, or iterate in order.

    forgotten: the names of the values that were let go, of the last step of a training, and the path of each
    by_hand:   how a calculation by hand has rounded its steps; None where it is none
    decisive:  numbers that decide what is calculated, such as the words that a generation picks: value, row, column
    stated:    what the scenario says of by-hand arithmetic
    changed:   what was calculated with in place of the scenario's numbers, as CELL=NUMBER, STEP=0 …
    progress:  how far a long calculation has come, in words; empty where that is not known
    scenario:  what its scenario is called on a command line; empty where that is not known
    judge:     the verdicts on numbers that somebody has printed (judging/check.py); None where there are none
    until:     the path of a step that nobody asks for, nor for any after it; empty where all are wanted
    releases:  for each step the paths of those whose last reader it is, and whose numbers nobody asks for; empty
               where all numbers are kept
    language:  what people read of it is in this language
    passes:    the sizes of the passes of a generation with a cache (sizes/generation.py); None of others
    before:    the same calculation before calculated steps got other numbers; None where none did
    replace:   gives a step other numbers as soon as it is recorded; None where none has others
    layer:     which layer of how many a large model has come to; None where that is not known
    """

    value_class: type[Value] = Value
    """What the recorder makes of each value; a subclass may have one of its own."""
    has_numbers = True
    """Whether values are calculated; where not, their axes alone are found."""

    def __init__(self, title: str = "", description: str = "", source: str = "", decimals: int = 3) -> None:
        self.title = title
        self.description = description
        self.source = source
        self.decimals = decimals
        self.language = "en"
        self.values: dict[str, Value] = {}
        self.aliases: dict[str, Value] = {}
        self.tokens: list[Labels] = []
        self.forgotten: dict[str, str] = {}
        self._bare: dict[str, Value] = {}
        self.changed: tuple[str, ...] = ()
        self.by_hand: Rounding | None = None
        self.decisive: list[tuple[Value, int, int]] = []
        self.progress = ""
        self.layer: tuple[int, int] | None = None
        self.exact: Trace | None = None
        self.before: Trace | None = None
        self.replace: Callable[[Value], None] | None = None
        self.stated: StatedRounding | None = None
        self.scenario = ""
        self.judge: Callable[[], Any] | None = None
        self.until = ""
        self.releases: Mapping[str, Sequence[str]] = NONE
        self._unforeseen: list[Value] = []
        self.passes: Callable[[], Any] | None = None

    def __iter__(self) -> Iterator[Value]:
        return iter(self.values.values())

    def __len__(self) -> int:
        return len(self.values)

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and (path in self.values or path in self.aliases)

    def __getitem__(self, path: str) -> Value:
        """The value of exactly this path; a SelectorError (a LookupError) that names near paths where there is none."""
        value = self.get(path)
        if value is None:
            expect_text(path, "path", 'a path such as "attention.head.1.scores"')
            raise no_path(path, [*self.values, *self.aliases, *self.forgotten])
        return value

    def get(self, path: str) -> Value | None:
        """The value of exactly this path, or None."""
        return self.values.get(path) or self.aliases.get(path) if isinstance(path, str) else None

    def before_of(self, value: Value) -> Value | None:
        """The same step before steps got other numbers; None where there is none, or it has another shape."""
        found = self.before.get(value.path) if self.before is not None else None
        return found if found is not None and found.shape == value.shape else None

    def alias(self, path: str, value: Value) -> None:
        """Lets `value` answer to a second path too."""
        expect_text(path, "path", 'a path such as "encoder.output"')
        self.aliases[path] = value
        value.also = (*value.also, path)

    def items(self) -> Iterator[tuple[str, Value]]:
        """Every path with its value, second names included."""
        yield from self.values.items()
        yield from self.aliases.items()

    def names_within_pass(self) -> dict[str, str]:
        """Every name without that of its training step or generated token, and the path it stands for."""
        names: dict[str, str] = {}
        paths = ((name, value.path) for name, value in self.items())
        for name, path in (*paths, *self.forgotten.items()):
            names.setdefault(within_pass(name), within_pass(path))
        return names

    def rounding(self) -> Rounding:
        """How far each step is rounded by hand where no number of decimals is asked for."""
        if self.by_hand is not None and self.by_hand.format is not None:
            return self.by_hand
        return Rounding.of(self.decimals, self.stated, self.names_within_pass())

    @property
    def arithmetic(self) -> str:
        """What its numbers were calculated in: `exact`, `by hand`, or the name of a number format."""
        if self.by_hand is None:
            return "exact"
        return "by hand" if self.by_hand.format is None else self.by_hand.format.name

    def forget(self, prefix: str, keep: Sequence[str]) -> dict[str, str]:
        """Lets go of the newest values, those under a prefix; what a selector names stays, without its history.

        It stays under the first name that is selected, and under those that are selected exactly.
        Returns every name that there was, with the path of its value.
        """
        newest = [*_newest(self.values, prefix), *_newest(self.aliases, prefix)]
        names = {path: value.path for path, value in newest}
        kept: dict[Value, list[str]] = {value: [] for _, value in newest}
        for selector in keep:
            for path, value in resolve(selector, (((path, value), [path]) for path, value in newest)):
                if path == selector or not kept[value]:
                    kept[value].append(path)
        copies = {value: value.without_history() for value, paths in kept.items() if paths}
        for value, copy in copies.items():
            copy.path, *others = dict.fromkeys(kept[value])
            self.values[copy.path] = copy
            for path in others:
                self.alias(path, copy)
        for value, copy in copies.items():  # what is kept is one value for all that is computed from it
            copy.inputs = tuple(
                copies.get(given) or self.get(one.path) or self._bare.setdefault(one.path, one)
                for given, one in zip(value.inputs, copy.inputs, strict=True)
            )
        return names

    def release_after(self, value: Value) -> None:
        """Lets go of the numbers that a new value was the last to read.

        Steps that the numbers have decided on, such as shifted scores, were not foreseen: their part is their reader.
        """
        if value.path not in self.releases:
            self._unforeseen.append(value)
            return
        for path in self.releases[value.path]:
            self.values[path].let_go()
        over = [one for one in self._unforeseen if not value.path.startswith(_part_of(one.path))]
        for one in over:
            one.let_go()
            self._unforeseen.remove(one)

    def first_broken(self, prefix: str = "") -> str:
        """The path of the first value under a prefix that holds a nan, as an unknown number does, or +∞; or empty.

        Rows without a target have no numbers, and are in order.
        """
        expect_text(prefix, "prefix", 'how paths begin, such as "encoder.1."')
        values = (value for value in self if value.path.startswith(prefix))
        broken = (value.path for value in values if value.is_broken and not value.leaves_out)
        return next(broken, "")

    def add_tokens(self, labels: Labels) -> None:
        """Notes the tokens of a sequence: rows with these labels are theirs."""
        if labels and labels not in self.tokens:
            self.tokens.append(labels)

    def select(self, *selectors: str) -> list[Value]:
        """The values that any of the selectors matches, in the order of the calculation; without selectors, all.

        A selector that matches no path may be a symbol or a title, as they are printed.

        Raises SelectorError for a selector that matches nothing.
        """
        if not selectors:
            return list(self)
        chosen = {value for selector in selectors for value in self._one_selector(selector)}
        return [value for value in self if value in chosen]

    def only(self, selector: str) -> Value:
        """The one value that `selector` matches; a SelectorError where it matches none or several."""
        found = self._one_selector(selector)
        if len(found) > 1:
            paths = ", ".join(value.path for value in found)
            raise SelectorError(f"{in_quotes(selector)} matches {len(found)} steps: {paths}")
        return found[0]

    def cell(self, text: str) -> CellAt:
        """The cell that `SELECTOR[row, column]` names; a SelectorError that names near ones where there is none."""
        expect_text(text, "cell", 'a text such as "scores[chai, is]"')
        selector, labels = split_cell(text)
        return find_cell(self.only(selector), labels)

    def _one_selector(self, selector: str) -> list[Value]:
        expect_text(selector, "selector", 'a text such as "softmax", each as an argument of its own')
        if selector in self:
            return [self[selector]]
        found = resolve(selector, ((value, (value.path, *value.also)) for value in self))
        found = found or [value for value in self if value.kind.is_called(selector) and not is_aside(value.path)]
        found = found or self._titled(selector)
        if not found:
            names = [*self.values, *self.aliases, *self.forgotten]
            raise no_match(selector, names, otherwise="; see `walkthrough steps`")
        return found

    def _titled(self, printed: str) -> list[Value]:
        """The values whose title in another language it is."""
        from walkthrough.languages import LANGUAGES  # only where nothing else matches
        from walkthrough.languages.catalogue import catalogue

        titles = [catalogue(language).title for language in LANGUAGES]
        wanted = printed.casefold()
        named = (value for value in self if any(title(value.kind).casefold() == wanted for title in titles))
        return [value for value in named if not is_aside(value.path)]

    def __repr__(self) -> str:
        return f"<Trace {self.title!r}: {len(self)} values>"


def _part_of(path: str) -> str:
    """What the paths of a step's part begin with: decoder.1.self_attention.head.1. of …head.1.softmax.shifted"""
    return f"{path.rpartition('.')[0].rpartition('.')[0]}."


def _newest(table: dict[str, Value], prefix: str) -> list[tuple[str, Value]]:
    """Takes the entries under a prefix from the end of a table; the time does not depend on what precedes them."""
    paths = list(takewhile(lambda path: path.startswith(prefix), reversed(table)))
    return [(path, table.pop(path)) for path in reversed(paths)]
