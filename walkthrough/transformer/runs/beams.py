"""Beam search: several hypotheses go on side by side, and the best of those that have ended is the answer.

Sutskever et al. 2014, §3.2, with the length penalty of Wu et al. 2016, eq. 14. Which candidates end, go on and are kept
is as in `_beam_search` of transformers 5 with early_stopping=False.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from walkthrough.operations.generation.beams import (
    SCORE,
    TOTAL,
    add_total,
    best_scores,
    gnmt_penalty,
    largest_totals,
    log_of_last_row,
    power_penalty,
    words_of_hypothesis,
)
from walkthrough.operations.matrix import select_rows
from walkthrough.recording.recorder import Pass, Recorder
from walkthrough.recording.values import Branch, Kind, Stop, Value
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.keys import LengthPenalty
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.transformer.model.model import Model
from walkthrough.transformer.runs.generation import GENERATED, append_word, name_first_pass, no_next_token

LOG_PROBABILITIES = Kind("log_probabilities", "Λ", "Log-probabilities")
TOTALS = Kind("totals", "T", "Totals")
LENGTH_PENALTY = Kind("length_penalty", "lp", "Length penalty")
CANDIDATES = Kind("candidates", "C", "Candidates", ids=(0, 1), counts=(0,))
FINISHED = Kind("finished", "F", "Finished hypotheses", ids=(0, 1, 2), counts=(0, 1))
ALIVE = Kind("alive", "B", "Beams", ids=(0, 1), counts=(0,))
ANSWER = GENERATED._replace(words="generated.hypothesis")


class Beam(NamedTuple):
    """A hypothesis that goes on: the recorder of its pass, what it has read, what it predicts, and its totals."""

    recorder: Recorder
    sequence: TokenSequence
    prediction: Value
    totals: Value


class Step(NamedTuple):
    """What was kept of one pass.

    predictions: of each beam; candidates, finished, alive: the tables of that name
    """

    predictions: tuple[Value, ...]
    candidates: Value
    finished: Value | None
    alive: Value | None


def search(recorder: Recorder, scenario: Scenario, model: Model, first: Value) -> None:
    """Records the passes of all hypotheses, what is kept of each pass, and the answer.

    first: the prediction of the prompt's own pass, which also answers to generate.1.beam.1
    Raises a GenerationError where there is no next token.
    """
    name_first_pass(recorder, model.changed_prefix, "generate.1.beam.1")
    _Search(recorder, scenario, model, first).run()


class _Search:
    """A beam search while it runs. steps: what was kept of each pass so far"""

    def __init__(self, recorder: Recorder, scenario: Scenario, model: Model, first: Value) -> None:
        assert scenario.spec.generate is not None
        self.recorder = recorder
        self.scenario = scenario
        self.model = model
        self.first = first
        self.spec = scenario.spec.generate
        self.width = self.spec.beams or 1
        self.steps: list[Step] = []

    def run(self) -> None:
        """From the prompt's pass to the answer."""
        trace, most = self.recorder.trace, self.spec.max_tokens
        totals = self._record_totals(self.recorder.under("generate.1.beam.1"), self.first)
        beams = [Beam(self.recorder, self.scenario.target or self.scenario.sequence, self.first, totals)]
        while beams:
            alive = self._keep(beams)
            number = len(self.steps) + 1
            trace.progress = f"generated token {number:,} of at most {most:,}"
            beams = [self._go_on(number, beams, alive, row) for row in range(alive.shape[0])] if alive else []
        trace.progress = ""
        record_answer(self.recorder, self.steps)

    def _keep(self, beams: list[Beam]) -> Value | None:
        """Records what is kept of a pass; the table of the beams of the next one, None where the search is over."""
        number = len(self.steps) + 1
        here = self.recorder.under(f"generate.{number}")
        before = self.steps[-1] if self.steps else None
        totals = [beam.totals for beam in beams]
        penalty = self._record_penalty(here, number)
        penalty.chosen_by = before.alive if before is not None else None
        candidates = record_candidates(here, totals, self.first.settings["ids"], 2 * self.width)
        if candidates is None and (before is None or before.finished is None):
            raise no_next_token(totals[0], self.recorder, self.scenario)
        if candidates is None:
            return None
        ends, is_last = self._ends(candidates), number == self.spec.max_tokens
        ended = [row for row in range(min(len(ends), self.width)) if ends[row] or is_last]
        tables = (candidates, penalty, *([before.finished] if before and before.finished else []))
        finished = record_finished(here, number, tables, ended, self.width)
        going = [row for row, is_end in enumerate(ends) if not is_end and not is_last][: self.width]
        alive = here.record(ALIVE, select_rows, (candidates,), {"indices": tuple(going)}) if going else None
        self._note(candidates, finished, alive)
        predictions = tuple(beam.prediction for beam in beams)
        self.steps.append(Step(predictions, candidates, finished, alive))
        return None if alive is None or self._is_over(alive, penalty, finished) else alive

    def _record_totals(self, recorder: Recorder, prediction: Value, alive: Value | None = None, row: int = 0) -> Value:
        """What each next word makes of the total of a hypothesis, 1×v; an error where one of them is no number.

        recorder: of its pass; alive: the table whose row it is, None before the first word
        """
        logarithms = recorder.record(LOG_PROBABILITIES, log_of_last_row, (prediction.inputs[0],))
        so_far = (alive,) if alive is not None else ()
        totals = recorder.record(TOTALS, add_total, (logarithms, *so_far), {"row": row})
        if np.isnan(totals.array).any():
            raise no_next_token(totals, self.recorder, self.scenario)
        return totals

    def _record_penalty(self, recorder: Recorder, length: int) -> Value:
        """What the total of a hypothesis of so many tokens is divided by, 1×1."""
        said = self.spec.length_penalty
        penalty, alpha = (power_penalty, said.power) if isinstance(said, LengthPenalty) else (gnmt_penalty, said)
        return recorder.record(LENGTH_PENALTY, penalty, (), {"length": length, "alpha": alpha})

    def _ends(self, candidates: Value) -> list[bool]:
        """Which candidates are the end token."""
        names, end = self.first.names or {}, self.spec.end_token
        return [end is not None and names.get(int(token)) == end for token in candidates.array[:, 1]]

    def _note(self, candidates: Value, finished: Value | None, alive: Value | None) -> None:
        """Which words they hold, and that other ones would decide other steps."""
        for table in (candidates, finished, alive):
            if table is not None:
                table.names, table.chosen_by = self.first.names, candidates if table is not candidates else None
        for table in (candidates, finished):
            if table is not None:
                ids = ((row, column) for row in range(table.shape[0]) for column in table.kind.ids)
                self.recorder.trace.decisive += [(table, row, column) for row, column in ids]

    def _is_over(self, alive: Value, penalty: Value, finished: Value | None) -> bool:
        """Whether as many have finished as are kept, and no beam is better than the last of them as it is now."""
        if finished is None or finished.shape[0] < self.width:
            return False
        is_over = not alive.array[0, TOTAL] / penalty.array[0, 0] > finished.array[-1, SCORE]
        candidates, row = alive.inputs[0], alive.settings["indices"][0]
        alive.stop = Stop(row * candidates.shape[1] + TOTAL, penalty, finished, is_over)
        return is_over

    def _go_on(self, number: int, beams: list[Beam], alive: Value, row: int) -> Beam:
        """The pass of a hypothesis that goes on: a row of the table of beams."""
        parent, token = map(int, alive.array[row, :TOTAL])
        came_from = beams[parent - 1]
        sequence = append_word(came_from.sequence, (self.first.names or {})[token])
        prefix = f"generate.{number}.beam.{row + 1}."
        recorder = self.recorder.for_pass(Pass(prefix, came_from.recorder.one_pass.prefix, chosen_by=alive))
        prediction = self.model.run(recorder, sequence)
        assert prediction is not None
        return Beam(recorder, sequence, prediction, self._record_totals(recorder, prediction, alive, row))


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


