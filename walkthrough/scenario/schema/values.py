"""Readers for masks and roundings."""

from __future__ import annotations

import re

from walkthrough.records import Record
from walkthrough.scenario.schema.matrices import Matrix, MatrixReader
from walkthrough.scenario.schema.readers import (
    Choice,
    Context,
    JsonSchema,
    NumberOr,
    Real,
    WordOr,
    real_number,
)
from walkthrough.scenario.schema.sections import Section, SectionOf, key
from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node, ScalarNode


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
        matrix = MatrixReader().read(node, context)
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


class StepsReader:
    """selector → digits."""

    def read(self, node: Node, context: Context) -> dict[str, tuple[int, bool]] | None:
        if not isinstance(node, MappingNode):
            context.reject(node, "a mapping selector → digits")
            return None
        found = {name.text: DigitsReader().read(value, context.at(name.text)) for name, value in node.entries}
        return {name: digits for name, digits in found.items() if digits is not None}

    def schema(self) -> JsonSchema:
        return {"type": "object", "additionalProperties": DigitsReader().schema()}
