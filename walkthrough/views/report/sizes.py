"""The report on sizes: a table of components, totals, the memory of attention, and where dropout acts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from walkthrough.recording.parts import parts_of
from walkthrough.sizes.components import Component, Sizes
from walkthrough.sizes.generation import PassSize
from walkthrough.text import pluralize
from walkthrough.views.data import document
from walkthrough.views.report.blocks import Block, Code, Items, Paragraph, Report, Table

_FIRST_PASSES, _MOST_PASSES = 4, 12
"""Of more passes of a generation than the most, the first ones and the last are shown."""
BYTES = 4
"""Of a number in float32, in which such models are trained."""


def report(sizes: Sizes) -> Report:
    """The report."""
    return Report(
        f"Sizes: {sizes.title}", lambda: _blocks(sizes), lambda: document("sizes", _data(sizes)), brief=sizes.title
    )


def _blocks(sizes: Sizes) -> Iterator[Block]:
    shown = _distinct(sizes)
    yield Paragraph(", ".join(f"{name} = {size:,}" for name, size in sizes.symbols.items()))
    rows = tuple((Code(part.path), part.input, part.output, part.formula, f"{part.parameters:,}") for part in shown)
    yield Table(("component", "input", "output", "parameters", ""), rows, right=(4,))
    yield Items(tuple(_totals(sizes)))
    products = [f"{part.path}: {part.multiplications:,}" for part in shown if part.multiplications]
    total = f"total: {_products(sizes.components):,}"
    yield Items((*products, total), "Multiplications in a forward pass")
    if sizes.passes:
        yield from _cache_savings(sizes.passes)
    if memory := _memory(sizes, shown):
        yield Items(memory, f"Attention scores, at {BYTES} bytes a number (float32)")
    if dropout := tuple(f"{part.path}: {part.dropout}" for part in shown if part.dropout):
        yield Items(dropout, "In training only, dropout acts on")


def _data(sizes: Sizes) -> dict[str, Any]:
    """The components of every layer, and totals."""
    totals = {"parameters": _sum(sizes.components), "multiplications": _products(sizes.components)}
    totals["used"] = _used(sizes.components)
    components = [dict(vars(part)) for part in sizes.components]
    data = {"title": sizes.title, "symbols": sizes.symbols, "components": components, "total": totals}
    return data | ({"generation": [size._asdict() for size in sizes.passes]} if sizes.passes else {})


def _layer(path: str) -> str:
    """`encoder.1` for `encoder.1.norm_1`; empty outside of layers."""
    return next((part.path for part in parts_of(path) if part.word == "layer"), "")


def _layers(sizes: Sizes) -> dict[str, list[Component]]:
    found: dict[str, list[Component]] = {}
    for part in sizes.components:
        if layer := _layer(part.path):
            found.setdefault(layer, []).append(part)
    return found


def _shape_of(layer: Sequence[Component]) -> list[tuple[str, int, int]]:
    return [(part.path.removeprefix(_layer(part.path)), part.parameters, part.scores) for part in layer]


def _distinct(sizes: Sizes) -> list[Component]:
    """The components, of layers that are alike only the first."""
    layers = _layers(sizes)
    first: dict[str, str] = {}
    for name, parts in layers.items():
        stack = name.split(".")[0]
        if all(_shape_of(parts) == _shape_of(other) for key, other in layers.items() if key.startswith(stack)):
            first.setdefault(stack, name)
    return [
        part
        for part in sizes.components
        if not (layer := _layer(part.path)) or first.get(layer.split(".")[0], layer) == layer
    ]


def _totals(sizes: Sizes) -> Iterator[str]:
    stacks: dict[str, list[int]] = {}
    for name, parts in _layers(sizes).items():
        stacks.setdefault(name.split(".")[0], []).append(_sum(parts))
    for stack, counts in stacks.items():
        alike = len(set(counts)) == 1
        each = [("each layer", counts[0])] if alike else [(f"layer {at}", count) for at, count in enumerate(counts, 1)]
        yield from (f"Parameters of {name} of the {stack}: {count:,}" for name, count in each)
        if len(counts) > 1:
            yield f"Parameters of the {len(counts)} layers of the {stack}: {sum(counts):,}"
    yield f"Total parameters: {_sum(sizes.components):,}"
    if (used := _used(sizes.components)) != _sum(sizes.components):
        yield f"Parameters that one token uses: {used:,}"


def _memory(sizes: Sizes, shown: Sequence[Component]) -> tuple[str, ...]:
    lines = [
        f"{part.path}: one head {part.scores:,} {'number' if part.scores == 1 else 'numbers'} = {_bytes(part.scores)}; "
        f"{pluralize(part.heads, 'head')} {_bytes(part.scores * part.heads)}"
        for part in shown
        if part.scores
    ]
    total = sum(part.scores * part.heads for part in sizes.components)
    return (*lines, f"total: {total:,} numbers = {_bytes(total)}") if lines else ()


def _bytes(numbers: int) -> str:
    size = float(numbers * BYTES)
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if size < 1000 or unit == "TB":
            return f"{size:,.0f} {unit}" if unit == "bytes" else f"{size:,.2f} {unit}"
        size /= 1000
    raise AssertionError


def _used(parts: Sequence[Component]) -> int:
    return sum(part.used for part in parts)


def _sum(parts: Sequence[Component]) -> int:
    return sum(part.parameters for part in parts)


def _products(parts: Sequence[Component]) -> int:
    return sum(part.multiplications for part in parts)


def few_passes(sizes: Sequence[PassSize]) -> list[PassSize | None]:
    """The passes that are shown: of many the first ones, None for those left out, and the last."""
    return [*sizes] if len(sizes) <= _MOST_PASSES else [*sizes[:_FIRST_PASSES], None, sizes[-1]]


def _cache_savings(sizes: Sequence[PassSize]) -> Iterator[Block]:
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
