"""The components of a model with their shapes and parameters, in the order of the calculation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from walkthrough.scenario.matrices import Matrix, Table
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema import Attention, DecoderLayer, EncoderLayer, FeedForward, Head, Norm, StackKeys
from walkthrough.scenario.sequences import Sequence

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


def sizes(scenario: Scenario, batch: int = 1) -> Sizes:
    """The components of a checked scenario for a batch of such sequences."""
    counter = _Counter(scenario, batch)
    components = tuple(counter.components())
    return Sizes(scenario.keys.title, counter.symbols, components)


class _Counter:
    """Walks the parts of a scenario and counts."""

    def __init__(self, scenario: Scenario, batch: int) -> None:
        self.scenario = scenario
        self.keys = scenario.keys
        self.batch = batch
        self.out_in = scenario.keys.matrix_convention == "column"
        self.symbols = {"B": batch}

    def components(self) -> Iterator[Component]:
        keys = self.keys
        single = self.scenario.target is None
        yield from self._embeddings(self.scenario.sequence, "", "S")
        if keys.encoder is not None:
            yield from self._stack(keys.encoder, keys.encoder.layers or [], "encoder", "S", "S")
        if self.scenario.target is not None:
            shared = self.scenario.target.embeddings is self.scenario.sequence.embeddings
            yield from self._embeddings(self.scenario.target, "decoder.", "T", shared)
        if keys.attention is not None:
            yield from self._attention(keys.attention, "attention", "S", "S")
        if keys.decoder is not None:
            yield from self._stack(keys.decoder, keys.decoder.layers, "decoder", "S" if single else "T", "S")
        if keys.output_head is not None:
            yield self._head("S" if single else "T")

    def _embeddings(self, sequence: Sequence, prefix: str, rows: str, shared: bool = False) -> Iterator[Component]:
        self.symbols[rows] = len(sequence.words)
        table = sequence.embeddings.matrix if isinstance(sequence.embeddings, Table) else sequence.embeddings
        if table is None or table.columns is None:
            return
        self.symbols["D"] = table.columns
        by_word = isinstance(sequence.embeddings, Table) or sequence.by_id
        count = 0 if shared or not by_word else _size(table)
        if by_word:
            self.symbols.setdefault("V", table.rows or 0)
        formula = "shared" if shared else "V·D" if by_word else "given as numbers"
        drop = "the sum of embeddings and positions"
        yield Component(f"{prefix}token_embedding", f"[B, {rows}]", f"[B, {rows}, D]", count, formula, dropout=drop)
        if isinstance(sequence.positional_encoding, Matrix):
            learned = _size(sequence.positional_encoding)
            yield Component(f"{prefix}positional_encoding", f"[{rows}]", f"[{rows}, D]", learned, "positions·D")

    def _stack(
        self,
        stack: StackKeys,
        layers: list[EncoderLayer] | list[DecoderLayer] | None,
        name: str,
        rows: str,
        memory: str,
    ) -> Iterator[Component]:
        found: list[Layer] = list(layers or [])
        for number, layer in enumerate(found, 1):
            yield from self._layer(layer, f"{name}.{number}", rows, memory)
        yield from self._norm(stack.final_norm, f"{name}.final_norm", rows)

    def _layer(self, layer: Layer, path: str, rows: str, memory: str) -> Iterator[Component]:
        own = "attention" if isinstance(layer, EncoderLayer) else "self_attention"
        cross = layer.cross_attention if isinstance(layer, DecoderLayer) else None
        last = layer.norm_3 if isinstance(layer, DecoderLayer) and cross is not None else layer.norm_2
        if layer.attention is not None:
            yield from self._attention(layer.attention, f"{path}.{own}", rows, rows)
            yield from self._norm(layer.norm_1, f"{path}.norm_1", rows)
        if cross is not None:
            yield from self._attention(cross, f"{path}.cross_attention", rows, memory)
            yield from self._norm(layer.norm_2, f"{path}.norm_2", rows)
        if layer.feed_forward is not None:
            yield self._feed_forward(layer.feed_forward, f"{path}.feed_forward", rows)
            yield from self._norm(last, f"{path}.norm_{3 if cross is not None else 2}", rows)

    def _attention(self, keys: Attention, path: str, rows: str, columns: str) -> Iterator[Component]:
        heads = keys.heads or []
        count = len(heads) or keys.num_heads or 1
        sources: list[Head] | list[Attention] = heads or [keys]
        weights = [getattr(source, f"w_{x}") for source in sources for x in "qkv"] + [keys.w_o]
        biases = [getattr(source, f"b_{x}") for source in sources for x in "qkv"] + [keys.b_o]
        d_k, d_v = (sum(self._out(getattr(source, f"w_{x}")) for source in sources) // count for x in "kv")
        self.symbols.update({"h": count, "d_k": d_k, "d_v": d_v})
        n, m = self.symbols[rows], self.symbols.get(columns, self.symbols[rows])
        products = sum(
            _size(weight) * (m if weight.name in ("w_k", "w_v") else n) for weight in weights if weight is not None
        )
        parameters = sum(map(_size, weights)) + sum(map(_size, biases))
        formula = self._attention_formula(sum(map(_size, weights)), sum(map(_size, biases)), d_k, d_v)
        yield Component(
            path,
            f"[B, {rows}, D]",
            f"[B, {rows}, D]",
            parameters,
            formula,
            self.batch * (products + n * m * count * (d_k + d_v)),
            self.batch * n * m,
            count,
            "the attention weights, and the output before the residual",
        )

    def _attention_formula(self, weights: int, biases: int, d_k: int, d_v: int) -> str:
        width, heads = self.symbols.get("D", 0), self.symbols["h"]
        if weights and weights == 4 * width * width and heads * d_k == heads * d_v == width:
            return "4·D²" + (" + 4·D" if biases == 4 * width else f" + {biases}" if biases else "")
        if weights == width * heads * (2 * d_k + d_v) + heads * d_v * width and weights:
            return "2·D·h·d_k + 2·D·h·d_v" + (f" + {biases}" if biases else "")
        return f"{weights} + {biases}" if biases else str(weights)

    def _norm(self, norm: Norm | None, path: str, rows: str) -> Iterator[Component]:
        given = [matrix for matrix in (norm.gamma, norm.beta) if matrix is not None] if norm else []
        if given:
            formula = "2·D" if len(given) == 2 else "D"
            shape = f"[B, {rows}, D]"
            yield Component(path, shape, shape, sum(map(_size, given)), formula)

    def _feed_forward(self, part: FeedForward, path: str, rows: str) -> Component:
        weights, biases = (part.w_1, part.w_2), (part.b_1, part.b_2)
        inner = self._out(part.w_1)
        self.symbols["d_ff"] = inner
        width = self.symbols.get("D", 0)
        terms = ["2·D·d_ff"] if sum(map(_size, weights)) == 2 * width * inner else [_size_text(w) for w in weights if w]
        terms += [name for name, bias in (("D", part.b_2), ("d_ff", part.b_1)) if bias is not None]
        products = self.batch * self.symbols[rows] * sum(map(_size, weights))
        shape, count = f"[B, {rows}, D]", sum(map(_size, (*weights, *biases)))
        drop = "the hidden layer after its activation, and the output before the residual"
        return Component(path, shape, shape, count, " + ".join(terms), products, dropout=drop)

    def _head(self, rows: str) -> Component:
        head = self.keys.output_head
        assert head is not None
        words = _size(head.b) or self._out(head.w) or self.symbols.get("V", 0)
        symbol = "V" if self.symbols.setdefault("V", words) == words else "V_out"
        self.symbols[symbol] = words
        parameters = _size(head.w) + _size(head.b)
        formula = (
            "shared with the embeddings"
            if head.tied
            else f"D·{symbol}" + (f" + {symbol}" if head.b is not None else "")
        )
        products = self.batch * self.symbols[rows] * words * self.symbols.get("D", 0)
        return Component("output_head", f"[B, {rows}, D]", f"[B, {rows}, {symbol}]", parameters, formula, products)

    def _out(self, matrix: Matrix | None) -> int:
        if matrix is None:
            return 0
        return (matrix.rows if self.out_in else matrix.columns) or 0


def _size(matrix: Matrix | None) -> int:
    return (matrix.rows or 0) * (matrix.columns or 0) if matrix is not None else 0


def _size_text(matrix: Matrix) -> str:
    return f"{matrix.rows}·{matrix.columns}"
