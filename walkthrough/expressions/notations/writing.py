"""Writes an expression by two tables: which notation binds how tightly, and what each looks like."""

from __future__ import annotations

from collections.abc import Callable

from walkthrough.expressions.notations.precedence import (
    ATOM,
    PRODUCT,
    Binding,
    Rule,
    construct,
    needs_brackets,
    parts_of,
)
from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import Call, Expression
from walkthrough.expressions.tree.walk import is_matrix, parts
from walkthrough.records import Record


class Writer(Record):
    """How leaves are written: cells, constants, labels among which argmax chooses, operands and names of a formula.

    phrase: a few words, in the language of the reader
    has_comma: numbers have a decimal comma, so that a semicolon separates the arguments of a function
    """

    cell: Callable[[nodes.Cell], str] = lambda cell: f"[{cell.row}, {cell.column}]"
    number: Callable[[float], str] = "{:g}".format
    label: Callable[[float], str] = "{:g}".format
    operand: Callable[[int], str] = lambda index: f"A{index}"
    named: Callable[[str], str] = str
    phrase: Callable[[nodes.Phrase], str] = lambda phrase: phrase.key
    has_comma: bool = False

    def convert(self, number: Callable[[str], str], label: Callable[[str], str] = str) -> Writer:
        """The same leaves, each number and label with its text converted."""
        return self.replace(
            cell=lambda cell: number(self.cell(cell)),
            number=lambda constant: number(self.number(constant)),
            label=lambda one: label(self.label(one)),
        )


_WHERE, _ELSE = nodes.Phrase("where"), nodes.Phrase("else")
_FUNCTIONS = {"rowmax": nodes.Phrase("row_max")}
"""Functions whose names are words."""

Form = Callable[[Expression, list[str]], str]
Leaf = Callable[..., str]

LEAVES: dict[type[Expression], Leaf] = {
    nodes.Number: lambda node, writer: writer.number(node.value),
    nodes.Cell: lambda node, writer: writer.cell(node),
    nodes.Operand: lambda node, writer: writer.operand(node.index),
}
"""How leaves are written, from the node and the writer, in most notations."""


class Notation(Record):
    """A way to write.

    rules:  which construct binds how tightly
    signs:  what stands between the parts of a construct; of a product `matrices` between those, of a sum that of a
            difference before a negative term
    forms:  how any other one is written, from its node and its parts, brackets included
    leaves: how a leaf is written
    minus:  the sign that a negative number begins with; power: what a power of ten is recognised by
    label:  what is written between a label and the number that it is chosen by
    function: the name of a function, where the form of a call is not one of its own; comma: between its arguments
    words:  how words stand in a formula that people read; none of programs. The form of a choice has those between
            its parts too.
    """

    rules: dict[str, Rule]
    signs: dict[str, str]
    forms: dict[str, Form]
    leaves: dict[type[Expression], Leaf]
    bracketed: Callable[[str], str]
    minus: str
    power: str
    label: str = ": "
    function: Callable[[str], str] = str
    comma: str = ", "
    words: Callable[[str], str] | None = None

    def write(self, node: Expression, writer: Writer) -> str:
        """The expression on one line."""
        return self._written(node, writer)[0]

    def _written(self, node: Expression, writer: Writer) -> tuple[str, Binding]:
        """The text, and how tightly its outermost construct binds."""
        if self.words is not None:
            node = _in_words(node, writer)
        if (leaf := self.leaves.get(type(node))) is not None:
            text = leaf(node, writer)
            return text, PRODUCT if self.power in text else ATOM  # 1.25×10^(−4) is a product too
        if isinstance(node, nodes.Sum | nodes.Product) and len(parts(node)) == 1:
            return self._written(parts(node)[0], writer)
        name = construct(node)
        if isinstance(node, Call) and node.function == "argmax" and len(node.arguments) > 1:
            texts = self._labelled(node, writer)
        else:
            texts = [self._part(name, at, part, writer) for at, part in enumerate(parts_of(node))]
        if self.words is not None and isinstance(node, nodes.Where):
            texts += [writer.phrase(_WHERE), writer.phrase(_ELSE)]
        return self._construct(name, node, texts, writer), self.rules[name].own

    def _construct(self, name: str, node: Expression, texts: list[str], writer: Writer) -> str:
        """A node from its parts, as they are written in it."""
        if name == "Sum":
            return self._sum(texts) if texts else self.write(nodes.Number(0), writer)
        if name == "Product":
            return self._product(parts(node), texts)
        if name in self.signs:
            return self.signs[name].join(texts)
        return self.forms[name](node, texts) if name in self.forms else self._call(node, texts, writer)

    def _sum(self, terms: list[str]) -> str:
        """Terms added; one that begins with a minus sign is subtracted."""
        line = terms[0]
        for term in terms[1:]:
            is_negative = term.startswith(self.minus)
            line += self.signs["Difference"] + term[len(self.minus) :] if is_negative else self.signs["Sum"] + term
        return line

    def _product(self, factors: tuple[Expression, ...], texts: list[str]) -> str:
        """Factors with the sign of the matrix product between matrices, and that of numbers elsewhere."""
        line = texts[0]
        for left, right, text in zip(factors, factors[1:], texts[1:], strict=False):
            line += self.signs["matrices" if is_matrix(left) and is_matrix(right) else "Product"] + text
        return line

    def _call(self, node: Expression, arguments: list[str], writer: Writer) -> str:
        """A function by its name, or a text of words."""
        assert isinstance(node, Call)
        if node.function in ("words", "noted") and self.words is not None:
            given = zip(node.arguments, arguments, strict=True)
            return "".join(self.words(part.name) if isinstance(part, nodes.Named) else text for part, text in given)
        comma = self.comma.replace(",", ";") if writer.has_comma else self.comma
        return self.function(node.function) + self.bracketed(comma.join(arguments))

    def _part(self, name: str, at: int, part: Expression, writer: Writer) -> str:
        text, binding = self._written(part, writer)
        is_negative = text.startswith(self.minus)
        return self.bracketed(text) if needs_brackets(self.rules, name, at, binding, is_negative) else text

    def _labelled(self, node: Call, writer: Writer) -> list[str]:
        """The choices of an arg-max, each after its label."""
        labels = [writer.label(label.value) for label in node.arguments[::2] if isinstance(label, nodes.Number)]
        texts = [self._part("function", 0, argument, writer) for argument in node.arguments[1::2]]
        return list(map(self.label.join, zip(labels, texts, strict=True)))


def _in_words(node: Expression, writer: Writer) -> Expression:
    """The node with its phrases as the writer says them, and a function by its word."""
    if isinstance(node, nodes.Phrase):
        return nodes.Named(writer.phrase(node))
    if isinstance(node, Call) and node.function in _FUNCTIONS:
        return Call(writer.phrase(_FUNCTIONS[node.function]), node.arguments)
    if isinstance(node, Call) and any(isinstance(part, nodes.Phrase) for part in node.arguments):
        named = (_in_words(part, writer) if isinstance(part, nodes.Phrase) else part for part in node.arguments)
        return Call(node.function, tuple(named))
    return node
