"""The operation of the chosen number, drawn in the panel from the numbers of the trace."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.browser.pages import opened, written

pytestmark = pytest.mark.browser
HEAD = "encoder.1.attention.head.1."


@pytest.fixture(scope="module")
def trace() -> wt.Trace:
    return wt.trace(wt.load_scenario("chai"))


@pytest.fixture(scope="module")
def page(browser: Any, trace: wt.Trace, tmp_path_factory: Any) -> Iterator[Any]:
    address = written(tmp_path_factory.mktemp("drawn"), trace)
    with opened(browser, address, reduced_motion="reduce") as shown:
        yield shown


def choose(page: Any, path: str, row: int, column: int) -> None:
    page.evaluate("path => { location.hash = path }", path)
    page.locator(f'[id="{path}"] tbody tr').nth(row).locator("td").nth(column).click()


def drawn(page: Any, selector: str) -> list[Any]:
    """Path, place, width and left edge of what is drawn."""
    return list(
        page.locator(f"#-panel {selector}").evaluate_all(
            "all => all.map(one => { const { left, width } = one.getBoundingClientRect();"
            " return [one.dataset.of, one.dataset.c, left, width] })"
        )
    )


def lit(page: Any, path: str) -> list[str]:
    selector = f'#-panel [data-of="{path}"][data-lit]'
    return list(page.locator(selector).evaluate_all("all => all.map(one => one.dataset.c)"))


def test_a_product_stands_where_row_and_column_cross(page: Any, trace: wt.Trace) -> None:
    choose(page, HEAD + "scores", 1, 2)
    assert lit(page, HEAD + "query") == ["1,0", "1,1"]
    assert lit(page, HEAD + "key") == ["2,0", "2,1"]
    assert lit(page, HEAD + "scores") == ["1,2"]
    texts = dict(
        page.locator("#-panel [data-of]").evaluate_all("a => a.map(o => [o.dataset.of + o.dataset.c, o.innerText])")
    )
    assert len(texts) == 4 * 2 + 2 * 4 + 4 * 4
    assert texts[HEAD + "scores1,2"] == "2.050"
    page.hover(f'#-panel [data-of="{HEAD}query"][data-c="1,1"]')
    assert (lit(page, HEAD + "query"), lit(page, HEAD + "key")) == (["1,1"], ["2,1"])


def test_a_product_is_added_up_term_by_term(page: Any, trace: wt.Trace) -> None:
    choose(page, HEAD + "scores", 1, 2)
    query, key = trace[HEAD + "query"].array[1], trace[HEAD + "key"].array[2]
    for count in (0, 1, 2, 0):
        assert page.inner_text("#-panel [data-sum]") == f"{query[:count] @ key[:count]:.3f}".replace("-", "−")
        page.click('#-panel button:has-text("Add up")')


def test_a_bias_is_the_last_term(page: Any, trace: wt.Trace) -> None:
    choose(page, "encoder.1.feed_forward.hidden", 1, 2)
    assert lit(page, "encoder.1.feed_forward.w_1") == [f"{k},2" for k in range(4)]
    for _ in range(5):
        page.click('#-panel button:has-text("Add up")')
    assert page.inner_text("#-panel [data-sum]") == "1.064"


def test_a_softmax_is_three_groups_of_bars_as_long_as_the_numbers_are_large(page: Any, trace: wt.Trace) -> None:
    for path, column in ((HEAD + "softmax.exp", 3), (HEAD + "softmax.sum", 0), (HEAD + "weights", 3)):
        choose(page, path, 0, column)
        bars = drawn(page, "[data-bar]")
        for name in ("scaled_scores", "softmax.exp", "weights"):
            widths = [width for of, _, _, width in bars if of == HEAD + name]
            sizes = abs(trace[HEAD + name].array[0])
            np.testing.assert_allclose(np.array(widths) / max(widths), sizes / sizes.max(), atol=0.01)


def test_a_norm_is_dots_on_lines_with_mean_and_deviation(page: Any, trace: wt.Trace) -> None:
    for name in ("mean", "centered", "variance", "std", "output"):
        choose(page, f"encoder.1.norm_1.{name}", 2, 0)
        dots = drawn(page, "circle")
        ends = [trace["encoder.1.residual_1"].array[2], trace["encoder.1.norm_1.output"].array[2]]
        places = [left + width / 2 for _, _, left, width in dots]
        numbers = [x for pair in zip(*ends, strict=True) for x in pair]
        factor, start = np.polyfit(numbers, places, 1)
        np.testing.assert_allclose(np.array(numbers) * factor + start, places, atol=0.1)
        _, _, left, width = drawn(page, "rect")[0]
        mean, std = (trace[f"encoder.1.norm_1.{one}"].array[2, 0] for one in ("mean", "std"))
        assert left + width / 2 == pytest.approx(mean * factor + start, abs=0.3)
        assert width == pytest.approx(2 * std * factor, abs=1.5)


def test_the_terms_of_a_sum_are_laid_end_to_end_above_the_result(page: Any, trace: wt.Trace) -> None:
    choose(page, "encoder.1.residual_1", 2, 2)
    first, second, result = drawn(page, "[data-bar]")
    assert [first[0], second[0]] == [value.path for value in trace["encoder.1.residual_1"].inputs]
    assert second[2] == pytest.approx(first[2] + first[3], abs=0.5)
    assert result[2] + result[3] == pytest.approx(second[2] + second[3], abs=0.5)


def test_what_is_drawn_follows_edits(page: Any) -> None:
    choose(page, HEAD + "scores", 0, 0)
    before = page.inner_text(f'#-panel [data-of="{HEAD}scores"][data-lit]')
    page.evaluate("walkthrough.set('embeddings', 0, 0, 3)")
    now = page.evaluate(f"walkthrough.line('{HEAD}scores', 0, 0).split(' = ').pop()")
    assert now != before
    page.wait_for_selector(f'#-panel [data-of="{HEAD}scores"][data-lit]:text-is("{now}")')
    page.evaluate("walkthrough.reset()")


def test_of_large_matrices_only_row_and_column_are_drawn(show: Any) -> None:
    rows = [[(i * j) % 5 for j in range(9)] for i in range(2)]
    weights = {f"w_{one}": [[i % 3, i % 2] for i in range(9)] for one in "qkv"}
    scenario = {"title": "Nine features", "tokens": ["a", "b"], "embeddings": rows, "attention": weights}
    trace = wt.trace(wt.parse_scenario(json.dumps(scenario)))
    page = show(trace)
    path = "attention.head.1.query"
    choose(page, path, 1, 1)
    copies = {(of, c) for of, c, *_ in drawn(page, "[data-of]")}
    row, column = (
        {("token_embedding", f"1,{k}") for k in range(9)},
        {("attention.head.1.w_q", f"{k},1") for k in range(9)},
    )
    assert copies == {(path, "1,1")} | row | column
