"""How large an attention is: joined or separate heads, with or without an output projection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from walkthrough.recording.values import Value
from walkthrough.sizes.formulas import Symbols, product, total


class Names(NamedTuple):
    """The widths that go in and come out by symbol, empty where there are none; and what gives the parameters."""

    inward: str
    outward: str
    formula: str


class AttentionSizes:
    """The widths of the projections, head by head, read off the recorded values of an attention by their names."""

    def __init__(self, values: Mapping[str, Value], out_in: bool) -> None:
        self.values = values
        self.out_in = out_in
        self.count = max((int(name.split(".")[1]) for name in values if name.startswith("head.")), default=1)

    @property
    def parameters(self) -> int:
        """Weights and biases."""
        learned = {value for value in self.values.values() if value.operation is None and value.kind.trained}
        return sum(value.shape[0] * value.shape[1] for value in learned)

    def named(self, symbols: Symbols) -> Names:
        """Sizes by symbol; new symbols get their size."""
        symbols["h"] = self.count
        joined = {letter: self._joined(letter, symbols) for letter in "qkv"}
        w_o = self.values.get("w_o")
        concat = self._side_by_side("d_v", self._of_heads("output"), symbols)
        out = symbols.name("D", self.values["output"].shape[1]) if w_o is not None else concat
        inward, terms, biases = "", [], []
        for letter in "qkv":
            weight = self.values.get(f"head.1.w_{letter}")
            if weight is not None:
                into = symbols.name("D", weight.shape[1 if self.out_in else 0])
                inward = inward or into
                terms.append(product(into, joined[letter]))
            if f"head.1.b_{letter}" in self.values:
                biases.append(joined[letter])
        if w_o is not None:
            terms.append(product(concat, out))
        if "b_o" in self.values:
            biases.append(out)
        gammas = [value for name, value in self.values.items() if name.endswith("_norm.gamma")]
        biases += [symbols.name("d_k", value.shape[1]) for value in gammas]
        return Names(inward, out, total(terms + biases) or "given as numbers")

    def _joined(self, letter: str, symbols: Symbols) -> str:
        """The width of all heads together, those that are shared counted once; empty where there is none."""
        found = self._of_heads({"q": "query", "k": "key", "v": "value"}[letter])
        symbol = "d_v" if letter == "v" else "d_k"
        distinct = list(dict.fromkeys(found))
        if None in found or len(distinct) == len(found):
            return self._side_by_side(symbol, found, symbols)
        symbols.setdefault("h_kv", len(distinct))
        return self._side_by_side(symbol, distinct, symbols, "h_kv")

    def _of_heads(self, name: str) -> list[Value | None]:
        return [self.values.get(f"head.{head}.{name}") for head in range(1, self.count + 1)]

    def _side_by_side(self, symbol: str, found: list[Value | None], symbols: Symbols, count: str = "h") -> str:
        widths = [value.shape[1] if value is not None else 0 for value in found]
        return symbols.heads(symbol, widths, count) if any(widths) else ""
