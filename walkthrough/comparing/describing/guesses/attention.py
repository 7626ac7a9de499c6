"""What an attention computes, given its queries, keys and values: heads, mask, rotary positions and scale are tried."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, product

import numpy as np

from walkthrough.comparing.describing.guesses.closeness import Target, is_alike
from walkthrough.comparing.describing.guesses.stated import NOTHING, Stated
from walkthrough.operations.definition import Array
from walkthrough.operations.positions.distance import slopes_of
from walkthrough.operations.positions.rotation import rotary_angles, rotate
from walkthrough.records import Record

_BASES = (10_000.0, 500_000.0, 1_000_000.0)
"""Of rotary positions, beside what the module says."""
_SHARES = (1, 2, 4)
"""All features of a head turn, or a half or a quarter of them."""
_LAYOUTS = ("halves", "interleaved")


class Rotary(Record):
    """Rotary positions of the first features of each head."""

    base: float
    layout: str
    width: int


class Attending(Record):
    """How heads attend.

    divisor: of the scores; 0: the root of a head's width
    window:  how many tokens each sees at most in each direction, itself included; 0: all
    cap:     the scaled scores are kept between −cap and cap; 0: they are not
    alibi:   far keys count less, by the slopes of ALiBi's paper
    """

    heads: int
    kv_heads: int
    is_causal: bool
    rotary: Rotary | None = None
    divisor: float = 0.0
    window: int = 0
    cap: float = 0.0
    alibi: bool = False


class Widths(Record):
    """How wide queries, keys, values and what is found are, all heads side by side."""

    q: int
    k: int
    v: int
    found: int

    def fit(self, heads: int, kv_heads: int) -> bool:
        """Whether so many heads, and so many of keys and values, are of these widths."""
        if not heads or not kv_heads or heads % kv_heads or self.q % heads or self.k % kv_heads or self.v % kv_heads:
            return False
        return self.q // heads == self.k // kv_heads and self.found == self.v // kv_heads * heads


class Found(Record):
    """What fits, and those of its parts that these numbers do not tell."""

    what: Attending
    open: tuple[str, ...]


def find_attention(
    q: Array,
    k: Array,
    v: Array,
    target: Target,
    likely: Sequence[Attending] = (),
    stated: Stated = NOTHING,
    only_likely: bool = False,
) -> Found | None:
    """The attention over these queries, keys and values, n×(heads·d), that gives the numbers; None where none does.

    likely: what is tried first, and alone if that is asked for
    stated: what the module says
    """
    widths = Widths(q.shape[1], k.shape[1], v.shape[1], target.array.shape[1])
    size = np.abs(v).max(initial=0.0)

    def off(what: Attending) -> float:
        return target.off(attend(q, k, v, what), size)

    tried = (one for one in likely if widths.fit(one.heads, one.kv_heads))
    for what in chain(tried, () if only_likely else _every(widths, stated, len(q))):
        if off(what) < np.inf:
            return Found(what, tuple(_open(what, off, widths, stated)))
    return None


def attend(q: Array, k: Array, v: Array, what: Attending) -> Array:
    """softmax(q·kᵀ/divisor)·v of each head, side by side, n×(heads·d_v)."""
    queries, keys, values = _cut(q, what.heads), _cut(k, what.kv_heads), _cut(v, what.kv_heads)
    if what.rotary is not None:
        queries, keys = _rotated(queries, what.rotary), _rotated(keys, what.rotary)
    shared = what.heads // what.kv_heads
    keys, values = np.repeat(keys, shared, axis=0), np.repeat(values, shared, axis=0)
    scores = queries @ keys.transpose(0, 2, 1) / (what.divisor or math.sqrt(queries.shape[2]))
    scores = what.cap * np.tanh(scores / what.cap) if what.cap else scores
    far = np.arange(len(q))[:, None] - np.arange(len(k))
    if what.alibi:
        scores = scores - np.array(slopes_of(what.heads))[:, None, None] * np.abs(far)
    if what.is_causal:
        scores = np.where(far >= 0, scores, -np.inf)
    if what.window:
        scores = np.where(np.abs(far) < what.window, scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=2, keepdims=True))
    found: Array = powers / powers.sum(axis=2, keepdims=True) @ values
    return found.transpose(1, 0, 2).reshape(len(q), -1)


def _cut(x: Array, heads: int) -> Array:
    """n×(heads·d) → heads×n×d."""
    return x.reshape(len(x), heads, -1).transpose(1, 0, 2)


def _rotated(x: Array, rotary: Rotary) -> Array:
    settings = {"width": rotary.width, "base": rotary.base, "divisor": 1.0, "llama3": None}
    angles = rotary_angles.forward(positions=range(x.shape[1]), **settings)
    return np.array([rotate.forward(head, angles, layout=rotary.layout, back=False) for head in x])


def _every(widths: Widths, stated: Stated, count: int) -> Iterator[Attending]:
    """All that is tried over so many tokens, the likeliest first."""
    windows = [0, *(one for one in stated.windows if one < count)]
    for (heads, kv_heads), window, cap in product(_heads(widths, stated), windows, (0.0, *stated.caps)):
        for is_causal in (True, False):
            what = Attending(heads, kv_heads, is_causal, window=window, cap=cap)
            yield from _rescaled(what, widths, stated)
            yield what.replace(alibi=True)
            for rotary in _rotaries(widths.q // heads, stated, (*stated.bases, *_BASES)):
                yield from _rescaled(what.replace(rotary=rotary), widths, stated)


def _heads(widths: Widths, stated: Stated) -> Iterator[tuple[int, int]]:
    """How many heads there may be, and how many of keys and values; numbers that the module says first."""
    counts = [one for one in range(1, widths.q + 1) if widths.q % one == 0]
    for heads in sorted(counts, key=lambda one: one not in stated.heads):
        kv_heads = widths.k * heads // widths.q
        if widths.fit(heads, kv_heads):
            yield heads, kv_heads


def _rotaries(width: int, stated: Stated, bases: Iterable[float]) -> Iterator[Rotary]:
    """Rotary positions of a head; of one pair neither the base nor the layout says anything."""
    turned = [*(width // share for share in _SHARES), *(one for one in stated.turned if one < width)]
    for count in dict.fromkeys(one for one in turned if one > 0 and one % 2 == 0):
        for layout in _LAYOUTS if count > 2 else _LAYOUTS[:1]:
            for base in dict.fromkeys(bases) if count > 2 else _BASES[:1]:
                yield Rotary(base, layout, count)


def _rescaled(what: Attending, widths: Widths, stated: Stated) -> Iterator[Attending]:
    """The same with each scale: the root of a head's width, none, that of all heads, or one that the module says."""
    width = widths.q / what.heads
    yield what
    for divisor in dict.fromkeys([1.0, math.sqrt(widths.q), *stated.divisors]):
        if not math.isclose(divisor, math.sqrt(width), rel_tol=1e-6):
            yield what.replace(divisor=divisor)


def _open(what: Attending, off: Callable[[Attending], float], widths: Widths, stated: Stated) -> Iterator[str]:
    """The parts of which another choice gives these numbers as well."""
    heads = ((heads, kv) for heads, kv in _heads(widths, stated) if heads != what.heads)
    is_stated = what.rotary is not None and what.rotary.base in stated.bases
    bases = stated.bases if is_stated else (*stated.bases, *_BASES)
    rotaries = [None, *_rotaries(widths.q // what.heads, stated, bases)]
    places = [*(what.replace(rotary=one, alibi=False) for one in rotaries), what.replace(rotary=None, alibi=True)]
    others: dict[str, Iterable[Attending]] = {
        "num_heads": (what.replace(heads=heads, kv_heads=kv, rotary=None) for heads, kv in heads),
        "mask": [what.replace(is_causal=not what.is_causal)],
        "rotary": (one for one in places if one != what),
        "scale": (one for one in _rescaled(what.replace(divisor=0.0), widths, stated) if one != what),
    }
    least = off(what)
    for part, choices in others.items():
        if any(is_alike(off(one), least) for one in choices):
            yield part
