"""Parameters: keys whose matrices are learned. Each declares its axes, its symbol and its words beside its reader.

Reading, the JSON Schema, checks of shapes, `init`, counting, labels and titles follow from the declaration.
"""

from __future__ import annotations

from typing import Any

from walkthrough.records import Record
from walkthrough.scenario.schema.matrices import MatrixReader
from walkthrough.scenario.schema.sections import key

ADDED = "Learned: added to every row of the product."


class Parameter(Record):
    """What a learned matrix stands for: its axes by symbol, inward and outward, and its words.

    A vector has the axes 1 and its own.
    """

    axes: tuple[str, str]
    symbol: str
    title: str
    purpose: str


def weight(axes: str, symbol: str, purpose: str, doc: str, title: str = "", **rules: Any) -> Any:
    """Declares a key for a weight, `d_model×d_ff`: from what width to what width; out×in with that convention."""
    inward, outward = axes.split("×")
    words = Parameter((inward, outward), symbol, title or f"Weights {symbol}", f"Learned: {purpose}.")
    return key(MatrixReader(whole="makes" in rules), f"{axes}, {doc}", parameter=words, **rules)


def bias(axis: str, symbol: str, doc: str, purpose: str = ADDED, title: str = "", **rules: Any) -> Any:
    """Declares a key for a bias, 1×`axis`."""
    return vector(axis, symbol, title or f"Bias {symbol}", purpose, doc, **rules)


def vector(axis: str, symbol: str, title: str, purpose: str, doc: str, **rules: Any) -> Any:
    """Declares a key for a learned vector, 1×`axis`."""
    return key(MatrixReader(vector=True), doc, parameter=Parameter(("1", axis), symbol, title, purpose), **rules)


def single(symbol: str, title: str, purpose: str, doc: str, axis: str = "1", **rules: Any) -> Any:
    """Declares a key for a learned number, 1×1; of `axis` also one for each, in a list."""
    words = Parameter(("1", axis), symbol, title, purpose)
    return key(MatrixReader(vector=True, single=True), doc, parameter=words, **rules)
