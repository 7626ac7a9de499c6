"""How large an attention is: joined or separate heads, with or without an output projection."""

from __future__ import annotations

from dataclasses import dataclass

from walkthrough.scenario.matrices import Matrix
from walkthrough.scenario.schema import Attention, Head
from walkthrough.sizes.formulas import Symbols, product, total


@dataclass(frozen=True, slots=True)
class Names:
    """The widths that go in and come out by symbol, empty where there are none; and what gives the parameters."""

    inward: str
    outward: str
    formula: str


class AttentionSizes:
    """The widths of the projections, head by head."""

    def __init__(self, keys: Attention, out_in: bool) -> None:
        self.keys = keys
        self.out_in = out_in
        self.heads: list[Head] | list[Attention] = keys.heads or [keys]
        self.count = len(keys.heads or []) or keys.num_heads or 1

    @property
    def parameters(self) -> int:
        """Weights and biases."""
        return sum(
            matrix.rows * matrix.columns for matrix in self._matrices("w", "b") if matrix.rows and matrix.columns
        )

    def multiplications(self, n: int, m: int) -> int:
        """For n rows that ask and m that are asked: projections, scores, and the weighted sums of values."""
        rows = {"w_q": n, "w_k": m, "w_v": m, "w_o": n}
        projections = sum(
            rows[matrix.name] * (matrix.rows or 0) * (matrix.columns or 0) for matrix in self._matrices("w")
        )
        return projections + n * m * (sum(self._widths("k")) + sum(self._widths("v")))

    def named(self, symbols: Symbols) -> Names:
        """Sizes by symbol; new symbols get their size."""
        symbols["h"] = self.count
        joined = {letter: self._joined(letter, symbols) for letter in "qkv"}
        out = symbols.name("D", self._out(self.keys.w_o)) if self.keys.w_o is not None else joined["v"]
        inward, terms, biases = "", [], []
        for letter in "qkv":
            weight = getattr(self.heads[0], f"w_{letter}")
            if weight is not None:
                into = symbols.name("D", self._in(weight))
                inward = inward or into
                terms.append(product(into, joined[letter]))
            if getattr(self.heads[0], f"b_{letter}") is not None:
                biases.append(joined[letter])
        if self.keys.w_o is not None:
            terms.append(product(joined["v"], out))
        if self.keys.b_o is not None:
            biases.append(out)
        return Names(inward, out, total(terms + biases) or "given as numbers")

    def _joined(self, letter: str, symbols: Symbols) -> str:
        """The width of all heads together, empty where there is none."""
        widths = self._widths(letter)
        return symbols.heads("d_v" if letter == "v" else "d_k", widths) if any(widths) else ""

    def _widths(self, letter: str) -> list[int]:
        """Of q, k or v in each head; nothing before given scores or weights is calculated."""
        if self.keys.heads is None:
            return [self._out(getattr(self.keys, f"w_{letter}")) // self.count] * self.count
        return [self._width(head, letter) for head in self.keys.heads]

    def _width(self, head: Head, letter: str) -> int:
        if letter != "v" and (head.scores is not None or head.weights is not None):
            return 0
        numbers: Matrix | None = getattr(head, letter)
        return (numbers.columns or 0) if numbers is not None else self._out(getattr(head, f"w_{letter}"))

    def _matrices(self, *kinds: str) -> list[Matrix]:
        """The weights or biases that are given."""
        names = [f"{kind}_{letter}" for kind in kinds for letter in "qkv"]
        found = [getattr(head, name) for head in self.heads for name in names]
        found += [getattr(self.keys, f"{kind}_o") for kind in kinds]
        return [matrix for matrix in found if matrix is not None]

    def _out(self, matrix: Matrix | None) -> int:
        return 0 if matrix is None else (matrix.rows if self.out_in else matrix.columns) or 0

    def _in(self, matrix: Matrix) -> int:
        return (matrix.columns if self.out_in else matrix.rows) or 0
