"""Layers in a list, some of them written once and repeated."""

from __future__ import annotations

from typing import Any

from walkthrough.records import Record
from walkthrough.scenario.schema.readers import Context, JsonSchema, ListOf, Text, Whole
from walkthrough.scenario.schema.rules import check_rules
from walkthrough.scenario.schema.sections import Section, SectionOf, key
from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node, ScalarNode, describe_node
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.scenario.yaml.reading import MOST_VALUES
from walkthrough.text import did_you_mean, in_quotes

MOST_LAYERS = 1000


class AnyMapping:
    """The mapping itself, to be read later, once for each repetition."""

    def read(self, node: Node, context: Context) -> MappingNode | None:
        if isinstance(node, MappingNode):
            return node
        context.reject(node, "a mapping")
        return None

    def schema(self) -> JsonSchema:
        return {"type": "object"}


class Repeat(Section):
    """A layer written once and repeated; `{i}` in its tensor names counts from `first`, and seeds grow by i.

    pattern, kinds: what is different in some of the layers; the pattern begins again where it ends
    """

    repeat: int | None = key(Whole(most=MOST_LAYERS), "how many times", required=True)
    first: int = key(Whole(least=0, most=MOST_LAYERS), "what {i} counts from", default=0)
    layer: MappingNode | None = key(AnyMapping(), "the layer", required=True)
    pattern: list[str] | None = key(
        ListOf(Text(), "a list of names of kinds"),
        "which kind each layer is, from the first one on and over again",
        needs="kinds",
    )
    kinds: MappingNode | None = key(AnyMapping(), "name → what is different in layers of this kind", needs="pattern")


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
        layers = _layers_of(repeat, self.layer, context)
        if sum(map(_size, layers)) > MOST_VALUES:
            message = f"repeated this often, the layer has more than {MOST_VALUES:,} values"
            context.problems.fault(repeat, "repeat", message)
            return []
        contexts = [context.at(number + i)._replace(repeat=repeat.first + i) for i in range(repeat.repeat)]
        return [SectionOf(self.layer).read(layer, at) for layer, at in zip(layers, contexts, strict=False)]

    def schema(self) -> JsonSchema:
        repeat = {"$ref": "#/$defs/Repeat"}
        item = {"anyOf": [SectionOf(self.layer).schema(), repeat]}
        return {"anyOf": [{"type": "array", "items": item, "minItems": 1}, repeat]}


def _layers_of(repeat: Repeat, section: type[Section], context: Context) -> list[MappingNode]:
    """The layers, each with what is different in its kind; none where pattern and kinds do not fit."""
    assert repeat.layer is not None
    assert repeat.repeat is not None
    names, kinds = repeat.pattern, repeat.kinds
    if names is None and kinds is None:
        return [repeat.layer] * repeat.repeat
    check_rules(repeat, context.problems)
    if names is None or kinds is None or not _fit(repeat, names, kinds, context.problems):
        return []
    merged = {name.text: merge(section, repeat.layer, kind) for name, kind in kinds.entries}
    return [merged[names[at % len(names)]] for at in range(repeat.repeat)]


def _fit(repeat: Repeat, names: list[str], kinds: MappingNode, problems: Problems) -> bool:
    """Whether each kind has a place in the pattern, each place a kind, and the pattern is no longer than the repeat."""
    before, pattern = len(problems), repeat.at("pattern")
    items = pattern.items if isinstance(pattern, ListNode) else []
    for name, item in zip(names, items, strict=True):
        if kinds.get(name) is None:
            known = [one.text for one, _ in kinds.entries]
            message = f"{in_quotes(name)} has no entry in kinds"
            problems.add(item, message, key=repeat.key_of("pattern"), help=did_you_mean(name, known))
    for written, kind in kinds.entries:
        key = f"{repeat.key_of('kinds')}.{written.text}"
        if written.text not in names:
            message = f"{in_quotes(written.text)} has no place in pattern"
            problems.add(written, message, key=key, help="remove it, or add it")
        if not isinstance(kind, MappingNode):
            problems.add(kind, f"expected a mapping, found {describe_node(kind)}", key=key)
    if repeat.repeat is not None and len(names) > repeat.repeat:
        message = f"pattern has {len(names)} places, but the layer is repeated {repeat.repeat} times"
        problems.add(pattern, message, key=repeat.key_of("pattern"), help="make the pattern shorter")
    return len(problems) == before


REMOVABLE = ("rotary", "window", "alibi", "w_gate", "experts")
"""What `none` takes away from a layer of a kind."""


def merge(section: type[Section], layer: MappingNode, kind: Node) -> MappingNode:
    """The layer with what its kind says: sections key by key, all else replaced; `none` takes some parts away.

    section: the keys that both are read by
    """
    if not isinstance(kind, MappingNode):
        return layer
    names = section.NAMES
    entries = {names.get(written.text, written.text): (written, child) for written, child in layer.entries}
    for written, child in kind.entries:
        name = names.get(written.text, written.text)
        known, reader = entries.get(name), section.KEYS[name].reader if name in names else None
        if name in REMOVABLE and isinstance(child, ScalarNode) and child.text == "none":
            for gone in (name, *(one for one, key in section.KEYS.items() if key.rules.get("needs") == name)):
                entries.pop(gone, None)
            continue
        if known is not None and isinstance(reader, SectionOf) and isinstance(known[1], MappingNode):
            child = merge(reader.section, known[1], child) if isinstance(child, MappingNode) else child
        entries[name] = written, child
    return MappingNode(list(entries.values()), layer.line, layer.column)


def _size(node: Node) -> int:
    """How many values a node holds."""
    if isinstance(node, ScalarNode):
        return 1
    return sum(map(_size, node.items if isinstance(node, ListNode) else [child for _, child in node.entries]))
