"""The report on another program's intermediates: the first step that differs and why, how many agree; on demand all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any

from walkthrough.comparing.cause import SEARCHED
from walkthrough.comparing.matching.tensors import NotCompared
from walkthrough.comparing.outcomes import Compared, Comparison, Fault
from walkthrough.comparing.tolerance import part_of_format
from walkthrough.explaining.worked import cell_name, work_out
from walkthrough.notation import typeset
from walkthrough.text import escape_label, pluralize
from walkthrough.views import data
from walkthrough.views.report.blocks import Block, Code, Items, Note, Report, Table

_MEANING = {
    "same": "equal except for floating-point rounding",
    "follows": "right for its inputs",
    "differs": "not what its inputs give",
}
_IN_FORMAT = (
    "In {name}: every step is worked out from their own numbers, and the same where it is off by at most 8 roundings "
    "of the largest number of its row."
)
_NOT_SEEN = (
    "Rounding to {name} may change {step} by {percent} % of the largest number of a row: a mistake that changes it "
    "less is not seen."
)
_MOST_LISTED, _MOST_NAMES, _MOST_FAULTS = 10, 3, 5
_HEADER = ("outcome", "step", "theirs", "cell", "their number", "right")


def report(comparison: Comparison, every: bool = False) -> Report:
    """The report; `every`: with all steps, and all tensors that were not compared."""
    title = f"{comparison.trace.title} and {comparison.name}"
    brief = f"{comparison.name}: {_number(comparison)} compared"
    return Report(title, lambda: _blocks(comparison, every), lambda: data.document("against", _data(comparison)), brief)


def _number(comparison: Comparison) -> str:
    """How many steps, and how many names of theirs where these are more."""
    steps = len({step.value for step in comparison.steps})
    names = "" if steps == len(comparison.steps) else f" under {len(comparison.steps)} names"
    return pluralize(steps, "step") + names


def _blocks(comparison: Comparison, every: bool) -> Iterator[Block]:
    faults = comparison.faults if every else comparison.faults[:_MOST_FAULTS]
    for fault in faults:
        title = "First step that differs" if fault is faults[0] else "Another step that differs"
        yield Items(tuple(_remarks(comparison, fault)), title, _cell(fault.step))
    if more := len(comparison.faults) - len(faults):
        yield Note(f"{more} more {'differs' if more == 1 else 'differ'}; --all shows them.")
    if comparison.not_tried:
        names = _list(comparison.not_tried)
        yield Note(f"The search for causes ended after {SEARCHED:g} s; not every mistake was tried for {names}.")
    yield from _verdicts(comparison, every)
    if comparison.steps and every:
        yield Table(_HEADER, tuple(map(_row, comparison.steps)), right=(4, 5))
    if comparison.trace.arithmetic not in ("exact", "by hand"):
        yield Note(_IN_FORMAT.format(name=comparison.trace.arithmetic))
    elif not comparison.faults:
        yield from _not_seen(comparison.steps)
    counts = tuple((outcome, str(count), _MEANING[outcome]) for outcome, count in comparison.summary.items())
    yield Table(("outcome", "steps", "meaning"), counts, right=(1,), headless=True)
    if noted := list(_remark_lines(comparison.steps, lambda step: step.note)):
        yield Items(tuple(noted), "The same, although the numbers differ")
    if every and (readings := list(_remark_lines(comparison.steps, lambda step: step.theirs.words))):
        yield Items(tuple(readings), "Taken as")
    if comparison.not_compared:
        yield Items(tuple(describe_unmatched(comparison.not_compared, every)), "Not compared")
    if not every and len(comparison.steps) > 1:
        yield Note("--all lists every step.")


def _verdicts(comparison: Comparison, every: bool) -> Iterator[Block]:
    """What else makes the comparison fail: names without a tensor, steps that had to be compared."""
    if comparison.never_called:
        yield Items(tuple(describe_absent(comparison.never_called, every)), "Never called")
    if comparison.missing and (every or not comparison.faults):
        yield Items(tuple(_first(comparison.missing, every)), "Required, but not compared")
    if comparison.too_few:
        steps = pluralize(comparison.telling, "step that is", "steps that are")
        yield Note(f"Required are {comparison.least} steps; compared were {steps} not trivial.")
    elif comparison.is_trivial:
        yield Note("All that was compared is trivial: given matrices, ids, and what is looked up for them.")


def _not_seen(steps: Sequence[Compared]) -> Iterator[Block]:
    """How large a mistake may be that few bits hide, in the step that hides the most."""
    part, step = max(
        ((part_of_format(one.theirs), one) for one in steps), key=lambda each: each[0], default=(0.0, None)
    )
    if step is not None and step.theirs.format is not None and part:
        percent = float(f"{100 * part:.2g}")
        yield Note(_NOT_SEEN.format(name=step.theirs.format.name, step=step.value.path, percent=f"{percent:g}"))


def describe_absent(names: Sequence[str], every: bool = False) -> list[str]:
    """Names that were meant for steps, and that no tensor has: the first ten, and how many more."""
    return _first([f"{escape_label(name)} was never called" for name in names], every)


def _first(lines: Sequence[str], every: bool) -> list[str]:
    """The first ten lines, and how many more."""
    more = 0 if every else len(lines) - _MOST_LISTED
    return [*lines[:_MOST_LISTED], f"{more} more"] if more > 0 else list(lines)


def describe_unmatched(others: Sequence[NotCompared], every: bool = False) -> list[str]:
    """Tensors that fit no step, with their shape and the reason, alike ones together: the first ten, how many more."""
    alike: dict[tuple[str, str], list[str]] = {}
    for one in others:
        alike.setdefault((_shape(one), one.why), []).append(escape_label(one.theirs))
    named = [(", ".join(names) if every else _list(names), shape, why) for (shape, why), names in alike.items()]
    return _first([f"{names}{shape}: {why}" for names, shape, why in named], every)


def _shape(one: NotCompared) -> str:
    return f" ({'×'.join(map(str, one.shape))})" if one.shape else ""


def _remark_lines(steps: Sequence[Compared], remark: Any) -> Iterator[str]:
    """A line for each remark, with the first names that it is about."""
    names: dict[str, list[str]] = {}
    for step in steps:
        if words := remark(step):
            names.setdefault(words, []).append(escape_label(step.theirs.name))
    for words, found in names.items():
        yield f"{words}: {_list(list(dict.fromkeys(found)))}"


def _list(names: Sequence[str]) -> str:
    """The first names, and how many more."""
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _remarks(comparison: Comparison, fault: Fault) -> Iterator[str]:
    """By how much it differs, and why."""
    first = fault.step
    if first.theirs.name != first.value.path:
        yield f"theirs: {escape_label(first.theirs.name)}" + (f", {first.theirs.words}" if first.theirs.words else "")
    off, follows = abs(fault.found - fault.right), fault is not comparison.faults[0]
    what = "their numbers before it give" if follows else "right is"
    distance = f", off by {typeset(f'{off:.3g}')}" if isfinite(off) else ""
    yield f"theirs is {typeset(f'{fault.found:.8g}')}, {what} {typeset(f'{fault.right:.8g}')}{distance}"
    if first.value.operation is not None and not follows:
        line = work_out(first.value, first.row, first.column, max(comparison.trace.decimals, 6), terms=8)
        yield f"because {line}"
    if agreeing := _agreeing_before(comparison, first):
        yield f"what it is computed from agrees: {', '.join(agreeing)}"
    if fault.cause:
        yield f"likely cause: {fault.cause}"
    if fault.also:
        yield f"the same in {_list(fault.also)}"


def _agreeing_before(comparison: Comparison, first: Compared) -> list[str]:
    """What they call the nearest steps before it that were compared, if all of them are the same."""
    outcomes = {step.value: step.outcome for step in comparison.steps}
    names = {step.value: escape_label(step.theirs.name) for step in comparison.steps}
    waiting, found = list(first.value.inputs), dict[str, str]()
    seen = set(waiting)
    while waiting:
        value = waiting.pop(0)
        if value in outcomes:
            found[names[value]] = min(outcomes[value], found.get(names[value], "same"))
            continue
        fresh = [one for one in value.inputs if one not in seen]
        seen.update(fresh)
        waiting += fresh
    return list(found) if found and len(found) <= _MOST_LISTED and set(found.values()) == {"same"} else []


def _row(step: Compared) -> tuple[str, ...]:
    path, theirs = step.value.path, step.theirs.name
    outcome = step.outcome + (", transposed" if step.theirs.is_transposed else "")
    name = "" if theirs == path else escape_label(theirs)
    if step.outcome == "same":
        return outcome, Code(path), name, "", "", ""
    numbers = (typeset(f"{number:.6g}") for number in (step.found, step.right))
    return outcome, Code(path), name, _cell(step).removeprefix(path), *numbers


def _cell(step: Compared) -> str:
    return cell_name(step.value, step.row, step.column, step.value.path)


def _data(comparison: Comparison) -> dict[str, Any]:
    first = comparison.first
    return {
        "scenario": comparison.name,
        "first": first.value.path if first else None,
        "cause": comparison.cause,
        "steps": [_step(step) for step in comparison.steps],
        "arithmetic": comparison.trace.arithmetic,
        "ok": comparison.ok,
        "faults": [_fault(one) for one in comparison.faults],
        "never_called": list(comparison.never_called),
        "missing": list(comparison.missing),
        "not_tried": list(comparison.not_tried),
        "trivial": comparison.trivial,
        "summary": comparison.summary,
        "not_compared": [
            {"theirs": one.theirs, "shape": list(one.shape) if one.shape is not None else None, "why": one.why}
            for one in comparison.not_compared
        ],
    }


def _fault(fault: Fault) -> dict[str, Any]:
    step, unknown = fault.step, fault.value.unknown
    return {
        **data.cell(step.value, step.row, step.column),
        "theirs": step.theirs.name,
        "found": data.number(fault.found, unknown),
        "right": data.number(fault.right, unknown),
        "cause": fault.cause,
        "kind": fault.kind,
        "constant": fault.constant._asdict() if fault.constant else None,
        "also": list(fault.also),
    }


def _step(step: Compared) -> dict[str, Any]:
    document: dict[str, Any] = {"path": step.value.path, "theirs": step.theirs.name, "outcome": step.outcome}
    if step.theirs.is_transposed:
        document["transposed"] = True
    if step.theirs.words:
        document["read"] = step.theirs.words
    if step.note:
        document["note"] = step.note
    if step.outcome != "same":
        document |= data.cell(step.value, step.row, step.column)
        document |= {
            "published": data.number(step.found, step.value.unknown),
            "computed": data.number(step.right, step.value.unknown),
        }
    return document | ({"cause": step.cause} if step.cause else {})
