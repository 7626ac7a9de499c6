"""The verdict on a printed table of merges: another pair that was as frequent is right."""

from __future__ import annotations

from collections.abc import Iterator

from walkthrough.judging.judge import Judgement
from walkthrough.judging.prints import BoundPrint, PrintedCell
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.verdict import Verdict
from walkthrough.scenario.byte_pairs import BytePairs, Pair

_COUNT = 2


def judge_merges(
    tokenizer: BytePairs, one: BoundPrint, points: Recalculation
) -> Iterator[tuple[PrintedCell, Judgement]]:
    """The verdicts on merges learned from a text: ours, or a most frequent pair after those printed before.

    points: what follows from the numbers printed before
    """
    assert tokenizer.text is not None
    rows: dict[int, list[PrintedCell]] = {}
    for cell in one.cells:
        rows.setdefault(cell.row, []).append(cell)
    text, is_right = tokenizer.text, True
    for row, learned in enumerate(tokenizer.learned):
        cells, counts = rows.get(row, []), text.count_pairs()
        likeliest = [pair for pair, count in counts.items() if count == max(counts.values())]
        pair = next((one for one in (learned.pair, *likeliest) if _fits(cells, one)), learned.pair)
        is_ours = pair == learned.pair and not is_right  # what follows from a wrong pair is inherited
        count = learned.count if is_ours else counts.get(pair, learned.count)
        for cell in cells:
            wanted = float(count) if cell.column == _COUNT else pair[cell.column]
            printed = cell.printed if isinstance(cell.printed, str) else cell.printed.value
            follows = cell.column == _COUNT and printed == points.compute(one.value)[row, _COUNT]
            otherwise = Verdict.FOLLOWS if follows else Verdict.WRONG
            yield cell, Judgement(wanted, Verdict.EXACT if printed == wanted else otherwise, True)
        is_right = is_right and _fits(cells, pair)
        text = text.merge(_carried_on(cells, pair))


def _carried_on(cells: list[PrintedCell], pair: Pair) -> Pair:
    """The pair as it is printed, as far as it is."""
    printed = {cell.column: cell.text for cell in cells}
    return printed.get(0, pair[0]), printed.get(1, pair[1])


def _fits(cells: list[PrintedCell], pair: Pair) -> bool:
    """Whether it is the pair that is printed, as far as it is."""
    return all(cell.text == pair[cell.column] for cell in cells if cell.column != _COUNT)


def judge_words(one: BoundPrint) -> Iterator[tuple[PrintedCell, Judgement]]:
    """The verdicts on printed tokens, or on merges that were given: they are what they are."""
    names = one.value.names or {}
    for cell in one.cells:
        number = float(one.value.array[cell.row, cell.column])
        if not isinstance(cell.printed, str):
            yield cell, Judgement(number, Verdict.UNJUDGED, True)
            continue
        right = names[int(number)] if number == number else "?"
        yield cell, Judgement(right, Verdict.EXACT if cell.printed == right else Verdict.WRONG, True)
