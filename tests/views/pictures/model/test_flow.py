"""The lines of the map say what the recorded operands say, no more and no less; parts side by side have none."""

from __future__ import annotations

import io
import re
from html import unescape

import pytest

from tests.examples import SMALL_OF_EACH_KIND, all_in_a_thorough_run
from tests.views.samples import bundled_trace
from walkthrough.library import Trace
from walkthrough.recording.selectors import pass_of
from walkthrough.recording.values import Value
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.views.model_map import map_of
from walkthrough.views.options import Options
from walkthrough.views.page.front import maps_html
from walkthrough.views.passes import last_pass
from walkthrough.views.pictures.draw import write
from walkthrough.views.pictures.model.boxes import boxes_in, boxes_of

Edges = set[tuple[str, str]]
BUNDLED = sorted(bundled_scenarios().keys() - {"transformer-base"})
"""Those that have a page: that one is too large."""


def map_of_last_pass(trace: Trace) -> str:
    return next(maps_html(trace, list(trace), None))


def drawn_edges(text: str) -> Edges:
    pairs = re.findall(r'data-from="?([^">]*?)"? data-to="?([^">]*?)"?(?= ?/?>)', text)
    return {
        (source, target)
        for sources, targets in pairs
        for source in unescape(sources).split()
        for target in unescape(targets).split()
    }


def reached(value: Value, drawn: set[str]) -> set[str]:
    """What it reads: drawn steps, directly or by steps of its own pass that are not drawn.

    What a training step has made of a parameter is taken as it is.
    """
    found, waiting, seen = set[str](), [] if ".update." in f".{value.path}" else list(value.inputs), set[str]()
    while waiting:
        given = waiting.pop()
        if given.path in seen:
            continue
        seen.add(given.path)
        if given.path in drawn:
            found.add(given.path)
        elif pass_of(given.path) == pass_of(value.path):
            waiting += given.inputs
    return found


def edges_between(trace: Trace, boxes: list[list[str]]) -> Edges:
    """The edges between boxes; the only step of a box may stand for a part whose other steps are not drawn.

    One that reads nothing, as a mask that every pass takes from the first, stands for nothing else.
    """
    drawn = {path for box in boxes for path in box}
    home = {path: at for at, box in enumerate(boxes) for path in box}
    alone = [box[0] for box in boxes if len(box) == 1 and "." in box[0] and trace[box[0]].inputs]
    stands_for = {path.rpartition(".")[0]: path for path in alone}
    held_elsewhere = {
        part for part, last in stands_for.items() if any(path.startswith(part + ".") for path in drawn - {last})
    }
    edges = {(source, path) for path in drawn for source in reached(trace[path], drawn)}
    for part, last in stands_for.items():
        if part not in held_elsewhere:
            folded = [value for value in trace if value.path.startswith(f"{part}.")]
            edges |= {(source, last) for value in folded for source in reached(value, drawn) if source != last}
    return {(source, target) for source, target in edges if home[source] != home[target]}


@pytest.mark.parametrize("name", all_in_a_thorough_run(BUNDLED, SMALL_OF_EACH_KIND))
def test_the_map_has_a_line_from_one_step_to_another_exactly_where_this_reads_it(name: str) -> None:
    trace = bundled_trace(name)
    text = map_of_last_pass(trace)
    boxes = [re.findall(r'data-heat="?([^" >]*)', box) for box in text.split("<div class=box>")[1:]]
    home = {path: at for at, box in enumerate(boxes) for path in box}
    drawn = drawn_edges(text)
    assert {edge for edge in drawn if home[edge[0]] != home[edge[1]]} == edges_between(trace, boxes)
    assert all(source in reached(trace[target], set(home)) for source, target in drawn if home[source] == home[target])


