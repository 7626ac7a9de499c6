"""The workbook: other programs calculate the same numbers from it, and it opens where it should be begun."""

from __future__ import annotations

import io
import random
import re
import sys
import zipfile
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import unescape

import numpy as np
import pytest

import walkthrough as wt
from tests.examples import OF_EACH_KIND, SMALL_OF_EACH_KIND, all_in_a_thorough_run, slow
from tests.oracle.scenarios import KINDS, as_yaml, seeded_scenario
from tests.oracle.training_scenarios import seeded_training
from tests.views.samples import HOSTILE, SMALL, bundled_trace, hostile_trace, quantized_trace, small_trace
from tests.views.workbook import libreoffice, shared_formulas
from tests.views.workbook.recalculation import Recalculated, blocks_of, differences, without_cache, workbook
from walkthrough.languages.catalogue import catalogue
from walkthrough.library import calculate
from walkthrough.operations.softmax import divide_rows, exponential, row_sum
from walkthrough.recording import Kind, Recorder, Trace
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.views.options import Options
from walkthrough.views.selection import TooLargeError
from walkthrough.views.workbook import plan as xlsx_plan
from walkthrough.views.workbook import workbook as xlsx
from walkthrough.views.workbook.plan import PlacedValue, defined_name, sheet_name

pytest.importorskip("xlsxwriter")
openpyxl: Any = pytest.importorskip("openpyxl")
iron = pytest.mark.skipif(not __import__("importlib.util").util.find_spec("ironcalc"), reason="no IronCalc")

TOO_LARGE = {"transformer-base", "specialise"}
"""More than a million numbers each; of these a few steps."""
LONG_ONES = re.compile(r"MAX\(MAX\(|\*LN\(|MATCH\(")
"""The largest of many, sums of logarithms, which take no range everywhere, and the best of several tables."""
BUNDLED = [name for name in bundled_scenarios() if name not in TOO_LARGE]


@cache
def of_cooking() -> bytes:
    return workbook(bundled_trace("cooking"))


def opened(content: bytes, data_only: bool = False) -> Any:
    return openpyxl.load_workbook(io.BytesIO(content), data_only=data_only)


def block_of(trace: wt.Trace, path: str, steps: tuple[str, ...] = ()) -> PlacedValue:
    """Where the numbers of the step stand whose path ends so."""
    return next(block for block in blocks_of(trace, steps) if block.value.path.endswith(path))


def wrong_in(trace: wt.Trace, folder: Path, steps: tuple[str, ...] = (), content: bytes = b"") -> list[str]:
    """The blocks of its workbook in which IronCalc finds other numbers than the trace.

    Its ERF is off by up to 5e-11, which grows a little in the steps behind it.
    """
    content = content or workbook(trace, steps=steps)
    within = 1e-10 if any("ERF(" in formula for formula in formulas(content)) else 1e-12
    return differences(Recalculated(content, folder), trace, steps, within)


def parts(content: bytes, pattern: str) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return [file.read(name).decode() for name in sorted(file.namelist()) if re.match(pattern, name)]


def formulas(content: bytes) -> list[str]:
    return [text for sheet in parts(content, "xl/worksheets/sheet") for text in re.findall("<f>([^<]*)</f>", sheet)]


def drawn(kind: str, seed: int) -> wt.Trace | None:
    """The trace of a drawn scenario, every third with training, every fourth by hand.

    None where there is none, where its training diverges (then every engine has other last digits), or where the only
    word of a vocabulary has no probability: a sheet says that word all the same.
    """
    spec = seeded_training(kind, seed) if seed % 3 == 0 else seeded_scenario(kind, seed)
    try:
        trace = (
            wt.trace(wt.parse_scenario(as_yaml(spec)), arithmetic="by-hand" if seed % 4 == 3 else "exact")
            if spec
            else None
        )
    except wt.ScenarioError:
        return None
    predictions = [value for value in trace or [] if value.kind.name == "prediction"]
    if any(value.inputs[0].shape[1] == 1 and np.isnan(value.array).all() for value in predictions):
        return None
    sizes = [np.abs(value.array[np.isfinite(value.array)]).max(initial=0) for value in trace or []]
    return trace if max(sizes, default=0) < 1e6 else None


