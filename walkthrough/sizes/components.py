"""The components of a model with their shapes and parameters, read off its walk over shapes, in its order.

A component is what a section with parameters describes, or a look-up in a table; what it consists of, its matrices
and how wide they are, say the schema and the walk.
"""

from __future__ import annotations

from collections.abc import Iterator

from walkthrough.operations.matrix import repeat_row, select_rows
from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.scenario.scenario import Scenario
from walkthrough.sizes.formulas import Symbols, product, terms_of, total
from walkthrough.sizes.generation import PassSize, passes
from walkthrough.sizes.parts import Part, gather_parts, multiplications
from walkthrough.transformer.calculation import ShapeCalculation
from walkthrough.transformer.loading.inspecting import inspecting
from walkthrough.transformer.model.attention.attention import WEIGHTS, WEIGHTS_BESIDE_SINK
from walkthrough.transformer.model.embedding import TOKEN_EMBEDDING
from walkthrough.transformer.shapes import of_length, walk

_WEIGHTS = (WEIGHTS, WEIGHTS_BESIDE_SINK)
_LOOK_UPS = (select_rows, repeat_row)


class Component(Record):
    """One part of the model.

    input, output:    shapes by symbol, such as [B, S, D]
    formula:          what gives the number of parameters, by symbol
    multiplications:  of numbers, in one forward pass over the batch
    scores:           attention scores of one head over the batch, and the number of heads
    dropout:          the steps that dropout acts on in training
    used:             the parameters that one token uses: of experts those of as many as it is sent to
    """

    path: str
    input: str
    output: str
    parameters: int
    formula: str
    multiplications: int = 0
    scores: int = 0
    heads: int = 0
    dropout: str = ""
    used: int = 0


class Sizes(Record):
    """All components, what their symbols stand for, and the passes of a generation with a cache."""

    title: str
    symbols: dict[str, int]
    components: tuple[Component, ...]
    passes: tuple[PassSize, ...] = ()


def sizes(
    scenario: Scenario, batch: int = 1, tokens: int | None = None, walked: ShapeCalculation | None = None
) -> Sizes:
    """The components of a checked scenario for a batch of such sequences; `tokens`: their length, if it is another.

    walked: its walk over shapes, where somebody has one
    """
    if scenario.spec.inspect is not None:  # what looks inside is no part of the model
        scenario, walked = inspecting(scenario, None), None
    if walked is None or tokens is not None or not all(value.has_size for value in walked.trace):  # found out too late
        scenario = of_length(scenario, tokens)
        walked = walk(scenario)
    counter = _Counter(walked, batch)
    components = tuple(counter.components())
    symbols = {name: size for name, size in counter.symbols.items() if size}
    return Sizes(scenario.spec.title, symbols, components, passes(scenario, batch=batch))


