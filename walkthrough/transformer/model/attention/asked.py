"""The rows that ask in an attention by itself, where the file chooses some: fewer queries than keys."""

from __future__ import annotations

from functools import partial

from walkthrough.operations.matrix import select_rows
from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema.keys import Attention
from walkthrough.scenario.yaml.nodes import ListNode, quote
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import Stream, find_row, near_rows

QUERY_INPUT = Kind(
    "query_input",
    "X_q",
    "Input of the queries",
    "The rows that ask; all rows are asked.",
    why=(
        "Each row of an attention is worked out by itself, from its own query and the keys and values of all. So a "
        "single row can be followed without the others, as it is when only the next word is wanted."
    ),
    source="Vaswani et al. (2017), §3.2.1",
)


def choose_queries(s: Scope, stream: Stream) -> Stream:
    """The rows of a stream that `queries` names, all where it names none."""
    attention: Attention = s.section
    if attention.queries is None:
        return stream
    s.check(check_queries, stream)
    asked = tuple(place for text in attention.queries if (place := find_row(text, stream.names)) is not None)
    chosen = stream._replace(n=Axis("n", len(asked)), asked=asked)
    return chosen if stream.x is None or not _reads_rows(s) else chosen._replace(x=_select(s, stream.x, chosen))


def _reads_rows(s: Scope) -> bool:
    """Whether a head makes its queries of the input."""
    plans = s.calculation.heads(s.section)
    is_given = (plan.query.is_numbers or plan.gives("scores") or plan.gives("weights") for plan in plans)
    return not all(is_given)


def _select(s: Scope, x: Value, chosen: Stream) -> Value:
    return s.record(QUERY_INPUT, select_rows, x, settings={"indices": chosen.asked}, rows=chosen.labels)


def check_queries(s: Scope, stream: Stream) -> None:
    """Each of them is a row, and stands once; there is nothing that goes on from the last row."""
    attention, spec = s.section, s.calculation.spec
    node = attention.at("queries")
    nodes = node.items if isinstance(node, ListNode) else []
    known: set[int] = set()
    for text, item in zip(attention.queries, nodes, strict=True):
        place = find_row(text, stream.names)
        if place is None:
            message, help = f"{quote(text)} is none of the tokens", partial(near_rows, text, stream.names)
            s.problems.add(item, message, key=attention.key_of("queries"), help=help)
        elif place in known:
            s.problems.add(item, f"{quote(text)} is asked twice", key=attention.key_of("queries"), help="remove one")
        known.add(-1 if place is None else place)
    for name in ("training", "generate"):
        if spec.has(name):
            message = f"queries cannot be combined with {name}, which goes on from all rows"
            s.problems.add(node, message, key=attention.key_of("queries"), help=f"remove queries, or {name}")
