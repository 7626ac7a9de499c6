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
from walkthrough.scenario.schema import Attention, HeadNorm
from walkthrough.transformer.calculation import BARE, Calculation, Stream, some
from walkthrough.transformer.norm import GAMMA, of_norm
from walkthrough.transformer.rms_norm import record_rms_norm

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
_INSTEAD = {letter: f"; or give {letter}, scores or weights as numbers" for letter in "qk"}

Steps = dict[str, Value]
"""What is recorded for one head, by name, in order; the last is what the attention goes on with."""


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
        return wide // part.share[1] if wide is not None and part.share is not None else wide

    def _angles(self, plan: RotaryPlan, d_k: int | None) -> Rotation:
        """position · base^(−2i/r), n×r/2."""
        n, width = self.queries.n.size or 0, plan.width or d_k or 0
        llama3 = Llama3(*plan.llama3) if plan.llama3 is not None else None
        size: dict[str, Any] = {"first": self.queries.first, "count": n, "width": width - width % 2}
        options: dict[str, Any] = {"base": plan.base, "divisor": plan.divisor, "llama3": llama3}
        under, rows = self.recorder.under("rotary"), self.queries.labels
        return Rotation(plan, under.record(ANGLE, rotary_angles, rows=rows, **size, **options))

    def query(self, recorder: Recorder, head: HeadPlan) -> Value:
        """A head's queries, n×d_k, ready for the scores."""
        steps = self._projected(recorder, head.query, self.queries, (W_Q, B_Q, QUERY), self.width("k", head))
        return self._finished(recorder, steps, "query_norm", QUERY_ROTATED)

    def key(self, recorder: Recorder, head: HeadPlan) -> Value:
        """A head's keys, m×d_k, ready for the scores; its own, or shared."""

        def record(own: Recorder) -> Steps:
            steps = self._projected(own, head.key, self.keys, (W_K, B_K, KEY), self.width("k", head))
            self._finished(own, steps, "key_norm", KEY_ROTATED)
            return self._with_earlier(own, steps, KEY_CACHE)

        return self._once("k", recorder, head, KEY_CACHE, record)

    def value(self, recorder: Recorder, head: HeadPlan, part: Projection) -> Value:
        """A head's values, m×d_v; its own, or shared."""

        def record(own: Recorder) -> Steps:
            steps = self._projected(own, part, self.keys, (W_V, B_V, VALUE), self.width("v", head))
            return self._with_earlier(own, steps, VALUE_CACHE)

        return self._once("v", recorder, head, VALUE_CACHE, record)

    def width(self, letter: str, head: HeadPlan) -> Axis:
        """d_k or d_v of a head; heads that share keys and values have the same."""
        key = letter, head.shared
        if key not in self._widths:
            self._widths[key] = Axis("d_v", head.d_v) if letter == "v" else Axis("d_k", head.d_k)
        return self._widths[key]

    def _with_earlier(self, recorder: Recorder, steps: Steps, kind: Kind) -> Steps:
        """With a cache: the keys or values with those of earlier passes, m×d; in the first pass they are all."""
        if not self.is_kept:
            return steps
        if not self.keys.first:
            return steps | {kind.name: recorder.alias(kind.name, _last(steps))}
        kept, new = recorder.earlier(kind.name), _last(steps)
        rows = self.keys.whole().labels
        return steps | {
            kind.name: recorder.record(recorder.numbered(kind), append_rows, kept, new, rows=rows, copied=new)
        }

    def _once(
        self, letter: str, recorder: Recorder, head: HeadPlan, cache: Kind, record: Callable[[Recorder], Steps]
    ) -> Value:
        """What the first of the heads records that share it; to the others' paths it answers too."""
        if self.has_kept:
            return self.recorder.under(f"head.{head.shared}").earlier(cache.name)
        key = letter, head.shared
        if key not in self._shared:
            own = recorder if head.shared == head.number else self.recorder.under(f"head.{head.shared}")
            self._shared[key] = record(own)
        steps = self._shared[key]
        if head.shared != head.number:
            for name, value in steps.items():
                recorder.alias(name, value)
        return _last(steps)

    def _projected(
        self, recorder: Recorder, part: Projection, stream: Stream, kinds: tuple[Kind, Kind, Kind], width: Axis
    ) -> Steps:
        """Queries, keys or values: given as numbers, or x·W + b. n×d_model → n×d_k."""
        calculation, needed = self.calculation, (part.section, f"w_{part.letter}", _INSTEAD.get(part.letter, ""))
        weight_kind, bias_kind, kind = kinds
        if part.is_numbers:
            rows = stream.n, width, (stream.labels, None)
            return {kind.name: some(calculation.given(recorder, kind, part.numbers, *rows, needed))}
        if part.share is not None:
            width = self.shares[part.letter]
        x = some(stream.x or calculation.unknown((stream.n, stream.width)))
        weight = calculation.weight(recorder, weight_kind, part.weight, x.axes[1], width, BARE, part.share, needed)
        bias = calculation.vector(recorder, bias_kind, part.bias, width, None, part.share)
        array = self.products[part.letter][part.share[0]] if part.share is not None and self.products else None
        steps = {weight_kind.name: some(weight)}
        if bias is not None:
            steps[bias_kind.name] = bias
        steps[kind.name] = calculation.project(recorder, kind, x, some(weight), bias, array)
        return steps

    def _finished(self, recorder: Recorder, steps: Steps, norm_name: str, rotated: Kind) -> Value:
        """The queries or keys with their norm and their rotation, which are added to the steps."""
        norm: HeadNorm | None = getattr(self.attention, norm_name)
        if norm is not None:
            under = recorder.under(norm_name)
            normed = record_rms_norm(under, _last(steps), self.gammas.get(norm_name), norm.epsilon, of_norm(under))
            steps |= {f"{norm_name}.{name}": value for name, value in normed.items()}
        if self.rotation is not None:
            plan, angle = self.rotation
            steps[rotated.name] = recorder.record(rotated, rotate, _last(steps), angle, layout=plan.layout, back=False)
        return _last(steps)


def _last(steps: Steps) -> Value:
    return next(reversed(steps.values()))
