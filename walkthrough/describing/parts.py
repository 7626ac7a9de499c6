"""Attentions and feed-forward networks: candidates of their keys, made of linear modules, and judged one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle, permutations, product
from typing import Any

import numpy as np

from walkthrough.comparing.matching.tensors import precision_of
from walkthrough.comparing.thresholds import ROUNDINGS
from walkthrough.describing.judge import FLOAT32, Judge, Keys, best, is_alike, leading_rows, off
from walkthrough.describing.modules import Known, Questions, keys_of, names_of, part_of
from walkthrough.describing.state import State
from walkthrough.mistakes.operations.positions import BASES
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.scenario.schema.feed_forward import ACTIVATIONS

_BASES = tuple(map(int, BASES))
"""Of rotary positions, beside what the module says; others are solved for."""
_QUESTIONS = {
    "num_heads": "How many heads there are between {of} cannot be told from this run; {heads} is a guess.",
    "mask": "Whether each token sees only those before it between {of} cannot be told from this run; try more tokens.",
    "rotary": "Whether there are rotary positions or ALiBi between {of} cannot be told from this run; try more tokens.",
    "scale": "What the scores are divided by between {of} cannot be told from this run; try more tokens.",
    "base": "How queries and keys are rotated between {of} cannot be told from this run; {rotary} is a guess.",
}
_OPEN = ("num_heads", "mask", "rotary", "scale")


class Way(Record, eq=False):
    """Queries, keys and values of all heads; of heads that are modules those of the first, of the second, …"""

    pieces: tuple[Known, ...]

    def numbers(self, at: int) -> Any:
        """The queries (0), keys (1) or values (2) of all heads side by side."""
        return np.concatenate([one.array for one in self.pieces[at::3]], axis=1)

    @property
    def sources(self) -> tuple[Known, ...]:
        """What the queries are made of; and the keys, where that is something else."""
        return tuple(dict.fromkeys(one.reads for one in self.pieces[:2]))

    def is_possible(self, count: int) -> bool:
        """Whether there are queries for so many tokens, and keys and values are made of the same."""
        rows = [{len(one.array) for one in self.pieces[at::3]} for at in range(3)]
        return rows[0] == {count} and rows[1] == rows[2] and self.pieces[1].reads is self.pieces[2].reads

    def fits(self, keys: Keys, width: int) -> bool:
        """Whether so many heads find what is so wide."""
        q, k, v = (self.numbers(at).shape[1] for at in range(3))
        heads = keys["num_heads"]
        shared = keys.get("num_kv_heads") or heads
        is_list = len(self.pieces) > 3 and (heads, shared) != (len(self.pieces) // 3,) * 2
        is_even = q % heads == 0 and heads % shared == 0
        return is_even and k * heads == q * shared and v * heads == width * shared and not is_list

    def section(self, keys: Keys) -> Keys:
        """The keys of the attention, with the weights of these."""
        each = [keys_of(letter, one) for letter, one in zip(cycle("qkv"), self.pieces, strict=False)]
        heads = [each[at] | each[at + 1] | each[at + 2] for at in range(0, len(each), 3)]
        if len(heads) == 1:
            return keys | heads[0]
        return {name: one for name, one in keys.items() if name != "num_heads"} | {"heads": heads}


class Attentions:
    """Finds what an attention does; what was found before is tried first, and what was not is not sought again.

    biases: relative positions that have been looked up so far, and what is asked about them
    """

    def __init__(self, judge: Judge, state: State) -> None:
        self._judge = judge
        self._counts, self._rotated = state.stated(r"head|^n?_?h$"), state.stated("rot")
        self._bases = tuple(int(one) if one == int(one) else one for one in state.stated("theta|base") if one > 1)
        windows, caps = state.stated("window|block|local"), state.stated("cap(?!acity)")
        self._limits = [
            ({"window": int(window)} if window else {}) | ({"score_cap": cap} if cap else {})
            for window, cap in product((0, *windows), (0, *caps))
        ]
        self.biases: list[tuple[Keys, Questions]] = []
        self._likely: list[Keys] = []
        self._hopeless: set[Any] = set()
        self._undecided: dict[str, list[str]] = {}

    def find(self, ways: Iterable[Way], found: Any, out: Keys, names: str, is_new: bool = False) -> Known | None:
        """The attention that gives the numbers in one of several ways, without its last matrix; None where none does.

        found: what its heads found, side by side; with the keys of the last matrix, `out`, what that made of it
        names: of the modules between which it is
        is_new: it is sought even if one of this shape was not found before
        """
        ways, seen = [way for way in ways if way.is_possible(len(found))], _Seen(found, out)
        role = (found.shape, *(piece.array.shape for way in ways for piece in way.pieces))
        made = self._first(((way, keys) for way in ways for keys in self._again(way, seen)), seen)
        if made is None and (is_new or role not in self._hopeless):
            made = self._first(((way, keys) for way in ways for keys in self._candidates(way, seen)), seen)
            made = made or self._first(self._solved(ways, seen), seen)
            self._hopeless |= set() if made else {role}
        if made is None:
            return None
        way, keys = made
        self._likely = [keys, *(one for one in self._likely if one != keys)]
        questions = tuple(_question(keys, name, names) for name in self._open(way, keys, seen))
        questions += tuple(one for bias, said in self.biases if bias is keys.get("relative_bias") for one in said)
        return Known("attention", found, "", way.section(keys), way.sources, questions)

    def _again(self, way: Way, seen: _Seen) -> Iterator[Keys]:
        """What another attention was found to do."""
        fitting = (keys for keys in self._likely if way.fits(keys, seen.width))
        return (keys for keys in fitting if keys["mask"] in seen.masks(way, keys))

    def _first(self, tried: Iterable[tuple[Way, Keys]], seen: _Seen) -> tuple[Way, Keys] | None:
        """The first that gives the numbers; of a causal one whose first rows alone are right, with a window."""
        for way, keys in tried:
            value = self._value(way, keys, seen)
            rows = 0 if value is None else leading_rows(value.array, seen.found)
            windowed = keys | {"window": rows}
            if rows == len(seen.found):
                return way, keys
            if rows > 1 and keys["mask"] == "causal" and self._off(way, windowed, seen) < np.inf:
                return way, windowed
        return None

    def _value(self, way: Way, keys: Keys, seen: _Seen) -> Value | None:
        """What comes out of a candidate."""
        name = "cross_attention" if len(way.sources) > 1 else "self_attention"
        return self._judge.part(name, way.section(keys) | seen.out, *(one.array for one in way.sources))

    def _off(self, way: Way, keys: Keys, seen: _Seen) -> float:
        value = self._value(way, keys, seen)
        return np.inf if value is None else off(value.array, seen.found)

    def _heads(self, way: Way, seen: _Seen) -> Iterator[Keys]:
        """How many heads there may be, and of keys and values; numbers that the module says first."""
        q, k = (way.numbers(at).shape[1] for at in range(2))
        for heads in sorted(range(1, q + 1), key=lambda one: one not in self._counts):
            shared = max(1, k * heads // q)
            keys = {"num_heads": heads} | ({"num_kv_heads": shared} if shared != heads else {})
            if way.fits(keys, seen.width):
                yield keys

    def _candidates(self, way: Way, seen: _Seen) -> Iterator[Keys]:
        """All that is tried, the likeliest first."""
        for heads in self._heads(way, seen):
            width = way.numbers(0).shape[1] // heads["num_heads"]
            places: list[Keys] = [
                {},
                {"scale": "none"},
                {"alibi": True},
                *({"relative_bias": bias} | scale for bias, _ in self.biases for scale in ({"scale": "none"}, {})),
                *self._rotaries(width, (*self._bases, *_BASES)),
            ]
            for mask, limits, place in product(seen.masks(way, heads), self._limits, places):
                yield heads | {"mask": mask} | place | limits

    def _rotaries(self, width: int, bases: Iterable[float]) -> Iterator[Keys]:
        """Rotary positions of all features of a head, a half or a quarter, or as many as the module says."""
        rotated = [*(width // share for share in (1, 2, 4)), *(int(one) for one in self._rotated if one < width)]
        for count in dict.fromkeys(one for one in rotated if one > 0 and one % 2 == 0):
            # of one pair neither the base nor the layout says anything
            ways = product(("halves", "interleaved"), dict.fromkeys(bases)) if count > 2 else [("halves", _BASES[0])]
            for layout, base in ways:
                yield {"rotary": {"base": base, "layout": layout} | ({"dimensions": count} if count != width else {})}

    def _solved(self, ways: Sequence[Way], seen: _Seen) -> Iterator[tuple[Way, Keys]]:
        """With a base of rotary positions, a scale or a cap that no list has: the numbers are solved for them."""
        for way in ways:
            likely = [one for one in self._heads(way, seen) if seen.masks(way, one)]
            stated = [one for one in likely if one["num_heads"] in self._counts]
            for heads in stated or likely[:1]:
                width = way.numbers(0).shape[1] // heads["num_heads"]
                places: list[Keys] = [{}, *self._rotaries(width, _BASES[:1])]
                for mask, limits, place in product(seen.masks(way, heads), self._limits, places):
                    keys = heads | {"mask": mask} | place | limits
                    for one in self._constants(way, keys, seen):
                        yield way, keys | one

    def _constants(self, way: Way, keys: Keys, seen: _Seen) -> Iterator[Keys]:
        """Keys with other constants that give all rows, or the first three: these a window has no say in."""
        rows = np.arange(len(seen.found))[:, None]
        for count in (len(rows), 3) if keys["mask"] == "causal" and len(rows) > 3 else (len(rows),):
            found = np.where(rows < count, seen.found, np.nan)
            for one in self._judge.constants(self._value(way, keys, seen), found):
                number = float(f"{one.found:.6g}")
                solved: Any = int(number) if number.is_integer() else number
                if one.name == "rotary.base":
                    yield {"rotary": keys["rotary"] | {"base": solved}}
                elif one.name in ("scale", "score_cap"):
                    yield {one.name: _scale(number) if one.name == "scale" else solved}

    def _open(self, way: Way, keys: Keys, seen: _Seen) -> list[str]:
        """The keys of which another choice gives these numbers as well, as far as no other part has decided them."""
        names = self._undecided.setdefault(repr(keys), list(_OPEN))
        least = self._off(way, keys, seen) if names else 0.0
        others = ((name, (self._off(way, one, seen) for one in self._others(name, way, keys, seen))) for name in names)
        names[:] = [name for name, far in others if any(is_alike(one, least) for one in far)]
        return names

    def _others(self, name: str, way: Way, keys: Keys, seen: _Seen) -> Iterator[Keys]:
        """Other choices of one of the keys that may be open."""
        bare = {at: one for at, one in keys.items() if at not in ("rotary", "alibi", "relative_bias")}
        if name == "mask":
            yield keys | {"mask": "none" if keys["mask"] == "causal" else "causal"}
        elif name == "scale":
            rest = {at: one for at, one in keys.items() if at != "scale"}
            yield from (one for one in (rest, rest | {"scale": "none"}) if one != keys)
        elif name == "num_heads":
            same = {at: one for at, one in bare.items() if at != "num_kv_heads"}
            yield from (same | one for one in self._heads(way, seen) if one["num_heads"] != keys["num_heads"])
        else:
            is_stated = "rotary" in keys and keys["rotary"]["base"] in self._bases
            width = way.numbers(0).shape[1] // keys["num_heads"]
            rotaries = self._rotaries(width, self._bases if is_stated else _BASES)
            yield from (bare | one for one in ({}, {"alibi": True}, *rotaries) if bare | one != keys)


class _Seen(Record, eq=False):
    """What heads found, n×(heads·d); or what the last matrix made of it, and the keys of that."""

    found: Any
    out: Keys

    @property
    def width(self) -> int:
        """How wide it is."""
        return int(self.found.shape[1])

    def masks(self, way: Way, keys: Keys) -> list[str]:
        """Masks that may be: what a head finds lies between the least and the largest of the values that it sees.

        Of a causal one the second row lies on the line between the first two values, in all features of a head alike.
        """
        v, heads = np.asarray(way.numbers(2), np.float64), keys["num_heads"]
        if self.out:
            return ["causal", "none"] if len(v) == len(self.found) else ["none"]
        shared = keys.get("num_kv_heads") or heads
        values = v.reshape(len(v), shared, -1).repeat(heads // shared, axis=1)
        found = np.asarray(self.found, np.float64).reshape(len(self.found), heads, -1)
        slack = ROUNDINGS * max(precision_of(self.found.dtype)[0], FLOAT32) * np.abs(v).max(initial=0.0)
        low, high = np.minimum.accumulate(values), np.maximum.accumulate(values)
        if len(v) == len(found) and _is_between(low - slack, found, high + slack):
            line, move = values[:2][-1] - values[0], found[:2][-1] - values[0]
            share = (move * line).sum(axis=1, keepdims=True) / np.maximum(
                (line * line).sum(axis=1, keepdims=True), 1e-300
            )
            return ["causal"] if _is_between(-slack, move - share * line, slack) else []
        return ["none"] if _is_between(low[-1] - slack, found, high[-1] + slack) else []


def _is_between(low: Any, numbers: Any, high: Any) -> bool:
    return bool(((low <= numbers) & (numbers <= high)).all())


def _question(keys: Keys, name: str, names: str) -> tuple[tuple[str, ...], str]:
    """The line that is asked about, and the sentence."""
    is_base = name == "rotary" and "rotary" in keys
    rotary = ", ".join(f"{key} {one}" for key, one in keys.get("rotary", {}).items())
    said = _QUESTIONS["base" if is_base else name].format(of=names, heads=keys["num_heads"], rotary=rotary)
    return ("num_heads" if name == "rotary" and not is_base else name,), said


def _scale(divisor: float) -> Any:
    """What scores are divided by, as it is written: the root of a whole number where it is one."""
    square = divisor * divisor
    return {"sqrt": round(square)} if abs(square - round(square)) <= ROUNDINGS * FLOAT32 * square else divisor


def ways_of(linears: Sequence[Known], width: int) -> Iterator[Way]:
    """The ways to find queries, keys and values in what linear modules return, the likeliest first.

    width: of what the heads find, which is that of the queries too
    """
    first, last = linears[0], linears[-1]
    rest = first.array.shape[1] - width
    if len(linears) % 3 == 0:
        for order in permutations(range(3)):
            yield Way(tuple(linears[at + one] for at in range(0, len(linears), 3) for one in order))
    elif len(linears) == 2:
        for q, other in ((first, last), (last, first)):
            for pair in (*permutations(_shares(other, [other.array.shape[1] // 2] * 2)), *_by_head(other, 2)):
                yield Way((q, *pair))
    elif len(linears) == 1 and rest > 0 and rest % 2 == 0:
        for order in permutations(range(3)):
            found = _shares(first, [rest // 2 if at else width for at in order])
            yield Way(tuple(found[order.index(at)] for at in range(3)))
            if order == (0, 1, 2) and rest == 2 * width:
                yield from (Way(tuple(pieces)) for pieces in _by_head(first, 3))


def _shares(known: Known, widths: Sequence[int]) -> list[Known]:
    """Parts of these widths side by side."""
    starts = [sum(widths[:number]) for number in range(len(widths))]
    return [part_of(known, range(start, start + one)) for start, one in zip(starts, widths, strict=True)]


def _by_head(known: Known, count: int) -> Iterator[list[Known]]:
    """So many parts of each head, head after head, for each number of heads; one head is side by side."""
    whole = known.array.shape[1]
    for heads in (one for one in range(2, whole // count + 1) if whole % (one * count) == 0):
        width = whole // (heads * count)
        parts = [range(at, at + width) for at in range(0, whole, width)]
        yield [part_of(known, *parts[part::count]) for part in range(count)]


def find_feed_forward(judge: Judge, linears: Sequence[Known], found: Any, out: Known) -> Known | None:
    """The network that gives what its last matrix reads, `found`; None where none does."""
    source, last, tried = linears[0].reads, keys_of("2", out), []
    for keys, name in product(opened(linears, found.shape[1]), ACTIVATIONS):
        section = {"activation": name} | keys | last
        value = judge.part("feed_forward", section, source.array)
        tried.append((section, np.inf if value is None else off(value.inputs[0].array, found)))
    fitting = best(tried)
    if not fitting:
        return None
    name, names = fitting[0]["activation"], names_of([*linears, out])
    sentence = f"Which activation is between {names} cannot be told from this run; {name} is a guess."
    questions = ((("activation",), sentence),) if any(one["activation"] != name for one in fitting) else ()
    return Known("feed_forward", out.array, out.name, fitting[0], (source,), questions)


def opened(linears: Sequence[Known], width: int) -> Iterator[Keys]:
    """The keys of hidden layer and gate: of one module, two, or one that returns both, side by side or in turns."""
    first, widths = linears[0], [one.array.shape[1] for one in linears]
    pairs: list[Sequence[Known]] = [linears] if widths == [width, width] else []
    if widths == [2 * width]:
        pairs = [_shares(first, [width, width]), [part_of(first, range(at, 2 * width, 2)) for at in range(2)]]
    if widths == [width]:
        yield keys_of("1", first)
    for one, two in pairs:
        yield keys_of("gate", one) | keys_of("1", two)
        yield keys_of("gate", two) | keys_of("1", one)


def guess(linears: Sequence[Known], found: Any, out: Known, ways: Iterable[Way]) -> Known | None:
    """What is likely of modules between which no candidate gives the numbers, where their sizes allow it."""
    names, width = names_of([*linears, out]), found.shape[1]
    possible = (way for way in ways if way.is_possible(len(found)) and way.fits({"num_heads": 1}, width))
    for way in possible:
        sentence = (
            f"What is between {names} was not found: no heads, mask, scale or rotary positions give these numbers."
        )
        keys = way.section({"num_heads": 1}) | keys_of("o", out)
        return Known("attention", out.array, out.name, keys, way.sources, ((("num_heads",), sentence),))
    for keys in opened(linears[-2:], width) if len(found) == len(linears[-1].array) else ():
        sentence = f"What is between {names} is no activation or gate that is known here; relu is a guess."
        section = {"activation": "relu"} | keys | keys_of("2", out)
        questions = ((("activation",), sentence),)
        return Known("feed_forward", out.array, out.name, section, (linears[-1].reads,), questions)
    return None
