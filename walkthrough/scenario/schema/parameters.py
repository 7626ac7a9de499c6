"""Parameters: keys whose matrices are learned. Each declares its axes, its symbol and its words beside its reader.

Reading, the JSON Schema, checks of shapes, `init`, counting, labels and titles follow from the declaration.
"""

from __future__ import annotations

from typing import Any

from walkthrough.records import Record
from walkthrough.scenario.schema.matrices import MatrixReader
from walkthrough.scenario.schema.sections import key


class Parameter(Record):
    """What a learned matrix stands for: its axes by symbol, inward and outward, its symbol and its title.

    A vector has the axes 1 and its own.

    family: with the key behind it, it is the key of the words that languages have for it
    words:  that key, where it is another one
    """

    axes: tuple[str, str]
    symbol: str
    title: str
    family: str
    words: str = ""


def weight(axes: str, symbol: str, doc: str, title: str = "", words: str = "", **rules: Any) -> Any:
    """Declares a key for a weight, `d_model×d_ff`: from what width to what width; out×in with that convention."""
    inward, outward = axes.split("×")
    declared = Parameter((inward, outward), symbol, title or f"Weights {symbol}", "weight", words)
    return key(MatrixReader(whole="makes" in rules), f"{axes}, {doc}", parameter=declared, **rules)


def bias(axis: str, symbol: str, doc: str, title: str = "", words: str = "", **rules: Any) -> Any:
    """Declares a key for a bias, 1×`axis`."""
    declared = Parameter(("1", axis), symbol, title or f"Bias {symbol}", "bias", words)
    return key(MatrixReader(vector=True), doc, parameter=declared, **rules)


def vector(axis: str, symbol: str, title: str, doc: str, **rules: Any) -> Any:
    """Declares a key for a learned vector, 1×`axis`."""
    return key(MatrixReader(vector=True), doc, parameter=Parameter(("1", axis), symbol, title, "vector"), **rules)


def taps(axis: str, symbol: str, doc: str) -> Any:
    """Declares a key for the weights of a short convolution, in every convention kernel×`axis`."""
    declared = Parameter(("kernel", axis), symbol, f"Convolution {symbol}", "weight", "weight.conv")
    return key(MatrixReader(), f"kernel×{axis}, {doc}", parameter=declared)


def single(symbol: str, title: str, doc: str, axis: str = "1", **rules: Any) -> Any:
    """Declares a key for a learned number, 1×1; of `axis` also one for each, in a list."""
    declared = Parameter(("1", axis), symbol, title, "vector")
    return key(MatrixReader(vector=True, single=True), doc, parameter=declared, **rules)
