"""What gives the number of parameters of a part, by the symbols of the paper: D·h·d_k for the queries of all heads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from walkthrough.recording.axes import Multiple
from walkthrough.sizes.parts import Learned, Part

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


_COUNTS = {"head": "h", "expert": "E"}
"""How many there are of what a part has several of, by symbol."""


def terms_of(part: Part, symbols: Symbols) -> Iterator[str]:
    """A product for each parameter; of those that heads have one each, one for all of them."""
    roles: dict[str, list[Learned]] = {}
    for learned in part.learned:
        roles.setdefault(learned.role, []).append(learned)
    for role, members in roles.items():
        sides = (1,) if members[0].is_vector else (0, 1)
        yield product(*(_factor(side, role, members, part, symbols) for side in sides))


def _factor(side: int, role: str, members: list[Learned], part: Part, symbols: Symbols) -> str:
    """One side of a parameter: D, d_ff, or that of all heads together."""
    axis, symbol = members[0].axes[side], members[0].symbols[side]
    if axis.symbol.startswith("(") or axis.symbol == "d_model":  # of rows that might be compressed, and are not
        symbol = axis.symbol
    sizes = [member.axes[side].size or 0 for member in members]
    if symbol.startswith("("):  # joined: (heads·d_k)
        count = axis.count if isinstance(axis, Multiple) else part.count("head")
        widths = [sizes[0] // count + (at < sizes[0] % count) for at in range(count)]  # of a list of heads also uneven
        each = symbol.strip("()").partition("·")[2]
        return symbols.together(each, widths, _count_symbol("head", count, part, symbols))
    if symbol == "heads":
        return _count_symbol("head", sizes[0], part, symbols)
    repeated, is_repeated, _ = role.partition(".#.")
    if not is_repeated or side == 0:
        return symbols.named(symbol, sizes[0])
    if len(members) < part.count(repeated) and not any(member.is_shared for member in members):
        return str(sum(sizes))  # some are given as numbers
    return symbols.together(symbol, sizes, _count_symbol(repeated, len(members), part, symbols))


def _count_symbol(word: str, count: int, part: Part, symbols: Symbols) -> str:
    """h; h_kv of heads that share keys and values."""
    symbol = _COUNTS.get(word, word)
    if count != part.count(word):
        symbol = f"{symbol}_kv"
    symbols.setdefault(symbol, count)
    return symbol
