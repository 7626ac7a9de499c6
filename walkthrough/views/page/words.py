"""The words that a page can exchange for others of the vocabulary: where they are looked up, what they label."""

from __future__ import annotations

from collections.abc import Sequence

from walkthrough.recording.labels import Labels, is_label_of
from walkthrough.recording.parts import is_backwards
from walkthrough.recording.selectors import is_aside
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.views.selection import Selection


class Words(Record, eq=False):
    """The given words of a text, all looked up in one table.

    count:   how many are given; a generation goes on behind them
    table:   the matrix with a row for each word; barred: words that decide what is masked, as padding does
    lookups: the steps that take its rows, one a pass; ids: those that hold the words' ids
    texts:   of all labels that begin with them, or are one of them: the words, and which is the first that is there
    """

    count: int
    table: Value
    barred: frozenset[str]
    lookups: tuple[Value, ...]
    ids: tuple[Value, ...]
    texts: dict[Labels, tuple[tuple[str, ...], int]]

    def are_words(self, value: Value, vocabulary: frozenset[Value]) -> tuple[bool, bool]:
        """Whether rows and columns of a step are labelled by these words; vocabulary: steps with a column a word."""
        is_of_vocabulary = value is self.table or (
            value.operation is None and not value.kind.fixed and value in vocabulary
        )
        rows, columns = value.rows in self.texts, value.columns in self.texts
        return rows and not is_of_vocabulary, columns and value not in vocabulary


def words_of(trace: Trace, selection: Selection) -> Words | None:
    """The words, or nothing where other words would be more than other rows: a training, a text that is split."""
    values = selection.values
    if not trace.tokens or any(is_backwards(value.path) or value.kind.outcome == "loss" for value in values):
        return None
    if any(value.path.startswith("tokenizer.") for value in trace if is_aside(value.path)):
        return None
    given = trace.tokens[0]
    found = [value for value in values if not selection.is_given(value) and _is_lookup(value, given)]
    lookups = tuple(value for value in found if value.inputs[0] is found[0].inputs[0])
    if not lookups:
        return None
    table = lookups[0].inputs[0]
    texts = {value.rows: tuple(table.rows[at] for at in value.settings["indices"]) for value in lookups}
    ids = [value for value in values if value.operation is None and value.holds_ids and value.rows in texts]
    barred = {
        word
        for value in values
        if value.operation is None and value.kind.fixed and value.columns in texts
        for word, column in zip(texts[value.columns], value.array.T, strict=True)
        if not column.any()
    }
    alone = {(label,): (words, at) for labels, words in texts.items() for at, label in enumerate(labels)}
    whole = {labels: (words, 0) for labels, words in texts.items()}
    return Words(len(given), table, frozenset(barred), lookups, tuple(ids), alone | whole)


def vocabulary_steps(values: Sequence[Value]) -> frozenset[Value]:
    """The steps with a column for each word that is predicted, and the matrices that they are made with."""
    waiting = [given for value in values if value.names is not None for given in value.inputs]
    found: set[Value] = set()
    while waiting:
        value = waiting.pop()
        if value not in found:
            found.add(value)
            waiting += [given for given in value.inputs if given.columns == value.columns or given.operation is None]
    return frozenset(found)


def _is_lookup(value: Value, given: Labels) -> bool:
    """Whether its rows are those of a table of words, the given ones first."""
    indices = value.settings.get("indices") if value.operation is not None else None
    if indices is None or len(value.rows) < len(given):
        return False
    words = [value.inputs[0].rows[at] for at in indices]
    named = zip((*given, *value.rows), (*words[: len(given)], *words), strict=True)
    return all(is_label_of(label, word) for label, word in named)
