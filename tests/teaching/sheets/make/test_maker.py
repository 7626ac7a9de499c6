"""Worksheets: what stands on them, what does not, and that the same seed gives the same bytes."""

from __future__ import annotations

import io
import re
import zipfile

import numpy as np
import pytest
import yaml

import walkthrough as wt
from tests.examples import all_in_a_thorough_run
from tests.teaching.students import handed_out
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.teaching.sheets.kinds import writer_of
from walkthrough.teaching.sheets.make.handwork import OTHER_WORD, TIE, ZERO, unfit
from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
from walkthrough.teaching.sheets.sheet import Sheet, SheetError
from walkthrough.transformer.loading.load import parse_scenario
from walkthrough.transformer.runs.run import trace

SHEETS = ("yaml", "markdown", "html", "xlsx")
HEAD = """
title: Two words
description: never shown
source: nowhere
tokens: [tea, "no"]
embeddings: {tea: [0.37, 1.25], "no": [-0.75, 0.5]}
attention:
  heads: [{w_q: [[0.25, 1], [1, 0.5]], w_k: [[1, 0], [0.3, 1]], w_v: [[0.9, 0], [0, 1.1]]}]
output_head: {w: [[1.5, -0.2, 0.3], [0.1, 0.9, -0.4]], vocabulary: [tea, "no", "1e-5"]}
published: {scores: [[1.234, null], [null, 5.678]]}
"""


MADE: dict[str, Maker] = {}
"""A maker works out once how much work its sheets usually are."""


def made(text: str = HEAD, **wishes: object) -> Maker:
    key = f"{text}{wishes}"
    if key not in MADE:
        MADE[key] = Maker(parse_scenario(text), "two", SheetOptions(**wishes))  # type: ignore[arg-type]
    return MADE[key]


def bytes_of(sheet: Sheet, kind: str = "yaml", solved: bool = False) -> bytes:
    out = io.BytesIO()
    if kind == "xlsx":
        pytest.importorskip("xlsxwriter")
    writer_of(kind).write([sheet], out, solved)
    return out.getvalue()


def text_of(sheet: Sheet, kind: str = "yaml", solved: bool = False) -> str:
    written = bytes_of(sheet, kind, solved)
    return parts(written) if kind == "xlsx" else written.decode()


def parts(workbook: bytes) -> str:
    """What a workbook says in all its parts."""
    with zipfile.ZipFile(io.BytesIO(workbook)) as archive:
        return "\n".join(archive.read(name).decode() for name in archive.namelist() if name.endswith((".xml", ".rels")))


def test_the_yaml_is_as_a_program_expects_it() -> None:
    sheet = yaml.safe_load(text_of(made().sheet(student="Ada")))
    assert [sheet[key] for key in ("worksheet", "scenario", "seed", "student", "decimals")] == [
        1,
        "two",
        None,
        "Ada",
        None,
    ]
    first = sheet["given"][0]
    assert (first["path"], first["formula"], first["shape"]) == ("embeddings", "", "2×2")
    assert (first["rows"], first["columns"]) == (["tea", "no"], ["1", "2"])
    assert first["values"] == [[0.37, 1.25], [-0.75, 0.5]]
    query = next(step for step in sheet["steps"] if step["path"].endswith("query"))
    assert query == {
        "path": "attention.head.1.query",
        "title": "Queries",
        "formula": "Q = E·W_Q",
        "shape": "2×2",
        "digits": 3,
        "rows": ["tea", "no"],
        "columns": ["1", "2"],
        "answers": {"tea": {"1": None, "2": None}, "no": {"1": None, "2": None}},
    }
    looked_up = next(step for step in sheet["steps"] if step["path"] == "token_embedding")
    assert "answers" not in looked_up
    assert looked_up["values"][0] == [0.37, 1.25]
    assert sheet["steps"][-1]["columns"] == ["token", "probability"]


def test_the_scenario_on_it_is_written_anew() -> None:
    text = yaml.safe_load(text_of(made().sheet()))["text"]
    for word in ("never shown", "nowhere", "published", "1.234", "description"):
        assert word not in text
    again = wt.trace(parse_scenario(text))
    assert (
        again["attention.head.1.weights"].array == wt.trace(parse_scenario(HEAD))["attention.head.1.weights"].array
    ).all()
    assert again["output_head.prediction"].names == {0: "tea", 1: "no", 2: "1e-5"}


