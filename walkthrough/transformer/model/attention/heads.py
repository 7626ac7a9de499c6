"""Queries, keys and values of the heads of an attention; what heads share is recorded once.

Vaswani et al. 2017, §3.2.2; shared keys and values: Shazeer 2019, Ainslie et al. 2023.
"""

from __future__ import annotations

from collections.abc import Callable

from walkthrough.operations.backward import take_columns
from walkthrough.operations.definition import Array
from walkthrough.operations.matrix import append_rows
from walkthrough.recording.axes import Axis, Multiple
from walkthrough.recording.values import Kind, Value, unknown_value
from walkthrough.scenario.resolved import HeadPlan, HeadSlice, Projection, given_rows
from walkthrough.scenario.schema.keys import Attention, HeadNorm
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.transformer.model.attention.head_norms import norm_all, norm_of_each
from walkthrough.transformer.model.attention.rotary import Rotation, check_rotation, record_angles
from walkthrough.transformer.model.norms import Steps
from walkthrough.transformer.parameters import record_slice
from walkthrough.transformer.scope import Scope, kind_of
from walkthrough.transformer.stream import Stream

QUERY = Kind("query", "Q", "Queries")
KEY = Kind("key", "K", "Keys")
VALUE = Kind("value", "V", "Values")
QUERY_ROTATED = Kind("query_rotated", "Q_R", "Rotated queries")
KEY_ROTATED = Kind("key_rotated", "K_R", "Rotated keys")
KEY_CACHE = Kind("key_cache", "K_c", "Key cache")
VALUE_CACHE = Kind("value_cache", "V_c", "Value cache")
GATE = Kind("gate", "G_0", "Output gate", words="output_gate")
_OF_QUERIES = ("q", "gate")
"""What is made of the rows of queries; all else of those of keys."""
PROJECTED = {"q": (QUERY, "d_k"), "k": (KEY, "d_k"), "v": (VALUE, "d_v"), "gate": (GATE, "d_v")}
"""What a projection records, by the name of its weight, and how wide that is."""
_BEFORE_SCORES = {"q": ("query_norm", QUERY_ROTATED), "k": ("key_norm", KEY_ROTATED)}
"""What queries and keys go through: their norm, where there is one, and their rotation."""
_INSTEAD = {"q": "; or give q, scores or weights as numbers", "k": "; or give k, scores or weights as numbers"}