@pytest.mark.parametrize("name", all_in_a_thorough_run(BUNDLED, SMALL_OF_EACH_KIND))
def test_the_poster_has_all_steps_and_their_lines(name: str) -> None:
    trace = bundled_trace(name)
    if sum(value.array.size for value in trace) > 100_000:
        pytest.skip("too large for a poster in a test")
    out = io.BytesIO()
    write(trace, Options(picture="poster"), out)
    shown = last_pass(list(trace))
    parts = map_of(trace, shown.values, shown.names, shown.around)
    boxes = [[value.path for value in box.values] for box in boxes_in(boxes_of(parts, whole=True))]
    home = {path: at for at, box in enumerate(boxes) for path in box}
    assert set(home) == {value.path for value in shown.values}
    drawn = drawn_edges(out.getvalue().decode())
    assert {edge for edge in drawn if home[edge[0]] != home[edge[1]]} == {
        (source, path) for path in home for source in reached(trace[path], set(home)) if home[source] != home[path]
    }


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cooking-multihead", ".attention.head."),
        ("experts", ".feed_forward.expert."),
        ("tiny-llama", ".self_attention.head."),
        ("tiny-llama", "rotary"),
    ],
)
def test_parts_side_by_side_have_no_arrow_among_them(name: str, words: str) -> None:
    trace = bundled_trace(name)
    arrows = re.findall(r"<i [^>]*data-from=[^>]*>", map_of_last_pass(trace))
    assert not {edge for edge in drawn_edges("".join(arrows)) if all(words in path and part(edge[0], words) != part(
        edge[1], words) for path in edge)}  # fmt: skip


def part(path: str, words: str) -> str:
    """The number of a head or an expert in a path."""
    return path.partition(words)[2].partition(".")[0]


@pytest.mark.parametrize(
    ("name", "head", "lanes"),
    [
        ("chai", "encoder.1.attention.head.1", 4),
        ("tea-gpt", "generate.5.decoder.1.self_attention.head.2", 2 + 2 * 4),
        ("cooking-training", "trained.encoder.1.attention.head.1", 4),
    ],
)
def test_queries_keys_and_values_are_a_fork_in_a_head(name: str, head: str, lanes: int) -> None:
    text = map_of_last_pass(bundled_trace(name))
    lines = {
        (f"{head}.query", f"{head}.scores"),
        (f"{head}.key", f"{head}.scores"),
        (f"{head}.value", f"{head}.output"),
    }
    assert lines <= drawn_edges(text)
    assert text.count('class="lane in out"') == lanes


@pytest.mark.parametrize(("name", "count"), [("cat-gpt", 1), ("chai", 1), ("parallel", 0)])
def test_what_stands_in_several_lines_is_as_narrow_as_these(name: str, count: int) -> None:
    """The final norm of cat-gpt stands beside the layer then."""
    assert map_of_last_pass(bundled_trace(name)).count("<div style=max-width:") == count


@pytest.mark.parametrize(("name", "predicted"), [("cooking", True), ("lens", True), ("warmup", True), ("chai", False)])
def test_what_comes_out_stands_in_the_box_that_predicts_it(name: str, predicted: bool) -> None:
    boxes = map_of_last_pass(bundled_trace(name)).split("<div class=box>")[1:]
    holding = [one.partition("class=likeliest")[0] for one in boxes if "class=likeliest" in one]
    assert len(holding) == predicted
    assert all("output_head.probabilities" in one for one in holding)


def test_where_tokens_are_read_one_after_the_other_each_is_a_line_behind_its_word() -> None:
    lines = map_of_last_pass(bundled_trace("hot-sweet-cold")).split("<div class=row><div class=words")[1:]
    assert [re.findall(r"data-word=(\w+)", line) for line in lines] == [["hot"], ["sweet"], ["cold"]]
    assert all({*re.findall(r"head.1.token.(\d)", line)} == {str(at)} for at, line in enumerate(lines, 1))


def test_a_residual_goes_around_its_part_and_keys_come_from_the_encoder() -> None:
    trace = bundled_trace("not-on-your-life")
    text = map_of_last_pass(trace)
    ways = drawn_edges("".join(re.findall(r"<i class=way [^>]*>", text)))
    assert ("input", "encoder.1.residual_1") in ways
    assert ("generate.6.decoder.1.norm_2.output", "generate.6.decoder.1.residual_3") in ways
    tags = drawn_edges("".join(re.findall(r"<a class=tag [^>]*>", text)))
    assert ("encoder.1.norm_2.output", "generate.6.decoder.1.cross_attention.head.1.key") in tags
    assert "</b> Encoder</a>" in text


def test_a_box_of_one_matrix_says_its_title_once() -> None:
    text = map_of_last_pass(bundled_trace("chai"))
    assert ">Residual<" not in text
    assert "<span><b>R<sub>1</sub></b> Residual</span>" in text


def test_where_room_is_short_a_mask_stands_before_the_heads_and_words_once() -> None:
    text = map_of_last_pass(bundled_trace("tea-gpt"))
    assert "class=over" not in text
    inside = "generate.5.decoder.1.self_attention"
    assert {(f"{inside}.mask", f"{inside}.head.{head}.masked_scores") for head in (1, 2)} <= drawn_edges(text)
    assert map_of_last_pass(bundled_trace("latent")).count("class=words") == 1
