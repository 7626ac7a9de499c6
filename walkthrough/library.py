"""The Python interface: a trace that explains its numbers, and shows itself and its values in a notebook.

The record itself knows neither explanations nor views; both are added here, above all rooms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from walkthrough.errors import expect, expect_decimals, expect_text, expect_texts, expect_whole
from walkthrough.explaining import explanation
from walkthrough.languages.catalogue import catalogue
from walkthrough.number_formats import FLOAT_NAMES, INT_NAMES, NumberFormat, number_format
from walkthrough.recording import trace as record
from walkthrough.recording import values
from walkthrough.scenario.scenario import Scenario
from walkthrough.transformer.runs import run as model

if TYPE_CHECKING:
    from walkthrough.judging.check import Report
    from walkthrough.recording.trace import Needs
    from walkthrough.sizes.generation import PassSize
    from walkthrough.transformer.loading.changes import Changes


class Value(values.Value):
    """A recorded matrix that a notebook shows as a table."""

    __slots__ = ()

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
    by_hand: bool = False,
    arithmetic: str | None = None,
    decimals: int | None = None,
    keep: Sequence[str] | None = None,
    begun: Callable[[record.Trace], None] | None = None,
    most_steps: int | None = None,
    changes: Changes | None = None,
    what_if: Sequence[str] = (),
    wanted: Sequence[str] | None = None,
    explained: bool = False,
    tokens: Sequence[str] = (),
    taker: Callable[[values.Value], None] | None = None,
) -> Trace:
    """Calculates a scenario and records every value.

    by_hand:    round each recorded value before it is used, as the scenario's `rounding` says (or to its `decimals`)
    arithmetic: exact, by-hand, or a number format that everything is rounded to: float32, float16, bfloat16,
                float8_e4m3fn, float8_e5m2, int2 … int16; None: by_hand says it
    decimals:   how many decimals are shown; by hand, what every step is rounded to instead of the scenario's rounding;
                in a number format they are shown alone
    keep:       in a training of several steps, selectors of the values to keep of each step, to save memory; None: all
    begun:      called with the still empty record when the calculation begins, to watch it grow
    most_steps: at most this many training steps
    changes:    other given numbers, by their cell: {"embeddings[chai, 1]": 0.5}
    what_if:    steps that get other numbers than they have calculated: ["head.1.output=0", "scores[chai, is]=2"]; the
                calculation without that is `before` of the trace
    wanted:     selectors of all the values needed: what comes after them may be left out; in a large model whose
                weights are in files, the numbers of others are let go when nothing needs them any more
    explained:  with `wanted`: what they come from is kept too, and what uses them is calculated
    tokens:     with `wanted`, in such a model: logits and what follows have the rows of these tokens, and no others
    taker:      is given each value when it is recorded; in such a model, with `wanted`, none of them is kept then

    Raises ArgumentError (a TypeError and a ValueError) where an argument cannot be used.
    """
    expect(isinstance(scenario, Scenario), "scenario", 'a Scenario, as load_scenario("chai") gives one', scenario)
    expect(isinstance(by_hand, bool), "by_hand", "True or False", by_hand)
    by_hand, format = _arithmetic(scenario, arithmetic, by_hand)
    expect(begun is None or callable(begun), "begun", "a function", begun)
    expect_decimals(decimals)
    expect_whole(most_steps, "most_steps", least=1)
    expect_texts(keep, "keep", "selectors")
    expect_texts(what_if, "what_if", "what-ifs")
    expect_texts(wanted, "wanted", "selectors")
    expect_texts(tokens, "tokens", "tokens")
    expect(taker is None or callable(taker), "taker", "a function", taker)
    if changes is not None:
        from walkthrough.transformer.loading.changes import change_scenario  # seldom wanted

        scenario = change_scenario(scenario, changes)
    needs = None if wanted is None or by_hand or what_if else _needs(scenario, wanted, explained, tokens, taker is None)
    if scenario.sparing and not (needs and needs.releases):
        from walkthrough.transformer.loading.load import check_numbers  # wanted for large models only

        check_numbers(scenario)

    def begin(empty: record.Trace) -> None:
        empty.taker = taker
        if begun is not None:
            begun(empty)

    options: dict[str, Any] = {
        "by_hand": by_hand,
        "decimals": decimals,
        "keep": keep,
        "begun": begin,
        "most_steps": most_steps,
        "format": format,
    }
    if what_if:
        from walkthrough.transformer.loading.what_if import trace_what_if  # seldom wanted

        recorded = trace_what_if(Trace, scenario, what_if, **options)
    else:
        recorded = model.trace_into(Trace, scenario, **options, needs=needs)
    recorded.scenario = scenario.source.name
    if scenario.spec.published and not recorded.forgotten:
        recorded.judge = partial(_judge, scenario, recorded.exact or recorded)
    if scenario.spec.generate is not None and scenario.spec.generate.cache:
        recorded.passes = partial(_passes, scenario, recorded["generated"].shape[0])
    return recorded


def _arithmetic(scenario: Scenario, name: str | None, by_hand: bool) -> tuple[bool, NumberFormat | None]:
    """Whether every value is rounded, and the number format where it is to one."""
    format = number_format(name) if isinstance(name, str) else None
    known = ("exact", "by-hand", *FLOAT_NAMES, INT_NAMES)
    expect(name in (None, *known[:2]) or format is not None, "arithmetic", f"one of {', '.join(known)}", name)
    expect(not by_hand or name in (None, "by-hand"), "arithmetic", "by-hand or none beside by_hand", name)
    stated = scenario.spec.rounding
    if format is None and (by_hand or name == "by-hand"):
        return True, stated.format if stated is not None else None
    return format is not None, format


def _needs(scenario: Scenario, wanted: Sequence[str], explained: bool, tokens: Sequence[str], is_kept: bool) -> Needs:
    from walkthrough.transformer.shapes.check import needs  # wanted for large models only

    return needs(scenario, wanted, explained or not scenario.sparing, tokens, is_kept)


def _passes(scenario: Scenario, count: int) -> Sequence[PassSize]:
    from walkthrough.sizes.generation import passes  # seldom wanted

    return passes(scenario, count)


def _judge(scenario: Scenario, trace: record.Trace) -> Report:
    from walkthrough.judging.check import check  # seldom wanted

    return check(scenario, trace)
