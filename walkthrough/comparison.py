"""`walkthrough.compare`: a scenario beside somebody's own tensors, as a test of theirs wants it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from os import PathLike, fspath
from typing import Any

from walkthrough import library
from walkthrough.comparing import compare as comparing
from walkthrough.comparing import outcomes
from walkthrough.comparing.capture import as_array
from walkthrough.comparing.matching.files import TensorsError, Unread
from walkthrough.comparing.matching.match import Matched, match, resolve_names
from walkthrough.comparing.required import NO_DEMANDS, Demands, Required
from walkthrough.errors import expect, expect_texts
from walkthrough.recording import trace as record
from walkthrough.scenario.scenario import Scenario
from walkthrough.text import escape_label
from walkthrough.transformer.loading.load import load_scenario


class Comparison(outcomes.Comparison):
    """What became of each step: `first` differs, or is None; printed it is the report of `compare`."""

    def __str__(self) -> str:
        from walkthrough.views.report.comparison import report
        from walkthrough.views.terminal import terminal

        return terminal.text([report(self)], 80).rstrip("\n")

    __repr__ = __str__  # what an assertion prints, whole

    def _repr_markdown_(self) -> str:
        from walkthrough.views import markdown
        from walkthrough.views.report.comparison import report

        return markdown.text([report(self)])


def compare(
    scenario: str | PathLike[str] | Scenario | record.Trace,
    tensors: Mapping[str, Any],
    names: str | PathLike[str] | Mapping[str, str] | None = None,
    require: Required | None = None,
    tolerance: float | None = None,
    arithmetic: str | None = None,
) -> Comparison:
    """Compares your own tensors with a scenario, step by step: result.first is None, or the first step that differs.

    scenario: a path, the name of a bundled scenario, a Scenario, or a trace
    tensors:  name → torch tensor or array, as `capture` gives them
    names:    the layout of the names (`transformers`, `torch`, `transformer_lens`), a mapping from your names to paths,
              or a file that holds one; None: a known layout is recognised, and else the scenario's own tensors say
              which module is which step
    require:  what has to be compared, or result.ok is False: `all` steps with a matrix of the scenario, at least so
              many steps that are not trivial, or those that selectors select; None: the output, that is the logits or
              the last step, and where no tensor is that, `all`
    tolerance: numbers off by at most so much, times the largest of their row where that is above 1, are the same;
              None: what their float type explains
    arithmetic: the number format that they were calculated in, whatever type they are kept in: each step is worked out
              from your own numbers of its operands, and may be off by 8 roundings of the largest number of its row

    Raises ScenarioError for a faulty scenario, ValueError where no tensor fits any step.
    """
    is_name = names is None or isinstance(names, str | PathLike | Mapping)
    expect(is_name, "names", "the name of a layout, a file, or a mapping of names to paths", names)
    _check_names(tensors)
    trace, name = _trace(scenario, arithmetic)
    if isinstance(names, Mapping):
        expect_texts([*names, *names.values()], "names", "names and paths")
    layout, renamed = ("", names) if isinstance(names, Mapping) else resolve_names(fspath(names or ""))
    arrays = {key: _array(tensor) for key, tensor in tensors.items()}
    return compare_with(trace, arrays, layout, renamed, name, demands=_demands(require, tolerance))


def assert_same(
    scenario: str | PathLike[str] | Scenario | record.Trace,
    tensors: Mapping[str, Any],
    names: str | PathLike[str] | Mapping[str, str] | None = None,
    require: Required | None = None,
    tolerance: float | None = None,
    arithmetic: str | None = None,
) -> Comparison:
    """For a test: the comparison where all is right, else an AssertionError with the whole report.

    It is right where no step differs, every entry of the names has its tensor, and what is required was compared. The
    arguments are those of `compare`.
    """
    __tracebackhide__ = True  # pytest shows the report, and the line that asks
    try:
        found = compare(scenario, tensors, names, require, tolerance, arithmetic)
    except NothingComparedError as error:
        raise AssertionError(str(error)) from None
    if not found.ok:
        raise AssertionError(str(found))
    return found


class NothingComparedError(TensorsError):
    """No tensor is a step of the scenario."""


def compare_with(
    trace: record.Trace,
    tensors: Mapping[str, Any],
    layout: str,
    names: Mapping[str, str],
    name: str,
    file: str = "",
    demands: Demands = NO_DEMANDS,
    tell: Callable[[str], None] = lambda path: None,
) -> Comparison:
    """Compares arrays with a trace. NothingComparedError where none fits any step.

    file: where they come from
    tell: is told the first step that differs, before its cause is searched
    """
    matched = match(tensors, names, trace, layout)
    if not matched.theirs:
        what = f"nothing in {escape_label(file)}" if file else "nothing"
        why = "\n".join(_why_nothing(matched, "the file holds" if file else "the dict has"))
        raise NothingComparedError(f"{what} could be compared with {escape_label(name)}:\n{why}")
    found = comparing.compare(trace, *matched, name, demands, tell)
    return Comparison(*(getattr(found, name) for name in found.fields))


def _why_nothing(matched: Matched, holds: str) -> list[str]:
    from walkthrough.views.report.comparison import describe_absent, describe_unmatched

    return [*describe_unmatched(matched.others), *describe_absent(matched.never_called)] or [f"{holds} no tensors"]


def _check_names(tensors: Any) -> None:
    """What is given is names and tensors."""
    if not isinstance(tensors, Mapping):
        raise TensorsError(f"expected a dict, name → tensor, found a {type(tensors).__name__}")
    for key in tensors:
        if not isinstance(key, str):
            raise TensorsError(f"expected a text as the name of a tensor, found {key!r}")


def _demands(require: Any, tolerance: Any) -> Demands:
    """What is asked for, where it can be."""
    is_number = isinstance(tolerance, int | float) and not isinstance(tolerance, bool)
    expect(tolerance is None or (is_number and 0 <= tolerance < inf), "tolerance", "a number of 0 or more", tolerance)
    if isinstance(require, list | tuple):
        expect_texts(require, "require", "selectors")
    else:
        is_count = isinstance(require, int) and not isinstance(require, bool) and require > 0
        what = "'all', a number of steps from 1, a selector or a list of selectors"
        expect(require is None or is_count or isinstance(require, str), "require", what, require)
    return Demands(() if require is None else (require,), tolerance)


def _array(tensor: Any) -> Any:
    """The numbers; or why there are none, which stops nothing."""
    try:
        return as_array(tensor)
    except (TypeError, ValueError, RuntimeError) as error:
        return Unread(f"it is no array of numbers: {error}")


def _trace(scenario: str | PathLike[str] | Scenario | record.Trace, arithmetic: str | None) -> tuple[record.Trace, str]:
    """The trace of a scenario in an arithmetic, and what the scenario is called."""
    if isinstance(scenario, record.Trace):
        expect(arithmetic is None, "arithmetic", "none beside a trace, which has its own", arithmetic)
        return scenario, scenario.scenario or scenario.title
    if not isinstance(scenario, Scenario):
        scenario = load_scenario(scenario)
    return library.trace(scenario, arithmetic=arithmetic or "exact"), scenario.source.name
