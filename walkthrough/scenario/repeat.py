"""Layers in a list, some of them written once and repeated."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from walkthrough.scenario.nodes import Mapping, Node, Sequence
from walkthrough.scenario.readers import JsonSchema, Place, Whole
from walkthrough.scenario.sections import Section, SectionOf, key

MOST_LAYERS = 1000


@dataclass
class Repeat(Section):
    """A layer written once and repeated; `{i}` in its tensor names counts from 0, and seeds grow by i."""

    repeat: int | None = key(Whole(most=MOST_LAYERS), "how many times", required=True)
    layer: Mapping | None = key(lambda: AnyNode(), "the layer", required=True)


@dataclass(frozen=True, slots=True)
class AnyNode:
    """The node itself, to be read later, once for each repetition."""

    def read(self, node: Node, place: Place) -> Node:
        return node

    def schema(self) -> JsonSchema:
        return {"type": "object"}


@dataclass(frozen=True, slots=True)
class LayersReader:
    """A list of layers, or one {repeat: …, layer: …}."""

    layer: type[Section]

    def read(self, node: Node, place: Place) -> list[Any] | None:
        items = node.items if isinstance(node, Sequence) else [node]
        if not items or not all(isinstance(item, Mapping) for item in items):
            place.reject(node, "a list of layers")
            return None
        layers: list[Any] = []
        for item in items:
            layers += self._layers(item, place, len(layers) + 1)
        return layers

    def _layers(self, item: Node, place: Place, number: int) -> list[Any]:
        if not isinstance(item, Mapping) or item.get("repeat") is None:
            return [SectionOf(self.layer).read(item, place.at(number))]
        repeat: Repeat = SectionOf(Repeat).read(item, place.at(number))
        if repeat.repeat is None or repeat.layer is None:
            return []
        places = [dataclasses.replace(place.at(number + i), repeat=i) for i in range(repeat.repeat)]
        return [SectionOf(self.layer).read(repeat.layer, at) for at in places]

    def schema(self) -> JsonSchema:
        repeat = {"$ref": "#/$defs/Repeat"}
        item = {"anyOf": [SectionOf(self.layer).schema(), repeat]}
        return {"anyOf": [{"type": "array", "items": item, "minItems": 1}, repeat]}
