"""The two circuits of a head: what it looks for in whom, and what it makes of what it finds. Elhage et al. 2021."""

from __future__ import annotations

from collections.abc import Iterator

from walkthrough.operations.backward import transposed_product
from walkthrough.operations.inspection.circuits import (
    product_with_rows,
    transpose,
    transposed_product_with_columns,
)
from walkthrough.operations.matrix import product_transposed
from walkthrough.recording.values import Kind
from walkthrough.scenario.resolved import HeadPlan
from walkthrough.scenario.schema.keys import Attention
from walkthrough.scenario.schema.values import Inspection
from walkthrough.transformer.model.inspection.inside import Inside
from walkthrough.transformer.scope import Scope

_SOURCE = "Elhage et al. (2021)"
QK = Kind(
    "qk",
    "W_QK",
    "Query-key circuit",
    "Which feature of the asking token (row) raises the score with which feature of the asked one (column).",
    why=(
        "Queries and keys are never used but in their product, so W_Q and W_K are one matrix of low rank. It says "
        "what a head looks for without the detour of its own features, which may be turned at will."
    ),
    source=_SOURCE,
)
OV = Kind(
    "ov",
    "W_OV",
    "Output-value circuit",
    "Which feature of the token that is found (row) raises which feature of the one that asks (column).",
    why=(
        "Values are only averaged before W_O projects them, so W_V and the head's rows of W_O are one matrix. It says "
        "what a head hands over, whomever it looks at."
    ),
    source=_SOURCE,
)


def why_no_circuits(inside: Inside) -> str:
    """Why no head has a circuit; empty where one has."""
    heads = [_Head(inside, *found) for found in _heads(inside)]
    if not heads:
        return "there are no heads"
    if not any(head.has_qk or head.has_ov for head in heads):
        return "no head has weights that are one matrix by themselves"
    return ""


def record_circuits(inside: Inside, wanted: Inspection) -> None:
    """W_Q·W_Kᵀ and W_V·W_O of every head that has them, d_model×d_model; once for all passes."""
    for found in _heads(inside) if inside.is_first else ():
        head = _Head(inside, *found)
        s = inside.s.under(f"circuits.{head.path}")
        if head.has_qk:
            head.record_qk(s)
        if head.has_ov:
            head.record_ov(s)


def _heads(inside: Inside) -> Iterator[tuple[str, Attention, HeadPlan]]:
    for path, attention in inside.attentions():
        for plan in inside.s.calculation.heads(attention):
            yield path, attention, plan


class _Head:
    """A head and the weights that it has."""

    def __init__(self, inside: Inside, attention_path: str, attention: Attention, plan: HeadPlan) -> None:
        self.inside = inside
        self.path = f"{attention_path}.head.{plan.number}"
        self.attention_path = attention_path
        self.attention = attention
        self.out_in = inside.s.calculation.out_in
        self.q, self.k, self.v = (inside.given(f"{self.path}.w_{letter}") for letter in "qkv")
        self.w_o = inside.given(f"{attention_path}.w_o")
        self.is_only = len(inside.s.calculation.heads(attention)) == 1

    @property
    def has_qk(self) -> bool:
        """Whether the scores are the tokens through one matrix: no position, and no norm, comes between."""
        between = (self.attention.rotary, self.attention.query_norm, self.attention.key_norm)
        return self.q is not None and self.k is not None and not any(between)

    @property
    def has_ov(self) -> bool:
        """Whether what the head adds is the tokens through one matrix: W_O, or of a head by itself W_V alone."""
        if self.v is None or self.inside.own(f"{self.path}.output") is None:
            return False
        return self.w_o is not None or (self.is_only and not self.attention.has("output"))

    def record_qk(self, s: Scope) -> None:
        """W_Q·W_Kᵀ; in the column convention W_Qᵀ·W_K."""
        assert self.q is not None
        assert self.k is not None
        s.record(QK, transposed_product if self.out_in else product_transposed, self.q, self.k)

    def record_ov(self, s: Scope) -> None:
        """W_V times the head's rows of W_O; in the column convention W_Vᵀ times its columns, transposed."""
        assert self.v is not None
        if self.w_o is not None:
            by = transposed_product_with_columns if self.out_in else product_with_rows
            s.record(OV, by, self.v, self.w_o, settings={"span": self._span()})
        elif self.out_in:
            s.record(OV, transpose, self.v)
        else:
            s.alias(OV, self.v)

    def _span(self) -> tuple[int, int]:
        """Which rows of W_O are the head's: those before it belong to the heads before it."""
        own, concat = self.inside.own(f"{self.path}.output"), self.inside.own(f"{self.attention_path}.concat")
        assert own is not None
        start = 0
        for head in concat.inputs if concat is not None else ():
            if head is own:
                break
            start += head.shape[1]
        return start, start + own.shape[1]
