"""Sizes under the symbols of the paper, and the formulas that are made of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

_SYMBOLS = {"d_model": "D", "vocabulary": "V", "experts": "E"}
"""The symbols of sizes, where they are not those of the axes."""
_SECOND = {"V": "V_out"}
"""The symbol of another size of the same kind."""


class Symbols(dict[str, int]):
    """What each symbol stands for: S tokens of a sequence, D features, h heads, …"""

    def named(self, axis: str, size: int) -> str:
        """The symbol of an axis, where that is its size or it has none yet; otherwise the number itself."""
        if axis == "1":
            return axis
        symbol = _SYMBOLS.get(axis, axis)
        if self.setdefault(symbol, size) == size:
            return symbol
        second = _SECOND.get(symbol)
        return second if second and self.setdefault(second, size) == size else str(size)

    def width(self, size: int) -> str:
        """The symbol of what heads find, side by side: D, h·d_v, or a number."""
        if self.setdefault("D", size) == size:
            return "D"
        return "h·d_v" if self.get("h", 0) * self.get("d_v", 0) == size else str(size)

    def together(self, axis: str, sizes: list[int], count: str) -> str:
        """The widths of several, side by side: `D` where that is their sum, `h·d_k`, or a number.

        count: the symbol of how many there are
        """
        total = sum(sizes)
        each = self.named(axis, sizes[0]) if len(set(sizes)) == 1 and sizes[0] else str(total)
        if total == self.get("D"):
            return "D"
        if axis == "1":
            return count
        is_even = each == _SYMBOLS.get(axis, axis) and self.get(count) == len(sizes)
        return f"{count}·{each}" if is_even else str(total)


def product(*names: str) -> str:
    """`D·h·d_k`, with D before all others, so that equal products are written alike."""
    return "·".join(sorted("·".join(names).split("·"), key=lambda name: name != "D"))


def total(products: Iterable[str]) -> str:
    """Products added up, equal ones gathered: `4·D²`, `2·D·h·d_k + D·8`."""
    counted = Counter(products)
    return " + ".join(f"{count}·{_square(name)}" if count > 1 else _square(name) for name, count in counted.items())


def _square(name: str) -> str:
    return name.replace("D·D", "D²")
