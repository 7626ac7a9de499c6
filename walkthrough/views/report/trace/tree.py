"""The tree of all that was kept on the way to what was chosen."""

from __future__ import annotations

from collections.abc import Sequence

from walkthrough.explaining.shown import Shown, decimals_of
from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Branch, Value
from walkthrough.views.report.blocks import Tree
from walkthrough.views.text.cells import cell_text


def tree_of(trace: Trace, value: Value, decimals: int | None) -> Tree:
    """The tree of a value that has one; `decimals` as in `Options`."""
    words = catalogue(trace.language)

    def number(table: Value, row: int, column: int) -> str:
        return cell_text(table, Shown(table, decimals_of(table, trace, decimals)), row, column, words)

    def line(branch: Branch) -> str:
        table, row = branch.table, branch.row
        said = [number(table, row, table.word_column), number(table, row, table.word_column + 1)]
        if branch.score is not None:
            scores, place = branch.score
            said += ["=", number(scores, place, scores.word_column + 1)]
        return " ".join([*said, *(["←"] if branch.is_chosen else [])])

    def trees(branches: Sequence[Branch]) -> tuple[Tree, ...]:
        return tuple(Tree(line(branch), trees(branch.children)) for branch in branches)

    return Tree(words("hypotheses"), trees(value.tree))
