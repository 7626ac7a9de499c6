"""Shows the sizes of a model: a table of components, totals, the memory of attention, and where dropout acts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from walkthrough.sizes.components import Component, Sizes
from walkthrough.text import counted
from walkthrough.views.table import padded

BYTES = 4
"""Of a number in float32, in which such models are trained."""


def as_text(sizes: Sizes) -> str:
    """The report, for a terminal."""
    lines = [sizes.title, "", ", ".join(f"{name} = {size:,}" for name, size in sizes.symbols.items()), ""]
    rows = [_row(part) for part in _distinct(sizes)]
    lines += padded(["component", "input", "output", "parameters", ""], rows, right=(4,))
    return "\n".join([*lines, "", *_totals(sizes), "", *_memory(sizes), *_dropout(sizes)]) + "\n"


def as_markdown(sizes: Sizes) -> str:
    """The report, as a Markdown document."""
    rows = [["component", "input", "output", "formula", "parameters"], [":--", ":--", ":--", ":--", "--:"]]
    rows += [[f"`{name}`", *rest] for name, *rest in map(_row, _distinct(sizes))]
    symbols = ", ".join(f"{name} = {size:,}" for name, size in sizes.symbols.items())
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    notes = "\n".join(
        f"- {line.strip()}" for line in (*_totals(sizes), *_memory(sizes), *_dropout(sizes)) if line.strip()
    )
    return f"# Sizes: {sizes.title}\n\n{symbols}\n\n{table}\n\n{notes}\n"


def as_json(sizes: Sizes) -> str:
    """The components and totals, for programs; every layer by itself."""
    totals = {"parameters": _sum(sizes.components), "multiplications": _products(sizes.components)}
    components = [asdict(part) for part in sizes.components]
    return (
        json.dumps(
            {"title": sizes.title, "symbols": sizes.symbols, "components": components, "total": totals}, indent=1
        )
        + "\n"
    )


def _row(part: Component) -> list[str]:
    return [part.path, part.input, part.output, part.formula, f"{part.parameters:,}"]


def _layer(path: str) -> str:
    """`encoder.1` for `encoder.1.norm_1`; empty outside of layers."""
    words = path.split(".")
    return ".".join(words[:2]) if len(words) > 2 and words[1].isdigit() else ""


def _layers(sizes: Sizes) -> dict[str, list[Component]]:
    found: dict[str, list[Component]] = {}
    for part in sizes.components:
        if layer := _layer(part.path):
            found.setdefault(layer, []).append(part)
    return found


def _shape_of(layer: Sequence[Component]) -> list[tuple[str, int, int]]:
    return [(part.path.split(".", 2)[2], part.parameters, part.scores) for part in layer]


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


def _totals(sizes: Sizes) -> list[str]:
    lines = []
    stacks: dict[str, list[int]] = {}
    for name, parts in _layers(sizes).items():
        stacks.setdefault(name.split(".")[0], []).append(_sum(parts))
    for stack, counts in stacks.items():
        alike = len(set(counts)) == 1
        each = [("each layer", counts[0])] if alike else [(f"layer {at}", count) for at, count in enumerate(counts, 1)]
        lines += [f"Parameters of {name} of the {stack}: {count:,}" for name, count in each]
        if len(counts) > 1:
            lines.append(f"Parameters of the {len(counts)} layers of the {stack}: {sum(counts):,}")
    return [*lines, f"Parameters in all: {_sum(sizes.components):,}", "", *_multiplications(sizes)]


def _multiplications(sizes: Sizes) -> list[str]:
    """Of the components, of layers that are alike only the first, and of all together."""
    lines = [f"  {part.path}: {part.multiplications:,}" for part in _distinct(sizes) if part.multiplications]
    return ["Multiplications in a forward pass:", *lines, f"  in all: {_products(sizes.components):,}"]


def _memory(sizes: Sizes) -> list[str]:
    parts = [part for part in sizes.components if part.scores]
    if not parts:
        return []
    lines = [f"Attention scores, at {BYTES} bytes a number (float32):"]
    for part in _distinct(sizes):
        if part.scores:
            head = f"a head {part.scores:,} numbers = {_bytes(part.scores)}"
            lines.append(f"  {part.path}: {head}; {counted(part.heads, 'head')} {_bytes(part.scores * part.heads)}")
    total = sum(part.scores * part.heads for part in parts)
    return [*lines, f"  in all: {total:,} numbers = {_bytes(total)}", ""]


def _dropout(sizes: Sizes) -> list[str]:
    places = {part.path: part.dropout for part in _distinct(sizes) if part.dropout}
    lines = [f"  {path}: {place}" for path, place in places.items()]
    return ["Dropout acts, in training only, on:", *lines] if lines else []


def _bytes(numbers: int) -> str:
    size = float(numbers * BYTES)
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if size < 1000 or unit == "TB":
            return f"{size:,.0f} {unit}" if unit == "bytes" else f"{size:,.2f} {unit}"
        size /= 1000
    raise AssertionError


def _sum(parts: Sequence[Component]) -> int:
    return sum(part.parameters for part in parts)


def _products(parts: Sequence[Component]) -> int:
    return sum(part.multiplications for part in parts)
