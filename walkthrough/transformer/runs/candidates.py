"""What is recorded of a pass of a beam search: totals, the candidates among them, and those that end or go on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.operations.generation.beams import (
    TOTAL,
    add_total,
    best_scores,
    gnmt_penalty,
    largest_totals,
    log_of_last_row,
    power_penalty,
)
from walkthrough.operations.matrix import select_rows
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema.keys import LengthPenalty

LOG_PROBABILITIES = Kind("log_probabilities", "Λ", "Log-probabilities")
TOTALS = Kind("totals", "T", "Totals")
LENGTH_PENALTY = Kind("length_penalty", "lp", "Length penalty")
CANDIDATES = Kind("candidates", "C", "Candidates", ids=(0, 1), counts=(0,))
FINISHED = Kind("finished", "F", "Finished hypotheses", ids=(0, 1, 2), counts=(0, 1))
ALIVE = Kind("alive", "B", "Beams", ids=(0, 1), counts=(0,))


def record_totals(recorder: Recorder, probabilities: Value, alive: Value | None, row: int) -> Value:
    """What each next word makes of the total of a hypothesis, 1×v.

    recorder: of the hypothesis' pass; alive: the table whose row it is, None before the first word
    """
    logarithms = recorder.record(LOG_PROBABILITIES, log_of_last_row, (probabilities,))
    so_far = (alive,) if alive is not None else ()
    return recorder.record(TOTALS, add_total, (logarithms, *so_far), {"row": row})


def record_penalty(recorder: Recorder, length: int, penalty: float | LengthPenalty) -> Value:
    """What the total of a hypothesis of so many tokens is divided by, 1×1."""
    if isinstance(penalty, LengthPenalty):
        return recorder.record(LENGTH_PENALTY, power_penalty, (), {"length": length, "alpha": penalty.power})
    return recorder.record(LENGTH_PENALTY, gnmt_penalty, (), {"length": length, "alpha": penalty})


def record_candidates(recorder: Recorder, totals: Sequence[Value], ids: Sequence[int], most: int) -> Value | None:
    """The largest totals of all beams, c×3; None where none is finite. Ties: the lower beam, then the lower id."""
    numbers = np.stack([value.array[0] for value in totals])
    beams, places = np.divmod(np.arange(numbers.size), len(ids))
    order = np.lexsort((np.asarray(ids)[places], beams, -numbers.ravel()))
    best = [int(place) for place in order[:most] if numbers.flat[place] > -np.inf]
    if not best:
        return None
    settings = {"ids": tuple(ids), "taken": tuple(best[:-1])}
    return recorder.record(CANDIDATES, largest_totals, tuple(totals), settings, columns=("beam", "token", "total"))


def record_finished(
    recorder: Recorder, number: int, tables: tuple[Value, ...], ended: Sequence[int], most: int
) -> Value | None:
    """The best hypotheses that have ended so far, f×4; None where there is none. Ties: the older.

    number: of the pass; tables: candidates, length penalty, and what had finished before; ended: rows of candidates
    """
    candidates, penalty, *before = tables
    rows = [*(row for one in before for row in one.array.tolist())]
    rows += [
        [number, *candidates.array[row, :TOTAL], candidates.array[row, TOTAL] / penalty.array[0, 0]] for row in ended
    ]
    if not rows:
        return None
    order = sorted(range(len(rows)), key=lambda at: -rows[at][-1])[:most]
    labels = zip(*([int(one) for one in row[:-1]] for row in rows), strict=True)
    settings = {
        "ended": tuple(ended),
        "taken": tuple(order[:-1]),
        **dict(zip(("passes", "beams", "ids"), labels, strict=True)),
    }
    return recorder.record(FINISHED, best_scores, tables, settings, columns=("pass", "beam", "token", "score"))


def record_alive(recorder: Recorder, candidates: Value, rows: Sequence[int]) -> Value:
    """The candidates that go on, a×3."""
    return recorder.record(ALIVE, select_rows, (candidates,), {"indices": tuple(rows)})
