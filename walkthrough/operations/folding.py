"""The folded expressions of an operation, once for all steps with the same shapes and settings."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from walkthrough.expressions.fold.folding import Folded, fold
from walkthrough.operations.definition import Operation, Shape


def folded(operation: Operation, shapes: Sequence[Shape], settings: Mapping[str, Any]) -> Folded:
    """The pieces of the result for inputs of these shapes; `expressions/fold/folding.py` says what they are."""
    return _folded(operation, tuple(shapes), tuple(sorted((name, _frozen(one)) for name, one in settings.items())))


def _frozen(setting: Any) -> Hashable:
    return tuple(setting) if isinstance(setting, list) else setting


@lru_cache(maxsize=512)
def _folded(operation: Operation, shapes: tuple[Shape, ...], settings: tuple[tuple[str, Any], ...]) -> Folded:
    given = dict(settings)
    return fold(lambda i, j: operation.cell(i, j, *shapes, **given), *operation.result_shape(shapes, given))