@iron
@pytest.mark.parametrize("name", all_in_a_thorough_run(BUNDLED, SMALL_OF_EACH_KIND))
def test_a_bundled_scenario_recalculates_to_its_trace(name: str, tmp_path: Path) -> None:
    content = workbook(bundled_trace(name))
    assert wrong_in(bundled_trace(name), tmp_path, content=content) == []
    assert_all_take(content)


@iron
@pytest.mark.parametrize("name", ["chai", "masked-scores", *map(slow, ("cooking", "fuchs", "cooking-training"))])
def test_by_hand_too(name: str, tmp_path: Path) -> None:
    content = workbook(bundled_trace(name, by_hand=True))
    assert wrong_in(bundled_trace(name, by_hand=True), tmp_path, content=content) == []
    assert_all_take(content)


@iron
@pytest.mark.parametrize("kind", KINDS)
def test_drawn_scenarios_recalculate_to_their_trace(kind: str, tmp_path: Path) -> None:
    trace = next(trace for seed in range(1, 9) if (trace := drawn(kind, seed)))
    assert wrong_in(trace, tmp_path) == []


@iron
@pytest.mark.parametrize("name", ["chai", slow("cooking-training"), "masked-scores"])
def test_a_number_typed_into_a_cell_gives_the_trace_with_that_number(name: str, tmp_path: Path) -> None:
    scenario = wt.load_scenario(name)
    trace = wt.trace(scenario)
    book = Recalculated(workbook(trace), tmp_path)
    given = [block for block in blocks_of(trace) if block.is_given and block.value.can_change]
    draw = random.Random(1)
    changes: dict[str, float] = {}
    for _ in range(4):
        block = draw.choice(given)
        row, column = (draw.randrange(size) for size in block.value.shape)
        number = round(draw.uniform(-2, 2), 3)
        value = block.value
        changes[f"{value.path}[{value.rows[row]}, {value.columns[column]}]"] = number
        book.set(block.place.sheet, *block.place.at(row, column), number)
        book.model.evaluate()
        assert differences(book, wt.trace(scenario, changes=changes)) == []


@iron
def test_a_large_scenario_takes_chosen_steps(tmp_path: Path) -> None:
    trace = calculate(wt.load_scenario("specialise"), wanted=["training", "train.3.scores"], most_steps=4)
    assert wrong_in(trace, tmp_path, ("training", "train.3.scores")) == []


@iron
def test_by_hand_the_cell_of_decimals_decides(tmp_path: Path) -> None:
    trace = wt.trace(wt.load_scenario("chai"), arithmetic="by-hand")
    content = workbook(trace)
    book = Recalculated(content, tmp_path)
    sheet, cell = opened(content).defined_names["decimals"].attr_text.split("!")
    book.set(sheet.strip("'"), int(cell.rpartition("$")[2]) - 1, 0, 2)
    book.model.evaluate()
    assert differences(book, wt.trace(wt.load_scenario("chai"), arithmetic="by-hand", decimals=2)) == []


@iron
def test_a_matrix_that_stands_twice_is_changed_in_one_place(tmp_path: Path) -> None:
    """A position table of which the prompt takes a part, and the longer sequence all."""
    from tests.transformer.loading.test_changes import TIED

    scenario = wt.parse_scenario(TIED)
    book = Recalculated(workbook(trace := wt.trace(scenario)), tmp_path)
    block = block_of(trace, "position_table")
    book.set(block.place.sheet, *block.place.at(1, 0), 0.75)
    book.model.evaluate()
    assert differences(book, wt.trace(scenario, changes={"position_table[1, 1]": 0.75})) == []


@iron
def test_chosen_steps_stand_on_given_numbers(tmp_path: Path) -> None:
    content = workbook(bundled_trace("chai"), steps=("scores", "weights"))
    assert wrong_in(bundled_trace("chai"), tmp_path, ("scores", "weights"), content) == []
    names = opened(content).defined_names
    assert "encoder.1.attention.head.1.query" in names
    assert "encoder.1.attention.head.1.value" not in names
    assert "left out" in "".join(parts(content, "xl/sharedStrings"))


@iron
@pytest.mark.parametrize("by_hand", [False, True])
def test_whole_numbers_are_rounded_as_in_the_trace(by_hand: bool, tmp_path: Path) -> None:
    """A half to the even one of its neighbours."""
    trace = quantized_trace(by_hand=by_hand)
    content = workbook(trace)
    assert wrong_in(trace, tmp_path, content=content) == []
    assert {told for formula in formulas(content) for told in shared_formulas.faults(unescape(formula))} == set()


