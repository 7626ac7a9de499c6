"""Published numbers: what somebody printed, with the digits as printed."""

from __future__ import annotations

from walkthrough.scenario.schema.readers import Context, JsonSchema, Text, Whole
from walkthrough.scenario.schema.sections import Section, SectionOf, key
from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node, ScalarNode


class ValuesReader:
    """The numbers of a print: a list of rows, or row label → numbers, or a single number; words for predictions."""

    def read(self, node: Node, context: Context) -> MappingNode | ListNode | None:
        if isinstance(node, ScalarNode):
            return ListNode([ListNode([node], node.line, node.column)], node.line, node.column)
        rows = node.items if isinstance(node, ListNode) else [row for _, row in node.entries]
        before = len(context.problems)
        if not rows:
            context.reject(node, "rows of numbers")
        for item in (item for row in rows for item in (row.items if isinstance(row, ListNode) else [row])):
            if not isinstance(item, ScalarNode):
                context.reject(item, "a number, or null where none was printed")
        return node if len(context.problems) == before else None

    def schema(self) -> JsonSchema:
        return {"type": ["array", "object", "number", "string"]}


class PrintSpec(Section):
    """One printed step, with details."""

    step: str = key(Text(), "selector of one step", required=True)
    values: MappingNode | ListNode = key(ValuesReader(), "the numbers: a list of rows, or by row label", required=True)
    decimals: int | None = key(Whole(least=0, most=15), "the author's decimals, where trailing zeros were dropped")
    operands: int | None = key(Whole(least=0, most=15), "the operands were rounded to this many decimals first")
    note: str | None = key(Text(), "a remark")


class PublishedReader:
    """A mapping selector → numbers, or a list of prints with `step` and `values`."""

    def read(self, node: Node, context: Context) -> list[PrintSpec] | None:
        if isinstance(node, MappingNode):
            prints = [self._named(selector, child, context.at(selector.text)) for selector, child in node.entries]
            return [one for one in prints if one is not None]
        if not isinstance(node, ListNode):
            context.reject(node, "a mapping selector → numbers, or a list of prints")
            return None
        read = [SectionOf(PrintSpec).read(item, context.at(index)) for index, item in enumerate(node.items, 1)]
        return [one for one in read if one and one.step is not None and one.values is not None]

    def _named(self, selector: ScalarNode, child: Node, context: Context) -> PrintSpec | None:
        values, place = ValuesReader().read(child, context), MappingNode([], selector.line, selector.column)
        if values is None:
            return None
        return PrintSpec(node=place, path=context.path, step=selector.text, values=values)

    def schema(self) -> JsonSchema:
        prints = {"type": "array", "items": {"$ref": "#/$defs/PrintSpec"}}
        return {"anyOf": [{"type": "object", "additionalProperties": ValuesReader().schema()}, prints]}
