"""The components of a model with their shapes and parameters, read off its walk over shapes, in its order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from walkthrough.recording.axes import Axis
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.scenario.scenario import Scenario
from walkthrough.sizes.attention import AttentionSizes
from walkthrough.sizes.formulas import Symbols, product, total
from walkthrough.sizes.generation import PassSize, passes
from walkthrough.sizes.products import multiplications
from walkthrough.transformer.shapes.check import of_length, shape_trace

ATTENTIONS = ("attention", "self_attention", "cross_attention")
NORMS = ("embedding_norm", "norm_1", "norm_2", "norm_3", "final_norm")
_PARTS = frozenset((*ATTENTIONS, *NORMS, "feed_forward", "output_head"))
_LEARNED = {"positional_encoding": "position_table", "segment_embedding": "segment"}
"""What is added to the embeddings, and what it may be made of."""


@dataclass(frozen=True, slots=True)
class Component:
    """One part of the model.

    input, output:    shapes by symbol, such as [B, S, D]
    formula:          what gives the number of parameters, by symbol
    multiplications:  of numbers, in one forward pass over the batch
    scores:           attention scores of one head over the batch, and the number of heads
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


@dataclass(frozen=True, slots=True)
class Sizes:
    """All components, what their symbols stand for, and the passes of a generation with a cache."""

    title: str
    symbols: dict[str, int]
    components: tuple[Component, ...]
    passes: tuple[PassSize, ...] = ()


def sizes(scenario: Scenario, batch: int = 1, tokens: int | None = None, walked: Trace | None = None) -> Sizes:
    """The components of a checked scenario for a batch of such sequences; `tokens`: their length, if it is another.

    walked: its walk over shapes, where somebody has one
    """
    if walked is None or tokens is not None or not all(value.has_size for value in walked):  # said only later on
        scenario = of_length(scenario, tokens)
        walked = shape_trace(scenario)
    counter = _Counter(scenario, walked, batch)
    components = tuple(counter.components())
    symbols = {name: size for name, size in counter.symbols.items() if size}
    return Sizes(scenario.spec.title, symbols, components, passes(scenario, batch=batch))


