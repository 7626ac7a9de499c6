"""The ways to look inside a pass, by name; one that does not apply says why."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from walkthrough.scenario.schema.values import Inspection
from walkthrough.transformer.model.inspection.attribution import record_attribution, why_no_attribution
from walkthrough.transformer.model.inspection.inside import Inside
from walkthrough.transformer.model.inspection.lens import record_lens, why_no_lens
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import Stream


class Way(NamedTuple):
    """One way to look inside: why it does not apply, empty where it does; and its steps."""

    why_not: Callable[[Inside], str]
    record: Callable[[Inside, Inspection], None]


WAYS = {
    "lens": Way(why_no_lens, record_lens),
    "attribution": Way(why_no_attribution, record_attribution),
}


def inspect(s: Scope, stream: Stream) -> None:
    """Records what the scenario asks to see of a pass that has been calculated.

    stream: what the output head has read
    """
    inside = Inside(s, stream)
    for wanted in s.calculation.spec.inspect or ():
        way = WAYS[wanted.name]
        reason = way.why_not(inside)
        if not reason:
            way.record(inside, wanted)
        elif s.calculation.is_checking and wanted.node is not None:
            s.problems.add(wanted.node, f"{wanted.name} does not apply: {reason}", key="inspect", help="leave it out")
