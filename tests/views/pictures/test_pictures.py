"""Pictures: each kind of every scenario is SVG by itself, with the trace's numbers under their names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from xml.etree import ElementTree

import pytest

import walkthrough as wt
from tests.examples import SMALL_OF_EACH_KIND, all_in_a_thorough_run, slow, some
from tests.views.samples import HOSTILE, bundled_trace, hostile_trace, wide_trace
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.views.options import Options
from walkthrough.views.passes import last_pass
from walkthrough.views.pictures import draw, shapes
from walkthrough.views.pictures.card import card
from walkthrough.views.pictures.svg import svg
from walkthrough.views.selection import TooLargeError
from walkthrough.views.text.cells import cell_texts
from walkthrough.views.text.colours import luminance

SMALL = [name for name in bundled_scenarios() if name not in ("transformer-base", "specialise")]
SVG = "{http://www.w3.org/2000/svg}"
ELEMENTS = {"svg", "title", "desc", "g", "rect", "path", "text", "tspan"}
ATTRIBUTES = {
    *("version", "width", "height", "viewBox", "font-family", "x", "y", "rx", "d", "fill", "stroke", "stroke-width"),
    *("transform", "font-size", "font-weight", "text-anchor", "dy", "{http://www.w3.org/XML/1998/namespace}space"),
    *("data-of", "data-c", "data-heat", "data-bar", "data-word", "data-from", "data-to"),
}

trace_of = cache(bundled_trace)


def picture(trace: wt.Trace, kind: str = "", steps: Sequence[str] = (), **options: object) -> str:
    return svg(draw.draw(trace, Options(steps, picture=kind, **options)))  # type: ignore[arg-type]


def elements(text: str, name: str = "") -> list[ElementTree.Element]:
    return [one for one in ElementTree.fromstring(text).iter() if not name or one.tag == SVG + name]


def named(text: str) -> dict[tuple[str, str], str]:
    """The texts of cells by their path and place."""
    return {
        (one.attrib["data-of"], one.attrib["data-c"]): one.text or ""
        for one in elements(text, "text")
        if "data-of" in one.attrib
    }


def test_a_whole_file(golden: Callable[[str, str], None]) -> None:
    golden("help-me.svg", picture(trace_of("help-me")))


@pytest.mark.parametrize("name", all_in_a_thorough_run(SMALL, SMALL_OF_EACH_KIND))
def test_each_picture_is_svg_by_itself_with_legible_type(name: str) -> None:
    trace = trace_of(name)
    for kind in ("poster", "arcs", "curve"):
        if not draw.KINDS[kind][0](trace, list(trace)):
            continue
        text = picture(trace, kind)
        found = elements(text)
        assert [one.tag for one in found[:3]] == [f"{SVG}svg", f"{SVG}title", f"{SVG}desc"]
        assert {one.tag.removeprefix(SVG) for one in found} <= ELEMENTS
        assert {attribute for one in found for attribute in one.attrib} <= ATTRIBUTES
        assert all(float(one.attrib["font-size"]) >= 5 for one in found if "font-size" in one.attrib)
        assert "url(" not in text
        assert text == picture(trace, kind)


def test_frames_arcs_and_type_stand_out_from_what_is_behind_them() -> None:
    def contrast(colour: str) -> float:
        red, green, blue = bytes.fromhex(colour.removeprefix("#"))
        return (panel + 0.05) / (luminance(red, green, blue) + 0.05)

    panel = luminance(*bytes.fromhex(shapes.PANEL.removeprefix("#")))  # the darkest thing behind
    for kind in ("poster", "arcs", "curve"):
        found = elements(picture(trace_of("first-step" if kind == "curve" else "cooking-multihead"), kind))
        grid = [one for one in found if one.attrib.get("stroke-width") == "0.5"]
        marks = {one.attrib["stroke"] for one in found if "stroke" in one.attrib and one not in grid}
        assert marks
        assert {colour for colour in marks if contrast(colour) < 3} == set(), kind
        assert all(contrast(one.attrib["fill"]) >= 4.5 for one in found if one.tag == f"{SVG}text"), kind


def test_a_poster_is_on_a3_and_has_each_step_of_the_last_pass_once() -> None:
    for name in ("chai", "cooking-multihead", "key-cache"):
        trace = trace_of(name)
        root = ElementTree.fromstring(picture(trace))
        assert (root.attrib["width"], root.attrib["height"]) == ("420mm", "297mm")
        heats = [one.attrib["data-heat"] for one in root.iter() if "data-heat" in one.attrib]
        assert sorted(heats) == sorted(value.path for value in last_pass(list(trace)).values)
        assert root[0].text == trace.title


def placed(root: ElementTree.Element, x: float = 0, y: float = 0) -> Iterator[tuple[ElementTree.Element, float, float]]:
    """All elements with where their groups are."""
    right, down = map(float, re.findall(r"[\d.-]+", root.attrib.get("transform", "0 0")))
    yield root, x + right, y + down
    for one in root:
        yield from placed(one, x + right, y + down)


@pytest.mark.parametrize("name", ["chai", "one-head"])
def test_a_line_out_of_lines_of_matrices_leads_from_the_last_of_them_to_the_right(name: str) -> None:
    found = list(placed(ElementTree.fromstring(picture(trace_of(name)))))
    ends = "head.1.weights", "head.1.output"
    ((heat, x, y), (_, right, _)) = (
        one for end in ends for one in found if one[0].attrib.get("data-heat", "").endswith(end)
    )
    edge = x + float(heat[0].attrib["width"]), y + float(heat[0].attrib["height"]) / 2
    paths = [(re.findall(r"[\d.-]+", one.attrib.get("d", "")), x, y) for one, x, y in found]
    assert any((x + float(d[0]), y + float(d[1])) == pytest.approx(edge, abs=0.1) for d, x, y in paths if d)
    assert right > edge[0]


def test_a_name_below_a_matrix_and_one_that_is_read_from_afar_are_written_as_on_the_page() -> None:
    assert "sum,1" in [one.text for one in elements(picture(trace_of("two-sentences")), "tspan")]
    assert [one.text for one in elements(picture(trace_of("shared-keys")), "text")].count("↙ K Head 1") == 1


def test_the_likeliest_words_of_a_poster_are_bars_by_their_probability() -> None:
    bars = [one.attrib for one in elements(picture(trace_of("cooking"))) if "data-bar" in one.attrib]
    values = trace_of("cooking")["output_head.probabilities"].array[-1]
    assert [bar["data-c"] for bar in bars] == [f"2,{at}" for at in (-values).argsort()[:5]]
    for bar, number in zip(bars, sorted(values, reverse=True), strict=False):
        assert float(bar["width"]) / float(bars[0]["width"]) == pytest.approx(number / max(values), abs=0.001)


@pytest.mark.parametrize("name", ["chai", "key-cache", slow("fuchs")])
def test_heat_shows_every_digit_of_the_chosen_steps_in_its_cell(name: str) -> None:
    trace = trace_of(name)
    shown = named(picture(trace, "heat"))
    for value in trace:
        texts = cell_texts(trace, value, None)
        for i, line in enumerate(texts):
            for j, text in enumerate(line):
                assert shown[value.path, f"{i},{j}"] == text


def test_a_wide_matrix_is_means_of_blocks_without_digits() -> None:
    text = picture(wide_trace(), "heat", ["scores"])
    assert not named(text)
    (heat,) = (one for one in elements(text) if "data-heat" in one.attrib)
    assert heat[0].attrib["width"] == str(20 * 13)  # blocks of two by two


def test_arcs_are_the_weights_of_the_last_word_or_of_the_one_that_is_asked_for() -> None:
    trace = trace_of("cooking-multihead")
    for row, options in ((2, {}), (0, {"tokens": ["I"]})):
        bends = [one for one in elements(picture(trace, "arcs", **options), "path") if "data-of" in one.attrib]
        assert [(one.attrib["data-of"], one.attrib["data-c"]) for one in bends] == [
            (f"encoder.1.attention.head.{head}.weights", f"{row},{key}") for head in (1, 2) for key in range(3)
        ]
        weights = [
            trace[one.attrib["data-of"]].array[tuple(map(int, one.attrib["data-c"].split(",")))] for one in bends
        ]
        assert [float(one.attrib["stroke-width"]) for one in bends] == pytest.approx(
            [12 * w for w in weights], abs=0.01
        )


def test_the_weights_of_a_word_stand_below_it_and_none_on_another() -> None:
    text = picture(trace_of("not-on-your-life"), "arcs", ["generate.6.decoder.1.cross_attention"])
    spots = {
        (float(one.attrib["x"]), float(one.attrib["y"])): one.attrib["data-c"].split(",")[1]
        for one in elements(text, "text")
        if "data-of" in one.attrib
    }
    assert sorted(spots.values()) == ["0", "0", "1", "1", "2", "2", "3", "3"]
    assert {y for _, y in spots} == {15, 30}
    assert all(abs(x - u) > 40 for x, y in spots for u, v in spots if y == v and x != u)
    assert all((x == u) == (spots[x, y] == spots[u, v]) for x, y in spots for u, v in spots)


def test_a_curve_ends_with_the_loss_after_the_last_update() -> None:
    text = picture(trace_of("cooking-training"), "curve")
    assert named(text) == {("training", "0,0"): "2.337", ("trained.loss.mean", "0,0"): "2.033"}


@pytest.mark.parametrize(
    ("scenario", "step", "line"),
    [
        ("chai", "scores", "[Q] · T [K] = [S]"),
        ("chai", "scaled_scores", "[S] / √dk = [S'] dk = 2"),
        ("chai", "softmax.exp", "exp( [S'] ) = [U]"),
        ("chai", "encoder.1.residual_1", "[X] + [O] = [R1]"),
        ("chai", "feed_forward.activation", "max(0, [H] ) = [G]"),
        ("chai", "feed_forward.hidden", "[Y1] · [W1] + [b1] = [H]"),
        ("rotary", "query_rotated", "rotate( [Q] , [Θ] ) = [QR]"),
        ("cooking-training", "gradient.output_head.logits", "( [P] − 1 at the target) / 3 = [∂L]"),
    ],
)
def test_an_equation_is_the_formula_with_its_matrices(scenario: str, step: str, line: str) -> None:
    """Matrices are told by the symbols below them."""
    trace = trace_of(scenario)
    text = picture(trace, "equation", [step])
    said = ["".join(one.itertext()) for one in elements(text, "text") if "data-of" not in one.attrib][1:]
    shape = re.compile(r"\d+×\d+")
    words = [f"[{word}]" if shape.fullmatch(after) else word for word, after in zip(said, [*said[1:], ""], strict=True)]
    assert " ".join(word for word in words if not shape.fullmatch(word)) == line
    value = trace.only(step)
    paths = Counter(path for path, _ in named(text))
    assert paths == {one.path: one.array.size for one in (value, *value.inputs) if one.path in paths}
    assert value.path in paths


@pytest.mark.parametrize(
    ("scenario", "kind", "steps", "said"),
    [
        ("sandwich", "arcs", [], "this scenario can be drawn as poster, heat, equation only"),
        ("chai", "arcs", ["w_q"], "the chosen steps can be drawn as poster, heat only"),
        ("chai", "equation", ["w_q"], "equation shows a computed step as operands and result; the chosen steps"),
        ("chai", "curve", [], "curve shows the loss of a training; this scenario can be drawn as"),
        ("chai", "poser", [], "no picture is called 'poser'; did you mean 'poster'?"),
    ],
)
def test_what_cannot_be_drawn_is_said_with_what_can(scenario: str, kind: str, steps: list[str], said: str) -> None:
    with pytest.raises(draw.PictureError) as caught:
        picture(trace_of(scenario), kind, steps)
    assert said in str(caught.value)


def test_hostile_words_are_text() -> None:
    trace = hostile_trace([*HOSTILE, "</script>", "</text><script>x</script>", "\uffff", "\u05d0\u05d1"])
    for kind, steps in (("poster", ()), ("heat", ("weights",)), ("arcs", ()), ("equation", ("output",))):
        text = picture(trace, kind, steps)
        assert {one.tag.removeprefix(SVG) for one in elements(text)} <= ELEMENTS
        assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069\u2028\ufffe\uffff]", text)
    words = {one.attrib["data-word"] for one in elements(picture(trace)) if "data-word" in one.attrib}
    assert {"[bold]", "$x$", "</text><script>x</script>", r"\u202eright", "\u05d0\u05d1"} <= words


def test_a_picture_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from walkthrough.views import selection

    monkeypatch.setattr(selection, "MOST_NUMBERS", 400)
    with pytest.raises(TooLargeError, match="a poster of 454 numbers is too large; it holds at most 400: choose steps"):
        picture(trace_of("chai"))


def test_a_notebook_shows_the_picture_of_a_trace() -> None:
    trace = trace_of("chai")
    found = trace.picture("heat", "scores")
    assert found == trace.picture("heat", ["scores"]) == found._repr_svg_() == picture(trace, "heat", ["scores"])


def test_no_two_cards_are_alike() -> None:
    names = some(sorted(SMALL_OF_EACH_KIND), SMALL)
    cards = {name: svg(card(trace_of(name))).partition("</desc>")[2] for name in names}
    assert len(set(cards.values())) == len(names)
    assert "0.033</text>" not in cards["cooking-training"]
    assert "2.337 → 2.033" in cards["cooking-training"]
    assert re.findall('data-word="(.*?)"', cards["key-cache"]) == ["the", "tea", "is", "hot", "&lt;end&gt;"]