@pytest.mark.office
@pytest.mark.skipif(libreoffice.PROGRAM is None, reason="LibreOffice is not installed")
@pytest.mark.parametrize(
    "which",
    ["exact", *map(slow, ("by hand", "all exact", "all by hand", "drawn"))],
)
def test_libreoffice_calculates_the_same(which: str, tmp_path: Path) -> None:
    if which == "drawn":
        made = {f"drawn {at}": drawn(list(KINDS)[at % len(KINDS)], at) for at in range(75 * len(KINDS))}
        traces = {name: trace for name, trace in made.items() if trace is not None}
    else:
        hand, names = which.endswith("by hand"), BUNDLED if which.startswith("all") else sorted(OF_EACH_KIND)
        known = {name: bundled_trace(name, by_hand=hand) for name in names} | {
            "quantized": quantized_trace(by_hand=hand)
        }
        traces = {name: one for name, one in known.items() if one.by_hand is None or one.by_hand.format is None}
    books = libreoffice.recalculated({name: without_cache(workbook(one)) for name, one in traces.items()}, tmp_path)
    found = {name: differences(books[name], one) for name, one in traces.items()}
    assert {name: told for name, told in found.items() if told} == {}


@pytest.mark.slow
@iron
def test_more_drawn_scenarios(tmp_path: Path) -> None:
    for at in range(75 * len(KINDS)):
        trace = drawn(list(KINDS)[at % len(KINDS)], at)
        assert trace is None or wrong_in(trace, tmp_path) == [], f"scenario {at}"


def assert_all_take(content: bytes) -> None:
    """Every formula is one that Excel 2010, LibreOffice and Google Sheets take, and none is entered as an array."""
    found = set(formulas(content))
    assert {formula: told for formula in found if (told := shared_formulas.faults(unescape(formula)))} == {}
    assert not re.search('_xlfn|t="array"|cm="', "".join(parts(content, "xl/worksheets/sheet")))
    long = [formula for formula in found if len(formula) > 250]
    assert [formula for formula in long if not LONG_ONES.search(formula)] == []
    minus = r"(^|[(,=<>+*/^-])-[A-Z$']+[^(]*\^"
    assert [formula for formula in found if re.search(minus, formula)] == [], "−x² is (−x)² there"


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("SUMPRODUCT(B1:D1,B2:D2)", ()),
        ("SUMPRODUCT(1*(B1:D1>$A1))", ()),
        ("MMULT(B1:C1,E1:E2)", ()),
        ("IF(SUM('a b'!B1:D1)>0,EXP(A1),NA())", ()),
        ("MATCH(MAX(B1:D1),B1:D1,0)-1", ()),
        ("LET(x,1,x)", ("function LET",)),
        ("EXP(B1:D1)", ("a range in EXP",)),
        ("B1:D1*2", ("a range in no function",)),
        ("SUM(B1:D1*B2:D2)", ("a range in SUM", "a range in SUM")),
        ("MAX(IF(B1:D1>0,1,0))", ("a range in IF",)),
        ("SUMPRODUCT(C1:C2,A1:B1)", ("SUMPRODUCT of [(2, 1), (1, 2)]",)),
        ("MMULT(B1:C1,E1:F1)", ("MMULT of [(1, 2), (1, 2)]",)),
        ("+".join(["A1"] * 3000), ("longer than 8192",)),
        (f"MAX({','.join(['A1'] * 300)})", ("300 arguments",)),
    ],
)
def test_what_not_every_spreadsheet_takes_is_seen(formula: str, told: tuple[str, ...]) -> None:
    assert shared_formulas.faults(formula) == told


def test_one_formula_all_over_a_block() -> None:
    """Copied from its first cell to any other, a formula is the formula there."""
    from openpyxl.formula.translate import Translator

    trace = bundled_trace("chai")
    book = opened(workbook(trace))
    alike = (
        "head.1.query",
        "weights",
        "residual_1",
        "norm_1.centered",
        "feed_forward.hidden",
        "feed_forward.activation",
    )
    for block in blocks_of(trace):
        if block.value in trace.select("input", *alike) and not block.is_given:
            sheet = book[block.place.sheet]
            cells = [cell for row in sheet[block.range.rpartition("!")[2].replace("$", "")] for cell in row]
            first = Translator(cells[0].value, cells[0].coordinate)
            assert [cell.value for cell in cells] == [first.translate_formula(cell.coordinate) for cell in cells]


