"""Values of which the shape alone is known: recorded by the same program as arrays, which finds it for every one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from walkthrough.operations.definition import ANY, Array, Operation, Shape
from walkthrough.recording.axes import Axis
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Kind, Value

_At = tuple[int, int]


class ShapeValue(Value):
    """A recorded value of which the shape alone is known: an unknown size is 0."""

    array: Array = None  # type: ignore[assignment]  # never asked for
    _unknown = False
    origin = None

    def hold(self, known: Any, shape: Shape | None) -> None:
        """Takes its axes."""
        self._axes = known[0], known[1]

    @staticmethod
    def given(array: Array, axes: tuple[Axis, Axis] | None) -> Any:
        """What is known of a given matrix: its axes."""
        return [axis.as_one() for axis in axes or ()]

    @staticmethod
    def result(
        operation: Operation, inputs: tuple[Value, ...], settings: Mapping[str, Any], array: Array | None
    ) -> tuple[Any, Shape | None]:
        """The axes that the operation declares, joined with those of its inputs."""
        return _result(operation, inputs, settings), None

    @property
    def has_numbers(self) -> bool:
        """No: it has a shape alone."""
        return False

    @property
    def has_size(self) -> bool:
        """Whether the sizes of both axes are known."""
        return None not in (self.axes[0].size, self.axes[1].size)

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]  # a size may still be found
        """Rows and columns."""
        rows, columns = self.axes
        return rows.size or 0, columns.size or 0


def unknown_value(rows: Axis, columns: Axis) -> Value:
    """What takes the place of a value that a fault of the file leaves out: nothing is known of it but its axes."""
    return ShapeValue("", Kind("", "?", ""), (rows, columns))


class ShapeTrace(Trace):
    """All recorded shapes of a calculation; the recorder is that of arrays."""

    value_class = ShapeValue


class _Rule(NamedTuple):
    """What an operation declares of the axes of `count` inputs; each is (number of the input, 0 or 1).

    equal: pairs that are one axis; fixed: axes of a fixed size, and that; first: where each name occurs first
    """

    equal: list[tuple[_At, _At]]
    fixed: list[tuple[_At, int]]
    first: dict[str, _At]


@cache
def _rule(operation: Operation, count: int) -> _Rule:
    rule = _Rule([], [], {})
    for number, names in enumerate(operation.input_axes(count)):
        for side, name in enumerate(names):
            at = number, side
            if name.isdigit():
                rule.fixed.append((at, int(name)))
            elif name in rule.first:
                rule.equal.append((rule.first[name], at))
            if name != ANY:
                rule.first.setdefault(name, at)
    return rule


def _result(operation: Operation, inputs: Sequence[Value], settings: Mapping[str, Any]) -> tuple[Axis, Axis]:
    """The axes of the result, after those of the inputs that bear one name have become one."""
    rule, axes = _rule(operation, len(inputs)), [value.axes for value in inputs]
    for (number, side), size in rule.fixed:
        if axes[number][side].size != size:
            Axis(str(size), size).join(axes[number][side])
    for (number, side), (other, its) in rule.equal:
        axes[number][side].join(axes[other][its])
    named = {name: axes[number][side] for name, (number, side) in rule.first.items()}
    if operation.sizes is not None:
        named |= _new_axes(operation.sizes, inputs, settings)
    rows, columns = operation.axes[1]
    return _axis(rows, named), _axis(columns, named)


def _new_axes(
    sizes: Callable[..., dict[str, int]], inputs: Sequence[Value], settings: Mapping[str, Any]
) -> dict[str, Axis]:
    """The axes of the result that no input has."""
    shapes = [value.shape for value in inputs]
    known = all(rows and columns for rows, columns in shapes)
    return {name: Axis(name, size if known and size else None) for name, size in sizes(shapes, **settings).items()}


def _axis(name: str, named: dict[str, Axis]) -> Axis:
    return named[name] if name in named else Axis(name, int(name))
