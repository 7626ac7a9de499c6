"""How parts hang together: which residual each is added to, and where there are norms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from walkthrough.comparing.describing.followed.known import Given, Known, Normed, Product, Sum, product_of
from walkthrough.comparing.describing.followed.parts import Attended, Guessed, Opened
from walkthrough.comparing.describing.followed.sums import Embedded
from walkthrough.comparing.describing.guesses.linears import Lookup
from walkthrough.records import Record


class Part(Record, eq=False):
    """An attention or a feed-forward network: what is inside it, and the matrix that comes out.

    reads:  what its first modules read; keys: what those of keys and values read, where that is something else
    """

    inside: Attended | Opened | Guessed
    output: Known
    reads: Known
    keys: Known | None = None

    @property
    def is_attention(self) -> bool:
        """Whether it is an attention; what was not found is one where it has several modules, or one with all three."""
        if isinstance(self.inside, Guessed):
            products, width = self.inside.products, self.output.made.source.numbers.shape[1]
            return len(products) > 2 or any(one.numbers.shape[1] == 3 * width for one in products)
        return isinstance(self.inside, Attended)


class Placed(Record, eq=False):
    """A part in its place: x → base + branch(part(before(x))), and then the norm after that, where there are such.

    base: what it is added to; None: there is no residual; total: the sum, or the output itself
    """

    part: Part
    base: Known | None
    before: Known | None
    branch: Known | None
    total: Known
    after: Known | None = None


def parts_of(known: Sequence[Known]) -> Iterator[Part]:
    """The parts in the order in which they were calculated; of an attention without a last matrix, what heads found."""
    joined = {id(one.made.source) for one in known if isinstance(one.made, Product)}
    for one in known:
        inside = one.made.source.made if isinstance(one.made, Product) else one.made
        if isinstance(inside, Attended) and (inside is not one.made or id(one) not in joined):
            queries, *others = (product_of(inside.products[piece.at]).made.source for piece in inside.pieces[:3])
            keys = others[0] if others[0] is not queries else None
            yield Part(inside, one, queries, keys)
        elif isinstance(one.made, Product) and isinstance(inside, Opened | Guessed) and inside.products:
            yield Part(inside, one, product_of(inside.products[0]).made.source)


def settle(parts: Sequence[Part]) -> list[Part]:
    """The parts, of which nothing is open that another one with the same choices tells."""
    told: dict[Any, set[str]] = {}
    for part in parts:
        if isinstance(part.inside, Attended):
            found = part.inside.found
            told[found.what] = told.get(found.what, set(found.open)) & set(found.open)
    return [_with_open(part, told) for part in parts]


def _with_open(part: Part, told: Mapping[Any, set[str]]) -> Part:
    if not isinstance(part.inside, Attended):
        return part
    found = part.inside.found
    still = tuple(one for one in found.open if one in told[found.what])
    return part.replace(inside=part.inside.replace(found=found.replace(open=still)))


def place(parts: Sequence[Part], known: Sequence[Known]) -> list[Placed]:
    """Each part with its residual and norms."""
    placed = [_placed(part, known) for part in parts]
    found: list[Placed] = []
    for at, one in enumerate(placed):
        following = placed[at + 1] if at + 1 < len(placed) else None
        found.append(one.replace(after=_norm_after(one, following, found)))
    return found


def stacks(placed: Sequence[Placed]) -> list[list[Placed]]:
    """The parts of each stack: an encoder is over where a part begins with other embeddings."""
    found: list[list[Placed]] = []
    start: Known | None = None
    for one in placed:
        root = one.base or (one.before.made.source if one.before else one.part.reads)
        if not found or (_is_embedded(root) and root is not start):
            start = root
            found.append([])
        found[-1].append(one)
    return found


def _is_embedded(one: Known) -> bool:
    """Whether it is what a stack begins with."""
    if isinstance(one.made, Normed):
        return _is_embedded(one.made.source)
    return isinstance(one.made, Embedded | Lookup | Given)


def _placed(part: Part, known: Sequence[Known]) -> Placed:
    branch = next((one for one in known if _is_norm_of(one, part.output) and _added(one, known)), None)
    total = _added(branch or part.output, known)
    base = None
    if total is not None:
        rest = [one for one in total.made.terms if one is not (branch or part.output)]
        base = min(rest, key=known.index)
    before = part.reads if isinstance(part.reads.made, Normed) and part.reads is not base else None
    return Placed(part, base, before, branch, total or branch or part.output)


def _added(one: Known, known: Sequence[Known]) -> Known | None:
    """The sum that it is a term of."""
    return next((total for total in known if isinstance(total.made, Sum) and one in total.made.terms), None)


def _is_norm_of(one: Known, source: Known) -> bool:
    return isinstance(one.made, Normed) and one.made.source is source


def _norm_after(one: Placed, following: Placed | None, earlier: Sequence[Placed]) -> Known | None:
    """The norm of the residual that is the stream from there on; of the last part, where those before have one."""
    if following is not None:
        base = following.base or following.part.reads
        return base if _is_norm_of(base, one.total) else None
    return None