def test_every_path_is_a_name_over_its_numbers() -> None:
    trace = bundled_trace("cooking")
    book = opened(of_cooking(), data_only=True)
    for path, value in trace.items():
        sheet, cells = book.defined_names[path].attr_text.split("!")
        found = book[sheet.strip("'")][cells.replace("$", "")]
        rows = found if isinstance(found, tuple) else ((found,),)
        assert np.allclose([[cell.value for cell in row] for row in rows], value.array, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("encoder.1.attention.head.1.w_q", "encoder.1.attention.head.1.w_q"),
        ("W1", "_W1"),
        ("R1C1", "_R1C1"),
        ("r", "_r"),
        ("c12", "_c12"),
        ("true", "_true"),
        ("2.weights", "_2.weights"),
        ("gate-up", "gate_up"),
        ("a b", "a_b"),
        ("größe", "größe"),
    ],
)
def test_a_path_that_is_no_name_gets_one(path: str, name: str) -> None:
    assert defined_name(path) == name


def test_names_are_told_apart_without_case_and_not_too_long() -> None:
    assert defined_name("Q", {"q"}) == "Q_2"
    assert len(defined_name("a" * 300)) == 255
    assert sheet_name("x" * 40, {"x" * 31}) == "x" * 29 + "_2"


def test_text_of_a_scenario_is_text() -> None:
    words = [*HOSTILE, "=1+1", "+1", "-1", "@SUM(A1)", '=HYPERLINK("http://x")', "]]>"]
    content = workbook(hostile_trace(words), steps=["scores"])
    assert not [text for text in formulas(content) if "HYPERLINK" in text or text in ("1+1", "SUM(A1)")]
    book = opened(content)
    texts = {cell.value: cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.data_type == "s"}
    assert {"=1+1", "+1", "-1", "@SUM(A1)"} <= texts.keys()
    assert all(texts[word].quotePrefix for word in ("=1+1", "+1", "-1", "@SUM(A1)"))
    for part in parts(content, r".*\.(xml|rels)$"):
        ElementTree.fromstring(part)


def test_unknown_and_hidden_numbers() -> None:
    """An unknown one is #N/A where it is given and an error in what depends on it; a hidden one is −1E+300."""
    book = opened(workbook(trace := small_trace()), data_only=True)
    by_path = {block.value.path: block for block in blocks_of(trace)}

    def cell(path: str, row: int, column: int) -> Any:
        block = by_path[path]
        down, across = block.place.at(row, column)
        return book[block.place.sheet].cell(down + 1, across + 1)

    assert cell("attention.head.1.scores", 0, 1).value == "#N/A"
    assert cell("attention.head.1.scaled_scores", 0, 1).value == "#N/A"
    hidden = cell("attention.head.1.masked_scores", 1, 0)
    assert hidden.value == -1e300
    assert "−∞" in hidden.number_format
    formula = opened(workbook(trace))[by_path["attention.head.1.masked_scores"].place.sheet]
    mask = by_path["mask"] if "mask" in by_path else by_path["attention.mask"]
    address = f"{openpyxl.utils.get_column_letter(mask.place.column + 1)}{mask.place.row + 2}"
    assert f"{address}<>0" in formula.cell(hidden.row, hidden.column).value


@iron
def test_a_number_beyond_all_bounds_is_an_error_where_it_is_taken_as_given_too(tmp_path: Path) -> None:
    head = "{w_q: [[1.0e+200, 0], [0, 1]], w_k: [[1, 0], [0, 1]], w_v: [[1, 0], [0, 1]]}"
    text = f"title: Large\ntokens: [a, b]\nembeddings: [[1.0e+200, 1], [1, 2]]\nattention: {{heads: [{head}]}}\n"
    trace = wt.trace(wt.parse_scenario(text))
    assert np.isposinf(trace["attention.head.1.query"].array[0, 0])
    recalculated = Recalculated(content := workbook(trace, steps=["scores"]), tmp_path)
    book = opened(content, data_only=True)
    for block in blocks_of(trace, ("scores",)):
        if block.value.path.endswith(("query", "scores")):
            down, across = block.place.at(0, 0)
            assert book[block.place.sheet].cell(down + 1, across + 1).value == "#NUM!"
            assert recalculated.number(block.place.sheet, down, across) == "#NUM!"