@pytest.mark.parametrize(
    "name",
    all_in_a_thorough_run(["chai", "cooking", "cooking-multihead", "tea-gpt", "cat-sat"], ["cooking-multihead"]),
)
@pytest.mark.parametrize("kind", SHEETS)
def test_no_answer_stands_on_it(name: str, kind: str) -> None:
    """Numbers that are on the key alone, of three digits or more, are nowhere in the sheet (0.00001 is its ε too)."""
    sheet = handed_out(name, decimals=5)
    blank, key = text_of(sheet, kind), text_of(sheet, kind, solved=True)
    shown = [step.value for step in sheet.steps if not step.has_blanks and not step.is_left_out]
    given = {number for value in (*sheet.given, *shown) for number in texts_of(value.array)}
    answers = {number for step in sheet.blank_steps for number in texts_of(step.value.array[step.blank])} - given
    answers = {text for text in answers if sum(map(str.isdigit, text.lstrip("0."))) > 2}
    assert len(answers) > 30
    assert not [text for text in answers if text in blank]
    assert sum(text in key for text in answers) > 0.9 * len(answers)


def texts_of(array: np.ndarray) -> set[str]:
    """Numbers to five decimals, without zeros at their ends: a workbook keeps none."""
    return {f"{abs(number):.5f}".rstrip("0") for number in array.ravel().tolist()}


def test_the_same_seed_gives_the_same_bytes() -> None:
    one, two = (Maker(parse_scenario(HEAD), "two", SheetOptions(decimals=2)) for _ in range(2))
    sheets = [maker.sheet(seed, "Ada") for maker, seed in ((one, 7), (two, 7), (one, 8))]
    for kind in SHEETS:
        first, again, other = (bytes_of(sheet, kind) for sheet in sheets)
        assert first == again != other


def test_drawn_numbers_have_the_digits_and_the_spread_of_the_first_ones() -> None:
    first, other = made().sheet(), made().sheet(3)
    changed = 0
    for one, two in zip(first.given, other.given, strict=True):
        assert one.path == two.path
        places = max(len(repr(number).partition(".")[2]) for number in one.array.ravel().tolist())
        assert two.array.min() >= one.array.min()
        assert two.array.max() <= one.array.max()
        assert (abs(two.array * 10**places - (two.array * 10**places).round()) < 1e-9).all()
        changed += bool((one.array != two.array).any())
    assert changed >= 4
    assert first.digest != other.digest


def test_biases_gamma_and_beta_stay_unless_they_are_named() -> None:
    part = "{w_1: [[1.5, 0.5], [0.5, 1]], b_1: [0.5, 1.5], w_2: [[0.5, 1], [1, 2.5]], b_2: [1.5, 0]}"
    layer = f"{{feed_forward: {part}, norm_2: {{gamma: [1.5, 0.5], beta: [0.5, 1]}}}}"
    text = f"title: t\ntokens: [a, b]\nembeddings: [[1.5, 0.5], [0.25, 1]]\nencoder: {{layers: [{layer}]}}\n"
    own = made(text).sheet().hand
    for wishes, drawn in (({}, {"token_embedding", "w_1", "w_2"}), ({"vary": ["b_1", "norm_2.beta"]}, {"b_1", "beta"})):
        given = made(text, **wishes).sheet(4).given
        changed = {value.path.rpartition(".")[2] for value in given if (value.array != own[value.path].array).any()}
        assert changed == drawn


def test_both_factors_of_a_low_rank_change_are_drawn() -> None:
    w = "{base: [[1.5, 0.5], [0.5, 1.0]], a: [[1.5], [2.5]], b: [[0.5, -1.5]], alpha: 1}"
    head = f"{{w: {w}, b: [0.5, 1.5], vocabulary: [x, y]}}"
    text = f"title: t\ntokens: [a, b]\nembeddings: [[1.0, 0.5], [0.5, 1.0]]\noutput_head: {head}\n"
    own, other = made(text).sheet(), made(text).sheet(3)
    differs = {
        name: (own.hand[f"output_head.{name}"].array != other.hand[f"output_head.{name}"].array).any()
        for name in ("w.a", "w.b", "b")
    }
    assert differs == {"w.a": True, "w.b": True, "b": False}


def test_given_scores_are_drawn_too() -> None:
    text = "title: t\ntokens: [a, b]\nattention: {heads: [{scores: [[1.5, -.inf], [0.25, null]], d_k: 4}]}\n"
    first, other = made(text).sheet(), made(text).sheet(5)
    one, two = (sheet.hand["attention.head.1.scores"].array for sheet in (first, other))
    assert one[0, 0] != two[0, 0]
    assert two[0, 1] == -float("inf")
    assert two[1, 1] != two[1, 1]


