"""In words: how the numbers of a trace are calculated, and how many of their digits are shown."""

from __future__ import annotations

from walkthrough.recording.trace import Trace
from walkthrough.text import counted


def arithmetic(trace: Trace, decimals: int | None = None) -> str:
    """The sentence that a report begins with; `decimals` as in `document.Options`."""
    if trace.exact is None:
        shown = counted(trace.decimals if decimals is None else decimals, "decimal")
        return f"In full precision, shown to {shown}: last digits may differ."
    digits = {value.digits for value in trace if value.digits is not None and value.operation is not None}
    said = [f"{counted(one.count, 'significant digit' if one.significant else 'decimal')}" for one in digits]
    how = f"to {said[0]}" if len(said) == 1 else "as the scenario says" if said else "nowhere"
    return f"By hand: each step is rounded {how} before the next one uses it."
