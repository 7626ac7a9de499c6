"""Of a further pass of the model the terminal shows what it changes; other formats show it whole."""

from __future__ import annotations

import numpy as np

import walkthrough as wt
from tests.views.samples import bundled_trace
from walkthrough.recording.trace import Trace
from walkthrough.views.options import Options
from walkthrough.views.report.blocks import Heading, Matrix
from walkthrough.views.report.document import report
from walkthrough.views.report.grid import Grid, changed_rows


def grids(trace: Trace, options: Options) -> dict[str, Grid]:
    """The tables that are shown, by path."""
    blocks = list(report(trace, options).blocks())
    paths = [block.path for block in blocks if isinstance(block, Heading)]
    return dict(zip(paths, (block.grid for block in blocks if isinstance(block, Matrix)), strict=True))


PATH = "generate.3.decoder.1.self_attention.head.1.query"


def test_only_the_new_token_changes_in_a_causal_decoder() -> None:
    trace = bundled_trace("tea-gpt")
    value = trace[PATH]
    assert value.before is trace["generate.2.decoder.1.self_attention.head.1.query"]
    assert [value.rows[row] for row in changed_rows(value)] == [value.rows[-1]]
    assert np.array_equal(value.array[:-1], value.before.array)


def test_a_first_pass_shows_every_row() -> None:
    value = bundled_trace("tea-gpt")["decoder.1.self_attention.head.1.query"]
    assert changed_rows(value) == list(range(value.shape[0]))


def test_the_rows_left_out_are_counted() -> None:
    trace = bundled_trace("tea-gpt")
    shown = grids(trace, Options(steps=[PATH], changes=True))[PATH]
    assert shown.rows == trace[PATH].rows[-1:]
    assert shown.hidden == "3 rows unchanged from the previous pass not shown"
    whole = grids(trace, Options(steps=[PATH]))[PATH]
    assert whole.rows == trace[PATH].rows
    assert whole.hidden == ""


def test_a_step_that_a_pass_leaves_alone_is_shown_when_asked_for() -> None:
    text = wt.load_scenario("not-on-your-life").source.text
    trace = wt.trace(wt.parse_scenario(text.replace("max_tokens: 8", "max_tokens: 2")))
    key = "generate.2.decoder.1.cross_attention.head.1.key"
    assert changed_rows(trace[key]) == []
    assert key not in grids(trace, Options(changes=True))
    assert grids(trace, Options(steps=[key], changes=True))[key].rows == trace[key].rows
