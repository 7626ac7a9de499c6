"""Queries, keys and values of the heads of an attention; what heads share is recorded once.

Vaswani et al. 2017, §3.2.2; shared keys and values: Shazeer 2019, Ainslie et al. 2023; rotary: Su et al. 2021.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from walkthrough.operations.matrix import append_rows
from walkthrough.operations.rotation import Llama3, rotary_angles, rotate
from walkthrough.recording.axes import Axis
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.resolved import HeadPlan, Projection, RotaryPlan, rotary_plan
from walkthrough.scenario.schema.keys import Attention, HeadNorm
from walkthrough.scenario.schema.sections import Section
from walkthrough.transformer.calculation import Calculation, Stream, some
from walkthrough.transformer.model.norm import GAMMA, of_norm
from walkthrough.transformer.model.rms_norm import record_rms_norm

QUERY = Kind("query", "Q", "Queries", "What each token looks for.")
KEY = Kind("key", "K", "Keys", "What each token can be found by.")
VALUE = Kind("value", "V", "Values", "What each token passes on when it is attended to.")
ANGLE = Kind(
    "angle",
    "Θ",
    "Rotation angles",
    "The angle by which each pair of features (column) is rotated at each position (row).",
)
QUERY_ROTATED = Kind("query_rotated", "Q_R", "Rotated queries", "The queries, rotated according to their position.")
KEY_ROTATED = Kind(
    "key_rotated",
    "K_R",
    "Rotated keys",
    "The keys, rotated according to their position: scores now depend on the distance.",
)
KEY_CACHE = Kind(
    "key_cache", "K_c", "Key cache", "The keys of all tokens so far: the cached ones and that of the new token."
)
VALUE_CACHE = Kind(
    "value_cache", "V_c", "Value cache", "The values of all tokens so far: the cached ones and that of the new token."
)
_MAKES = {
    "q": "Learned: turns the input into queries.",
    "k": "Learned: turns the input into keys.",
    "v": "Learned: turns the input into values.",
}
W_Q, W_K, W_V = (
    Kind(f"w_{x}", f"W_{x.upper()}", f"Weights W_{x.upper()}", purpose, trained=True) for x, purpose in _MAKES.items()
)
ADDED = "Learned: added to every row of the product."
B_Q, B_K, B_V = (Kind(f"b_{x}", f"b_{x.upper()}", f"Bias b_{x.upper()}", ADDED, trained=True) for x in "qkv")
_QUERY, _KEY, _VALUE = (W_Q, B_Q, QUERY), (W_K, B_K, KEY), (W_V, B_V, VALUE)
_INSTEAD = {letter: f"; or give {letter}, scores or weights as numbers" for letter in "qk"}

Kinds = tuple[Kind, Kind, Kind]
"""Of a weight, of its bias, and of what they make."""
Steps = list[Value]
"""What is recorded for one head, in order; the last is what the attention goes on with."""


class Rotation(NamedTuple):
    """Rotary positions of a layer: their settings, and the recorded angles, n×r/2."""

    plan: RotaryPlan
    angle: Value


class Projections:
    """The queries, keys and values of one attention.

    has_kept: the keys and values are those of an earlier pass, all of them
    rotation: rotary positions, where queries and keys have any
    gammas:   of the norms of queries and keys, by the name of the norm
    """

    def __init__(
        self, calculation: Calculation, recorder: Recorder, attention: Attention, queries: Stream, keys: Stream
    ) -> None:
        self.calculation = calculation
        self.recorder = recorder
        self.attention = attention
        self.queries = queries
        self.keys = keys
        self.is_kept = calculation.keeps(queries)
        self.has_kept = queries.first > 0 and not keys.first
        self.shares = calculation.shares_of(attention, queries, keys)
        self.products = calculation.joint_products(recorder, attention, queries, None if self.has_kept else keys)
        self.rotation: Rotation | None = None
        self.gammas: dict[str, Value | None] = {}
        self._shared: dict[tuple[str, int], Steps] = {}
        self._widths: dict[tuple[str, int], Axis] = {}

    def record_common(self, heads: list[HeadPlan]) -> None:
        """Records what all heads have in common: angles, and the gammas of their norms."""
        asking = next((head for head in heads if not (head.gives("weights") or head.gives("scores"))), None)
        if asking is None:
            return
        d_k = self._stated_width(asking)
        if self.attention.rotary is not None:
            self.rotation = self._angles(rotary_plan(self.attention.rotary), d_k)
        for name in ("query_norm", "key_norm"):
            norm: HeadNorm | None = getattr(self.attention, name)
            if norm is not None:
                under, axis = self.recorder.under(name), Axis("d_k", d_k)
                self.gammas[name] = self.calculation.vector(under, of_norm(under)(GAMMA), norm.gamma, axis)

    def _stated_width(self, head: HeadPlan) -> int | None:
        """d_k, as far as a head's own matrix says it."""
        part = head.query
        if part.is_numbers or part.weight is None:
            return part.numbers.columns if part.numbers is not None else None
        wide = part.weight.rows if self.calculation.out_in else part.weight.columns
        return wide // part.count if wide is not None and part.count else wide

    def _angles(self, plan: RotaryPlan, d_k: int | None) -> Rotation:
        """position · base^(−2i/r), n×r/2."""
        n, width = self.queries.n.size or 0, plan.width or d_k or 0
        llama3 = Llama3(*plan.llama3) if plan.llama3 is not None else None
        size: dict[str, Any] = {"first": self.queries.first, "count": n, "width": width - width % 2}
        options: dict[str, Any] = {"base": plan.base, "divisor": plan.divisor, "llama3": llama3}
        under, rows = self.recorder.under("rotary"), self.queries.labels
        return Rotation(plan, under.record(ANGLE, rotary_angles, (), {**size, **options}, rows=rows))

    def query(self, recorder: Recorder, head: HeadPlan) -> Value:
        """A head's queries, n×d_k, ready for the scores."""
        steps = self._projected(recorder, head, head.query, head.number - 1, self.queries, _QUERY)
        self._finish(recorder, steps, "query_norm", QUERY_ROTATED)
        return steps[-1]

    def key(self, recorder: Recorder, head: HeadPlan) -> Value:
        """A head's keys, m×d_k, ready for the scores; its own, or shared."""
        return self._once("k", recorder, head, KEY_CACHE, self._key)

    def _key(self, recorder: Recorder, head: HeadPlan) -> Steps:
        steps = self._projected(recorder, head, head.key, head.group, self.keys, _KEY)
        self._finish(recorder, steps, "key_norm", KEY_ROTATED)
        return steps

    def value(self, recorder: Recorder, head: HeadPlan) -> Value:
        """A head's values, m×d_v; its own, or shared."""
        return self._once("v", recorder, head, VALUE_CACHE, self._value)

    def _value(self, recorder: Recorder, head: HeadPlan) -> Steps:
        assert head.value is not None
        return self._projected(recorder, head, head.value, head.group, self.keys, _VALUE)

    def width(self, letter: str, head: HeadPlan) -> Axis:
        """d_k (of q and k) or d_v of a head; heads that share keys and values have the same."""
        key = "v" if letter == "v" else "k", head.shared
        if key not in self._widths:
            self._widths[key] = Axis("d_v", head.d_v) if letter == "v" else Axis("d_k", head.d_k)
        return self._widths[key]

    def _once(
        self,
        letter: str,
        recorder: Recorder,
        head: HeadPlan,
        cache: Kind,
        record: Callable[[Recorder, HeadPlan], Steps],
    ) -> Value:
        """What the first of the heads records that share it; to the others' paths it answers too."""
        if self.has_kept:
            return self.recorder.under(f"head.{head.shared}").earlier(cache.name)
        is_own = head.shared == head.number
        own = recorder if is_own else self.recorder.under(f"head.{head.shared}")
        steps = self._shared.get((letter, head.shared))
        if steps is None:
            steps = self._shared[letter, head.shared] = record(own, head)
            if self.is_kept:
                steps.append(self._with_earlier(own, steps[-1], cache))
        if not is_own:
            for value in steps:
                recorder.alias_all(value, own)
        return steps[-1]

    def _with_earlier(self, recorder: Recorder, new: Value, kind: Kind) -> Value:
        """With a cache: the keys or values with those of earlier passes, m×d; in the first pass they are all."""
        if not self.keys.first:
            return recorder.alias(kind.name, new)
        kept, rows = recorder.earlier(kind.name), self.keys.whole().labels
        return recorder.record(recorder.numbered(kind), append_rows, (kept, new), rows=rows, copied=new)

    def _projected(
        self,
        recorder: Recorder,
        head: HeadPlan,
        part: Projection,
        at: int,
        stream: Stream,
        kinds: Kinds,
    ) -> Steps:
        """Queries, keys or values: given as numbers, or x·W + b. n×d_model → n×d_k.

        at: which part of a joined weight it is, from 0
        """
        calculation, kind = self.calculation, kinds[-1]
        if not part.count and part.is_numbers:
            return [self._numbers(recorder, head, part, stream, kind)]
        x = stream.x or some(calculation.unknown((stream.n, stream.width)))
        if part.count:
            weights = calculation.share(recorder, kinds, part, at, x, self.shares[part.letter])
        else:
            weights = self._weights(recorder, head, part, kinds, x)
        array = self.products[part.letter][at] if self.products else None
        return [*weights, calculation.project(recorder, kind, x, *weights, array=array)]

    def _weights(
        self, recorder: Recorder, head: HeadPlan, part: Projection, kinds: Kinds, x: Value
    ) -> tuple[Value, ...]:
        """A head's own weight, and its bias if it has one."""
        calculation, width = self.calculation, self.width(part.letter, head)
        weight = calculation.weight(recorder, kinds[0], part.weight, x.axes[1], width, needed=_needed(part))
        bias = calculation.vector(recorder, kinds[1], part.bias, width)
        return (some(weight),) if bias is None else (some(weight), bias)

    def _numbers(self, recorder: Recorder, head: HeadPlan, part: Projection, stream: Stream, kind: Kind) -> Value:
        """Queries, keys or values that the file gives."""
        width, labels = self.width(part.letter, head), (stream.labels, None)
        return some(self.calculation.given(recorder, kind, part.numbers, stream.n, width, labels, _needed(part)))

    def _finish(self, recorder: Recorder, steps: Steps, norm_name: str, rotated: Kind) -> None:
        """Adds the norm and the rotation of queries or keys to their steps."""
        norm: HeadNorm | None = getattr(self.attention, norm_name)
        if norm is not None:
            under = recorder.under(norm_name)
            normed = record_rms_norm(under, steps[-1], self.gammas.get(norm_name), norm.epsilon, of_norm(under))
            steps += normed.values()
        if self.rotation is not None:
            plan, angle = self.rotation
            settings = {"layout": plan.layout, "back": False}
            steps.append(recorder.record(rotated, rotate, (steps[-1], angle), settings))


def _needed(part: Projection) -> tuple[Section, str, str]:
    """The key that must give a head's queries, keys or values, and what else may."""
    return part.section, f"w_{part.letter}", _INSTEAD.get(part.letter, "")
