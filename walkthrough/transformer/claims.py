"""Matrices of the file against the axes they stand for: what they say of sizes, and who disagrees with whom."""

from __future__ import annotations

from walkthrough.recording.axes import Axis, Multiple
from walkthrough.recording.values import Kind, Value
from walkthrough.records import Record
from walkthrough.scenario.schema.matrices import Group, Matrix
from walkthrough.scenario.schema.sections import Section
from walkthrough.scenario.yaml.nodes import MappingNode
from walkthrough.scenario.yaml.problems import Positioned, Problems
from walkthrough.text import pluralize

MOST_NUMBERS = 200_000_000
"""Numbers that a few words of a file may ask for, by `init` and by long sequences: 1.6 GB as float64."""

_REMEDIES = {
    "n": "add tokens: […]",
    "m": "add tokens: […]",
    "vocabulary": "add vocabulary: […] to the output_head",
    "r": "set it with r: … beside a and b",
}
_MOST_NAMED = 3


class StatedSize(Record):
    """A key that states the size of an axis by itself, such as `dimensions: {d_ff: 8}`."""

    section: Section
    name: str
    size: int


class Claim(Record):
    """A matrix, what it is recorded as, and the axes of its rows and columns as written in the file."""

    matrix: Matrix
    kind: Kind
    rows: Axis
    columns: Axis

    @property
    def is_faulty(self) -> bool:
        """Whether the matrix has another shape than its axes."""
        matrix = self.matrix
        return _differs(matrix.rows, self.rows) or _differs(matrix.columns, self.columns)


