"""The parts of a model that are counted, with what is learned in each: read off a walk over shapes and the schema."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Kind, Value
from walkthrough.records import Record
from walkthrough.scenario.schema.feed_forward import Router
from walkthrough.scenario.schema.keys import SequenceSpec
from walkthrough.transformer.calculation import ShapeCalculation


class Learned(Record):
    """One matrix of the file that is learned.

    role:    where in the part it belongs, with # for the number of a head: head.#.w_q
    symbols: of its axes, inward and outward, as the schema declares them
    axes:    of the whole matrix, inward and outward
    is_shared: heads have it in common
    """

    role: str
    symbols: tuple[str, str]
    axes: tuple[Axis, Axis]
    is_shared: bool

    @property
    def numbers(self) -> int:
        """How many numbers it has."""
        inward, outward = self.axes
        return (inward.size or 0) * (outward.size or 0)

    @property
    def is_vector(self) -> bool:
        """Whether it is added to, or multiplied with, every row."""
        return self.symbols[0] == "1"


class Part:
    """What a section of the file describes, with the values recorded for it by their names within."""

    def __init__(self, path: str, section: Any, walked: ShapeCalculation) -> None:
        self.path = path
        self.section = section
        self.walk = walked
        self.values: dict[str, Value] = {}
        self.members: set[Value] = set()

    def add(self, name: str, value: Value) -> None:
        """Takes a value that is recorded for it."""
        self.values[name] = value
        self.members.add(value)

    @property
    def is_input(self) -> bool:
        """Whether it is a sequence on its way to the first layer: rows of tables, added up."""
        return isinstance(self.section, SequenceSpec)

    def count(self, word: str) -> int:
        """How many heads, say, it has; at least one."""
        return len({name.split(".")[1] for name in self.values if name.startswith(f"{word}.")}) or 1

    @property
    def learned(self) -> list[Learned]:
        """Its parameters, weights before vectors, of these those of d_model first; what heads share is there once."""
        found = {}
        for name, value in self.values.items():
            declared = _declared(value.kind)
            if value.operation is None and declared is not None and value.matrix not in found:
                found[value.matrix] = self._learned(name, value, declared)
        return sorted(found.values(), key=lambda one: (one.is_vector, one.is_vector and one.symbols[1] != "d_model"))

    @property
    def unused(self) -> int:
        """How many of the parameters one token does not use: those of the experts it is not sent to."""
        router: Router | None = getattr(self.section, "router", None)
        experts = [one.numbers for one in self.learned if one.role.startswith("expert.#.")]
        if router is None or not experts:
            return 0
        count = self.count("expert")
        return sum(experts) * max(count - router.top_k, 0) // count

    def _learned(self, name: str, value: Value, declared: tuple[str, str]) -> Learned:
        claim = self.walk.claims.of(value.matrix)
        assert claim is not None
        axes = claim.rows, claim.columns
        if self.walk.out_in and not claim.matrix.is_vector and claim.rows.symbol != declared[0]:
            axes = axes[::-1]
        return Learned(re.sub(r"\.\d+\.", ".#.", name), declared, axes, bool(value.also))

    @property
    def read(self) -> list[Value]:
        """What it reads of other parts."""
        inputs = dict.fromkeys(given for value in self.values.values() for given in value.inputs)
        return [value for value in inputs if value not in self.members]

    @property
    def shared(self) -> list[Value]:
        """Parameters of other parts that it uses too, or what these stand for: in few bits, or with a change."""
        return [value for value in self.read if value.kind.trained or self._stands_for_given(value)]

    def is_table(self, value: Value) -> bool:
        """Whether it is given, or stands for what is given, and is not what another one is made of."""
        is_given = value.operation is None and value.matrix is not None
        return (is_given or self._stands_for_given(value)) and _around(value.path) not in self.walk.trace

    def _stands_for_given(self, value: Value) -> bool:
        """Whether it is what a matrix in few bits, or with a low-rank change, comes to; those lie below its path."""
        return any(f"{value.path}.{name}" in self.walk.trace for name in ("original", "base"))

    @property
    def input(self) -> Value | None:
        """The first matrix that it reads; None where all its numbers are given."""
        return next((value for value in self.read if value not in self.shared), None)

    @property
    def output(self) -> Value:
        """What it passes on."""
        found = [value for value in self.values.values() if not value.holds_ids]
        return self.walk.trace.get(f"{self.path}.output") or found[-1]


def _declared(kind: Kind) -> tuple[str, str] | None:
    """The axes, inward and outward, that the schema declares of a parameter, or of one that a matrix is a part of.

    None of what is none, such as queries that are given in few bits.
    """
    whole = kind.facts.get("of")
    if not isinstance(whole, Kind) or whole.axes is None:
        return kind.axes
    inward, outward = whole.axes
    return {"a": (inward, "r"), "b": ("r", outward)}.get(kind.name, whole.axes)  # the factors of a low-rank change


def gather_parts(walked: ShapeCalculation) -> list[Part]:
    """The parts of a model in the order of the walk; what belongs to none of them is left out."""
    owners: dict[str, str | None] = {}
    found: dict[str, Part] = {}
    for value in walked.trace:
        prefix = _around(value.path)
        while prefix in walked.trace:  # a weight or a table, that this is a part of
            prefix = _around(prefix)
        if prefix not in owners:
            owners[prefix] = next(_owners(prefix, walked), None)
        owner = owners[prefix]
        if owner is not None:
            if owner not in found:
                found[owner] = Part(owner.rstrip("."), walked.sections[owner], walked)
            found[owner].add(value.path[len(owner) :], value)
    return list(found.values())


def _around(path: str) -> str:
    return path.rpartition(".")[0]


def _owners(prefix: str, walked: ShapeCalculation) -> Iterator[str]:
    """The sections with parameters that a path lies in, from the outermost in; else the sequence that it is in."""
    words = prefix.split(".") if prefix else []
    for count in range(1, len(words) + 1):
        place = ".".join(words[:count]) + "."
        section = walked.sections.get(place)
        if section is not None and any(key.parameter for key in section.KEYS.values()):
            yield place
    place = f"{prefix}." if prefix else ""
    if isinstance(walked.sections.get(place), SequenceSpec):
        yield place


def multiplications(values: Iterable[Value]) -> int:
    """The multiplications of all matrix products among the steps; what is done to each number by itself is left out."""
    return sum(_products(value) for value in dict.fromkeys(values))


def _products(value: Value) -> int:
    """n·k·m, where the operation multiplies n×k by k×m: an axis k that both inputs have, and the result has not.

    Or by k rows of a longer matrix.
    """
    if value.operation is None or len(value.inputs) < 2:
        return 0
    rows, columns = value.shape
    sides = [1] if value.operation.by_part else [side for side, _ in value.operation.summed]
    return sum(rows * columns * value.inputs[0].shape[side] for side in sides)
