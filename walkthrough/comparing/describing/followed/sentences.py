"""What a module was given: one sentence, or two for an encoder and a decoder."""

from __future__ import annotations

from walkthrough.comparing.describing.followed.calls import Run, Seen
from walkthrough.comparing.describing.followed.known import as_rows
from walkthrough.errors import ArgumentError


def given_to(run: Run) -> list[Seen]:
    """The sentences that the module was given: ids, or else vectors; of an encoder and a decoder there are two.

    Raises ArgumentError where there are several sentences in one tensor, or none.
    """
    given = run.calls[-1].inputs
    ids = [one for one in given if one.array.dtype.kind in "iu" and one.array.ndim]
    vectors = [one for one in given if one.array.dtype.kind == "f" and one.array.ndim > 1]
    if not ids and not vectors:
        raise ArgumentError("inputs: expected the ids of one sentence, or a vector for each of its tokens")
    found = (ids or vectors)[:2]
    sizes = [size for size in found[0].array.shape[: found[0].array.ndim - (not ids)] if size != 1]
    if len(sizes) > 1:
        shape = "×".join(map(str, found[0].array.shape))
        raise ArgumentError(f"inputs: expected one sentence, found {shape}; give one row of it, as 1×n")
    return [one for one in found if ids or as_rows(one.array) is not None]
