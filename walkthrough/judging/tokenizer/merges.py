"""The verdict on printed merges: each has to be one of the most frequent pairs after those printed before it.

Which of several it is, programs decide differently: no rule for ties is wrong. A printed merge is carried on as it is.
What repeats a choice that is printed too, and wrong there, is not wrong again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from walkthrough.judging.judge import Verdict
from walkthrough.judging.prints import BoundPrint, PrintedCell
from walkthrough.records import Record
from walkthrough.scenario.byte_pairs import BytePairs, Pair, WordCounts, join
from walkthrough.text import escape_label, pluralize

_MOST_NAMED = 5
_LEFT, _RIGHT, _COUNT = range(3)


class Found(Record):
    """A cell, the verdict on it, and what would have been right where it is wrong."""

    cell: PrintedCell
    verdict: Verdict
    likely: str = ""


def judge_merges(
    tokenizer: BytePairs, one: BoundPrint, choices: Sequence[str | None], verdicts: Mapping[PrintedCell, Verdict]
) -> Iterator[Found]:
    """The verdicts on a printed table of merges that were learned from a text.

    choices:  of each merge, the symbol printed as its choice, where that is not right
    verdicts: on the counts, from the numbers printed before them
    """
    assert tokenizer.text is not None
    rows: dict[int, dict[int, PrintedCell]] = {}
    for cell in one.cells:
        rows.setdefault(cell.row, {})[cell.column] = cell
    text, is_behind = tokenizer.text, False
    for row, (learned, choice) in enumerate(zip(tokenizer.learned, choices, strict=True)):
        judged = _Row(rows.get(row, {}), choice, verdicts, text, learned.pair, learned.count, is_behind)
        yield from judged.verdicts()
        is_behind = is_behind or judged.is_rare
        text = text.merge(judged.pair)


class _Row:
    """One printed merge, some of its cells perhaps not printed.

    choice:    the symbol printed as its choice, where that is not right
    told:      the verdicts on counts, from the numbers printed before them
    text:      the words after the merges before it
    pair:      what is merged: as it is printed; where it is not, what fits
    is_rare:   whether another pair is more frequent
    is_behind: whether a merge before it was not of the most frequent
    whole:     the pair and the count of the whole training
    """

    def __init__(
        self,
        cells: Mapping[int, PrintedCell],
        choice: str | None,
        told: Mapping[PrintedCell, Verdict],
        text: WordCounts,
        pair: Pair,
        count: int,
        is_behind: bool,
    ) -> None:
        self.cells = cells
        self.choice = choice
        self.told = told
        self.is_behind = is_behind
        self.whole = pair, count
        self.counts = text.count_pairs()
        self.largest = max(self.counts.values(), default=0)
        self.best = [one for one, times in self.counts.items() if times == self.largest]
        printed = [cells[side].text if side in cells else None for side in (_LEFT, _RIGHT)]
        fitting = [one for one in self.best if all(text in (None, own) for text, own in zip(printed, one, strict=True))]
        left, right = printed
        self.is_rare = not fitting
        if fitting:
            self.pair = pair if pair in fitting else fitting[0]
        else:
            self.pair = (left, right) if left is not None and right is not None else pair

    def verdicts(self) -> Iterator[Found]:
        """On each printed cell."""
        for side in (_LEFT, _RIGHT):
            if side in self.cells:
                yield self._judge_symbol(self.cells[side], side)
        if _COUNT in self.cells:
            yield self._judge_count(self.cells[_COUNT])

    def _judge_symbol(self, cell: PrintedCell, side: int) -> Found:
        """Both symbols share the verdict of the pair."""
        pair, _ = self.whole
        if self.is_rare and self.choice == join(self.pair):
            return Found(cell, Verdict(pair[side], "inherited", True))
        if self.is_rare:
            right = pair if pair in self.best or not self.best else self.best[0]
            return Found(cell, Verdict(right[side], "wrong", True), self._most_frequent())
        is_inherited = self.is_behind and self.pair != pair
        return Found(cell, Verdict((pair if is_inherited else self.pair)[side], _word(is_inherited), True))

    def _judge_count(self, cell: PrintedCell) -> Found:
        times, (_, whole) = self.counts.get(self.pair, 0), self.whole
        assert not isinstance(cell.printed, str)
        if cell.printed.value != times and self.told[cell].word == "inherited":
            return Found(cell, self.told[cell])
        if cell.printed.value != times:
            own = "" if self.pair in self.best else f" {_named(self.pair)} stands there {pluralize(times, 'time')}."
            return Found(cell, Verdict(float(times), "wrong", True), self._most_frequent() + own)
        is_inherited = (self.is_behind or self.is_rare) and times != whole
        return Found(cell, Verdict(float(whole if is_inherited else times), _word(is_inherited), True))

    def _most_frequent(self) -> str:
        """The pairs that could have been merged, and their count."""
        if not self.best:
            return "No pair is left after the merges printed before it."
        named = ", ".join(map(_named, self.best[:_MOST_NAMED])) + (", …" if len(self.best) > _MOST_NAMED else "")
        pairs = "pair is" if len(self.best) == 1 else "pairs are"
        times = pluralize(self.largest, "time") + (" each" if len(self.best) > 1 else "")
        return f"After the merges printed before it, the most frequent {pairs} {named}: {times}."


def judge_words(one: BoundPrint) -> Iterator[Found]:
    """The verdicts on printed tokens, or on merges that were given: they are what they are."""
    for cell in one.cells:
        number = float(one.value.array[cell.row, cell.column])
        names, is_known = one.value.names or {}, number == number
        if not isinstance(cell.printed, str):
            yield Found(cell, Verdict(number, "unjudged", True))
            continue
        right = names[int(number)] if is_known else "?"
        yield Found(cell, Verdict(right, "exact" if cell.printed == right else "wrong", True))


def _word(is_inherited: bool) -> str:
    return "inherited" if is_inherited else "exact"


def _named(pair: Pair) -> str:
    return escape_label(" ".join(pair))
