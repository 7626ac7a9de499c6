"""How a scenario begins and ends: tokens, embeddings and positions; and the output head."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.comparing.describing.followed.calls import Seen
from walkthrough.comparing.describing.followed.flow import Flow
from walkthrough.comparing.describing.followed.known import Given, Known, Normed, Product, as_rows
from walkthrough.comparing.describing.followed.state import State
from walkthrough.comparing.describing.followed.sums import Embedded
from walkthrough.comparing.describing.guesses.closeness import Target
from walkthrough.comparing.describing.guesses.linears import Lookup
from walkthrough.comparing.describing.written.draft import Draft
from walkthrough.comparing.describing.written.layers import Stack
from walkthrough.comparing.describing.written.sections import Keys, linear_keys, norm_keys
from walkthrough.operations.definition import Array
from walkthrough.records import Record

_MOST_WORDS = 1000
"""Columns of an output head that get a word each where no table of embeddings has as many rows."""


def put_start(made: Draft, flow: Flow, state: State, start: Known | None, stack: str = "") -> None:
    """The tokens, and how they become what the first layer reads.

    stack: the one that has tokens of its own; empty: those of the whole scenario
    """
    norm = start.made.norm if start is not None and isinstance(start.made, Normed) else None
    start = start.made.source if norm is not None and start is not None else start
    keys = made.keys.setdefault(stack, {}) if stack else made.keys
    given = _given(start, flow, bool(stack)).array
    if given.dtype.kind == "f":
        rows = as_rows(given)
        keys |= {"tokens": [str(one) for one in range(1, len(rows) + 1)], "embeddings": _numbers(rows)}
    else:
        ids = given.ravel().tolist()
        keys |= {"tokens": list(map(str, ids)), "vocabulary": {str(one): one for one in dict.fromkeys(ids)}}
    at = Place(made, keys, (stack,) if stack else (), given.ravel().tolist())
    if start is None or not isinstance(start.made, Lookup | Embedded | Given):
        start = next((one for one in flow.memory.all if isinstance(one.made, Lookup)), None)
        keys.setdefault("embeddings", {"tensor": start.made.table if start is not None else "?"})
        at.ask("What the first layer reads was not found: embeddings of the tokens do not give it.", "embeddings")
    elif not isinstance(start.made, Given):
        _put_embeddings(at, start, state)
    if norm is not None:
        keys["embedding_norm"] = norm_keys(norm)


def _given(start: Known | None, flow: Flow, is_second: bool) -> Seen:
    """The sentence that a stack begins with."""
    tokens = start.made.tokens if start is not None and isinstance(start.made, Embedded) else start
    if tokens is not None and isinstance(tokens.made, Given):
        return tokens.made.seen
    ids = tokens.made.ids if tokens is not None and isinstance(tokens.made, Lookup) else ()
    same = [one for one in flow.given if tuple(one.array.ravel().tolist()) == ids] or flow.given
    return same[-1 if is_second else 0]


class Place(Record, eq=False):
    """Where the embeddings of a sentence are written: the keys, and their path; and its ids."""

    made: Draft
    keys: Keys
    path: tuple[str, ...]
    ids: list[int]

    def ask(self, sentence: str, key: str) -> None:
        """Asks about one of the keys."""
        self.made.ask(sentence, *self.path, key)


def _numbers(rows: Array) -> list[list[float]]:
    """The numbers with the digits that tell them from others of their type."""
    return [[float(str(one)) for one in row] for row in rows]


def _put_embeddings(at: Place, start: Known, state: State) -> None:
    """The table of the tokens, and what is added to its rows."""
    embedded = start.made if isinstance(start.made, Embedded) else Embedded(start)
    tokens = embedded.tokens.made
    if isinstance(tokens, Lookup):
        at.keys["embeddings"] = {"tensor": tokens.table}
        if list(tokens.ids) != at.ids:
            at.ask(f"What is looked up in {tokens.table} is not the ids that the module was given.", "embeddings")
    scale = embedded.scale * (tokens.scale if isinstance(tokens, Lookup) else 1.0)
    if scale != 1:
        is_root = abs(scale - start.numbers.shape[1] ** 0.5) < 1e-5 * scale
        at.keys["embedding_scale"] = "sqrt_d_model" if is_root else scale
    if embedded.sinusoidal:
        layout = embedded.sinusoidal
        options = {"sinusoidal": {"layout": layout}}
        at.keys["positional_encoding"] = "sinusoidal" if layout == "interleaved" else options
    if embedded.stored:
        name, first = embedded.stored
        _put_positions(at, name, first, state.tensors[name].shape)
    for table in embedded.tables:
        _put_table(at, table.made, isinstance(tokens, Lookup) and tokens.is_asked)


def _put_positions(at: Place, name: str, first: int, shape: Sequence[int]) -> None:
    """A table of positions, from some row on, counted from 0; it may be the only matrix of several."""
    keys: Keys = {"tensor": name, **({"index": 0} if len(shape) > 2 else {})}
    if first:
        keys["rows"] = [first + 1, shape[-2]]
    if "positional_encoding" in at.keys:
        at.ask(f"What {name} is was not recognised: there are positions already.", "positional_encoding")
    at.keys["positional_encoding"] = keys


def _put_table(at: Place, looked: Lookup, is_asked: bool) -> None:
    """Another table than that of the tokens: of positions, or of kinds of tokens, where all are of one.

    is_asked: it is certain which table is that of the tokens
    """
    rows = np.array(looked.ids)
    if len(rows) > 1 and (rows == rows[0]).all():
        at.keys["segment_embedding"] = {"tensor": looked.table, "rows": [looked.ids[0] + 1] * 2}
    else:
        _put_positions(at, looked.table, looked.ids[0], (looked.rows, 0))
        if (np.diff(rows) != 1).any() or len(rows) == 1:
            at.ask(f"Whether {looked.table} holds positions cannot be told from this run.", "positional_encoding")
        elif rows.tolist() == at.ids and not is_asked:
            sentence = (
                f"Whether {looked.table} is the table of the positions or of the tokens cannot be told: the ids are "
            )
            at.ask(f"{sentence}those of the positions; try others.", "positional_encoding")


def put_end(made: Draft, flow: Flow, state: State, stack: Stack) -> Known | None:
    """The output head: a module, which is returned, or the table of the tokens; what is returned may be neither."""
    head = next((one for one in flow.memory.all if _reads(one, stack.end)), None)
    embeddings = made.keys[stack.name].get("embeddings", made.keys["embeddings"])
    table = embeddings.get("tensor") if isinstance(embeddings, dict) else None
    if head is not None:
        keys = linear_keys("w", head)
        if head.made.linear.weight == table:
            keys = {"tied": True, **{key: one for key, one in keys.items() if key == "b"}}
        made.keys["output_head"] = keys
        _put_words(made, head.numbers.shape[1], len(state.tensors[table]) if table in state.tensors else 0)
        logits = head.numbers
        for cap in flow.stated.caps:
            capped = cap * np.tanh(logits / cap)
            if not _returns(flow, logits) and _returns(flow, capped):
                made.keys["output_head"]["logit_cap"], logits = cap, capped
    else:
        logits = stack.end.numbers
        if table in state.tensors and state.tensors[table].shape[1] == logits.shape[1]:
            tied = logits @ state.array(table).T
            if _returns(flow, tied):
                made.keys["output_head"], logits = {"tied": True}, tied
    if not _returns(flow, logits):
        line = "output_head" if head is not None else stack.name
        made.ask(
            "What the module returns was not found: it is neither hidden states nor logits or their softmax.", line
        )
    return head


def _put_words(made: Draft, count: int, rows: int) -> None:
    """The words of the logits, where they are not those of the embeddings."""
    if count != rows:
        made.keys["output_head"]["vocabulary"] = [str(one) for one in range(min(count, _MOST_WORDS))]
        if count > _MOST_WORDS:
            made.ask(
                f"What the {count} columns of the logits are called is not known: the embeddings have {rows}.",
                "output_head",
                "vocabulary",
            )


def _returns(flow: Flow, logits: Array) -> bool:
    """Whether the module returns these numbers, their softmax or its logarithm; of all rows or of the last ones."""
    rows = None if flow.end is None else as_rows(flow.end.array)
    if rows is None or rows.shape[1] != logits.shape[1] or len(rows) > len(logits):
        return False
    logits = logits[-len(rows) :]
    shifted = logits - logits.max(axis=1, keepdims=True)
    shares = np.exp(shifted) / np.exp(shifted).sum(axis=1, keepdims=True)
    scale = np.abs(logits).max(axis=1, keepdims=True)
    return any(Target(rows).off(one, scale) < np.inf for one in (logits, shares, np.log(shares)))


def _reads(one: Known, source: Known) -> bool:
    return isinstance(one.made, Product) and one.made.source is source