class Heads:
    """The queries, keys and values of one attention: x·W + b, their norm, their rotation, and the cache they go to.

    all_keys: the keys' rows, those of earlier passes too
    is_kept:  later passes read these keys and values again
    has_kept: the keys and values are those of an earlier pass, all of them
    rotation: rotary positions, where queries and keys have any
    norms:    of queries and keys, by name, where each head is normed by itself
    kinds:    what each projection records, and how wide that is
    joined:   the place of joined weights that are derived, recorded once for all heads
    """

    kinds = PROJECTED

    def __init__(self, s: Scope, queries: Stream, keys: Stream) -> None:
        self.s = self.joined = s
        self.attention: Attention = s.section
        is_bare = keys.x is None and not keys.names  # given numbers may have other keys than queries
        self.queries = queries
        self.keys = keys._replace(n=Axis("m") if is_bare else keys.n.with_symbol("m"))
        self.all_keys = self.keys.whole()
        self.is_kept = s.calculation.keeps(queries.sequence)
        self.has_kept = queries.first > 0 and not keys.first
        self.plans = s.calculation.heads(self.attention)
        self.rotation: Rotation | None = None
        self.norms: dict[str, Callable[[Scope, Value], Steps]] = {}
        self._recorded: dict[tuple[str, int], Steps] = {}
        self._products: dict[str, Array] = {}
        self._widths: dict[int, dict[str, Axis]] = {}
        for axis, size in zip((queries.n, self.keys.n), given_rows(self.attention), strict=True):
            axis.settle(size)  # without tokens, given numbers say how many rows there are

    def record_common(self) -> None:
        """Records what all heads have in common: angles, and the parameters of their norms."""
        first = next((plan for plan in self.plans if not (plan.gives("weights") or plan.gives("scores"))), None)
        if first is None:
            return
        d_k = self._stated_width(first.query)
        if self.attention.rotary is not None:
            self.rotation = record_angles(self.s, self.attention.rotary, self.keys, d_k)
        for name, _ in _BEFORE_SCORES.values():
            norm: HeadNorm | None = getattr(self.attention, name)
            if norm is not None and norm.over == "head":
                self.norms[name] = norm_of_each(self.s.under(name), norm, Axis("d_k", d_k))

    def query_and_key(self, plan: HeadPlan) -> tuple[Value, Value]:
        """A head's queries, n×d_k, and its keys or those of its group, m×d_k, ready for the scores."""
        query, key = self._finished(plan, plan.query)[-1], self._of_group(plan, plan.key, KEY_CACHE)
        self.settle_widths(plan, plan.query, plan.key)
        if self.rotation is not None:
            self.s.check(check_rotation, self.rotation.rotary, query.axes[1], self.rotation.angle)
        return query, key

    def value(self, plan: HeadPlan) -> Value:
        """A head's values, m×d_v; its own, or those of its group."""
        assert plan.value is not None
        value = self._of_group(plan, plan.value, VALUE_CACHE)
        self.settle_widths(plan, plan.value)
        return value

    def projected(self, plan: HeadPlan, part: Projection) -> Steps:
        """A head's queries, keys or values with their parameters: given as numbers, or x·W + b. n×d_model → n×d_k."""
        return self._once(part.name, _owner(plan, part), lambda: self._project(self.scope(plan, part), part))

    def _project(self, s: Scope, part: Projection) -> Steps:
        (kind, symbol), stream = self.kinds[part.name], self.rows_of(part)
        width = s.axis(symbol)
        if part.is_numbers:
            return [s.given(kind, getattr(s.section, part.letter), stream.n, width)]
        x = stream.x or unknown_value(stream.n, stream.width)
        own = slice_of(width, part.slice)
        given = list(filter(None, (self._parameter(s, part, letter, x.axes[1], own) for letter in "wb")))
        return [*given, s.project(kind, x, *given, array=self._columns_of_product(part.name, x, given, own))]

    def _parameter(self, s: Scope, part: Projection, letter: str, d_model: Axis, own: Axis) -> Value | None:
        """A head's weight or bias: its own, or its slice of the joined one, which is derived once where it is."""
        key = f"{letter}_{part.name}"
        if key not in part.section.KEYS:
            return None
        matrix: Matrix | None = getattr(part.section, key)

        def record(s: Scope, width: Axis) -> Value | None:
            return s.vector(key, width) if letter == "b" else s.weight(key, d_model, width, _INSTEAD.get(part.name, ""))

        if not isinstance(own, Multiple) or matrix is None or not matrix.is_derived:
            return record(s, own)
        every = Multiple(own.axis, own.count, own.things)
        (whole,) = self._once(key, 0, lambda: list(filter(None, [record(self.joined, every)])))
        side = 0 if s.calculation.out_in and letter == "w" else 1
        return record_slice(s.recorder.home, kind_of(part.section, key), whole, side, own)

    def _columns_of_product(self, name: str, x: Value, given: Steps, own: Axis) -> Array | None:
        """A head's columns of x·W + b with joined weights, which is quicker for all heads at once.

        None where weights are not the file's own: by hand they may be rounded, training has changed them, or they are
        derived.
        """
        calculation = self.s.calculation
        is_own = not self.s.recorder.rounding and all(one.operation is None for one in given)
        if not (isinstance(own, Multiple) and x.has_numbers and is_own):
            return None
        if name not in self._products:
            joined = (calculation.array(one.matrix) for one in given)
            self._products[name] = calculation.linear.forward(x.array, *joined)
        product = self._products[name]
        return product[:, own.places(product.shape[1])]

    def _finished(self, plan: HeadPlan, part: Projection) -> Steps:
        """Queries and keys with their norm and their rotation; values as they are projected."""
        steps = list(self.projected(plan, part))
        if part.letter == "v":
            return steps
        s, (name, rotated) = self.scope(plan, part), _BEFORE_SCORES[part.letter]
        norm: HeadNorm | None = getattr(self.attention, name)
        if norm is not None and norm.over == "all":
            steps += self._normed_together(s.under(name), name, norm, plan, part)
        elif norm is not None:
            steps += self.norms[name](s.under(name), steps[-1])
        if self.rotation is not None:
            steps.append(self.rotation.record(s, rotated, steps[-1]))
        return steps

    def _normed_together(self, s: Scope, name: str, norm: HeadNorm, plan: HeadPlan, part: Projection) -> Steps:
        """A head's columns of what a norm makes of the queries or keys of all heads, recorded before the first."""
        owners = [one for one in self.plans if _owner(one, part) == one.number]
        raw = [self.projected(one, one.query if part.letter == "q" else one.key)[-1] for one in owners]

        def record() -> Steps:
            for one in owners:
                self.settle_widths(one, one.query, one.key)
            return norm_all(self.s.under(name), norm, raw)

        normed, at = self._once(name, 0, record), [one.number for one in owners].index(_owner(plan, part))
        start = sum(value.shape[1] for value in raw[:at])
        settings = {"start": start, "stop": start + raw[at].shape[1]}
        return [s.record(one.kind, take_columns, one, settings=settings) for one in normed]

    def _of_group(self, plan: HeadPlan, part: Projection, cache: Kind) -> Value:
        """The keys or values of a group of heads, recorded for the first; to the others' paths they answer too."""
        own = self.scope(plan, part)
        if self.has_kept:
            return own.recorder.earlier(cache.name)

        def record() -> Steps:
            steps = self._finished(plan, part)
            return [*steps, self._with_earlier(own, steps[-1], cache)] if self.is_kept else steps

        steps = self._once(cache.name, plan.kv_group, record)
        if plan.kv_group != plan.number:
            for value in steps:
                self.scope(plan).recorder.alias_all(value, own.recorder)
        return steps[-1]

    def _with_earlier(self, s: Scope, new: Value, kind: Kind) -> Value:
        """With a cache: the keys or values with those of earlier passes, m×d; in the first pass they are all."""
        if not self.keys.first:
            return s.alias(kind, new)
        kept, rows = s.recorder.earlier(kind.name), self.keys.whole().labels
        return s.record(s.recorder.number_kind(kind), append_rows, kept, new, rows=rows, copied=new)

    def _once(self, name: str, number: int, record: Callable[[], Steps]) -> Steps:
        """What the first has recorded that asks for it; number: of the head, 0 where it is of all."""
        if (name, number) not in self._recorded:
            self._recorded[name, number] = record()
        return self._recorded[name, number]

    def rows_of(self, part: Projection) -> Stream:
        """What a part is made of."""
        return self.queries if part.letter in _OF_QUERIES else self.keys

    def scope(self, plan: HeadPlan, part: Projection | None = None) -> Scope:
        """The place of a head; of a part that it has in common with others, the place of the first of them."""
        number = plan.number if part is None else _owner(plan, part)
        section = plan.section if part is None else part.section
        recorder = self.s.recorder.under(f"head.{number}")
        return Scope(self.s.calculation, recorder, section, self._widths_of(plan))

    def _widths_of(self, plan: HeadPlan) -> dict[str, Axis]:
        """d_k and d_v of a head: one for heads with common keys and values, and for those of joined weights."""
        key = plan.kv_group if self.attention.heads is not None else 0
        if key not in self._widths:
            self._widths[key] = {
                "d_k": self.s.calculation.stated_axis("d_k", plan.d_k),
                "d_v": self.s.calculation.stated_axis("d_v", plan.d_v),
            }
        return self._widths[key]

    def _stated_width(self, part: Projection) -> int | None:
        """d_k, as far as a head's own matrix says it."""
        if part.is_numbers:
            numbers = getattr(part.section, part.letter)
            return numbers.columns if numbers is not None else None
        if part.weight is None:
            return None
        wide = part.weight.rows if self.s.calculation.out_in else part.weight.columns
        return wide if wide is None or part.slice is None else wide // part.slice.count

    def settle_widths(self, plan: HeadPlan, *parts: Projection) -> None:
        """Decides how wide a head is where its weights are made by `init`."""
        widths = self._widths_of(plan)
        for part in parts:
            width = widths[part.width]
            self.s.check(settle_width, part, width, widths["d_k"], self.queries.width, len(self.plans))


def settle_width(s: Scope, part: Projection, width: Axis, d_k: Axis, d_model: Axis, count: int) -> None:
    """Heads of weights made by `init` divide d_model evenly, as in the paper, where nothing else says their width; the
    values of joined weights are as wide as the keys.
    """
    if part.weight is None or part.weight.init is None or width.size is not None:
        return
    if part.slice is not None and d_k.size is not None:
        width.settle(d_k.size)
    elif d_model.size is not None and d_model.size % count == 0:
        width.settle(d_model.size // count)


def slice_of(width: Axis, taken: HeadSlice | None) -> Axis:
    """The width of a head, as its slice of what is joined where it takes one."""
    return width if taken is None else Multiple(width, taken.count, taken.heads, taken.at)


def _owner(plan: HeadPlan, part: Projection) -> int:
    """The number of the head that a head's queries, keys or values are recorded under."""
    return plan.number if part.letter in _OF_QUERIES else plan.kv_group