class _Counter:
    """Gathers the values of a walk over shapes by the parts that they belong to, and counts."""

    def __init__(self, scenario: Scenario, trace: Trace, batch: int) -> None:
        self.trace = trace
        self.batch = batch
        self.out_in = scenario.spec.matrix_convention == "column"
        self.is_tied = scenario.spec.output_head is not None and scenario.spec.output_head.tied
        self.has_target = scenario.target is not None
        self.symbols = Symbols({"B": batch})
        self.parts: dict[str, dict[str, Value]] = {}
        for path, value in trace.items():
            part, name = _part_of(path)
            if part:
                self.parts.setdefault(part, {})[name] = value

    def components(self) -> Iterator[Component]:
        for part, values in self.parts.items():
            kind = part.rpartition(".")[2]
            rows = "T" if self.has_target and part.startswith(("decoder", "output_head")) else "S"
            if kind == "token_embedding":
                yield self._embedding(part, values[""], rows)
            elif kind in _LEARNED:
                yield from self._added(part, values, rows)
            elif kind in NORMS:
                yield from self._norm(part, values, rows)
            elif kind in ATTENTIONS and list(values) != ["output"]:  # else it is given as numbers
                yield self._attention(part, values, rows, "S" if kind == "cross_attention" else rows)
            elif kind == "feed_forward" and "w_1" in values:
                yield self._feed_forward(part, values, rows)
            elif part == "output_head":
                yield self._head(values, rows)

    def _embedding(self, part: str, value: Value, rows: str) -> Component:
        self.symbols[rows] = value.shape[0]
        width = self.symbols.name("D", value.shape[1])
        formula, count = "given as numbers", 0
        if value.operation is not None:
            table = value.inputs[0]
            is_shared = not table.path.startswith(part.removesuffix("token_embedding"))
            formula, count = "shared", 0
            if not is_shared:
                formula, count = product(self.symbols.name("V", table.shape[0]), width), _size(table)
        drop = "the sum of embeddings and positions"
        return Component(part, f"[B, {rows}]", f"[B, {rows}, {width}]", count, formula, dropout=drop)

    def _added(self, part: str, values: dict[str, Value], rows: str) -> Iterator[Component]:
        """Learned positions and segments."""
        value = values[""]
        learned = value.inputs[0] if value.inputs else value
        if learned.operation is not None or learned.matrix is None:
            return
        width = self.symbols.name("D", learned.shape[1])
        formula, count = total([width] * learned.shape[0]), _size(learned)
        first = self.trace.get(part.removeprefix("decoder."))
        if first is not None and first is not value and _matrix_of(first) is learned.matrix:
            formula, count = "shared", 0
        yield Component(part, f"[{rows}]", f"[{rows}, {width}]", count, formula)

    def _norm(self, part: str, values: dict[str, Value], rows: str) -> Iterator[Component]:
        given = [values[name] for name in ("gamma", "beta") if name in values]
        if given:
            width = self.symbols.name("D", given[0].shape[1])
            shape = f"[B, {rows}, {width}]"
            yield Component(part, shape, shape, sum(map(_size, given)), total([width] * len(given)))

    def _attention(self, part: str, values: dict[str, Value], rows: str, columns: str) -> Component:
        sizes = AttentionSizes(values, self.out_in)
        n, m = values["head.1.weights"].shape
        self.symbols.setdefault(rows, n)
        self.symbols.setdefault(columns, m)
        names = sizes.named(self.symbols)
        return Component(
            part,
            f"[B, {rows}, {names.inward}]" if names.inward else "given",
            f"[B, {rows}, {names.outward}]" if names.outward else f"[B, h, {rows}, {columns}]",
            sizes.parameters,
            names.formula,
            self.batch * multiplications(values.values()),
            self.batch * n * m,
            sizes.count,
            "the attention weights, and the output before the residual",
        )

    def _feed_forward(self, part: str, values: dict[str, Value], rows: str) -> Component:
        hidden = values["hidden"]
        width = hidden.axes[1]
        before, inner = self.symbols.name("D", hidden.inputs[0].shape[1]), self.symbols.name("d_ff", hidden.shape[1])

        def symbol(axis: Axis) -> str:
            return inner if axis.is_same(width) else self.symbols.name("D", axis.size or 0)

        given = [value for value in values.values() if value.operation is None and value.kind.trained]
        biases = [value for value in given if value.kind.name.startswith("b_")]
        terms = [product(*map(symbol, value.axes)) for value in given if value not in biases]
        terms += sorted((symbol(value.axes[1]) for value in biases), key=lambda name: name != "D")
        return Component(
            part,
            f"[B, {rows}, {before}]",
            f"[B, {rows}, {symbol(values['output'].axes[1])}]",
            _learned(values),
            total(terms),
            self.batch * multiplications(values.values()),
            dropout="the hidden layer after its activation, and the output before the residual",
        )

    def _head(self, values: dict[str, Value], rows: str) -> Component:
        logits = values["logits"]
        x, words = logits.inputs[0], logits.shape[1]
        symbol = "V" if self.symbols.setdefault("V", words) == words else self.symbols.name("V_out", words)
        inward = self.symbols.name("D", x.shape[1])
        terms = ["shared with the embeddings" if self.is_tied else product(inward, symbol)]
        terms += [symbol] if "b" in values else []
        products = self.batch * multiplications(values.values())
        shapes = f"[B, {rows}, {inward}]", f"[B, {rows}, {symbol}]"
        return Component("output_head", *shapes, _learned(values), " + ".join(terms), products)


def _part_of(path: str) -> tuple[str, str]:
    """The part of the model that a value belongs to, and its name within: `encoder.1.attention`, `head.1.w_q`."""
    above, _, last = path.rpartition(".")
    part = _part_above(above)
    if part:
        return part, path[len(part) + 1 :]
    return (path, "") if last in ("token_embedding", *_LEARNED) else ("", "")


@lru_cache(maxsize=1024)
def _part_above(path: str) -> str:
    """The outermost part that a path lies in; empty where it lies in none."""
    words = path.split(".")
    known = (at for at, word in enumerate(words, 1) if word in _PARTS)
    return ".".join(words[: next(known, 0)])


def _matrix_of(value: Value) -> object:
    return (value.inputs[0] if value.inputs else value).matrix


def _learned(values: dict[str, Value]) -> int:
    """How many numbers of a part are learned."""
    return sum(_size(value) for value in values.values() if value.operation is None and value.kind.trained)


def _size(value: Value) -> int:
    rows, columns = value.shape
    return rows * columns
