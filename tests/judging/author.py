"""An honest author: works a model out in Decimal, step by step along the trace's graph, and rounds as people do.

The arithmetic of every operation is written anew here, from the formulas; nothing is taken from the package but which
step follows which.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from functools import cache, lru_cache
from typing import Any

from tests.judging.few_bits import RULES as IN_FEW_BITS
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

Number = Decimal | None
"""None: no number, as after a division by zero."""
Rows = list[list[Number]]
NEVER = Decimal("-Infinity")
"""A hidden score."""
ZERO, ONE = Decimal(0), Decimal(1)

_CONTEXT = Context(prec=30)
PI = Decimal("3.14159265358979323846264338327950288419716939937510")

COPYING = (
    *("append_rows", "concatenate", "select_rows", "last_rows", "mask", "keep_visible", "relu", "relu_gradient"),
    *("prediction", "take_columns", "negative", "table_of", "largest_size", "choose_largest", "keep_chosen"),
    *("choose_pair", "keep_counts", "merge_table", "rank_pairs", "merge_symbols"),
    *("relative_buckets", "take_buckets"),
)
"""Nobody rounds where he only copies."""


def rounded(number: Number, decimals: int) -> Number:
    """Half away from zero."""
    if number is None or not number.is_finite():
        return number
    return number.quantize(ONE.scaleb(-decimals), ROUND_HALF_UP, Context(prec=400))


def worked_out(
    trace: Trace,
    rounds: Callable[[Value], int | None],
    changed: Callable[[Value, Rows], None] = lambda value, rows: None,
) -> dict[Value, Rows]:
    """Every number of the trace's steps as the author has it.

    rounds:  to how many decimals he rounds a step before he goes on, or None
    changed: may spoil the numbers of a step before he goes on with them
    """
    known: dict[Value, Rows] = {}
    with localcontext(_CONTEXT):
        for value in trace:
            if value.operation is None:
                known[value] = given(value)
                continue
            rows = [[*row] for row in computed(value, [known[one] for one in value.inputs])]  # a copy may be spoiled
            decimals = rounds(value)
            if decimals is not None:
                rows = [[rounded(number, decimals) for number in row] for row in rows]
            changed(value, rows)
            known[value] = rows
    return known


def given(value: Value) -> Rows:
    """Given numbers as written."""
    return [[Decimal(repr(number)) for number in row] for row in value.array.tolist()]


def written(number: float) -> Decimal:
    """A setting, as written."""
    return Decimal(repr(number))


def computed(value: Value, inputs: Sequence[Rows]) -> Rows:
    """The numbers of one step from those of its inputs."""
    assert value.operation is not None
    return OPERATIONS[value.operation.name](*inputs, **value.settings)


def add(*numbers: Number) -> Number:
    result = ZERO
    for number in numbers:
        if number is None:
            return None
        result += number
    return result


def times(left: Number, right: Number) -> Number:
    return None if left is None or right is None else left * right


def over(left: Number, right: Number) -> Number:
    return None if left is None or right is None or right == 0 else left / right


def minus(left: Number, right: Number) -> Number:
    return None if left is None or right is None else left - right


def root(number: Number) -> Number:
    return None if number is None or number < 0 else number.sqrt()


def power_of_e(number: Number) -> Number:
    return None if number is None or number > 700 else number.exp()


def dot(left: Sequence[Number], right: Sequence[Number]) -> Number:
    result = ZERO
    for one, other in zip(left, right, strict=True):
        if one is None or other is None:
            return None
        result += one * other
    return result


def turned(rows: Rows) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]


def each(function: Callable[..., Number], *matrices: Rows) -> Rows:
    """Number by number."""
    return [[function(*cells) for cells in zip(*rows, strict=True)] for rows in zip(*matrices, strict=True)]


def by_row(function: Callable[[Number, Number], Number]) -> Callable[[Rows, Rows], Rows]:
    """Each row with the one number that belongs to it."""
    return lambda x, y: [[function(cell, own[0]) for cell in row] for row, own in zip(x, y, strict=True)]


def product(left: Rows, right: Rows) -> Rows:
    columns = turned(right)
    return [[dot(row, column) for column in columns] for row in left]


def product_transposed(left: Rows, right: Rows) -> Rows:
    return [[dot(row, other) for other in right] for row in left]


def with_bias(rows: Rows, bias: Sequence[Rows]) -> Rows:
    return [[add(cell, one) for cell, one in zip(row, bias[0][0], strict=True)] for row in rows] if bias else rows


def largest(row: Sequence[Number]) -> Number:
    known = [cell for cell in row if cell is not None]
    return max(known) if len(known) == len(row) else None


def shifted(rows: Rows) -> Rows:
    return [[minus(cell, largest(row)) for cell in row] for row in rows]


def mean(row: Sequence[Number]) -> Number:
    return over(add(*row), Decimal(len(row)))


def variance(rows: Rows, sample: bool) -> Rows:
    count = Decimal(len(rows[0]) - (1 if sample else 0))
    return [[over(add(*(times(cell, cell) for cell in row)), count)] for row in rows]


def deviation(rows: Rows, epsilon: float, on_std: bool) -> Rows:
    more = written(epsilon)
    if on_std:
        return each(lambda cell: add(root(cell), more), rows)
    return each(lambda cell: root(add(cell, more)), rows)


def gains(rows: Rows, *given: Rows, parts: str, plus_one: bool = False) -> Rows:
    assert not plus_one
    names = parts.split()
    gamma = given[names.index("gamma")][0] if "gamma" in names else [ONE] * len(rows[0])
    beta = given[names.index("beta")][0] if "beta" in names else [ZERO] * len(rows[0])
    return [[add(times(cell, g), b) for cell, g, b in zip(row, gamma, beta, strict=True)] for row in rows]


def relu(cell: Number) -> Number:
    return None if cell is None else max(cell, ZERO)


@lru_cache(maxsize=200_000)
def error_function(x: Decimal) -> Decimal:
    """By its power series; far out it is ±1."""
    if abs(x) > 6:
        return ONE.copy_sign(x)
    with localcontext(Context(prec=60)):
        term = total = x
        n = 0
        while abs(term) > Decimal("1e-40"):
            n += 1
            term = term * -x * x / n
            total += term / (2 * n + 1)
        return 2 * total / PI.sqrt()


def gelu(cell: Number) -> Number:
    return None if cell is None else cell * (1 + error_function(cell / Decimal(2).sqrt())) / 2


def logistic(cell: Number) -> Number:
    return None if cell is None else 1 / (1 + (-cell).exp())


@cache
def sine(x: Decimal) -> Decimal:
    """By its power series, of the angle within one turn."""
    with localcontext(Context(prec=60)):
        x = x % (2 * PI)
        term = total = x
        n = 1
        while abs(term) > Decimal("1e-40"):
            term = -term * x * x / ((n + 1) * (n + 2))
            n += 2
            total += term
        return +total


def cosine(x: Decimal) -> Decimal:
    return sine(x + PI / 2)


def frequency(column: int, width: int, base: float, layout: str) -> Decimal:
    """What the position is divided by."""
    exponent = Decimal(column - column % 2) / Decimal(width)
    if layout != "interleaved":
        half = width // 2
        exponent = (
            Decimal(2 * (column % half)) / Decimal(width)
            if layout == "halves"
            else Decimal(column % half) / Decimal(max(half - 1, 1))
        )
    return written(base) ** exponent


def positions(*, positions: Sequence[int], width: int, base: float, layout: str, angle: str, offset: int = 0) -> Rows:
    turn = PI / 180 if angle == "degrees" else ONE

    def cell(position: int, column: int) -> Decimal:
        if layout != "interleaved" and column >= 2 * (width // 2):
            return ZERO
        is_sine = column % 2 == 0 if layout == "interleaved" else column < width // 2
        return (sine if is_sine else cosine)(position * turn / frequency(column, width, base, layout))

    return [[cell(position + offset, column) for column in range(width)] for position in positions]


def rotation(*, offset: int, width: int, base: float, layout: str, angle: str) -> Rows:
    """Interleaved pairs: (cos, sin; −sin, cos) of the offset's angle."""
    assert layout == "interleaved"
    assert width % 2 == 0
    rows: Rows = [[ZERO] * width for _ in range(width)]
    turn = PI / 180 if angle == "degrees" else ONE
    for column in range(0, width, 2):
        of = offset * turn / frequency(column, width, base, layout)
        rows[column][column] = rows[column + 1][column + 1] = cosine(of)
        rows[column][column + 1], rows[column + 1][column] = sine(of), -sine(of)
    return rows


