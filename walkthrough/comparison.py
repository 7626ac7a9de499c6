"""`walkthrough.compare`: a scenario beside somebody's own tensors, as a test of theirs wants it."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

from walkthrough import library
from walkthrough.comparing import compare as comparing
from walkthrough.comparing import outcomes
from walkthrough.comparing.capture import as_array
from walkthrough.comparing.matching.files import TensorsError, Unread
from walkthrough.comparing.matching.match import match, resolve_names
from walkthrough.errors import expect, expect_texts
from walkthrough.recording import trace as record
from walkthrough.scenario.scenario import Scenario
from walkthrough.text import escape_label
from walkthrough.transformer.loading.load import load_scenario


class Comparison(outcomes.Comparison):
    """What became of each step: `first` differs, or is None; printed it is the report of `check --against`."""

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
) -> Comparison:
    """Compares your own tensors with a scenario, step by step: result.first is None, or the first step that differs.

    scenario: a path, the name of a bundled scenario, a Scenario, or a trace
    tensors:  name → torch tensor or array, as `capture` gives them
    names:    the layout of the names (`transformers`, `torch`, `transformer_lens`), a mapping from your names to paths,
              or a file that holds one; None: a known layout is recognised

    Raises ScenarioError for a faulty scenario, ValueError where no tensor fits any step.
    """
    is_name = names is None or isinstance(names, str | PathLike | Mapping)
    expect(is_name, "names", "the name of a layout, a file, or a mapping of names to paths", names)
    _check_names(tensors)
    trace, name = _trace(scenario)
    if isinstance(names, Mapping):
        expect_texts([*names, *names.values()], "names", "names and paths")
    layout, renamed = ("", names) if isinstance(names, Mapping) else resolve_names(fspath(names or ""))
    return compare_with(trace, {key: _array(tensor) for key, tensor in tensors.items()}, layout, renamed, name)


def compare_with(
    trace: record.Trace, tensors: Mapping[str, Any], layout: str, names: Mapping[str, str], name: str, file: str = ""
) -> Comparison:
    """Compares arrays with a trace; `file`: where they come from. TensorsError where none of them fits any step."""
    theirs, others = match(tensors, names, trace, layout)
    if not theirs:
        from walkthrough.views.report.comparison import describe_unmatched

        why = (
            "\n".join(describe_unmatched(others))
            if others
            else f"{'the file holds' if file else 'there are'} no tensors"
        )
        what = f"nothing in {escape_label(file)}" if file else "nothing"
        raise TensorsError(f"{what} could be compared with {escape_label(name)}:\n{why}")
    found = comparing.compare(trace, theirs, others, name)
    return Comparison(found.name, found.trace, found.steps, found.not_compared)


def _check_names(tensors: Any) -> None:
    """What is given is names and tensors."""
    if not isinstance(tensors, Mapping):
        raise TensorsError(f"expected a dict, name → tensor, found a {type(tensors).__name__}")
    for key in tensors:
        if not isinstance(key, str):
            raise TensorsError(f"expected a text as the name of a tensor, found {key!r}")


def _array(tensor: Any) -> Any:
    """The numbers; or why there are none, which stops nothing."""
    try:
        return as_array(tensor)
    except (TypeError, ValueError, RuntimeError) as error:
        return Unread(f"it is no array of numbers: {error}")


def _trace(scenario: str | PathLike[str] | Scenario | record.Trace) -> tuple[record.Trace, str]:
    """The trace of a scenario, and what the scenario is called."""
    if isinstance(scenario, record.Trace):
        return scenario, scenario.scenario or scenario.title
    if not isinstance(scenario, Scenario):
        scenario = load_scenario(scenario)
    return library.trace(scenario), scenario.source.name
