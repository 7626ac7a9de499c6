"""Queries, keys and values of the heads of an attention; what heads share is recorded once.

Vaswani et al. 2017, §3.2.2; shared keys and values: Shazeer 2019, Ainslie et al. 2023; norms of queries and keys:
Henry et al. 2020.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate

from walkthrough.operations.backward import take_columns
from walkthrough.operations.definition import Array
from walkthrough.operations.matrix import append_rows, concatenate
from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.resolved import HeadPlan, Projection, Share, head_norm_plan, rotary_plan
from walkthrough.scenario.schema.keys import Attention, HeadNorm
from walkthrough.transformer.model.attention.rotary import Rotation, record_angles
from walkthrough.transformer.model.norms import check_keys, norm_steps, record_parameter
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import Stream

QUERY = Kind("query", "Q", "Queries")
KEY = Kind("key", "K", "Keys")
VALUE = Kind("value", "V", "Values")
QUERY_ROTATED = Kind("query_rotated", "Q_R", "Rotated queries")
KEY_ROTATED = Kind("key_rotated", "K_R", "Rotated keys")
KEY_CACHE = Kind("key_cache", "K_c", "Key cache")
VALUE_CACHE = Kind("value_cache", "V_c", "Value cache")
JOINED = Kind("joined", "H", "All heads side by side", words="all_heads")
_INSTEAD = {"q": "; or give q, scores or weights as numbers", "k": "; or give k, scores or weights as numbers", "v": ""}

Steps = list[Value]
"""What is recorded for one head, in order; the last is what the attention goes on with."""
JointNorm = tuple[Steps, list[int]]
"""What a norm makes of the queries or keys of all heads side by side, and the column at which each of them begins."""


class Heads:
    """The queries, keys and values of one attention.

    is_kept:  later passes read these keys and values again
    has_kept: the keys and values are those of an earlier pass, all of them
    rotation: rotary positions, where queries and keys have any
    given:    the parameters of the norms of queries and keys, by the names of the norm and of the parameter
    """

    def __init__(self, s: Scope, queries: Stream, keys: Stream) -> None:
        self.s = s
        self.attention: Attention = s.section
        self.queries = queries
        self.keys = keys
        self.is_kept = s.calculation.keeps(queries.sequence)
        self.has_kept = queries.first > 0 and not keys.first
        self.plans = s.calculation.heads(self.attention)
        self.rotation: Rotation | None = None
        self.given: dict[tuple[str, str], Value | None] = {}
        self._joint: dict[str, JointNorm] = {}
        self._projections: dict[tuple[str, int], Steps] = {}
        self._products: dict[str, Array] = {}
        self._shared: dict[tuple[str, int], Steps] = {}
        self._widths: dict[int, dict[str, Axis]] = {}

    def record_common(self) -> None:
        """Records what all heads have in common: angles, and the gammas of their norms."""
        asking = next((plan for plan in self.plans if not (plan.gives("weights") or plan.gives("scores"))), None)
        if asking is None:
            return
        d_k = self._stated_width(asking.query)
        if self.attention.rotary is not None:
            self.rotation = record_angles(self.s, rotary_plan(self.attention.rotary), self.keys, d_k)
        for name in ("query_norm", "key_norm"):
            norm: HeadNorm | None = getattr(self.attention, name)
            if norm is not None and norm.over == "head":
                plan, under = head_norm_plan(norm), self.s.under(name)
                self.s.check(check_keys, norm, norm.norm)
                for parameter in ("alpha", "gamma", "beta"):
                    given = record_parameter(under, plan, parameter, Axis("d_k", d_k))
                    self.given[name, parameter] = given

    def _stated_width(self, part: Projection) -> int | None:
        """d_k, as far as a head's own matrix says it."""
        if part.is_numbers:
            numbers = getattr(part.section, part.letter)
            return numbers.columns if numbers is not None else None
        matrix, count = (part.weight.whole, part.weight.count) if isinstance(part.weight, Share) else (part.weight, 1)
        wide = None if matrix is None else matrix.rows if self.s.calculation.out_in else matrix.columns
        return None if wide is None else wide // count

    def scope(self, plan: HeadPlan, part: Projection | None = None) -> Scope:
        """The place of a head; of a part that it shares with others, the place of the first of them."""
        number = plan.number if part is None or part.letter == "q" else plan.shared
        section = plan.section if part is None else part.section
        recorder = self.s.recorder.under(f"head.{number}")
        return Scope(self.s.calculation, recorder, section, self._widths_of(plan))

    def _widths_of(self, plan: HeadPlan) -> dict[str, Axis]:
        """d_k and d_v of a head: one for heads that share keys and values, and for those of joined weights."""
        key = plan.shared if self.attention.heads is not None else 0
        if key not in self._widths:
            self._widths[key] = {
                "d_k": self.s.calculation.stated_axis("d_k", plan.d_k),
                "d_v": self.s.calculation.stated_axis("d_v", plan.d_v),
            }
        return self._widths[key]

    def query(self, plan: HeadPlan) -> Value:
        """A head's queries, n×d_k, ready for the scores."""
        return self._finished(self.scope(plan, plan.query), plan, plan.query, "query_norm", QUERY_ROTATED)[-1]

    def key(self, plan: HeadPlan) -> Value:
        """A head's keys, m×d_k, ready for the scores; its own, or shared."""

        def record(s: Scope) -> Steps:
            return self._finished(s, plan, plan.key, "key_norm", KEY_ROTATED)

        return self._once(plan, plan.key, KEY_CACHE, record)

    def value(self, plan: HeadPlan) -> Value:
        """A head's values, m×d_v; its own, or shared."""
        part = plan.value
        assert part is not None
        return self._once(plan, part, VALUE_CACHE, lambda s: self._projected(s, part, self.keys, VALUE))

    def settle_widths(self, plan: HeadPlan, *parts: Projection) -> None:
        """Heads of weights made by `init` share d_model evenly, as in the paper, where nothing else says it."""
        widths = self._widths_of(plan)
        for part in parts:
            width = widths["d_v" if part.letter == "v" else "d_k"]
            self.s.calculation.settle_share(part, width, widths["d_k"], self.queries.width, len(self.plans))

    def _once(self, plan: HeadPlan, part: Projection, cache: Kind, record: Callable[[Scope], Steps]) -> Value:
        """What the first of the heads records that share it; to the others' paths it answers too."""
        own = self.scope(plan, part)
        if self.has_kept:
            return own.recorder.earlier(cache.name)
        steps = self._shared.get((part.letter, plan.shared))
        if steps is None:
            steps = self._shared[part.letter, plan.shared] = record(own)
            if self.is_kept:
                steps.append(self._with_earlier(own, steps[-1], cache))
        if plan.shared != plan.number:
            for value in steps:
                self.scope(plan).recorder.alias_all(value, own.recorder)
        return steps[-1]

    def _with_earlier(self, s: Scope, new: Value, kind: Kind) -> Value:
        """With a cache: the keys or values with those of earlier passes, m×d; in the first pass they are all."""
        if not self.keys.first:
            return s.alias(kind, new)
        kept, rows = s.recorder.earlier(kind.name), self.keys.whole().labels
        return s.record(s.recorder.number_kind(kind), append_rows, kept, new, rows=rows, copied=new)

    def _projected(self, s: Scope, part: Projection, stream: Stream, kind: Kind) -> Steps:
        """Queries, keys or values: given as numbers, or x·W + b. n×d_model → n×d_k."""
        letter = part.letter
        width = s.axis("d_v" if letter == "v" else "d_k")
        if part.is_numbers:
            return [s.record_given(kind, letter, stream.n, width, (stream.labels, None))]
        x = stream.x or s.calculation.unknown_value((stream.n, stream.width))
        assert x is not None
        weight = s.weight(f"w_{letter}", x.axes[1], width, part.weight, instead=_INSTEAD[letter])
        bias = s.vector(f"b_{letter}", width, part.bias)
        product = s.project(kind, x, weight, bias, self._share_of_product(part, x))
        return [weight, product] if bias is None else [weight, bias, product]

    def _share_of_product(self, part: Projection, x: Value) -> Array | None:
        """A head's columns of x·W + b with joined weights, which is quicker for all heads at once.

        None where weights are not the file's own: by hand they may be rounded, training has changed them, or they are
        made up.
        """
        calculation, recorder = self.s.calculation, self.s.recorder
        if not isinstance(part.weight, Share) or not x.has_numbers or recorder.rounding or recorder.trains_on:
            return None
        if any(isinstance(one, Share) and one.whole.is_made_up for one in (part.weight, part.bias)):
            return None
        if part.letter not in self._products:
            bias = [calculation.array(part.bias.whole)] if isinstance(part.bias, Share) else []
            weight = calculation.array(part.weight.whole)
            self._products[part.letter] = calculation.linear.forward(x.array, weight, *bias)
        product = self._products[part.letter]
        size = product.shape[1] // part.weight.count
        return product[:, part.weight.at * size : (part.weight.at + 1) * size]

    def _raw(self, plan: HeadPlan, part: Projection) -> Steps:
        """A head's queries or keys as they are projected, with their weights; recorded once."""
        key = part.letter, plan.number if part.letter == "q" else plan.shared
        if key not in self._projections:
            stream, kind = (self.queries, QUERY) if part.letter == "q" else (self.keys, KEY)
            self._projections[key] = self._projected(self.scope(plan, part), part, stream, kind)
        return self._projections[key]

    def _finished(self, s: Scope, plan: HeadPlan, part: Projection, norm_name: str, rotated: Kind) -> Steps:
        """Queries or keys with their norm and their rotation."""
        steps = list(self._raw(plan, part))
        norm: HeadNorm | None = getattr(self.attention, norm_name)
        if norm is not None and norm.over == "all":
            steps += self._own_columns(s.under(norm_name), norm_name, norm, plan, part)
        elif norm is not None:
            under, named = s.under(norm_name), head_norm_plan(norm)
            steps += norm_steps(under, steps[-1], named, lambda name: self.given.get((norm_name, name)))
        if self.rotation is not None:
            steps.append(self.rotation.record(s, rotated, steps[-1]))
        return steps

    def _joint_norm(self, name: str, norm: HeadNorm, part: Projection) -> JointNorm:
        """The norm over all heads, recorded before the first of them needs it. OLMo 2 (2024), §3."""
        if name not in self._joint:
            own = self._own_plans(part)
            raw = [self._raw(plan, plan.query if part.letter == "q" else plan.key)[-1] for plan in own]
            for plan in own:
                self.settle_widths(plan, plan.query, plan.key)
            s, named = self.s.under(name), head_norm_plan(norm)
            s.check(check_keys, norm, norm.norm)
            joined = s.record(JOINED, concatenate, *raw)
            width = joined.axes[1].with_symbol("(heads·d_k)")
            steps = norm_steps(s, joined, named, lambda one: record_parameter(s, named, one, width))
            normed = [one for one in steps if one.kind.name in ("normalized", "output")]
            self._joint[name] = normed, [0, *accumulate(one.shape[1] for one in raw)]
        return self._joint[name]

    def _own_columns(self, s: Scope, name: str, norm: HeadNorm, plan: HeadPlan, part: Projection) -> Steps:
        """A head's columns of what the norm makes of all heads."""
        (normed, starts), at = self._joint_norm(name, norm, part), self._place(plan, part)
        settings = {"start": starts[at], "stop": starts[at + 1]}
        return [s.record(one.kind, take_columns, one, settings=settings) for one in normed]

    def _own_plans(self, part: Projection) -> list[HeadPlan]:
        """The heads that have queries, or keys, of their own."""
        return [plan for plan in self.plans if part.letter == "q" or plan.shared == plan.number]

    def _place(self, plan: HeadPlan, part: Projection) -> int:
        """Which of these a head's queries or keys are, from 0."""
        number = plan.number if part.letter == "q" else plan.shared
        return [own.number for own in self._own_plans(part)].index(number)
