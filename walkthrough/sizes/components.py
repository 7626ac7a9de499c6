"""The components of a model with their shapes and parameters, in the order of the calculation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from walkthrough.scenario.matrices import Matrix, Table
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema import Attention, DecoderLayer, EncoderLayer, FeedForward, Norm, OutputHead, StackSpec
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.sizes.attention import AttentionSizes
from walkthrough.sizes.formulas import Symbols, product, total

Layer = EncoderLayer | DecoderLayer


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
    """All components, and what their symbols stand for."""

    title: str
    symbols: dict[str, int]
    components: tuple[Component, ...]


def sizes(scenario: Scenario, batch: int = 1, tokens: int | None = None) -> Sizes:
    """The components of a checked scenario for a batch of such sequences; `tokens`: their length, if it is another."""
    counter = _Counter(scenario, batch, tokens)
    components = tuple(counter.components())
    return Sizes(scenario.spec.title, {name: size for name, size in counter.symbols.items() if size}, components)


class _Counter:
    """Walks the parts of a scenario and counts."""

    def __init__(self, scenario: Scenario, batch: int, tokens: int | None) -> None:
        self.scenario = scenario
        self.batch = batch
        self.tokens = tokens
        self.out_in = scenario.spec.matrix_convention == "column"
        self.symbols = Symbols({"B": batch})

    def components(self) -> Iterator[Component]:
        keys, target = self.scenario.spec, self.scenario.target
        yield from self._embeddings(self.scenario.sequence, "", "S")
        if keys.encoder is not None:
            yield from self._stack(keys.encoder, keys.encoder.layers or [], "encoder", "S")
        if target is not None:
            shared = target.embeddings is self.scenario.sequence.embeddings
            yield from self._embeddings(target, "decoder.", "T", shared)
        rows = "S" if target is None else "T"
        if keys.attention is not None:
            yield from self._attention(keys.attention, "attention", "S", "S")
        if keys.decoder is not None:
            yield from self._stack(keys.decoder, keys.decoder.layers or [], "decoder", rows)
        if keys.output_head is not None:
            yield self._head(keys.output_head, rows)

    def _embeddings(self, sequence: TokenSequence, prefix: str, rows: str, shared: bool = False) -> Iterator[Component]:
        self.symbols[rows] = self.tokens or len(sequence.words)
        table = sequence.embeddings.matrix if isinstance(sequence.embeddings, Table) else sequence.embeddings
        if table is None or table.columns is None:
            return
        width = self.symbols.name("D", table.columns)
        formula, count = "shared", 0
        if not isinstance(sequence.embeddings, Table) and not sequence.by_id:
            formula = "given as numbers"
        elif not shared:
            formula, count = product(self.symbols.name("V", table.rows or 0), width), _size(table)
        shape, drop = f"[B, {rows}, {width}]", "the sum of embeddings and positions"
        yield Component(f"{prefix}token_embedding", f"[B, {rows}]", shape, count, formula, dropout=drop)
        yield from self._added(sequence, prefix, rows, shared)
        yield from self._norm(sequence.embedding_norm, f"{prefix}embedding_norm", rows)

    def _added(self, sequence: TokenSequence, prefix: str, rows: str, shared: bool) -> Iterator[Component]:
        """Learned positions and segments."""
        positions = sequence.positional_encoding
        shared = shared and positions is self.scenario.sequence.positional_encoding
        for name, matrix in (("positional_encoding", positions), ("segment_embedding", sequence.segment_embedding)):
            if isinstance(matrix, Matrix):
                width = self.symbols.name("D", matrix.columns or 0)
                learned = total([width] * (matrix.rows or 0))
                formula, count = ("shared", 0) if shared and matrix is positions else (learned, _size(matrix))
                yield Component(f"{prefix}{name}", f"[{rows}]", f"[{rows}, {width}]", count, formula)

    def _stack(self, stack: StackSpec, layers: Sequence[Layer], name: str, rows: str) -> Iterator[Component]:
        for number, layer in enumerate(layers, 1):
            yield from self._layer(layer, f"{name}.{number}", rows)
        yield from self._norm(stack.final_norm, f"{name}.final_norm", rows)

    def _layer(self, layer: Layer, path: str, rows: str) -> Iterator[Component]:
        own = "attention" if isinstance(layer, EncoderLayer) else "self_attention"
        cross = layer.cross_attention if isinstance(layer, DecoderLayer) else None
        last = layer.norm_3 if isinstance(layer, DecoderLayer) and cross is not None else layer.norm_2
        if layer.attention is not None:
            yield from self._attention(layer.attention, f"{path}.{own}", rows, rows)
            yield from self._norm(layer.norm_1, f"{path}.norm_1", rows)
        if cross is not None:
            yield from self._attention(cross, f"{path}.cross_attention", rows, "S")
            yield from self._norm(layer.norm_2, f"{path}.norm_2", rows)
        if layer.feed_forward is not None:
            yield from self._feed_forward(layer.feed_forward, f"{path}.feed_forward", rows)
            yield from self._norm(last, f"{path}.norm_{3 if cross is not None else 2}", rows)

    def _attention(self, keys: Attention, path: str, rows: str, columns: str) -> Iterator[Component]:
        if keys.output is not None:
            return
        sizes = AttentionSizes(keys, self.out_in)
        names = sizes.named(self.symbols)
        n, m = self.symbols[rows], self.symbols[columns]
        yield Component(
            path,
            f"[B, {rows}, {names.inward}]" if names.inward else "given",
            f"[B, {rows}, {names.outward}]" if names.outward else f"[B, h, {rows}, {columns}]",
            sizes.parameters,
            names.formula,
            self.batch * sizes.multiplications(n, m),
            self.batch * n * m,
            sizes.count,
            "the attention weights, and the output before the residual",
        )

    def _norm(self, norm: Norm | None, path: str, rows: str) -> Iterator[Component]:
        given = [matrix for matrix in (norm.gamma, norm.beta) if matrix is not None] if norm else []
        if given:
            width = self.symbols.name("D", given[0].columns or 0)
            shape = f"[B, {rows}, {width}]"
            yield Component(path, shape, shape, sum(map(_size, given)), total([width] * len(given)))

    def _feed_forward(self, part: FeedForward, path: str, rows: str) -> Iterator[Component]:
        if part.w_1 is None or part.w_2 is None:
            return
        inner, outward = self._out(part.w_1), self._out(part.w_2)
        hidden, after = self.symbols.name("d_ff", inner), self.symbols.name("D", outward)
        before = self.symbols.name("D", _size(part.w_1) // inner)
        terms = [product(before, hidden), product(after, hidden)]
        terms += [name for name, bias in ((after, part.b_2), (hidden, part.b_1)) if bias is not None]
        weights = _size(part.w_1) + _size(part.w_2)
        yield Component(
            path,
            f"[B, {rows}, {before}]",
            f"[B, {rows}, {after}]",
            weights + _size(part.b_1) + _size(part.b_2),
            total(terms),
            self.batch * self.symbols[rows] * weights,
            dropout="the hidden layer after its activation, and the output before the residual",
        )

    def _head(self, head: OutputHead, rows: str) -> Component:
        width = self.symbols.get("D", 0)
        words = self._out(head.w) or _size(head.b) or self.symbols.get("V", 0)
        symbol = "V" if self.symbols.setdefault("V", words) == words else self.symbols.name("V_out", words)
        inward = self.symbols.name("D", _size(head.w) // words if head.w is not None else width)
        terms = ["shared with the embeddings" if head.tied else product(inward, symbol)]
        terms += [symbol] if head.b is not None else []
        products = self.batch * self.symbols[rows] * (_size(head.w) or words * width)
        shapes = f"[B, {rows}, {inward}]", f"[B, {rows}, {symbol}]"
        return Component("output_head", *shapes, _size(head.w) + _size(head.b), " + ".join(terms), products)

    def _out(self, matrix: Matrix | None) -> int:
        if matrix is None:
            return 0
        return (matrix.rows if self.out_in else matrix.columns) or 0


def _size(matrix: Matrix | None) -> int:
    return (matrix.rows or 0) * (matrix.columns or 0) if matrix is not None else 0
