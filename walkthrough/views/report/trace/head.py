"""What a report of a trace begins with: what its scenario says of itself, changed numbers, how it calculates."""

from __future__ import annotations

from walkthrough.recording.trace import Trace
from walkthrough.text import pluralize
from walkthrough.views.report.blocks import Description


def about(trace: Trace) -> tuple[Description, ...]:
    """The description and the source, as far as there are any."""
    description = trace.description.strip()
    return (*([Description(description)] if description else []), *source(trace))


def source(trace: Trace) -> tuple[Description, ...]:
    """Where the numbers come from, if the scenario says so."""
    words = trace.source.split()
    return (Description(" ".join(words), "Source"),) if words else ()


def changes(trace: Trace) -> str:
    """Which given numbers are other ones than the scenario's; empty where none is."""
    return f"With other given numbers: {'; '.join(trace.changed)}." if trace.changed else ""


def arithmetic(trace: Trace, decimals: int | None = None) -> str:
    """The sentence that a report begins with; `decimals` as in `Options`."""
    if trace.exact is None:
        shown = pluralize(trace.decimals if decimals is None else decimals, "decimal")
        return f"In full precision, shown to {shown}: last digits may differ."
    digits = {value.digits for value in trace if value.digits is not None and value.operation is not None}
    said = [f"{pluralize(one.count, 'significant digit' if one.significant else 'decimal')}" for one in digits]
    how = f"to {said[0]}" if len(said) == 1 else "as the scenario says" if said else "nowhere"
    return f"By hand: each step is rounded {how} before the next one uses it."
