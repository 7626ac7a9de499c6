"""What a live page holds as data: the recorded numbers, and the folded expressions that it calculates with.

`page_json` is one JSON text. `steps` are in the order of the calculation; the keys of a step are left out where they
say nothing. What many steps have alike is in `alike`, once:

    l, z      which of `alike` it is, by kind and shape
    y         symbol
    p         path, as `COUNT REST`: so many characters of the path before it, the rest
    a         aliases, each as `COUNT BEGINNING`: the path, in which this stands for so many characters
    n, m      how many rows and columns           r, c      row and column labels, in `labels`; else 1, 2, …
    i         how many steps before it stand those that it is computed from
    f         pieces of expressions, in `expressions`
    x         its numbers, row by row             d         digits by hand: [count, are they significant]
    e         0: no number may be changed         g         the matrix whose part it is, row and column where it begins
    w         words of ids, in `words`            h         1: ids in the first column
    o         1: made by a rule or read from a file, so rounded by hand; a list of cells: all others are
    q         1: calculated, but taken as given     u         1: and what is not a number in it is unknown
    b         [size, is kept]: bound of its input s         the step whose last word has chosen it
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np

from walkthrough.expressions.fold.arrays import evaluated
from walkthrough.expressions.fold.folding import Folded
from walkthrough.expressions.notations.page import page_data
from walkthrough.expressions.notations.precedence import RULES, Rule
from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import Expression
from walkthrough.expressions.tree.walk import parts
from walkthrough.operations.definition import Array
from walkthrough.recording.labels import Labels, numbered
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.views.data import encoded
from walkthrough.views.report.selection import Extract

SCRIPTS = ("numbers.js", "interpreter.js", "erf.js", "lines.js", "engine.js")
"""The scripts in the folder `live` that read it, one after the other: `makeEngine(data)` and `makeApi(engine)`."""

_SIGNS = {"Sum": "+", "Difference": "-", "Negative": "neg", "Product": "*", "Quotient": "/", "Power": "^"} | {
    name: name for name in ("equal", "noted", "exp", "sqrt", "function")
}
"""What the scripts call the rows of the table of precedence that they need."""
_OWN = ("p", "i", "f", "x", "g", "o")
"""What the steps of a page do not share."""
_OF_SHAPE = ("n", "m", "r", "c", "a", "s")
"""What those of one shape, and so of one pass, share."""
_EVERYWHERE_THE_SAME = {"sqrt", "abs", "max", "step", "equal", "argmax"}
"""Functions that every implementation of float64 calculates to the same last bit."""


def page_json(trace: Trace, held: Extract, decimals: int | None = None) -> str:
    """The data as text that may stand in a script element. decimals: those asked for, which replace all rounding."""
    return encoded(_Data(trace, held, decimals).data(), separators=(",", ":")).replace("<", r"\u003c")


class _Table:
    """Things that many steps have: each once."""

    def __init__(self, data: Callable[[Any], Any]) -> None:
        self.numbers: dict[Hashable, int] = {}
        self.made: list[Any] = []
        self.data = data

    def at(self, thing: Any, key: Hashable = None) -> int:
        key = thing if key is None else key
        if key not in self.numbers:
            self.numbers[key] = len(self.made)
            self.made.append(self.data(thing))
        return self.numbers[key]


class _Data:
    """Collects the data of one page."""

    def __init__(self, trace: Trace, held: Extract, decimals: int | None) -> None:
        self.trace, self.held, self.decimals = trace, held, decimals
        self.expressions = _Table(page_data)
        self.labels = _Table(list)
        self.words = _Table(lambda names: names)
        self.path = ""
        self.numbers = {value: at for at, value in enumerate(held.values)}
        self.matrices: dict[int, list[Value]] = {}
        for value in held.values:
            if value.can_change:
                self.matrices.setdefault(id(value.matrix), []).append(value)
        self.rounding = trace.rounding()
        self.written = [trace.cell(item.rpartition("=")[0]) for item in trace.changed]

    def data(self) -> dict[str, Any]:
        steps, alike = _apart([self._step(value) for value in self.held.values])
        return {
            "decimals": self.trace.decimals,
            "byHand": int(self.trace.exact is not None),
            "asked": self.decimals,
            "rounding": self.rounding.decimals,
            "rules": {sign: _rule(RULES[name]) for name, sign in _SIGNS.items()},
            "labels": self.labels.made,
            "words": self.words.made,
            "expressions": self.expressions.made,
            "alike": alike,
            "steps": steps,
        }

    def _step(self, value: Value) -> dict[str, Any]:
        rows, columns = value.shape
        step: dict[str, Any] = {"y": value.kind.symbol}
        step |= {"n": rows, "m": columns, "r": self._labels(value.rows), "c": self._labels(value.columns)}
        step |= self._origin(value) if self.held.is_given(value) else self._calculation(value)
        step |= {"h": int(value.holds_ids) or None, "d": self._digits(value)}
        if value.chosen_by is not None and value.chosen_by in self.numbers:
            step["s"] = self.numbers[value.chosen_by]
        if value.names is not None:
            step["w"] = self.words.at(value.names, tuple(value.names.items()))
        path, self.path = _after(self.path, value.path), value.path
        step |= {"p": path, "a": [_before(value.path, name) for name in value.also]}
        return {name: one for name, one in step.items() if one is not None and one != []}

    def _labels(self, labels: Labels) -> int | None:
        return None if labels == numbered(len(labels)) else self.labels.at(labels)

    def _digits(self, value: Value) -> list[int] | None:
        """The digits of a step that has its own."""
        digits = self.rounding.digits(value.path)
        is_usual = digits.count == self.rounding.decimals and not digits.significant
        return None if is_usual else [digits.count, int(digits.significant)]

    def _origin(self, value: Value) -> dict[str, Any]:
        """Of a value that stands as it is."""
        is_taken = value in self.held.taken
        fixed = value.kind.fixed or value.holds_ids if is_taken else not value.can_change
        exact = self.trace.exact.get(value.path) if self.trace.exact is not None and value.origin else None
        array = value.array if exact is None or exact.shape != value.shape else exact.array
        found: dict[str, Any] = {"x": _numbers(array)}
        if fixed:
            found["e"] = 0
        sharing = self.matrices.get(id(value.matrix), [])
        if len(sharing) > 1:
            found["g"] = [self.numbers[sharing[0]], *value.corner]
        if value.origin:
            kept = [cell.row * value.shape[1] + cell.column for cell in self.written if cell.value is value]
            found["o"] = kept or 1
        if is_taken:
            found |= {"o": 1, "q": 1, "u": int(value.unknown)}
        return found

    def _calculation(self, value: Value) -> dict[str, Any]:
        """Of a value that is computed: from what, how, and what came out where a page may miss the last bits."""
        pieces, at = value.folded(), self.numbers[value]
        found: dict[str, Any] = {"i": [at - self.numbers[given] for given in value.inputs], "f": self._pieces(pieces)}
        if not self._comes_out(value, pieces):
            found["x"] = _numbers(value.array)
        if value.bound is not None:
            found["b"] = [value.bound.size, int(value.bound.is_kept)]
        return found

    def _pieces(self, pieces: Folded) -> Any:
        """The number of one expression for all cells; else the ranges of rows and columns of each piece before its."""
        if len(pieces) == 1:
            return self.expressions.at(pieces[0].expression)
        return [
            [*_range(piece.rows), *_range(piece.columns), self.expressions.at(piece.expression)] for piece in pieces
        ]

    def _comes_out(self, value: Value, pieces: Folded) -> bool:
        """Whether every page calculates these very numbers, bit by bit."""
        if value.digits is not None or not all(_is_sure(piece.expression) for piece in pieces):
            return False
        again = evaluated(pieces, value.shape, [given.array for given in value.inputs], in_order=True)
        return again.tobytes() == np.asarray(value.array, dtype=np.float64).tobytes()


def _apart(steps: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[Any]]:
    """The steps without what several have alike, and that by itself."""
    alike = _Table(lambda one: one)
    for name, is_part in (("z", _OF_SHAPE.__contains__), ("l", lambda key: key not in (*_OWN, *_OF_SHAPE, "z"))):
        shared = [{key: step[key] for key in step if is_part(key)} for step in steps]
        many = Counter(map(repr, shared))
        for step, part in zip(steps, shared, strict=True):
            if many[repr(part)] > 1 and part:
                for key in part:
                    del step[key]
                step[name] = alike.at(part, repr(part))
    return steps, alike.made


def _rule(rule: Rule) -> list[int]:
    return [rule.own, rule.first, rule.rest, int(rule.leads)]


def _is_sure(node: Expression) -> bool:
    if isinstance(node, nodes.Power) or (isinstance(node, nodes.Call) and node.function not in _EVERYWHERE_THE_SAME):
        return False
    return all(map(_is_sure, parts(node)))


def _after(before: str, path: str) -> str:
    shared = _shared(before, path)
    return f"{shared} {path[shared:]}"


def _shared(one: str, other: str) -> int:
    """With how many characters both begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _before(path: str, alias: str) -> str:
    shared = _shared(path[::-1], alias[::-1])
    return f"{len(path) - shared} {alias[: len(alias) - shared]}"


def _range(numbers: range) -> list[int]:
    return [numbers.start, len(numbers), numbers.step]


def _numbers(array: Array) -> Any:
    """A list of numbers, or the bytes of a float64 array in base64, whichever is shorter."""
    flat = np.ascontiguousarray(array, dtype="<f8").ravel()
    coded = base64.b64encode(flat.tobytes()).decode()
    if not np.isfinite(flat).all():
        return coded
    listed = [int(one) if one.is_integer() and abs(one) < 2**53 and one else one or 0 for one in flat.tolist()]
    return listed if not np.signbit(flat[flat == 0]).any() and _length(listed) <= len(coded) else coded


def _length(numbers: Iterable[float]) -> int:
    return sum(len(repr(one)) + 1 for one in numbers)