class Claims:
    """All matrices that a walk over shapes has met; numbers to be made are counted, up to a limit.

    Where two of them disagree on an axis, most are believed, and of as many the first.
    """

    def __init__(self, problems: Problems, most_numbers: float) -> None:
        self.problems = problems
        self.most_numbers = most_numbers
        self.all: list[Claim] = []
        self._last: dict[object, Claim] = {}
        self._stated: list[tuple[Axis, StatedSize]] = []
        self._residuals: list[tuple[Section, Value, Value]] = []
        self._made = 0

    def state(self, axis: Axis, section: Section, name: str) -> None:
        """A key of the file says the size of an axis."""
        stated = StatedSize(section, name, getattr(section, name))
        axis.settle(stated.size, by=stated)
        self._stated.append((axis, stated))

    def is_stated(self, section: Section, name: str) -> bool:
        """Whether an axis of the model has taken the size that a key states."""
        return any(stated.section is section and stated.name == name for _, stated in self._stated)

    def claim(self, matrix: Matrix, kind: Kind, rows: Axis, columns: Axis) -> None:
        """A matrix says the sizes of its axes, as far as it has its own."""
        rows.settle(1 if matrix.is_vector else matrix.rows, by=matrix)
        columns.settle(matrix.columns, by=matrix)
        claim = self._last[matrix] = Claim(matrix, kind, rows, columns)
        self.all.append(claim)
        self._fill(claim)

    def of(self, matrix: object) -> Claim | None:
        """What a matrix has claimed, at last; None of what is no matrix, or has claimed nothing."""
        return self._last.get(matrix)

    def disagree(self, section: Section, x: Value, y: Value) -> None:
        """The output y of a part is not as wide as its input x, and a residual adds them; reported at the end, if so.

        Until then each is believed to be as wide as it is said to be first.
        """
        self._residuals.append((section, x, y))

    def finish(self) -> None:
        """Decides on sizes; gives the matrices that `init` makes their shapes; notes those that have other ones."""
        for _, x, y in self._residuals:
            x.axes[1].decide()
            y.axes[1].decide(needed=x.axes[1].size)
        for claim in self.all:
            claim.rows.decide()
            claim.columns.decide()
        for claim in self.all:
            self._fill(claim)
        self._note_uneven()
        for claim in self.all:
            if claim.is_faulty and claim.matrix not in self.problems:
                help = self._sides(claim)
                self.problems.add(claim.matrix, self._message(claim), help=help)
            self._note_groups(claim.matrix)
        self._note_stated()
        for section, x, y in self._residuals:
            self._note_residual(section, x, y)
        for claim in self.all:
            if claim.matrix.init is not None and not self.problems:
                self._note_unknown(claim)

    def reserve(self, numbers: int, node: Positioned, path: str) -> None:
        """Counts numbers that will have to be made; that they are too many is noted once."""
        was_exhausted = self.is_exhausted
        self._made += numbers
        if self.is_exhausted and not was_exhausted:
            message = f"too large: this brings the total to {self._made:,} numbers, the limit is {self.most_numbers:,}"
            self.problems.add(node, message, key=path, help="make the dimensions, or the sequence, smaller")

    @property
    def is_exhausted(self) -> bool:
        """Whether more numbers are asked for than may be made."""
        return self._made > self.most_numbers

    def _fill(self, claim: Claim) -> None:
        """Gives a matrix that `init` makes the sizes of its axes."""
        matrix, rows, columns = claim.matrix, claim.rows.size, claim.columns.size
        if matrix.init is None or matrix.columns is not None or rows is None or columns is None:
            return
        matrix.rows, matrix.columns = rows, columns
        self.reserve(rows * columns, matrix, matrix.path)

    def _note_uneven(self) -> None:
        """Notes joined weights that the heads cannot share, where nothing else says how wide they are; one a part."""
        noted: set[str] = set()
        for claim in self.all:
            part = claim.matrix.path.rpartition(".")[0]
            for axis in (claim.rows, claim.columns):
                if not isinstance(axis, Multiple) or axis.uneven is None or axis.size is not None or part in noted:
                    continue
                noted.add(part)
                message = f"{claim.matrix.name} is {axis.uneven} wide, which {axis.count} heads cannot share evenly"
                self.problems.add(claim.matrix, message)

    def _note_groups(self, matrix: Matrix) -> None:
        """Notes groups in few bits that do not share a row evenly."""
        how, wide = matrix.quantize, matrix.columns
        if how is not None and how.size is not None and wide is not None and wide % how.size:
            place = how.per if isinstance(how.per, Group) else how
            message = f"a row has {wide} numbers, which groups of {how.size} do not share evenly"
            self.problems.fault(place, "group", message)

    def _message(self, claim: Claim) -> str:
        matrix, rows, columns = claim.matrix, claim.rows, claim.columns
        found, width = f"{matrix.rows}×{matrix.columns}", self._expected(claim, columns, matrix.columns)
        if matrix.is_vector and matrix.rows != 1:
            return f"{matrix.name} is {found}, expected a vector of {columns.symbol} = {width}"
        if matrix.is_vector:
            return f"{matrix.name} has {pluralize(matrix.columns or 0, 'number')}, expected {columns.symbol} = {width}"
        if isinstance(matrix.node, MappingNode) and matrix.numbers is not None:  # token → vector
            count = pluralize(matrix.columns or 0, "number")
            return f"the vectors of {matrix.name} have {count}, expected {columns.symbol} = {width}"
        expected = f"{self._expected(claim, rows, matrix.rows)}×{width}"
        return f"{matrix.name} is {found}, expected {rows.symbol}×{columns.symbol} = {expected}"

    def _sides(self, claim: Claim) -> str:
        """Who says the sizes that a faulty matrix has not; and whether it would have them with rows for columns."""
        matrix, rows, columns = claim.matrix, claim.rows, claim.columns
        sides = [
            _who_says(axis, matrix)
            for axis, size in ((rows, matrix.rows), (columns, matrix.columns))
            if _differs(size, axis)
        ]
        if (matrix.columns, matrix.rows) == (rows.size, columns.size) and not matrix.is_vector:
            sides.append("its transpose would fit")
        return "; ".join(filter(None, sides))

    def _expected(self, claim: Claim, axis: Axis, own: int | None) -> str:
        """The size of an axis. Where this matrix alone says it: what a residual adds to it has, or its symbol."""
        others = (other for other in self.all if other.matrix is not claim.matrix)
        alone = (
            axis.size == own
            and not axis.is_fact
            and not any(axis.is_same(side) for other in others for side in (other.rows, other.columns))
        )
        if not alone or {id(by) for _, by in axis.sides} != {id(claim.matrix)}:
            return str(axis)
        return next((str(x.axes[1]) for _, x, y in self._residuals if axis.is_same(y.axes[1])), axis.symbol)

    def _note_stated(self) -> None:
        """Notes a size that the file states, and most matrices contradict."""
        for axis, stated in self._stated:
            if axis.size not in (None, stated.size):
                message = f"{stated.name} is {stated.size}, expected {axis.size}: {_who_says(axis, stated)}"
                self.problems.fault(stated.section, stated.name, message)

    def _note_residual(self, section: Section, x: Value, y: Value) -> None:
        """Notes that a part makes another width than it reads, unless a matrix behind it is at fault already."""
        wide, made = x.axes[1], y.axes[1]
        wide.decide()
        made.decide()
        matrix = _last_matrix(section, made)
        claims = [claim for _, by in made.sides if (claim := self.of(by)) is not None]
        node: Positioned = matrix or section
        if wide.size == made.size or any(claim.is_faulty for claim in claims) or node in self.problems:
            return
        message = f"the residual adds an output of width {made} to an input of width {wide}: they must be equal"
        help = f"{self._remedy(section, x, y)}, or set residual: false"
        self.problems.add(node, message, key=(matrix or section).path, help=help)

    def _remedy(self, section: Section, x: Value, y: Value) -> str:
        """How to give the output of a part the width of its input."""
        width = x.axes[1]
        if "output" in section.KEYS and section.has("output"):
            return f"give an output that is n×d_model = {x.axes[0].size or 'n'}×{width}"
        name, made = _last_name(section), y.axes[1]
        claim = self.of(_last_matrix(section, made))
        inward = made
        if claim is not None:
            inward = claim.rows if claim.columns.is_same(made) else claim.columns
        symbol = inward.symbol if inward.symbol.startswith(("d_", "(")) else section.KEYS[name].parameter.axes[0]
        return f"give a {name} that is {symbol}×d_model = {inward.size or symbol}×{width}"

    def _note_unknown(self, claim: Claim) -> None:
        matrix, free = claim.matrix, [axis.symbol for axis in (claim.rows, claim.columns) if axis.size is None]
        if free:
            message = f"the shape of {matrix.name} cannot be inferred: {' and '.join(free)} not known"
            self.problems.add(matrix, message, help="; ".join(dict.fromkeys(map(_remedy, free))))


