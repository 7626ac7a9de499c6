"""Readers for masks, roundings, and what to look at inside."""

from __future__ import annotations

import re
from typing import Any

from walkthrough.number_formats import FEWEST_BITS, FLOAT_NAMES, FLOATS, MOST_BITS, IntFormat, NumberFormat
from walkthrough.records import Record
from walkthrough.scenario.schema.matrices import Matrix, MatrixReader
from walkthrough.scenario.schema.readers import (
    Choice,
    Context,
    JsonSchema,
    ListOf,
    NumberOr,
    Real,
    Whole,
    WordOr,
    real_number,
)
from walkthrough.scenario.schema.sections import Section, SectionOf, key
from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node, ScalarNode
from walkthrough.text import did_you_mean


class Mask(Record):
    """Which connections are hidden: by order, by padding, by a given matrix of 0 (hidden) and 1, and by distance.

    window: a token sees itself and those that are fewer than `window` positions away
    """

    causal: bool = False
    padding: bool = False
    matrix: Matrix | None = None
    window: int | None = None


class MaskReader:
    """none, causal, padding, [causal, padding], or a matrix of 0 and 1."""

    def read(self, node: Node, context: Context) -> Mask | None:
        kind = Choice(("none", "causal", "padding"))
        if isinstance(node, ScalarNode):
            word = kind.read(node, context)
            return Mask(word == "causal", word == "padding") if word else None
        if isinstance(node, ListNode) and node.items and all(isinstance(item, ScalarNode) for item in node.items):
            words = [kind.read(item, context) for item in node.items]
            for word, item in zip(words, node.items, strict=True):
                if words.count(word) > 1 or (word == "none" and len(words) > 1):
                    context.reject(item, "causal, padding, or each of them once")
            return Mask("causal" in words, "padding" in words) if all(words) else None
        matrix = MatrixReader(as_is="a mask").read(node, context)
        before = len(context.problems)
        for row in node.items if matrix and matrix.numbers and isinstance(node, ListNode) else []:
            for item in row.items if isinstance(row, ListNode) else []:
                if real_number(item) not in (0, 1):
                    context.reject(item, "0 (hidden) or 1 (visible)")
        return Mask(matrix=matrix) if matrix and len(context.problems) == before else None

    def schema(self) -> JsonSchema:
        named: JsonSchema = {"enum": ["none", "causal", "padding"]}
        return {"anyOf": [named, {"type": "array", "items": named}, MatrixReader().schema()]}


class SquareRoot(Section):
    """A divisor by its square."""

    sqrt: float = key(Real(above=0), "the scores are divided by its square root", default=1.0, required=True)


SCALE = WordOr(("sqrt_d_k", "none"), NumberOr(Real(above=0), SectionOf(SquareRoot)), "a number or {sqrt: …}")
"""What scores are divided by: √d_k, nothing, a number, or the square root of one."""


class DigitsReader:
    """`2` decimals, or `3 significant` digits; read as (count, significant)."""

    def read(self, node: Node, context: Context) -> tuple[int, bool] | None:
        text = node.text if isinstance(node, ScalarNode) else ""
        match = re.fullmatch(r"([0-9]{1,2})( significant)?", text.strip())
        if match is None or not 0 <= int(match[1]) <= 15 or (match[2] and match[1] == "0"):
            context.reject(node, "a number of decimals from 0 to 15, such as 2, or '3 significant'")
            return None
        return int(match[1]), bool(match[2])

    def schema(self) -> JsonSchema:
        return {
            "anyOf": [
                {"type": "integer", "minimum": 0, "maximum": 15},
                {"type": "string", "pattern": "^[0-9]{1,2}( significant)?$"},
            ]
        }


class WholeNumbers(Section):
    """Whole multiples of a scale that each matrix has."""

    int: Any = key(Whole(least=FEWEST_BITS, most=MOST_BITS), "how many bits each number has", required=True)


class FormatReader:
    """The name of a float format, or {int: 8}."""

    def read(self, node: Node, context: Context) -> NumberFormat | None:
        if isinstance(node, MappingNode):
            found = SectionOf(WholeNumbers).read(node, context)
            return IntFormat(found.int) if found is not None and found.int is not None else None
        word = node.text if isinstance(node, ScalarNode) else ""
        known = next((one for one in FLOATS if one.name == word), None)
        if known is None:
            context.reject(node, " or ".join((*FLOAT_NAMES, "{int: 8}")), help=did_you_mean(word, FLOAT_NAMES))
        return known

    def schema(self) -> JsonSchema:
        return {"anyOf": [{"enum": list(FLOAT_NAMES)}, SectionOf(WholeNumbers).schema()]}


INSPECTIONS = ("lens", "attribution")
"""What a pass can be looked into by."""


class Inspection(Record):
    """One way to look inside; position: the label or number of a row, empty for the last; node: where the file asks.

    node: None where nobody wrote it into the file, and it is left out where it does not apply
    """

    name: str
    position: str = ""
    node: Node | None = None


class InspectionReader:
    """lens or attribution, or {attribution: LABEL}."""

    def read(self, node: Node, context: Context) -> Inspection | None:
        if isinstance(node, MappingNode) and len(node.entries) == 1:
            (written, value) = node.entries[0]
            if written.text == "attribution" and isinstance(value, ScalarNode) and value.text:
                return Inspection("attribution", value.text, written)
        if isinstance(node, MappingNode):
            context.reject(node, "{attribution: LABEL}", help="the other parts have no position")
            return None
        word = Choice(INSPECTIONS).read(node, context)
        return Inspection(word, node=node) if word else None

    def schema(self) -> JsonSchema:
        position = {"type": ["string", "number", "boolean", "null"]}
        chosen = {"type": "object", "properties": {"attribution": position}, "required": ["attribution"]}
        return {"anyOf": [{"enum": list(INSPECTIONS)}, {**chosen, "additionalProperties": False}]}


class InspectionsReader:
    """A list of them, each once."""

    def read(self, node: Node, context: Context) -> list[Inspection] | None:
        found = ListOf(InspectionReader(), f"a list of {', '.join(INSPECTIONS)}").read(node, context)
        names = [one.name for one in found or []]
        for at, one in enumerate(found or []):
            if one.name in names[:at] and one.node is not None:
                context.problems.add(one.node, f"{one.name} is named twice", key=context.path, help="remove one")
        return found if len(set(names)) == len(names) else None

    def schema(self) -> JsonSchema:
        return {"type": "array", "items": InspectionReader().schema(), "minItems": 1}