def record_answer(recorder: Recorder, steps: Sequence[Step]) -> None:
    """The tokens of the best hypothesis with their probabilities, l×2, and the tree of what was kept."""
    finished, row = steps[-1].finished, 0
    assert finished is not None
    last = int(finished.array[0, 0])
    tables: list[Value] = []
    words: list[tuple[int, int, int]] = []
    for number, step in reversed([*enumerate(steps[:last], 1)]):
        kept = finished if number == last else step.alive
        assert kept is not None
        column = kept.word_column
        beam, token = map(int, kept.array[row, column - 1 : column + 1])
        prediction = step.predictions[beam - 1]
        place = list(prediction.settings["ids"]).index(token)
        tables, words, row = [kept, prediction.inputs[0], *tables], [(row, column, place), *words], beam - 1
    rows, columns, places = zip(*words, strict=True)
    settings = {"rows": rows, "tokens": columns, "places": places}
    labels = ("token", "probability")
    generated = recorder.record(ANSWER, words_of_hypothesis, tuple(tables), settings, columns=labels)
    generated.names, generated.chosen_by = steps[0].predictions[0].names, steps[-1].alive or finished
    generated.tree = tuple(_branches(steps, 1, 1))


def _branches(steps: Sequence[Step], number: int, beam: int) -> Iterator[Branch]:
    """The candidates of a beam that were kept, those that a pass has finished or that went on from it."""
    if number > len(steps):
        return
    step, last = steps[number - 1], steps[-1].finished
    going = step.alive.settings["indices"] if step.alive is not None else ()
    for row, (own, token, _) in enumerate(step.candidates.array.tolist()):
        label = [number, own, token]
        score = _find(step.finished, label)
        if own == beam and (score is not None or row in going):
            children = _branches(steps, number + 1, going.index(row) + 1) if row in going else ()
            is_chosen = score is not None and last is not None and last.array[0, :-1].tolist() == label
            yield Branch(step.candidates, row, score, is_chosen, tuple(children))


def _find(finished: Value | None, label: list[float]) -> tuple[Value, int] | None:
    """The table and row of a hypothesis that a pass has finished, if it was kept."""
    rows = finished.array[:, :-1].tolist() if finished is not None else []
    return (finished, rows.index(label)) if finished is not None and label in rows else None
