"""The answer of a beam search, and the tree of all hypotheses that were kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from walkthrough.operations.generation.beams import words_of_hypothesis
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Branch, Value
from walkthrough.transformer.runs.generation import GENERATED

ANSWER = GENERATED._replace(words="generated.hypothesis")


class Step(NamedTuple):
    """What was kept of one pass.

    predictions: of each beam; candidates, finished, alive: the tables of that name
    """

    predictions: tuple[Value, ...]
    candidates: Value
    finished: Value | None
    alive: Value | None


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
