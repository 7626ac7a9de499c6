"""What a cache saves in a generation, pass by pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from walkthrough.sizes.generation import PassSize
from walkthrough.text import pluralize
from walkthrough.views.report.blocks import Block, Paragraph, Table

_FIRST, _MOST = 4, 12


def few_passes(sizes: Sequence[PassSize]) -> list[PassSize | None]:
    """The passes that are shown: of many the first ones, None for those left out, and the last."""
    return [*sizes] if len(sizes) <= _MOST else [*sizes[:_FIRST], None, sizes[-1]]


def cache_savings(sizes: Sequence[PassSize]) -> Iterator[Block]:
    """A table of the passes of a generation."""
    passes = pluralize(len(sizes), "token")
    yield Paragraph(
        f"Multiplications of a generation of {passes}. With the cache, a pass computes only the row of its new token:"
    )
    rows = [
        (f"{size.number}", f"{size.computed:,} of {size.tokens:,}", f"{size.multiplications:,}", f"{size.without:,}")
        if size is not None
        else ("…",) * 4
        for size in few_passes(sizes)
    ]
    total = [
        f"{sum(numbers):,}" for numbers in zip(*((size.multiplications, size.without) for size in sizes), strict=True)
    ]
    header = ("pass", "rows computed", "multiplications", "without the cache")
    yield Table(header, (*rows, ("all", "", *total)), right=(1, 2, 3))