def test_the_first_sheet_names_a_scenario_as_a_shell_takes_it(tmp_path: Path) -> None:
    file = tmp_path / "two words $x.yaml"
    file.write_text(SMALL, encoding="utf-8")
    first = opened(workbook(wt.trace(wt.load_scenario(file)))).worksheets[0]
    texts = [str(row[0].value) for row in first.iter_rows()]
    assert f"walkthrough run '{file}' --set 'CELL=NUMBER'" in texts


@iron
def test_a_hidden_score_stays_hidden_when_it_is_divided(tmp_path: Path) -> None:
    text = """
    title: Mask first
    tokens: [a, b]
    embeddings: [[1, 2], [3, 4]]
    attention:
      mask: causal
      mask_first: true
      heads: [{w_q: [[1, 0], [0, 1]], w_k: [[1, 0], [0, 1]], w_v: [[1, 0], [0, 1]], scale: 1000.0}]
    """
    trace = wt.trace(wt.parse_scenario(text))
    assert np.isneginf(trace.only("scaled_scores").array[0, 1])
    assert wrong_in(trace, tmp_path) == []


@iron
def test_a_vocabulary_wider_than_a_sheet_stands_transposed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx_plan, "MOST_COLUMNS", 100)
    words, trace = 120, Trace("Wide")
    recorder = Recorder(trace)
    numbers = np.random.default_rng(1).normal(0, 1, (2, words))
    logits = recorder.record_given(Kind("logits", "L", "Logits"), numbers, rows=("a", "b"))
    powers = recorder.record(Kind("exp", "U", "Exponentials"), exponential, (logits,))
    total = recorder.record(Kind("sum", "u", "Row sum"), row_sum, (powers,))
    recorder.record(Kind("shares", "P", "Shares"), divide_rows, (powers, total))
    assert wrong_in(trace, tmp_path) == []
    assert [block.place.is_transposed for block in blocks_of(trace)] == [True, True, False, True]


SAMPLED = """
title: Drawn
vocabulary: {WORDS}
tokens: [w1]
embeddings: {init: normal, std: 1, seed: 1}
dimensions: {d_model: 4}
decoder: {layers: [{attention: {num_heads: 1, w_q: &w {init: identity}, w_k: *w, w_v: *w}}]}
output_head: {w: {init: normal, std: 1, seed: 2}, temperature: 0.7}
generate: {max_tokens: 3, end_token: w0, sample: {top_k: 9, top_p: 0.8, seed: 1}}
"""


@iron
@pytest.mark.parametrize("count", [5, slow(30), slow(120)])
def test_drawn_words(count: int, tmp_path: Path) -> None:
    """Comparisons of long rows are SUMPRODUCT of one; a formula that no spreadsheet takes stands as its number."""
    words = ", ".join(f"w{at}: {at}" for at in range(count))
    trace = wt.trace(wt.parse_scenario(SAMPLED.replace("WORDS", words)))
    found = formulas(content := workbook(trace))
    assert wrong_in(trace, tmp_path, content=content) == []
    assert any("SUMPRODUCT(1*(" in formula for formula in found)
    assert max(map(len, found)) <= 8192
    assert ("grey numbers are constants" in "".join(parts(content, "xl/sharedStrings"))) is (count == 120)
    assert any("this changes what" in formula for formula in found) is (count < 120)


@iron
@pytest.mark.parametrize("seed", [slow(36), 132])
def test_ids_with_gaps_are_found(seed: int, tmp_path: Path) -> None:
    """The first number of an arg-max stands in the column of the result: it is no neighbour of its cell for that."""
    trace = drawn("encoder", seed)
    assert trace is not None
    assert wrong_in(trace, tmp_path) == []


def test_the_first_sheet_says_what_to_change_where() -> None:
    content = of_cooking()
    book = opened(content)
    first = book.worksheets[0]
    assert (first.title, book.active.title) == ("start", "start")
    texts = [str(cell.value) for row in first.iter_rows() for cell in row if cell.value is not None]
    assert texts[0] == bundled_trace("cooking").title
    assert "Where to change numbers" in texts
    assert "embeddings" in texts
    assert "location=\"'model'!B" in parts(content, "xl/worksheets/sheet1.xml")[0]


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_a_look_means_is_whole_beside_an_example_of_it(language: str) -> None:
    trace = copy(bundled_trace("cooking"))
    trace.language = language
    first = opened(workbook(trace)).worksheets[0]
    meanings = [row[1].value for row in first.iter_rows() if row[1].value is not None]
    assert max(map(len, meanings)) <= first.column_dimensions["B"].width + 1
    examples = [row[0].value for row in first.iter_rows() if row[1].value in meanings[:3]]
    assert examples == [catalogue(language).number("1.23")] * 3


