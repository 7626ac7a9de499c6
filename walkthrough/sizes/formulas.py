"""Sizes under the symbols of the paper, and the formulas that are made of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


class Symbols(dict[str, int]):
    """What each symbol stands for: S tokens of a sequence, D features, h heads, …"""

    def name(self, symbol: str, size: int) -> str:
        """The symbol, where that is its size or it has none yet; otherwise the number itself."""
        return symbol if self.setdefault(symbol, size) == size else str(size)

    def heads(self, symbol: str, sizes: list[int], count: str = "h") -> str:
        """The heads' shares of a width: `D` together where that is their sum, `h·d_k`, or a number.

        count: the symbol of how many heads there are
        """
        total = sum(sizes)
        each = self.name(symbol, sizes[0]) if len(set(sizes)) == 1 and sizes[0] else str(total)
        if total == self.get("D"):
            return "D"
        return f"{count}·{each}" if each == symbol and self.get(count) == len(sizes) else str(total)


def product(*names: str) -> str:
    """`D·h·d_k`, with D before all others, so that equal products are written alike."""
    return "·".join(sorted("·".join(names).split("·"), key=lambda name: name != "D"))


def total(products: Iterable[str]) -> str:
    """Products added up, equal ones gathered: `4·D²`, `2·D·h·d_k + D·8`."""
    counted = Counter(products)
    return " + ".join(f"{count}·{_squared(name)}" if count > 1 else _squared(name) for name, count in counted.items())


def _squared(name: str) -> str:
    return name.replace("D·D", "D²")
