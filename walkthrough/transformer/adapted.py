"""A weight with a low-rank change: base + alpha/r · a·b, computed once and used as the weight. Hu et al. 2021."""

from __future__ import annotations

from walkthrough.operations.backward import take_columns
from walkthrough.operations.low_rank import low_rank_change
from walkthrough.operations.matrix import add, select_rows
from walkthrough.recording.axes import Axis
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value, with_index
from walkthrough.scenario.resolved import Share, whole_of
from walkthrough.scenario.schema.matrices import Adapter, Matrix
from walkthrough.transformer.calculation import BARE, Calculation, Labelled

_SOURCE = "Hu et al. (2021), §4.1"
_WHY_CHANGE = (
    "What fine-tuning changes in a weight has a low rank, it is assumed: a tall matrix times a wide one. These two "
    "have far fewer numbers than the weight, and only they are trained."
)
_WHY_SUM = (
    "The trained model needs no other arithmetic than the old one: the change is added to the weight once, and another "
    "task is another change of the same base."
)
_WHY_PART = "All heads have their weights in one matrix, and each its own part of it: one product makes them all."


def record_adapted(
    calculation: Calculation,
    recorder: Recorder,
    kind: Kind,
    matrix: Matrix | Share,
    axes: tuple[Axis, Axis],
    labels: Labelled,
) -> Value:
    """Records a matrix with a change, or one head's part of a joined one; axes: of its rows and columns in the file."""
    if isinstance(matrix, Matrix):
        return _record_sum(calculation, recorder, kind, matrix, axes, labels)
    outer = recorder.prefix[: recorder.prefix.rindex("head.")]
    attention = type(recorder)(recorder.trace, outer, recorder.rounding, recorder.one_pass)
    whole = recorder.trace.get(attention.at_home(outer + kind.name))
    if whole is None:
        whole = _record_sum(calculation, attention, kind, matrix, axes, BARE)
    return _record_part(calculation, recorder, kind, matrix, whole, axes)


def _record_sum(
    calculation: Calculation,
    recorder: Recorder,
    kind: Kind,
    matrix: Matrix | Share,
    axes: tuple[Axis, Axis],
    labels: Labelled,
) -> Value:
    """Records the base, the factors, their product and the sum of base and product."""
    inside, adapter = recorder.under(kind.name), whole_of(matrix).adapter
    assert adapter is not None
    base_kind = _named(kind, "base", with_index(kind.symbol, "0"), "Base", "What the change is added to; not trained.")
    base = calculation.record_whole(inside, base_kind, matrix, axes, labels)
    factors = _factors(calculation, inside, kind, adapter, base.axes, labels)
    purpose = "What training adds to the base: a product of two small matrices."
    change_kind = _named(kind, "delta", f"Δ{kind.symbol}", "Low-rank change", purpose)
    change_kind = change_kind._replace(why=_WHY_CHANGE, source=_SOURCE)
    settings = {"alpha": adapter.alpha, "rank": factors[0].shape[1]}
    change = inside.record_shared(change_kind, low_rank_change, factors, settings)
    return recorder.record_shared(kind._replace(trained=False, why=_WHY_SUM, source=_SOURCE), add, (base, change))


def _factors(
    calculation: Calculation,
    inside: Recorder,
    kind: Kind,
    adapter: Adapter,
    axes: tuple[Axis, Axis],
    labels: Labelled,
) -> tuple[Value, Value]:
    """The factors in the order of their product: a·b, or b·a where weights are out×in."""
    rank = Axis("r")
    if adapter.r is not None and calculation.is_checking:
        calculation.claims.state(rank, adapter, "r")
    (left, first), (right, second) = (("b", adapter.b), ("a", adapter.a))[:: 1 if calculation.out_in else -1]
    return (
        calculation.record_given(inside, _factor_kind(kind, left), first, axes[0], rank, (labels[0], None)),
        calculation.record_given(inside, _factor_kind(kind, right), second, rank, axes[1], (None, labels[1])),
    )


def _factor_kind(kind: Kind, name: str) -> Kind:
    purpose = (
        "Learned: takes r numbers from each input." if name == "a" else "Learned: makes the change of these numbers."
    )
    symbol = with_index(name.upper(), kind.symbol.replace("_", ""))
    return _named(kind, name, symbol, f"Factor {name}", purpose)._replace(trained=True)


def _record_part(
    calculation: Calculation, recorder: Recorder, kind: Kind, share: Share, whole: Value, axes: tuple[Axis, Axis]
) -> Value:
    """Records a head's part of a joined weight: some of its columns, or of its rows where weights are out×in."""
    symbol, source = with_index(kind.symbol, str(share.at + 1)), "Vaswani et al. (2017), §3.2.2"
    kind = kind._replace(symbol=symbol, trained=False, why=_WHY_PART, source=source)
    if not whole.has_size:  # found out too late
        return calculation.unknown_value(axes) or whole
    size = whole.shape[0 if calculation.out_in else 1] // share.count
    start, stop = share.at * size, (share.at + 1) * size
    if calculation.out_in:
        return recorder.record_shared(kind, select_rows, (whole,), {"indices": tuple(range(start, stop))})
    return recorder.record_shared(kind, take_columns, (whole,), {"start": start, "stop": stop})


def _named(kind: Kind, name: str, symbol: str, title: str, purpose: str) -> Kind:
    return Kind(name, symbol, f"{title}: {kind.title}", purpose)
