"""A weight with a low-rank change: base + alpha/r · a·b, computed once and used as the weight. Hu et al. 2021."""

from __future__ import annotations

from walkthrough.operations.matrix import add
from walkthrough.operations.stored.low_rank import low_rank_change
from walkthrough.recording.axes import Axis
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value, with_index
from walkthrough.scenario.schema.matrices import Adapter
from walkthrough.transformer.calculation import Axes, Calculation, Given, Labelled


def base_kind(kind: Kind) -> Kind:
    """What is told of the base of a weight."""
    return _named(kind, "base", with_index(kind.symbol, "0"), "Base")


def record_sum(
    calculation: Calculation, recorder: Recorder, kind: Kind, adapter: Adapter, base: Value, labels: Labelled
) -> Value:
    """Records the factors, their product and the sum of base and product."""
    inside = recorder.under(kind.name)
    factors = _factors(calculation, inside, kind, adapter, base.axes, labels)
    change_kind = _named(kind, "delta", f"Δ{kind.symbol}", "Low-rank change")
    settings = {"alpha": adapter.alpha, "rank": factors[0].shape[1]}
    change = inside.record_once(change_kind, low_rank_change, factors, settings)
    return recorder.record_once(kind._replace(trained=False, reason="low_rank.sum"), add, (base, change))


def _factors(
    calculation: Calculation, inside: Recorder, kind: Kind, adapter: Adapter, axes: Axes, labels: Labelled
) -> tuple[Value, Value]:
    """The factors in the order of their product: a·b, or b·a where weights are out×in."""
    rank = Axis("r")
    if adapter.r is not None and calculation.is_checking:
        calculation.claims.state(rank, adapter, "r")
    (left, first), (right, second) = (("b", adapter.b), ("a", adapter.a))[:: 1 if calculation.out_in else -1]
    return (
        calculation.record_given(inside, _factor_kind(kind, left), Given(first, (axes[0], rank), (labels[0], None))),
        calculation.record_given(inside, _factor_kind(kind, right), Given(second, (rank, axes[1]), (None, labels[1]))),
    )


def _factor_kind(kind: Kind, name: str) -> Kind:
    symbol = with_index(name.upper(), kind.symbol.replace("_", ""))
    return _named(kind, name, symbol, f"Factor {name}")._replace(trained=True)


def _named(kind: Kind, name: str, symbol: str, title: str) -> Kind:
    return Kind(name, symbol, f"{title}: {kind.title}", words=f"low_rank.{name}", facts={"of": kind})