def test_the_first_sheet_has_the_description_without_marks() -> None:
    first = opened(workbook(bundled_trace("tiny-llama"), steps=["input"])).worksheets[0]
    texts = [str(row[0].value) for row in first.iter_rows(max_row=12)]
    wanted = "• norm: rms: the norms divide by the root of the mean square; no mean is subtracted."
    assert any(text.startswith(wanted) for text in texts)
    assert not any("**" in text or "`" in text for text in texts)


LONG = """
title: Wide
tokens: [a, incomprehensibilities]
embeddings: [[1, 12345678.5], [-3e-17, 2]]
attention: {heads: [{w_q: [[1, 0], [0, 1]], w_k: [[1, 0], [0, 1]], v: [[1e12, 0.5], [2, 3]]}], scale: 1e20}
"""


def test_columns_are_as_wide_as_their_numbers_and_labels() -> None:
    """A spreadsheet shows ### where a number does not fit, and cuts a label."""
    book = opened(workbook(trace := wt.trace(wt.parse_scenario(LONG))))
    sheet = book["attention"]
    scores = block_of(trace, ".scores")
    cell = sheet.cell(scores.place.row + 1, scores.place.column + 1)
    assert "0.000E+00" in cell.number_format
    assert sheet.column_dimensions["C"].width > len("incomprehensib")
    assert sheet.column_dimensions["B"].width > len("-1.524E+14")


def test_what_is_rounded_to_0_has_no_sign() -> None:
    trace = bundled_trace("fuchs")
    content = workbook(trace, steps=["head.2.scores"])
    sheet = opened(content)["encoder.1"]
    rules = [rule for area in sheet.conditional_formatting for rule in area.rules if rule.type == "cellIs"]
    assert rules
    for rule in rules:
        assert rule.dxf.numFmt.formatCode == "0.000;0.000;0.000"
        assert [float(one) for one in rule.formula] == [pytest.approx(-0.0005, rel=1e-6), 0]
        assert float(rule.formula[0]) > -0.0005


def test_a_title_that_is_longer_than_the_page_stands_in_several_lines() -> None:
    trace = bundled_trace("tea-gpt")
    path = "decoder.1.self_attention.head.1.weights"
    sheet = opened(workbook(trace, steps=(path,)))["decoder.1"]
    weights = block_of(trace, path, (path,))
    row = weights.top + 2
    assert sheet.cell(row, 1).value == "  =  ".join((weights.value.path, *weights.value.also))
    assert sheet.cell(row, 1).alignment.wrap_text
    assert sheet.row_dimensions[row].height == 45
    assert any(area.min_row == row and area.max_col > 8 for area in sheet.merged_cells.ranges)


@iron
def test_ids_have_their_words_beside_them(tmp_path: Path) -> None:
    trace, content = bundled_trace("cooking"), of_cooking()
    book = Recalculated(content, tmp_path)
    block = block_of(trace, "output_head.prediction")
    sheet, rows, beside = block.place.sheet, range(block.place.row, block.bottom + 1), block.right + 1
    assert [book.number(sheet, row, beside) for row in rows] == ["cooking", "learned", "."]
    shown = opened(content, data_only=True)[sheet]
    assert [shown.cell(row + 1, beside + 1).value for row in rows] == ["cooking", "learned", "."]
    bias = block_of(trace, "output_head.b")
    book.set(sheet, bias.place.row, bias.place.column + 3, 50)
    book.model.evaluate()
    assert [book.number(sheet, row, beside) for row in rows] == [".", ".", "."]


def test_sheets_are_parts_with_frozen_headings_and_pages_of_a4() -> None:
    trace = bundled_trace("cooking")
    book = opened(of_cooking())
    assert book.sheetnames[:3] == ["start", "model", "encoder.1"]
    for sheet in book.worksheets[1:]:
        assert sheet.freeze_panes == "B2"
        assert sheet.page_setup.paperSize == 9
        assert sheet.print_area
    layer = book["encoder.1"]
    assert any(area.type == "colorScale" for rules in layer.conditional_formatting for area in rules.rules)
    block = block_of(trace, "head.1.scores")
    title = [layer.cell(block.top + 1 + at, 1).value for at in range(3)]
    assert title == [
        f"{block.number}. Scores",
        block.value.path,
        "S = Q·Kᵀ   4×4".replace("4×4", "{}×{}".format(*block.value.shape)),
    ]


