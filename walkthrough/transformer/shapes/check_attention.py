"""What an attention must fulfil: heads of one kind, weights that heads can share, rows that can attend to something."""

from __future__ import annotations

import math

from walkthrough.scenario.resolved import source_of
from walkthrough.scenario.schema.keys import Attention, Dimensions, Head
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.schema.sections import Section
from walkthrough.scenario.schema.values import Mask
from walkthrough.scenario.yaml.nodes import quoted
from walkthrough.scenario.yaml.problems import Problems, WeightsError
from walkthrough.transformer.calculation import Calculation, Stream
from walkthrough.transformer.shapes.check_modern import check_groups, check_sharing
from walkthrough.transformer.shapes.claims import Claims
from walkthrough.transformer.shapes.shape_calculation import missing

_JOINED = ("num_heads", "num_kv_heads", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v")
_LEFT_OUT = {
    "q": ("w_q", "b_q"),
    "k": ("w_k", "b_k"),
    "v": ("w_v", "b_v"),
    "scores": ("q", "k", "w_q", "w_k", "b_q", "b_k"),
    "weights": ("scores", "q", "k", "w_q", "w_k", "b_q", "b_k", "scale", "d_k"),
}
"""By key that gives numbers: the keys of a head that are not used then."""


def check_structure(attention: Attention, dimensions: Dimensions | None, problems: Problems) -> None:
    """The keys that an attention needs, and those that exclude each other."""
    if attention.has("heads"):
        _check_heads(attention, problems)
    else:
        _check_joined(attention, problems)
    if attention.b_o is not None and not attention.has("w_o"):
        problems.add(attention.b_o, "b_o is given without a w_o", key=attention.b_o.path)
    for head in attention.heads or []:
        _check_scores(attention, head, dimensions, problems)


def _check_heads(attention: Attention, problems: Problems) -> None:
    for name in _JOINED:
        if attention.has(name):
            message = f"both heads and {name} are given"
            help = "keep a list of heads, or joined w_q, w_k, w_v with num_heads"
            problems.add(attention.at(name), message, key=attention.key_of(name), help=help)
    heads = attention.heads or []
    check_sharing(heads, problems)
    sources = [heads[source_of(heads, number) - 1] for number in range(1, len(heads) + 1)]
    with_values = [source.has("v") or source.has("w_v") for source in sources]
    for head, has_values in zip(heads, with_values, strict=True):
        if any(with_values) and not has_values:
            missing(problems, head, "w_v", "other heads have values, and the outputs are concatenated")
        for numbers, unused in _LEFT_OUT.items():
            note_unused(head, [name for name in unused if head.has(numbers)], numbers, problems)


def note_unused(section: Section, names: list[str], instead: str, problems: Problems) -> None:
    """Keys that do nothing, because the numbers under another one are taken."""
    for name in names:
        if name in section.KEYS and section.node.get(name) is not None:
            message = f"{name} has no effect: {instead} already gives the numbers"
            problems.warn(section.at(name), message, key=section.key_of(name), help=f"remove {name}, or {instead}")


def _check_joined(attention: Attention, problems: Problems) -> None:
    absent = [name for name in ("w_q", "w_k", "w_v") if not attention.has(name)]
    if len(absent) == 3 and not attention.has("num_heads"):
        missing(problems, attention, "heads", "a list of heads, or joined w_q, w_k, w_v with num_heads")
        return
    for name in absent:
        missing(problems, attention, name, "joined weights of all heads, or give a list of heads")
    check_groups(attention, problems)


def _check_scores(attention: Attention, head: Head, dimensions: Dimensions | None, problems: Problems) -> None:
    """Given scores need a d_k to be scaled with, and no row may be fully masked."""
    if head.scores is None or head.has("weights"):
        return
    scale = head.scale or attention.scale or "sqrt_d_k"
    if scale == "sqrt_d_k" and not head.has("d_k") and not (dimensions and dimensions.has("d_k")):
        message = "d_k is missing: the given scores are divided by √d_k"
        problems.add(head, message, key=head.key_of("d_k"), help="add d_k: … to the head, or scale: none")
    for number, row in enumerate(head.scores.numbers or [], 1):
        if all(score == -math.inf for score in row):
            message = f"row {number} of scores is fully masked: it has nothing to attend to"
            problems.add(head.scores, message, key=head.scores.path)


def check_mask(
    calculation: Calculation, claims: Claims, attention: Attention, mask: Mask, queries: Stream, keys: Stream
) -> None:
    """A mask of 0 and 1 that leaves every row something to attend to."""
    problems, path = claims.problems, attention.key_of("mask")
    if mask.padding and not keys.sequence.words:
        message = "mask: padding needs tokens, to know which are padding"
        problems.add(attention.at("mask"), message, key=path)
        return
    n, m = queries.n.size, keys.n.size
    if n is None or m is None:
        return
    given = None
    if mask.matrix is not None:
        given = _numbers(mask.matrix, calculation, claims)
        if given is None or (mask.matrix.rows, mask.matrix.columns) != (n, m):
            return
    for row in _hidden_rows(mask, given, n, m, keys):
        words = queries.sequence.words
        token = f" from {quoted(words[row])}" if row < len(words) else ""
        message = f"the mask hides every column{token} (row {row + 1}): it has nothing to attend to"
        problems.add(attention.at("mask"), message, key=path)


def _numbers(matrix: Matrix, calculation: Calculation, claims: Claims) -> list[list[float]] | None:
    """The numbers of a mask, 0 and 1 only; None where they cannot be had."""
    if matrix.numbers is not None:
        return matrix.numbers
    if matrix.rows is None or (matrix.init is None and matrix.tensor is None) or claims.is_exhausted:
        return None
    try:
        numbers: list[list[float]] = calculation.array(matrix).tolist()
    except WeightsError as error:
        claims.problems.add(matrix, str(error), key=matrix.path, help=error.help)
        return None
    if all(number in (0, 1) for row in numbers for number in row):
        return numbers
    message = "expected a mask of 0 (hidden) and 1 (visible), found other numbers"
    claims.problems.add(matrix, message, key=matrix.path)
    return None


def _hidden_rows(mask: Mask, given: list[list[float]] | None, n: int, m: int, keys: Stream) -> list[int]:
    """The rows from which every column is hidden."""
    if given is None and not mask.padding and (mask.window is None or n <= m):
        return []  # a causal mask leaves each row its first column, a window its own
    padding, window = list(keys.padding) if mask.padding else [False] * m, mask.window or max(n, m)
    ends = [min(row + 1 if mask.causal else row + window, m) for row in range(n)]
    return [
        row
        for row, end in enumerate(ends)
        if all(padding[at] or (given is not None and not given[row][at]) for at in range(max(row + 1 - window, 0), end))
    ]