def test_very_large_and_very_small_numbers_are_drawn_too() -> None:
    numbers = "[[1e300, 1e-300], [1, 2]]", "[[1e10, 3e10], [0, 2e10]]"
    heads = [f"{{scores: [[1, 2], [2.5, 3]], v: {v}, d_k: 4}}" for v in numbers]
    sheet = made(f"title: t\ntokens: [a, b]\nattention: {{heads: [{', '.join(heads)}]}}\n").sheet(5)
    wide, even = (sheet.hand[f"attention.head.{head}.value"].array for head in (1, 2))
    assert 0 < wide.min() < wide.max() <= 1e300
    assert set(even.ravel().tolist()) <= {0, 1e10, 2e10, 3e10}


def test_only_what_is_asked_for_is_empty() -> None:
    sheet = made(blank=["scores", "weights"]).sheet()
    asked = [step.value.path.rpartition(".")[2] for step in sheet.blank_steps]
    assert asked == ["scores", "scaled_scores", "weights"] or asked == ["scores", "weights"]
    document = yaml.safe_load(text_of(sheet))
    query = next(step for step in document["steps"] if step["path"].endswith("query"))
    assert query["values"] == [[1.342, 0.995], [0.312, -0.5]] or len(query["values"]) == 2
    assert "answers" not in query


def test_what_only_copies_an_answer_does_not_stand_there() -> None:
    sheet = Maker(
        parse_scenario(bundled_scenarios()["cooking-multihead"].read_text("utf-8")), "x", SheetOptions()
    ).sheet()
    assert "concat" not in text_of(sheet).partition("text:")[0].replace("concat·", "")
    assert any(step.is_left_out for step in sheet.steps)


def test_a_generating_scenario_is_its_prompts_pass() -> None:
    sheet = Maker(parse_scenario(bundled_scenarios()["tea-gpt"].read_text("utf-8")), "tea-gpt", SheetOptions()).sheet()
    assert not [step for step in sheet.steps if step.value.path.startswith("generate")]
    assert "generate" not in sheet.text


@pytest.mark.parametrize(
    ("head", "generate", "last"),
    [
        ("logits: [[2, 1, 0.5]]", "sample: {top_k: 2, top_p: 0.9, draws: [0.8]}", "generate.1.sample.choice"),
        ("probabilities: [[0.7, 0.2, 0.1]]", "sample: {top_p: 0.8, draws: [0.8]}", "generate.1.sample.choice"),
        ("probabilities: [[0.7, 0.2, 0.1]]", "beams: 2", "generated"),
    ],
)
def test_a_choice_from_given_numbers_is_asked_for(head: str, generate: str, last: str) -> None:
    """There is one pass and no more; a word that is none, in what a later step reads, is wrong and no more."""
    text = f"{{title: t, output_head: {{vocabulary: [a, b, c], {head}}}, generate: {{max_tokens: 1, {generate}}}}}"
    scenario = parse_scenario(text)
    words = [step.value for step in Maker(scenario, "t", SheetOptions()).sheet().blank_steps if step.value.names]
    assert words[-1].path == last
    answers = {value.path: [["zzz"] * value.shape[1]] * value.shape[0] for value in words}
    assert {cell.verdict for cell in wt.mark(scenario, answers).cells} == {"wrong", "missing", "unreadable"}
    assert wt.mark(scenario, {"generated": [["zzz", "1"]]}, blank=["generated"]).points == 0


def test_of_a_training_one_it_is_what_comes_before_the_loss_unless_more_is_asked_for() -> None:
    scenario = parse_scenario(bundled_scenarios()["cooking-training"].read_text("utf-8"))
    plain = Maker(scenario, "x", SheetOptions()).sheet()
    assert plain.steps[-1].value.path == "output_head.prediction"
    more = Maker(scenario, "x", SheetOptions(blank=["loss", "gradient.output_head.w"])).sheet()
    assert {step.value.path for step in more.blank_steps} >= {"loss.mean", "gradient.output_head.w"}
    assert not {step.value.path for step in more.steps if step.value.path.startswith("update")}


def test_the_perplexity_stands_on_a_sheet_only_if_it_is_named() -> None:
    scenario = wt.load_scenario("cooking-training")
    sheets = [Maker(scenario, "t", SheetOptions(blank=[one])).sheet() for one in ("loss", "gradient", "perplexity")]
    named = [[step.value.path for step in sheet.steps if "perplexity" in step.value.path] for sheet in sheets]
    assert named == [[], [], ["loss.perplexity"]]
    assert [step.value.path for step in sheets[2].blank_steps] == ["loss.perplexity"]