def prediction(rows: Rows, ids: Sequence[int]) -> Rows:
    found: Rows = []
    for row in rows:
        best = largest(row)
        found.append([None, None] if best is None else [Decimal(ids[row.index(best)]), best])
    return found


def losses(rows: Rows, targets: Sequence[int | None]) -> Rows:
    def loss(cell: Number) -> Number:
        return None if cell is None or cell <= 0 else -cell.ln()

    return [[None if place is None else loss(row[place])] for row, place in zip(rows, targets, strict=True)]


def loss_gradient(rows: Rows, targets: Sequence[int | None], count: int) -> Rows:
    def cell(number: Number, place: int | None, column: int) -> Number:
        return ZERO if place is None else over(minus(number, ONE if column == place else ZERO), Decimal(count))

    return [
        [cell(number, place, column) for column, number in enumerate(row)]
        for row, place in zip(rows, targets, strict=True)
    ]


def softmax_gradient(weights: Rows, gradient: Rows) -> Rows:
    return [
        [times(w, minus(g, dot(row, back))) for w, g in zip(row, back, strict=True)]
        for row, back in zip(weights, gradient, strict=True)
    ]


def norm_gradient(gradient: Rows, centered: Rows, variances: Rows, stds: Rows, sample: bool, on_std: bool) -> Rows:
    rows: Rows = []
    for back, line, (spread,), (std,) in zip(gradient, centered, variances, stds, strict=True):
        count = Decimal(len(line) - (1 if sample else 0))
        cube = times(times(std, std), root(spread) if on_std else std)
        pull = over(dot(back, line), times(count, cube))
        rows.append([minus(over(minus(g, mean(back)), std), times(c, pull)) for g, c in zip(back, line, strict=True)])
    return rows


