"""Layers in a list, some of them written once and repeated."""

from __future__ import annotations

from typing import Any

from walkthrough.records import Record
from walkthrough.scenario.schema.readers import Context, JsonSchema, Whole
from walkthrough.scenario.schema.sections import Section, SectionOf, key
from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node, ScalarNode

MOST_LAYERS = 1000
MOST_VALUES = 5_000_000


class Repeat(Section):
    """A layer written once and repeated; `{i}` in its tensor names counts from `first`, and seeds grow by i."""

    repeat: int | None = key(Whole(most=MOST_LAYERS), "how many times", required=True)
    first: int = key(Whole(least=0, most=MOST_LAYERS), "what {i} counts from", default=0)
    layer: MappingNode | None = key(lambda: AnyMapping(), "the layer", required=True)


class AnyMapping:
    """The mapping itself, to be read later, once for each repetition."""

    def read(self, node: Node, context: Context) -> MappingNode | None:
        if isinstance(node, MappingNode):
            return node
        context.reject(node, "a mapping")
        return None

    def schema(self) -> JsonSchema:
        return {"type": "object"}


class LayersReader(Record):
    """A list of layers, or one {repeat: …, layer: …}."""

    layer: type[Section]

    def read(self, node: Node, context: Context) -> list[Any] | None:
        items = node.items if isinstance(node, ListNode) else [node]
        if not items or not all(isinstance(item, MappingNode) for item in items):
            context.reject(node, "a list of layers")
            return None
        layers: list[Any] = []
        for item in items:
            layers += self._layers(item, context, len(layers) + 1)
        return layers

    def _layers(self, item: Node, context: Context, number: int) -> list[Any]:
        if not isinstance(item, MappingNode) or item.get("repeat") is None:
            return [SectionOf(self.layer).read(item, context.at(number))]
        repeat: Repeat = SectionOf(Repeat).read(item, context.at(number))
        if repeat.repeat is None or repeat.layer is None:
            return []
        if repeat.repeat * _size(repeat.layer) > MOST_VALUES:
            message = f"repeated this often, the layer has more than {MOST_VALUES:,} values"
            context.problems.add(repeat.at("repeat"), message, key=repeat.key_of("repeat"))
            return []
        contexts = [context.at(number + i)._replace(repeat=repeat.first + i) for i in range(repeat.repeat)]
        return [SectionOf(self.layer).read(repeat.layer, at) for at in contexts]

    def schema(self) -> JsonSchema:
        repeat = {"$ref": "#/$defs/Repeat"}
        item = {"anyOf": [SectionOf(self.layer).schema(), repeat]}
        return {"anyOf": [{"type": "array", "items": item, "minItems": 1}, repeat]}


def _size(node: Node) -> int:
    """How many values a node holds."""
    if isinstance(node, ScalarNode):
        return 1
    return sum(map(_size, node.items if isinstance(node, ListNode) else [child for _, child in node.entries]))