class _Counter:
    """Counts part by part; the symbols get their sizes on the way."""

    def __init__(self, walked: ShapeCalculation, batch: int) -> None:
        self.walk = walked
        self.dropped = set(walked.dropped)
        self.batch = batch
        self.symbols = Symbols({"B": batch})
        self.lengths: list[tuple[Axis, str]] = []
        self.tables: list[object] = []

    def components(self) -> Iterator[Component]:
        for part in gather_parts(self.walk):
            if part.is_input:
                yield from self._look_ups(part)
            else:
                yield from self._component(part)

    def _component(self, part: Part) -> Iterator[Component]:
        """A part in which something is learned, multiplied or scored."""
        learned = part.learned
        count = self.batch * multiplications(part.values.values())
        scores = [value for value in part.values.values() if value.kind in _WEIGHTS]
        if not (learned or count or scores):
            return
        if scores:
            self.symbols.setdefault("h", len(scores))
        terms = list(terms_of(part, self.symbols))
        shared = dict.fromkeys(f"shared with the {value.kind.name}" for value in part.shared)
        yield Component(
            part.path,
            self._shape(part.input) if part.input is not None else "given",
            self._output(part, scores),
            sum(matrix.numbers for matrix in learned),
            total([*shared, *terms]) or "given as numbers",
            count,
            self.batch * _size(scores[0]) if scores else 0,
            len(scores),
            self._dropped(part),
            sum(matrix.numbers for matrix in learned) - part.unused,
        )

    def _output(self, part: Part, scores: list[Value]) -> str:
        """What the part passes on; an attention without values ends with the weights of its heads."""
        if part.output.kind in _WEIGHTS:
            return f"[B, h, {', '.join(map(self._length, scores[0].axes))}]"
        return self._shape(part.output, is_of_heads=bool(scores))

    def _look_ups(self, part: Part) -> Iterator[Component]:
        """Rows of tables: of words, positions, segments; given ones, and those that are added up with them."""
        looked_up = {value: value.inputs[0] for value in part.values.values() if value.operation in _LOOK_UPS}
        tables = set(looked_up.values())
        for value in part.values.values():
            if part.is_table(value) and value not in tables:
                looked_up[value] = value
            if value in looked_up:
                yield self._look_up(part, value, looked_up[value])

    def _look_up(self, part: Part, value: Value, table: Value) -> Component:
        is_word = value.kind.name == TOKEN_EMBEDDING.name
        length = self._length(value.axes[0], "T" if part.path else "S")
        width = self.symbols.named("d_model", value.shape[1])
        count = 0
        if is_word and value is table:
            formula = "given as numbers"
        elif (table.matrix or table) in self.tables:
            formula = "shared"
        else:
            rows, factors = table.shape[0], self._factors(table)
            name = self.symbols.named("vocabulary", rows) if is_word else str(rows)
            count = sum(map(_size, (table, *factors)))
            terms = [product(name, width)] if is_word else [width] * rows
            formula = total([*terms, *(self._term(factor, name, width) for factor in factors)])
        self.tables.append(table.matrix or table)
        dropped = self._dropped(part) if is_word else ""
        shapes = f"[B, {length}]", f"[B, {length}, {width}]"
        return Component(value.path, *shapes, count, formula, dropout=dropped, used=count)

    def _factors(self, table: Value) -> list[Value]:
        """The factors of its low-rank change, where it has one."""
        found = (self.walk.trace.get(f"{table.path}.{name}") for name in ("a", "b"))
        return [factor for factor in found if factor is not None]

    def _term(self, factor: Value, rows: str, width: str) -> str:
        """The product for a factor: its rank times the rows of the table, or times their width."""
        down, right = factor.axes
        rank = self.symbols.named("r", (down if down.symbol == "r" else right).size or 0)
        return product(rank, width) if down.symbol == "r" else product(rows, rank)

    def _shape(self, value: Value, is_of_heads: bool = False) -> str:
        """[B, S, D]; what heads find, side by side, is h·d_v wide."""
        axis, size = "vocabulary" if value.axes[1].symbol == "vocabulary" else "d_model", value.shape[1]
        width = self.symbols.width(size) if is_of_heads else self.symbols.named(axis, size)
        return f"[B, {self._length(value.axes[0])}, {width}]"

    def _length(self, axis: Axis, symbol: str = "") -> str:
        """The symbol of the length of a sequence: S of the first, T of the decoder's own.

        symbol: the one that it gets; else that of the same sequence, of one as long, or one that is free
        """
        for known, its in self.lengths:
            if axis.is_same(known):
                return its
        as_long = [its for known, its in self.lengths if known.size == axis.size]
        free = [its for its in ("S", "T") if its not in self.symbols]
        symbol = symbol or next(iter(as_long + free), str(axis))
        self.lengths.append((axis, symbol))
        self.symbols.setdefault(symbol, axis.size or 0)
        return symbol

    def _dropped(self, part: Part) -> str:
        dropped = (value for value in part.values.values() if value in self.dropped)
        return ", ".join(dict.fromkeys((value.path, *value.also)[-1].rpartition(".")[2] for value in dropped))


def _size(value: Value) -> int:
    rows, columns = value.shape
    return rows * columns