def test_given_numbers_have_a_look_of_their_own() -> None:
    trace = bundled_trace("cooking")
    book = opened(of_cooking())
    looks: dict[bool, set[str]] = {True: set(), False: set()}
    for block in blocks_of(trace):
        if block.value.kind.fixed:
            continue
        cell = book[block.place.sheet].cell(block.place.row + 1, block.place.column + 1)
        assert (cell.data_type == "n") is block.is_given
        looks[block.is_given].add(cell.fill.fgColor.rgb)
    assert len(looks[True]) == 1
    assert looks[True].isdisjoint(looks[False])


def test_published_numbers_stand_beside_and_are_marked() -> None:
    trace = bundled_trace("chai")
    book = opened(workbook(trace))
    block = block_of(trace, "head.1.scores")
    sheet = book[block.place.sheet]
    beside = sheet.cell(block.place.row + 2, block.right + 6)
    assert beside.value == 0.258
    assert "✗" in beside.number_format
    assert sheet.cell(block.place.row, block.right + 2).value.strip() == "published:"


def test_steps_with_digits_of_their_own_keep_them() -> None:
    text = """
    title: Digits
    tokens: [a, b]
    embeddings: [[1.25, 2], [3, 4]]
    attention: {heads: [{w_q: [[1, 0], [0, 1]], w_k: [[1, 0], [0, 1]], w_v: [[1, 0], [0, 1]]}]}
    rounding: {decimals: 3, steps: {scaled_scores: 3, softmax.exp: 3 significant}}
    """
    scenario = wt.parse_scenario(text)
    found = formulas(workbook(wt.trace(scenario, arithmetic="by-hand")))
    assert any(formula.startswith("ROUND(ROUND(") and formula.endswith(",12),3)") for formula in found)
    assert any("LOG10" in formula for formula in found)
    assert any(formula.endswith(",decimals+9),decimals)") for formula in found)
    replaced = formulas(workbook(wt.trace(scenario, arithmetic="by-hand", decimals=2)))
    assert not any("LOG10" in formula or formula.endswith(",12),3)") for formula in replaced)


def test_a_picked_word_that_changes_is_said() -> None:
    trace = bundled_trace("key-cache")
    content = workbook(trace)
    told = [text for text in formulas(content) if "this changes what is calculated" in text]
    assert len(told) == len(trace.decisive) > 0
    assert "walkthrough run key-cache" in "".join(parts(content, "xl/sharedStrings"))


def test_too_many_numbers_are_an_error_before_anything_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "MOST_NUMBERS", 400)
    with pytest.raises(TooLargeError, match="454 numbers is too large; it holds at most 400: choose steps"):
        workbook(bundled_trace("chai"))
    assert workbook(bundled_trace("chai"), steps=("scores",))


def test_without_the_library_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(xlsx.WorkbookError, match=r"pip install 'walkthrough\[xlsx\]'"):
        workbook(bundled_trace("chai"))


def test_a_choice_among_many_in_another_order_is_within_what_excel_reads() -> None:
    """Each pair is a choice of its own where ids decide ties: it takes no more than 64 functions within one another."""
    words = " ".join(f"{'abcdefgh'[at % 8]}{'ijklm'[at % 5]}{'nop'[at % 3]}" for at in range(60))
    for text in (words[:75], words):
        bpe = f"{{ties: ids, train: {{text: {text}, merges: 1}}}}"
        trace = wt.trace(wt.parse_scenario(f"title: t\ntext: in\ntokenizer: {{bpe: {bpe}}}\n"))
        out = io.BytesIO()
        xlsx.write(trace, Options(), out)
        found = formulas(out.getvalue())
        assert max(map(depth, found)) <= 64
        assert max(map(len, found)) <= 8192
        assert any("IF(MAX(" in one for one in found) == (text != words)  # of too many there is a number, with a note


def depth(formula: str) -> int:
    """How many functions stand within one another."""
    inside = most = 0
    for sign in formula:
        inside += (sign == "(") - (sign == ")")
        most = max(most, inside)
    return most
