"""Published numbers: what somebody printed, with the digits as printed."""

from __future__ import annotations

from walkthrough.records import Record
from walkthrough.scenario.schema.readers import Context, JsonSchema, Text, Whole
from walkthrough.scenario.schema.sections import Section, SectionOf, key
from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node, ScalarNode


class Print(Record, eq=False):
    """One print of one step: its selector, and the numbers as nodes, for their digits matter."""

    step: str
    node: Node
    values: MappingNode | ListNode
    decimals: int | None = None
    operands: int | None = None


class ValuesReader:
    """The numbers of a print: a list of rows, or row label → numbers, or a single number; words for predictions."""

    def read(self, node: Node, context: Context) -> MappingNode | ListNode | None:
        if isinstance(node, ScalarNode):
            return ListNode([ListNode([node], node.line, node.column)], node.line, node.column)
        rows = node.items if isinstance(node, ListNode) else [row for _, row in node.entries]
        before = len(context.problems)
        if not rows:
            context.reject(node, "rows of numbers")
        for row in rows:
            self._check_row(row, context)
        return node if len(context.problems) == before else None

    def _check_row(self, row: Node, context: Context) -> None:
        for item in row.items if isinstance(row, ListNode) else [row]:
            if not isinstance(item, ScalarNode):
                context.reject(item, "a number, or null where none was printed")

    def schema(self) -> JsonSchema:
        return {"type": ["array", "object", "number", "string"]}


class PrintSpec(Section):
    """One printed step, with details."""

    step: str | None = key(Text(), "selector of one step", required=True)
    values: MappingNode | ListNode | None = key(
        ValuesReader(), "the numbers: a list of rows, or by row label", required=True
    )
    decimals: int | None = key(Whole(least=0, most=15), "the author's decimals, where trailing zeros were dropped")
    operands: int | None = key(Whole(least=0, most=15), "the operands were rounded to this many decimals first")
    note: str | None = key(Text(), "a remark")


class PublishedReader:
    """A mapping selector → numbers, or a list of prints with `step` and `values`."""

    def read(self, node: Node, context: Context) -> list[Print] | None:
        if isinstance(node, MappingNode):
            return [
                Print(selector.text, selector, values)
                for selector, child in node.entries
                if (values := ValuesReader().read(child, context.at(selector.text))) is not None
            ]
        if not isinstance(node, ListNode):
            context.reject(node, "a mapping selector → numbers, or a list of prints")
            return None
        read = [SectionOf(PrintSpec).read(item, context.at(index)) for index, item in enumerate(node.items, 1)]
        return [
            Print(spec.step, spec.node, spec.values, spec.decimals, spec.operands)
            for spec in read
            if spec and spec.step is not None and spec.values is not None
        ]

    def schema(self) -> JsonSchema:
        prints = {"type": "array", "items": {"$ref": "#/$defs/PrintSpec"}}
        return {"anyOf": [{"type": "object", "additionalProperties": ValuesReader().schema()}, prints]}
