"""The recorded graph, gone through from a step to those that it is computed from."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Container, Iterator

from walkthrough.recording.values import Value

_TOKEN = re.compile(r"\.token\.\d+\.")
_MOST_STEPS = 40
"""So far back a step is looked for that somebody did not give."""
FAR_BACK = 5000
"""The same for what may have been done alike in many steps, or long before."""


def steps_before(*values: Value) -> Iterator[Value]:
    """Every step that some are computed from, each once, the nearest first."""
    waiting, seen = deque(values), set(values)
    while waiting:
        for one in waiting.popleft().inputs:
            if one not in seen:
                seen.add(one)
                waiting.append(one)
                yield one


def steps_not_given(value: Value, given: Container[Value], most: int = _MOST_STEPS) -> Iterator[Value]:
    """The step itself, and computed ones before it that are not given, the nearest first.

    most: how many; a step that comes again for each token counts once
    """
    waiting, seen = deque([value]), {value}
    kinds: set[str] = set()
    while waiting:
        step = waiting.popleft()
        kinds.add(_TOKEN.sub(".token.", step.path))
        if len(kinds) > most:
            return
        yield step
        fresh = [one for one in step.inputs if one not in seen and one not in given]
        seen.update(fresh)
        waiting += [one for one in fresh if one.operation is not None]
