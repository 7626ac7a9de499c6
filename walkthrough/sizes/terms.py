"""What gives the number of parameters of a part, by symbol: D·h·d_k for the queries of all heads."""

from __future__ import annotations

from collections.abc import Iterator

from walkthrough.recording.axes import Multiple
from walkthrough.sizes.formulas import Symbols, product
from walkthrough.sizes.parts import Learned, Part

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
        shares = [sizes[0] // count + (at < sizes[0] % count) for at in range(count)]  # of a list of heads also uneven
        each = symbol.strip("()").partition("·")[2]
        return symbols.together(each, shares, _count_symbol("head", count, part, symbols))
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
