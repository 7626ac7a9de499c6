"""The Python interface: a trace that explains its numbers, and shows itself and its values in a notebook.

The record itself knows neither explanations nor views; both are added here, above all rooms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from walkthrough.errors import expect, expect_decimals, expect_text, expect_texts, expect_whole
from walkthrough.explaining import explanation
from walkthrough.languages.catalogue import ENGLISH, catalogue
from walkthrough.number_formats import FLOAT_NAMES, INT_NAMES, NumberFormat, number_format
from walkthrough.recording import trace as record
from walkthrough.recording import values
from walkthrough.scenario.scenario import Scenario
from walkthrough.transformer.runs import run as model

if TYPE_CHECKING:
    from walkthrough.judging.check import CheckResult
    from walkthrough.recording.trace import Needs
    from walkthrough.sizes.generation import PassSize
    from walkthrough.transformer.loading.changes import Change, Changes


class Value(values.Value):
    """A recorded matrix that a notebook shows as a table."""

    __slots__ = ()

    @property
    def purpose(self) -> str:
        """What the step is for, or what a given matrix is, in English; empty where nobody has said it."""
        return ENGLISH.purpose(self.kind)

    def _repr_html_(self) -> str:
        from walkthrough.views.notebook_html import values_html  # only a notebook asks

        return values_html([self])

    def _repr_markdown_(self) -> str:
        from walkthrough.views.markdown import render_values

        return render_values([self])


class Explanation(explanation.Explanation):
    """A number explained, which a notebook shows as nested lists.

    language: of what people read
    """

    language: str = "en"

    def _repr_html_(self) -> str:
        from walkthrough.views.notebook_html import text
        from walkthrough.views.report.explanation import report

        return text([report(self, words=catalogue(self.language))])

    def _repr_markdown_(self) -> str:
        from walkthrough.views.markdown import text
        from walkthrough.views.report.explanation import report

        return text([report(self, words=catalogue(self.language))])


class Picture(str):
    """A picture as the text of an SVG file, which a notebook shows."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


class Trace(record.Trace):
    """All recorded values of a scenario: `trace[path]`, `trace.select("softmax")`, or iterate in order."""

    value_class = Value

    def explain(self, text: str, depth: int | None = 2) -> Explanation:
        """Where the number `SELECTOR[row, column]` comes from, `depth` steps back; None: to the given numbers."""
        expect_whole(depth, "depth")
        found = explanation.explain(self, self.cell(text), depth)
        parts = {name: getattr(found, name) for name in found.fields}
        return Explanation(**parts, language=self.language)

    def picture(self, kind: str = "", steps: str | Sequence[str] | None = None) -> Picture:
        """A picture as SVG: poster, heat, arcs, curve or equation, of chosen steps or of all.

        Raises PictureError where nothing chosen can be drawn so, SelectorError for a step that is not there.
        """
        from walkthrough.views.options import Options
        from walkthrough.views.pictures.draw import draw  # seldom wanted
        from walkthrough.views.pictures.svg import svg

        chosen = [steps] if isinstance(steps, str) else steps
        expect_text(kind, "kind", 'the name of a picture such as "poster"')
        expect_texts(chosen, "steps", "selectors")
        return Picture(svg(draw(self, Options(tuple(chosen or ()), picture=kind))))

    def _repr_html_(self) -> str:
        from walkthrough.views.notebook_html import trace_html

        return trace_html(self)

    def _repr_markdown_(self) -> str:
        from walkthrough.views.markdown import render

        return render(self)