def added_to_rows(rows: Rows, indices: Sequence[int], count: int) -> Rows:
    return [
        [add(*(rows[at][column] for at, place in enumerate(indices) if place == row)) for column in range(len(rows[0]))]
        for row in range(count)
    ]


def masked(rows: Rows, mask: Rows, value: float) -> Rows:
    hidden = written(value)

    def cell(score: Number, shown: Number) -> Number:
        return score if shown else NEVER if hidden == NEVER else add(score, hidden)

    return each(cell, rows, mask)


def mean_at(*matrices: Rows, targets: Sequence[Sequence[int | None]]) -> Rows:
    """Of several sentences the mean over all their tokens at once."""
    pairs = [pair for rows, places in zip(matrices, targets, strict=True) for pair in zip(rows, places, strict=True)]
    return [[mean([row[place] for row, place in pairs if place is not None])]]


def largest_of(*matrices: Rows) -> Rows:
    cells = [cell for rows in matrices for row in rows for cell in row]
    return [[None if None in cells else max(abs(cell) for cell in cells if cell is not None)]]


def in_rows(*numbers: Rows, width: int) -> Rows:
    flat = [number[0][0] for number in numbers]
    return [flat[at : at + width] for at in range(0, len(flat), width)]


def rotary(*, positions: Sequence[int], width: int, base: float, divisor: float, llama3: object) -> Rows:
    """The angles that pairs of features are turned by."""
    assert llama3 is None
    speeds = [written(base) ** (Decimal(-2 * at) / width) for at in range(width // 2)]
    return [[Decimal(at) / written(divisor) * speed for speed in speeds] for at in positions]


def turned_by(rows: Rows, angles: Rows, *, layout: str, back: bool) -> Rows:
    """Each pair of features turned; a feature without a partner stays."""
    result = [list(row) for row in rows]
    count = len(angles[0])
    for row, old, angle in zip(result, rows, angles, strict=True):
        for at in range(count):
            one, two = (at, at + count) if layout == "halves" else (2 * at, 2 * at + 1)
            turn = angle[at]
            if two >= len(old) or turn is None:
                continue
            along, across = cosine(turn), sine(turn) * (-1 if back else 1)
            row[one] = minus(times(old[one], along), times(old[two], across))
            row[two] = add(times(old[two], along), times(old[one], across))
    return result


def leaning(x: Rows, *, slope: float, rows: Sequence[int], columns: Sequence[int]) -> Rows:
    """Scores minus the slope for each position between."""
    lean = written(slope)
    return [
        [minus(cell, lean * abs(i - j)) for j, cell in zip(columns, row, strict=True)]
        for i, row in zip(rows, x, strict=True)
    ]


def row_sums(rows: Rows, *sink: Rows) -> Rows:
    """With a sink, its power is one more of each row."""
    more = sink[0] if sink else [[ZERO]] * len(rows)
    return [[add(*row, *own)] for row, own in zip(rows, more, strict=True)]


def capped(rows: Rows, *, cap: float) -> Rows:
    """c·tanh(x/c), by tanh y = 1 − 2/(e^(2y) + 1)."""
    most = written(cap)
    return each(lambda cell: None if cell is None else most * (1 - 2 / ((2 * cell / most).exp() + 1)), rows)


def chosen(rows: Rows, *, count: int) -> Rows:
    """1 for the largest of each row; of equal ones the first."""
    result: Rows = []
    for row in rows:
        known = [cell for cell in row if cell is not None]
        order = sorted(range(len(known)), key=lambda at: (-known[at], at))[:count]
        result.append([(ONE if at in order else ZERO) if len(known) == len(row) else None for at in range(len(row))])
    return result


def mixed(weights: Rows, *outputs: Rows) -> Rows:
    """Each output by its column of the weights; one without a column is added as it is."""
    shares = [[*row, *[ONE] * (len(outputs) - len(row))] for row in weights]
    return [
        [add(*(times(share, cell) for share, cell in zip(own, cells, strict=False))) for cells in turned(list(rows))]
        for own, rows in zip(shares, zip(*outputs, strict=True), strict=True)
    ]


def highest_so_far(scores: Rows, *before: Rows, block: tuple[int, int]) -> Rows:
    earlier = before[0] if before else [[None]] * len(scores)
    return [
        [max(cell for cell in (*row[slice(*block)], *own) if cell is not None)]
        for row, own in zip(scores, earlier, strict=True)
    ]


def powers_of_block(scores: Rows, highest: Rows, *, block: tuple[int, int]) -> Rows:
    return [
        [power_of_e(minus(cell, own[0])) for cell in row[slice(*block)]]
        for row, own in zip(scores, highest, strict=True)
    ]


def sums_so_far(powers: Rows, *before: Rows) -> Rows:
    kept = each(times, *before) if before else [[ZERO]] * len(powers)
    return [[add(*row, *own)] for row, own in zip(powers, kept, strict=True)]


def values_so_far(powers: Rows, values: Rows, *before: Rows, block: tuple[int, int]) -> Rows:
    added = product(powers, values[slice(*block)])
    return each(add, by_row(times)(*before), added) if before else added


@cache
def bucket(offset: int, most: int, max_distance: int, bidirectional: bool) -> int:
    """By logarithms, as T5's paper has it; where one comes out whole, its last digits must not fall below."""
    count = most // 2 if bidirectional else most
    exact = count // 2
    start, distance = (count * (offset > 0), abs(offset)) if bidirectional else (0, max(-offset, 0))
    if distance < exact:
        return start + distance
    with localcontext(Context(prec=60)):
        far = (Decimal(distance) / exact).ln() / (Decimal(max_distance) / exact).ln()
        return start + min(exact + int(far * (count - exact) + Decimal("1e-40")), count - 1)


def buckets_of(buckets: tuple[int, int, bool], rows: Sequence[int], columns: Sequence[int]) -> list[list[int]]:
    return [[bucket(key - query, *buckets) for key in columns] for query in rows]


def taken_parts(*x: Rows, taken: Sequence[tuple[int, int, int, int]], width: int, out_in: bool) -> Rows:
    """A row each: as it is, in columns of its own, or times its part of a matrix."""
    rows: Rows = []
    for at, row, weight, start in taken:
        own = x[at][row]
        if weight < 0:
            rows.append([ZERO] * start + list(own) + [ZERO] * (width - start - len(own)))
        else:
            matrix = turned(x[weight]) if out_in else x[weight]
            rows += product([own], matrix[start : start + len(own)])
    return rows


def pushed_logits(x: Rows, w: Rows, *more: Rows, adds: Sequence[str], out_in: bool) -> Rows:
    assert out_in
    rows = product_transposed(x, w)
    for name, one in zip(adds, more, strict=True):
        rows += product_transposed(one, w) if name == "beta" else one
    return [*rows, [add(*column) for column in turned(rows)]]


def scaled_parts(x: Rows, deviation: Rows, *gamma: Rows, row: int, plus_one: bool) -> Rows:
    by = deviation[row][0]
    factors = [add(one, ONE if plus_one else ZERO) for one in gamma[0][0]] if gamma else [ONE] * len(x[0])
    return [[times(over(cell, by), factor) for cell, factor in zip(line, factors, strict=True)] for line in x]


def pairs_counted(counts: Rows, places: Sequence[Sequence[tuple[int, int]]]) -> Rows:
    return [[add(*(times(counts[row][0], Decimal(often)) for row, often in of_pair))] for of_pair in places]


def first_largest(numbers: Sequence[Number], ids: Sequence[float]) -> tuple[Number, Number]:
    best = largest(numbers)
    return (None, None) if best is None else (Decimal(repr(ids[list(numbers).index(best)])), best)


def chosen_pair(numbers: Rows, ids: Sequence[float], order: Sequence[int], lowest: bool) -> Rows:
    if not lowest:
        return [list(first_largest([numbers[at][0] for at in order], [ids[at] for at in order]))]
    token, rank = first_largest([minus(ZERO, numbers[at][0]) for at in order], [ids[at] for at in order])
    return [[token, minus(ZERO, rank)]]


def merge_rows(*choices: Rows, left: Sequence[float], right: Sequence[float]) -> Rows:
    return [[Decimal(one), Decimal(other), rows[0][1]] for one, other, rows in zip(left, right, choices, strict=True)]


def ranked_by(symbols: Rows, merges: Rows, ranks: Sequence[int | None], rows: Sequence[int | None]) -> Rows:
    found: Rows = []
    for row in rows:
        pair = [] if row is None else [symbols[row][1], symbols[row + 1][1]]
        places = [at for at, merge in enumerate(merges, 1) if merge[:2] == pair]
        found.append([Decimal(places[0]) if places else None])
    return found


def merged_in(symbols: Rows, choice: Rows, starts: Sequence[int], merged: Sequence[int]) -> Rows:
    return [[symbols[start][0], choice[0][0] if at in merged else symbols[start][1]] for at, start in enumerate(starts)]


def natural_logarithm(cell: Number) -> Number:
    return None if cell is None or cell < 0 else NEVER if cell == 0 else cell.ln()


def totals(own: Rows, *alive: Rows, row: int) -> Rows:
    so_far = alive[0][row][2] if alive else ZERO
    return each(lambda cell: add(so_far, cell), own)


def gnmt_penalty(*, length: int, alpha: float) -> Rows:
    return [[(Decimal(5 + length) / 6) ** written(alpha)]]


def ranked(rows: Rows, taken: Sequence[int]) -> Rows:
    """The largest by the last column, then the largest of what the search has left; of equal ones the first."""
    result: Rows = []
    for count in range(len(taken) + 1):
        left = [row for at, row in enumerate(rows) if at not in taken[:count]]
        best = largest([row[-1] for row in left])
        result.append([None] * len(rows[0]) if best is None else next(row for row in left if row[-1] == best))
    return result


def candidates(*totals: Rows, ids: Sequence[int], taken: Sequence[int]) -> Rows:
    """Beam, token and total."""
    order = sorted(range(len(ids)), key=ids.__getitem__)
    places = [(beam, at) for beam in range(len(totals)) for at in order]
    rows: Rows = [[Decimal(beam + 1), Decimal(ids[at]), totals[beam][0][at]] for beam, at in places]
    return ranked(rows, [places.index(divmod(place, len(ids))) for place in taken])


def finished(found: Rows, penalty: Rows, *before: Rows, ended: Sequence[int], taken: Sequence[int], **now: Any) -> Rows:
    """Pass, beam, token and score: of those that had ended and those that end now."""
    old = [row for rows in before for row in rows]
    labels = list(zip(now["passes"], now["beams"], now["ids"], strict=True))[len(old) :]
    scores = [over(found[row][2], penalty[0][0]) for row in ended]
    new: Rows = [[*map(Decimal, label), score] for label, score in zip(labels, scores, strict=False)]
    return ranked([*old, *new], taken)


def words_found(*tables: Rows, rows: Sequence[int], tokens: Sequence[int], places: Sequence[int]) -> Rows:
    pairs = zip(tables[::2], tables[1::2], rows, tokens, places, strict=True)
    return [[kept[row][token], shares[-1][place]] for kept, shares, row, token, place in pairs]


def rms_norm_gradient(gradient: Rows, x: Rows, roots: Rows) -> Rows:
    """g/r − x·(g·x)/(d·r³), of each row."""
    rows: Rows = []
    for back, line, (by,) in zip(gradient, x, roots, strict=True):
        pull = over(dot(back, line), times(Decimal(len(line)), times(by, times(by, by))))
        rows.append([minus(over(g, by), times(cell, pull)) for g, cell in zip(back, line, strict=True)])
    return rows


def smoothed_targets(*, targets: Sequence[int | None], words: int, smoothing: float) -> Rows:
    share = written(smoothing) / words
    return [
        [None if place is None else share + (1 - written(smoothing) if at == place else 0) for at in range(words)]
        for place in targets
    ]


def smoothed_losses(shares: Rows, wanted: Rows, *, targets: Sequence[int | None]) -> Rows:
    return [
        [None if place is None else minus(ZERO, dot(own, [natural_logarithm(cell) if cell else None for cell in row]))]
        for row, own, place in zip(shares, wanted, targets, strict=True)
    ]


def smoothed_start(shares: Rows, wanted: Rows, *, targets: Sequence[int | None], count: int) -> Rows:
    return [
        [ZERO if place is None else over(minus(*pair), Decimal(count)) for pair in zip(row, own, strict=True)]
        for row, own, place in zip(shares, wanted, targets, strict=True)
    ]


def warmup_rate(*, rate: float, step: int, steps: int, d_model: int) -> Rows:
    """Vaswani et al. 2017, eq. 3."""
    least = min(1 / Decimal(step).sqrt(), Decimal(step) / (Decimal(steps) * Decimal(steps).sqrt()))
    return [[written(rate) / Decimal(d_model).sqrt() * least]]


def linear_rate(*, rate: float, step: int, warmup: int, total: int) -> Rows:
    begun = Decimal(step - 1)
    share = begun / warmup if begun < warmup else (total - begun) / max(1, total - warmup)
    return [[written(rate) * share]]


def cosine_rate(*, rate: float, step: int, warmup: int, total: int, minimum: float) -> Rows:
    begun = Decimal(step - 1)
    if begun < warmup:
        return [[written(rate) * begun / warmup]]
    wave = (1 + cosine(PI * (begun - warmup) / max(1, total - warmup))) / 2
    return [[written(rate) * (written(minimum) + (1 - written(minimum)) * wave)]]


def clip_factor(norm: Rows, *, clip: float) -> Rows:
    length = add(norm[0][0], written(1e-6))
    return [[None if length is None else ONE if length <= written(clip) else written(clip) / length]]


def running_mean(new: Rows, *before: Rows, beta: float) -> Rows:
    """A share of what is new; before the first there is nothing."""
    share = written(beta)
    mine = each(lambda cell: times(1 - share, cell), new)
    return each(lambda old, one: add(times(share, old), one), before[0], mine) if before else mine


def squared(rows: Rows) -> Rows:
    return each(lambda cell: times(cell, cell), rows)


def adam_direction(first: Rows, second: Rows, *, epsilon: float) -> Rows:
    return each(lambda m, v: over(m, add(root(v), written(epsilon))), first, second)


OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "take_parts": taken_parts,
    "scale_parts": scaled_parts,
    "logits_of_parts": pushed_logits,
    "linear": lambda x, w, *b: with_bias(product(x, w), b),
    "linear_out_in": lambda x, w, *b: with_bias(product_transposed(x, w), b),
    "matrix_product": product,
    "product_transposed": product_transposed,
    "transposed_product": lambda a, b: product(turned(a), b),
    "add": lambda *x: each(add, *x),
    "subtract": lambda x, y: each(minus, x, y),
    "concatenate": lambda *x: [[cell for row in rows for cell in row] for rows in zip(*x, strict=True)],
    "select_rows": lambda table, indices: [list(table[place]) for place in indices],
    "append_rows": lambda *x: [row for rows in x for row in rows],
    "last_rows": lambda *x: [list(rows[-1]) for rows in x],
    "mask": masked,
    "subtract_row_maximum": shifted,
    "exp": lambda x: each(power_of_e, x),
    "row_sum": row_sums,
    "divide_rows": by_row(over),
    "row_mean": lambda x: [[mean(row)] for row in x],
    "subtract_rows": by_row(minus),
    "mean_square": variance,
    "root_of_mean_square": deviation,
    "scale_and_shift": gains,
    "relu": lambda x: each(relu, x),
    "gelu": lambda x: each(gelu, x),
    "sigmoid": lambda x: each(logistic, x),
    "softplus": lambda x: each(lambda cell: None if cell is None else (1 + cell.exp()).ln(), x),
    "silu": lambda x: each(lambda cell: times(cell, logistic(cell)), x),
    "prediction": prediction,
    "scale_by_root": lambda x, root_of, name: each(lambda cell: times(cell, root(written(root_of))), x),
    "divide_by_root": lambda x, root_of, name: each(lambda cell: over(cell, root(written(root_of))), x),
    "divide_by": lambda x, divisor: each(lambda cell: over(cell, written(divisor)), x),
    "sinusoidal_positions": positions,
    "position_rotation": rotation,
    "cross_entropy": lambda x, *smoothed, **to: (smoothed_losses if smoothed else losses)(x, *smoothed, **to),
    "sum_of_kept": lambda x, kept: [[add(*(x[row][0] for row in kept))]],
    "cross_entropy_gradient": lambda x, *wanted, **to: (smoothed_start if wanted else loss_gradient)(x, *wanted, **to),
    "column_sum": lambda x: [[add(*column) for column in turned(x)]],
    "take_columns": lambda x, start, stop: [row[start:stop] for row in x],
    **IN_FEW_BITS,
    "negative": lambda x: each(lambda cell: minus(ZERO, cell), x),
    "add_to_rows": added_to_rows,
    "keep_visible": lambda x, mask: each(lambda cell, shown: cell if shown else ZERO, x, mask),
    "softmax_gradient": softmax_gradient,
    "norm_gradient": norm_gradient,
    "relu_gradient": lambda x, g: each(lambda cell, back: None if cell is None else back if cell > 0 else ZERO, x, g),
    "gradient_step": lambda old, g, *scheduled, rate=0.0: each(
        lambda one, back: minus(one, times(scheduled[0][0][0] if scheduled else written(rate), back)), old, g
    ),
    "log_of_last_row": lambda x: [[natural_logarithm(cell) for cell in x[-1]]],
    "add_total": totals,
    "gnmt_penalty": gnmt_penalty,
    "largest_totals": candidates,
    "best_scores": finished,
    "words_of_hypothesis": words_found,
    "rms_norm_gradient": rms_norm_gradient,
    "smooth_targets": smoothed_targets,
    "warmup_rate": warmup_rate,
    "cosine_rate": cosine_rate,
    "linear_rate": linear_rate,
    "sums_of_squares": lambda *all_of: [[add(*(cell for row in squared(one) for cell in row))] for one in all_of],
    "global_norm": lambda squares: [[root(add(*(cell for (cell,) in squares)))]],
    "clip_factor": clip_factor,
    "scale_by_number": lambda x, number: each(lambda cell: times(number[0][0], cell), x),
    "velocity": lambda before, g, momentum: each(lambda old, one: add(times(written(momentum), old), one), before, g),
    "decay": lambda old, *scheduled, decay, rate=0.0: each(
        lambda cell: times(1 - (scheduled[0][0][0] if scheduled else written(rate)) * written(decay), cell), old
    ),
    "moment": lambda g, *before, beta, power: running_mean(squared(g) if power == 2 else g, *before, beta=beta),
    "correct_moment": lambda x, beta, step: each(lambda cell: over(cell, 1 - written(beta) ** step), x),
    "direction": adam_direction,
    "mean_at_targets": mean_at,
    "largest_size": largest_of,
    "table_of": in_rows,
    "root_of_squares": lambda x, epsilon: [[root(add(dot(row, row), written(epsilon)))] for row in x],
    "multiply": lambda a, b: each(times, a, b),
    "rotary_angles": rotary,
    "rotate": turned_by,
    "distance_bias": leaning,
    "relative_buckets": lambda **places: [[Decimal(one) for one in row] for row in buckets_of(**places)],
    "take_buckets": lambda x, column, **places: [[x[one][column] for one in row] for row in buckets_of(**places)],
    "exp_of_sink": lambda sink, count: [[power_of_e(sink[0][0])] for _ in range(count)],
    "soft_cap": capped,
    "choose_largest": chosen,
    "keep_chosen": lambda x, kept: each(times, x, kept),
    "share_of_sum": lambda x, sums, factor: by_row(over)(each(lambda cell: times(cell, written(factor)), x), sums),
    "mix": mixed,
    "count_pairs": pairs_counted,
    "choose_pair": chosen_pair,
    "keep_counts": lambda counts, choice: counts,
    "merge_table": merge_rows,
    "rank_pairs": ranked_by,
    "merge_symbols": merged_in,
    "block_maximum": highest_so_far,
    "block_factor": lambda before, highest: each(lambda one, other: power_of_e(minus(one, other)), before, highest),
    "block_exp": powers_of_block,
    "block_sum": sums_so_far,
    "block_output": values_so_far,
}
"""The arithmetic of each operation, on rows of Decimals."""
