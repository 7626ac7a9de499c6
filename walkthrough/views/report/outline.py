"""The map of a model in words: a tree of its parts, with the number, title and shape of each step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.languages.catalogue import Catalogue, catalogue
from walkthrough.recording.parts import PartName
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.views.model_map import Numbered, Part, RepeatedParts, join_repeats, map_of
from walkthrough.views.report.blocks import Tree

if TYPE_CHECKING:
    from walkthrough.sizes.generation import PassSize


def outline(trace: Trace, values: Iterable[Value] | None = None) -> Tree:
    """The map as a tree: a branch for each part, and for the steps before, between and after parts."""
    whole = map_of(trace, values)
    steps, words = sum(1 for _ in whole.steps()), catalogue(trace.language)
    saved = _multiplications_saved(trace, words) if trace.passes is not None and steps == len(trace) else ()
    if steps < len(trace):
        title = words("map_of_some", count=words.whole(steps), all=words.whole(len(trace)))
    else:
        title = words.pluralize("map_of_steps", steps)
    return Tree(title, (*_branches(whole, words), *saved))


def _multiplications_saved(trace: Trace, words: Catalogue) -> Iterator[Tree]:
    """How many multiplications each pass of a generation takes with its cache, and would take without."""
    # few scenarios generate with a cache
    from walkthrough.views.report.sizes import few_passes

    assert trace.passes is not None
    sizes = trace.passes()
    items = ["…," if size is None else _pass_size(size, words) for size in few_passes(sizes)]
    total, without = sum(size.multiplications for size in sizes), sum(size.without for size in sizes)
    together = words("together", count=words.whole(total), without=words.whole(without))
    yield Tree(words("cache_saves"), (), (*items, together))


def _pass_size(size: PassSize, words: Catalogue) -> str:
    name = words.heading(PartName("", "pass", str(size.number)))
    return f"{name} {words.whole(size.multiplications)} ({words.whole(size.without)}),"


def _branches(part: Part, words: Catalogue) -> Iterator[Tree]:
    """A branch for each part in it, and for each run of steps."""
    waiting: list[Numbered] = []
    for child in join_repeats(part):
        if isinstance(child, Numbered):
            waiting.append(child)
            continue
        yield from _run(waiting, words)
        waiting = []
        yield _part(child.first, words)
        if child.others:
            yield Tree(_repeated_layers(child, words))
    yield from _run(waiting, words)


def _run(steps: Sequence[Numbered], words: Catalogue) -> list[Tree]:
    return [Tree("", (), _items(steps, words))] if steps else []


def _items(steps: Sequence[Numbered], words: Catalogue) -> tuple[str, ...]:
    """`9 Scores 4×4`, with a comma where another one follows."""
    texts = [f"{step.number} {step.title} {shape_text(step.value.shape)}" for step in steps]
    return (*(f"{text}," for text in texts[:-1]), texts[-1])


def _part(part: Part, words: Catalogue) -> Tree:
    """A part; one that holds only another part shares its line, one that holds only steps theirs."""
    title = part.title
    while len(part.children) == 1 and isinstance(part.children[0], Part):
        part = part.children[0]
        title += f" · {part.title}"
    steps = [child for child in part.children if isinstance(child, Numbered)]
    if len(steps) == len(part.children):
        return Tree(title, (), _items(steps, words))
    return Tree(f"{title}: {_numbers(part.steps(), words)}", tuple(_branches(part, words)))


def _repeated_layers(same: RepeatedParts, words: Catalogue) -> str:
    """`Layer 2 to Layer 6: as Layer 1, 54 to 318`."""
    first, *others = (part.title for part in (same.first, *same.others))
    who = words("from_to", first=others[0], last=others[-1]) if len(others) > 1 else others[0]
    how = words("repeats_part" if same.same_shapes else "repeats_part_otherwise", part=first)
    return f"{who}: {how}, {_numbers((step for part in same.others for step in part.steps()), words)}"


_MOST_RUNS = 3


def _numbers(steps: Iterable[Numbered], words: Catalogue) -> str:
    """The numbers of steps: `5 to 37`, or `42 to 44, 73 to 74`; where there are many gaps, how many within."""
    runs: list[list[int]] = []
    for number in sorted(step.number for step in steps):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    if len(runs) > _MOST_RUNS:
        count = words.pluralize("count_steps", sum(last - first + 1 for first, last in runs))
        return words("steps_from_to", count=count, first=runs[0][0], last=runs[-1][1])
    return ", ".join(words("from_to", first=first, last=last) if last > first else f"{first}" for first, last in runs)
