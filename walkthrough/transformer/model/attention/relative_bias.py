"""One table of biases for all self-attentions of a stack: a number for each bucket of distances and each head.

Raffel et al. 2020 (T5), §2.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from walkthrough.operations.positions.relative import Buckets, relative_buckets, take_buckets
from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Kind, Value
from walkthrough.records import NONE
from walkthrough.scenario.resolved import count_of, is_computed
from walkthrough.scenario.schema.keys import Attention
from walkthrough.scenario.schema.positions import RelativeBias
from walkthrough.transformer.scope import Scope, kind_of
from walkthrough.transformer.stream import Stream

BUCKET = Kind("bucket", "β", "Buckets of distance", fixed=True)


def record_relative_bias(
    s: Scope, stream: Stream, attentions: Sequence[Attention], is_causal: bool
) -> Mapping[int, Value]:
    """Records table, buckets, and for each head what is added to its scores, n×n; the latter by the head's number.

    attentions: those that it is added in; is_causal: whether only earlier tokens count where the file says nothing
    None of them where the part has no relative positions, or no attention reads them.
    """
    spec: RelativeBias | None = s.section.relative_bias
    computed = [attention for attention in attentions if is_computed(attention)]
    if spec is None or not computed:
        return NONE
    s, keys, buckets = s.under("relative_bias", spec), stream.whole(), buckets_of(spec, is_causal)
    s.check(check_relative_bias, computed, is_causal)
    if spec.table is None:
        return NONE
    count, rows = count_of(computed[0]), Axis("buckets", buckets.most)
    table = s.given(kind_of(spec, "table"), spec.table, rows, Axis("heads", count))
    settings: dict[str, Any] = {"buckets": buckets, "rows": stream.positions, "columns": keys.positions}
    labels = {"rows": stream.labels, "columns": keys.labels}
    s.record(BUCKET, relative_buckets, settings=settings, **labels)
    under, biases = s.under("head"), {}
    for head in range(count):
        kind = Kind(str(head + 1), f"B_{head + 1}", "Relative bias", words="relative_bias.head")
        biases[head + 1] = under.record(kind, take_buckets, table, settings={**settings, "column": head}, **labels)
    return biases


def buckets_of(spec: RelativeBias, is_causal: bool) -> Buckets:
    """How distances fall into buckets."""
    both = not is_causal if spec.bidirectional is None else spec.bidirectional
    return Buckets(spec.buckets, spec.max_distance, both)


def check_relative_bias(s: Scope, attentions: list[Attention], is_causal: bool) -> None:
    """There is a bucket for some distances by themselves, and all have as many heads."""
    spec: RelativeBias = s.section
    exact = buckets_of(spec, is_causal).exact
    if not exact:
        message = f"buckets is {spec.buckets}, too few: expected at least {2 if is_causal else 4}"
        s.problems.fault(spec, "buckets", message)
    elif spec.max_distance <= exact:
        why = f"expected more than {exact}: nearer distances have their own bucket"
        s.problems.fault(spec, "max_distance", f"max_distance is {spec.max_distance}, {why}")
    count = count_of(attentions[0])
    for attention in attentions:
        if (own := count_of(attention)) != count:
            message = f"relative_bias has a column for each of {count} heads, this attention has {own}"
            s.problems.add(attention, message)