def trace(
    scenario: Scenario,
    *,
    arithmetic: str = "exact",
    decimals: int | None = None,
    changes: Changes | None = None,
    wanted: Sequence[str] | None = None,
) -> Trace:
    """Calculates a scenario and records every value.

    arithmetic: exact; by-hand, where each recorded value is rounded before it is used as the scenario's `rounding` says
                (or to its `decimals`); or a number format that everything is rounded to: float32, float16, bfloat16,
                float8_e4m3fn, float8_e5m2, int2 … int16
    decimals:   how many decimals are shown; by hand, what every step is rounded to instead of the scenario's rounding;
                in a number format they are shown alone
    changes:    other numbers: of cells, {"embeddings[chai, 1]": 0.5}, given or calculated ones; of calculated steps
                {"head.1.output": 0}, "mean" or "from FILE". The calculation before steps got others is `before`
    wanted:     selectors of all the values needed, to save memory: of a training of several steps nothing else of each
                is kept; in a large model whose weights are in files, the numbers of others are let go when nothing
                needs them any more

    Raises ArgumentError (a TypeError and a ValueError) where an argument cannot be used.
    """
    return calculate(scenario, arithmetic, decimals, changes, wanted)


def calculate(
    scenario: Scenario,
    arithmetic: str = "exact",
    decimals: int | None = None,
    changes: Changes | None = None,
    wanted: Sequence[str] | None = None,
    *,
    explained: bool = False,
    begun: Callable[[record.Trace], None] | None = None,
    most_steps: int | None = None,
) -> Trace:
    """The same for commands.

    explained:  of a large model, what the wanted values come from is kept too, and what uses them is calculated
    begun:      called with the still empty record when the calculation begins, to watch it grow
    most_steps: at most this many training steps
    """
    expect(isinstance(scenario, Scenario), "scenario", 'a Scenario, as load_scenario("chai") gives one', scenario)
    by_hand, format = _arithmetic(scenario, arithmetic)
    expect_decimals(decimals)
    expect_texts(wanted, "wanted", "selectors")
    others: Mapping[str, Change] = {}
    if changes is not None:
        from walkthrough.transformer.loading.changes import change_given  # seldom wanted

        scenario, others = change_given(scenario, changes)
    needs = None if not wanted or others else _needs(scenario, wanted, explained)
    if scenario.sparing and (needs is None or needs.explained or not needs.releases):
        from walkthrough.transformer.loading.load import check_numbers  # wanted for large models only

        check_numbers(scenario)
    options: dict[str, Any] = {
        "by_hand": by_hand,
        "decimals": decimals,
        "keep": wanted,
        "begun": begun,
        "most_steps": most_steps,
        "format": format,
    }
    if others:
        from walkthrough.transformer.loading.replacing import trace_replacing  # seldom wanted

        recorded = trace_replacing(Trace, scenario, others, **options)
    else:
        recorded = model.trace_into(Trace, scenario, **options, needs=needs)
    recorded.scenario = scenario.source.name
    if scenario.spec.published and not recorded.forgotten:
        recorded.judge = partial(_judge, scenario, recorded.exact or recorded)
    if scenario.spec.generate is not None and scenario.spec.generate.cache:
        recorded.passes = partial(_passes, scenario, recorded["generated"].shape[0])
    return recorded


def _arithmetic(scenario: Scenario, name: str) -> tuple[bool, NumberFormat | None]:
    """Whether every value is rounded, and the number format where it is to one."""
    format = number_format(name) if isinstance(name, str) else None
    known = ("exact", "by-hand", *FLOAT_NAMES, INT_NAMES)
    expect(name in known[:2] or format is not None, "arithmetic", f"one of {', '.join(known)}", name)
    stated = scenario.spec.rounding
    if name == "by-hand":
        return True, stated.format if stated is not None else None
    return format is not None, format


def _needs(scenario: Scenario, wanted: Sequence[str], explained: bool) -> Needs:
    from walkthrough.transformer.shapes import needs  # wanted for large models only

    return needs(scenario, wanted, explained or not scenario.sparing)


def _passes(scenario: Scenario, count: int) -> Sequence[PassSize]:
    from walkthrough.sizes.generation import passes  # seldom wanted

    return passes(scenario, count)


def _judge(scenario: Scenario, trace: record.Trace) -> CheckResult:
    from walkthrough.judging.check import check  # seldom wanted

    return check(scenario, trace)
