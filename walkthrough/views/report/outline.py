"""The map of a model in words: a tree of its parts, with the number, title and shape of each step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import pluralize
from walkthrough.views.model_map import Numbered, Part, RepeatedParts, join_repeats, map_of
from walkthrough.views.report.blocks import Report, Tree


def report(trace: Trace, values: Iterable[Value] | None = None) -> Report:
    """The map alone; `values` as `map_of` takes them."""
    return Report(f"Map of {trace.title}", lambda: [outline(trace, values)], brief=trace.title)


def outline(trace: Trace, values: Iterable[Value] | None = None) -> Tree:
    """The map as a tree: a branch for each part, and for the steps before, between and after parts."""
    whole = map_of(trace, values)
    steps = sum(1 for _ in whole.steps())
    of = f" of {len(trace):,}" if steps < len(trace) else ""
    saved = _multiplications_saved(trace) if trace.passes is not None and steps == len(trace) else ()
    return Tree(f"Map: {steps:,}{of} {'step' if len(trace) == 1 else 'steps'}", (*_branches(whole), *saved))


def _multiplications_saved(trace: Trace) -> Iterator[Tree]:
    """How many multiplications each pass of a generation takes with its cache, and would take without."""
    # few scenarios generate with a cache
    from walkthrough.views.report.cache_savings import few_passes, total_multiplications

    assert trace.passes is not None
    sizes = trace.passes()
    items = [
        f"Pass {size.number} {size.multiplications:,} ({size.without:,})," if size is not None else "…,"
        for size in few_passes(sizes)
    ]
    yield Tree("Multiplications with the cache (without)", (), (*items, f"together {total_multiplications(sizes)}"))


def _branches(part: Part) -> Iterator[Tree]:
    """A branch for each part in it, and for each run of steps."""
    waiting: list[Numbered] = []
    for child in join_repeats(part):
        if isinstance(child, Numbered):
            waiting.append(child)
            continue
        yield from _run(waiting)
        waiting = []
        yield _part(child.first)
        if child.others:
            yield Tree(_repeated_layers(child))
    yield from _run(waiting)


def _run(steps: Sequence[Numbered]) -> list[Tree]:
    return [Tree("", (), _items(steps))] if steps else []


def _items(steps: Sequence[Numbered]) -> tuple[str, ...]:
    """`9 Scores 4×4`, with a comma where another one follows."""
    texts = [f"{step.number} {step.value.kind.title} {shape_text(step.value.shape)}" for step in steps]
    return (*(f"{text}," for text in texts[:-1]), texts[-1])


def _part(part: Part) -> Tree:
    """A part; one that holds only another part shares its line, one that holds only steps theirs."""
    title = part.title
    while len(part.children) == 1 and isinstance(part.children[0], Part):
        part = part.children[0]
        title += f" · {part.title}"
    steps = [child for child in part.children if isinstance(child, Numbered)]
    if len(steps) == len(part.children):
        return Tree(title, (), _items(steps))
    return Tree(f"{title}: {_numbers(part.steps())}", tuple(_branches(part)))


def _repeated_layers(same: RepeatedParts) -> str:
    """`Layer 2 to Layer 6: as Layer 1, 54 to 318`."""
    first, others = same.first.title, same.others
    who = others[0].title + (f" to {others[-1].title}" if len(others) > 1 else "")
    how = f"as {first}" if same.same_shapes else f"the steps of {first} in other shapes"
    return f"{who}: {how}, {_numbers(step for part in others for step in part.steps())}"


_MOST_RUNS = 3


def _numbers(steps: Iterable[Numbered]) -> str:
    """The numbers of steps: `5 to 37`, or `42 to 44, 73 to 74`; where there are many gaps, how many within."""
    runs: list[list[int]] = []
    for number in sorted(step.number for step in steps):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    if len(runs) > _MOST_RUNS:
        return f"{pluralize(sum(last - first + 1 for first, last in runs), 'step')} from {runs[0][0]} to {runs[-1][1]}"
    return ", ".join(f"{first} to {last}" if last > first else f"{first}" for first, last in runs)