def test_matrices_made_by_a_rule_become_numbers() -> None:
    text = HEAD.replace("w_q: [[0.25, 1], [1, 0.5]]", "w_q: {init: normal, std: 1, seed: 3}")
    sheet = made(text).sheet()
    assert "init" not in sheet.text
    assert re.search(r"w_q:\n\s+- \[-?\d\.\d{3}, ", sheet.text)


def test_a_repeated_layer_is_written_as_often_as_it_comes() -> None:
    layer = "{repeat: 2, layer: {feed_forward: {w_1: {init: normal, std: 1}, w_2: [[1, 0], [0, 1]]}}}"
    text = f"title: t\ntokens: [a]\nembeddings: [[1, 2]]\nencoder: {{norm_order: none, layers: {layer}}}\n"
    sheet = made(text).sheet()
    assert sheet.text.count("w_1:") == 2
    assert (sheet.hand["encoder.1.feed_forward.w_1"].array != sheet.hand["encoder.2.feed_forward.w_1"].array).any()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("w: [[1.5, -0.2, 0.3], [0.1, 0.9, -0.4]]", "w: [[0, 0, 0], [0, 0, 0]]"), TIE),
        (("w_q: [[0.25, 1], [1, 0.5]], w_k: [[1, 0], [0.3, 1]]", "scores: [[-30, -30], [1, 1]], d_k: 1"), ZERO),
    ],
)
def test_unfit_numbers_are_seen(change: tuple[str, str], reason: str) -> None:
    hand = trace(parse_scenario(HEAD.replace(*change)), by_hand=True, decimals=2)
    assert hand.exact is not None
    assert reason in {fault for value in hand for fault in unfit(hand.exact[value.path], value)}


def test_a_word_that_rounding_changes_is_seen() -> None:
    text = HEAD.replace("w: [[1.5, -0.2, 0.3], [0.1, 0.9, -0.4]]", "w: [[0.5, 0.504, 0], [0.5, 0.504, 0]]")
    hand = trace(parse_scenario(text), by_hand=True, decimals=1)
    assert hand.exact is not None
    assert OTHER_WORD in {fault for value in hand for fault in unfit(hand.exact[value.path], value)}


def test_where_no_numbers_are_fit_the_error_says_what_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("walkthrough.teaching.sheets.make.draws.MOST_DRAWS", 20)
    text = HEAD.replace("w: [[1.5, -0.2, 0.3], [0.1, 0.9, -0.4]]", "w: [[0, 0, 0], [0, 0, 0]]")
    with pytest.raises(SheetError, match=r"in 20 draws \(two words are nearly as probable: 20 draws\)"):
        made(text, vary=["embeddings"]).sheet(1)


def test_hostile_texts_come_out_harmless() -> None:
    text = HEAD.replace("tea", '"=1+1|</td><script>x</script>[b]\\u202e"').replace("Two words", "'<b>&`$x$`'")
    sheet = made(text).sheet(student="</style><img onerror=x>")
    html, markdown = text_of(sheet, "html"), text_of(sheet, "markdown")
    assert "<script>" not in html
    assert "<img" not in html + markdown
    assert "\u202e" not in html + markdown
    assert yaml.safe_load(text_of(sheet))["student"] == "</style><img onerror=x>"


def test_german_sheets_have_commas_and_german_titles() -> None:
    sheet = made(language="de").sheet()
    markdown = text_of(sheet, "markdown")
    assert "Anfragen (Queries)" in markdown
    assert "0,37" in markdown
    assert "0.37" not in markdown
    document = yaml.safe_load(text_of(sheet))
    assert document["given"][0]["values"][0][0] == 0.37
    assert "language: de" in document["text"]


EXAMPLES = """
training:
  steps: 5
  label_smoothing: 0.1
  batch_size: 1
  examples:
    - {text: tea no, targets: ["no", null]}
    - {text: "no", targets: [tea]}
"""


def test_of_a_training_on_several_sentences_a_sheet_has_the_first() -> None:
    text = HEAD.replace('tokens: [tea, "no"]\n', "") + EXAMPLES
    maker = made(text, blank=("per_token",))
    sheet = maker.sheet()
    written = sheet.scenario.source.text
    assert "text: tea no" in written
    assert "examples" not in written
    assert "batch_size" not in written
    assert [step.value.path for step in sheet.steps if step.has_blanks] == ["loss.per_token"]
    assert "tea → no" in text_of(sheet, "markdown")
    assert "- text: tea no" in maker.scenario_text(maker.draws.find(1))