def _remedy(symbol: str) -> str:
    """How to say the size of an axis; of (heads·d_k) that of one of them."""
    one = symbol.strip("()").rpartition("·")[2]
    return _REMEDIES.get(symbol, f"set it with dimensions: {{{one}: …}}")


def _differs(actual: int | None, axis: Axis) -> bool:
    return actual is not None and axis.size is not None and actual != axis.size


def _who_says(axis: Axis, but: object) -> str:
    """`w_1 and w_2 say d_ff = 2`: who says the size of an axis, beside somebody."""
    names: dict[str, None] = {}
    for size, by in axis.sides:
        if size == axis.size and by is not but:
            names[by.name if isinstance(by, Matrix) else "dimensions"] = None
    if not names:
        return ""
    shown = list(names)[:_MOST_NAMED]
    if len(names) > _MOST_NAMED:
        shown.append("others")
    verb = "say" if len(shown) > 1 or shown[0].endswith("s") else "says"
    return f"{', '.join(shown[:-1])}{' and ' if len(shown) > 1 else ''}{shown[-1]} {verb} {axis.symbol} = {axis.size}"


def _last_name(section: Section) -> str:
    """The weight that decides how wide the output of a part is, as its keys are declared."""
    axes = {name: key.parameter.axes for name, key in section.KEYS.items() if key.parameter is not None}
    return next(name for name, (inward, outward) in axes.items() if outward == "d_model" and inward != "1")


def _last_matrix(section: Section, made: Axis) -> Matrix | None:
    """The matrix that decides how wide the output of a part is: its output as numbers, or its last weight; of several
    experts that of the first who says this width."""
    output: Matrix | None = getattr(section, "output", None)
    if output is not None:
        return output
    name = _last_name(section)
    own: Matrix | None = getattr(section, name)
    within = (by for size, by in made.sides if isinstance(by, Matrix) and by.name == name and size == made.size)
    return own or next(within, None)
