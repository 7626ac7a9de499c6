"""Data as YAML: what is read is what was written, and nothing hidden stands in the file."""

from __future__ import annotations

import sys
import unicodedata
from functools import cache

import pytest
import yaml

from tests.examples import slow
from tests.views.samples import QUANTIZED
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.scenario.yaml.reading import read_nodes
from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
from walkthrough.teaching.sheets.make.scenario_text import Quoted, dump
from walkthrough.teaching.sheets.titles import Titles
from walkthrough.transformer.loading.load import parse_scenario
from walkthrough.transformer.runs.run import trace

FEED_FORWARD = "encoder.1.feed_forward"
JOINERS = "\u200c\u200d"


@cache
def hidden() -> tuple[str, ...]:
    return tuple(
        chr(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in ("Cc", "Cf", "Zl", "Zp") and chr(code) not in JOINERS
    )


@pytest.mark.parametrize(
    "around", ["{}", "{}: # \\", "'\"{}", "{}\n\tü\n", *map(slow, ("a{}b", "1{}", "two\nlines {}\n", "- {}"))]
)
def test_hidden_characters_are_escapes_and_read_as_they_were(around: str) -> None:
    texts = [around.format(character) for character in hidden()]
    written = dump({"text": texts, "quoted": Quoted(texts[0]), "keys": dict.fromkeys(texts, "")})
    assert not set(written) & (set(hidden()) - {"\n"})
    for loader in (yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        read = yaml.load(written, loader)
        assert (read["text"], read["quoted"], list(read["keys"])) == (texts, texts[0], texts)
    problems = Problems()
    assert read_nodes(written, problems) is not None
    assert not problems.found


def test_a_text_without_hidden_characters_stays_readable() -> None:
    data = {"title": "für „q“ क\u200dष", "text": "one\ntwo\n", "number": "1"}
    assert dump(data) == "title: für „q“ क\u200dष\ntext: |\n  one\n  two\nnumber: '1'\n"


def test_a_drawn_scenario_has_the_words_of_the_original_and_none_of_them_fools_a_viewer() -> None:
    words = ("a\u202eb\u2028", "c\x1b[2J\x85", "\u2066d\u2069\te", "\ufeffbom", "new\nline")
    scenario = parse_scenario(
        dump({"title": "\u202eT", "tokens": list(words), "embeddings": [[1.0], [2.0], [0.0], [1.0], [2.0]]})
    )
    maker = Maker(scenario, "evil", SheetOptions())
    text = maker.scenario_text(maker.draws.find(1))
    again = trace(parse_scenario(text))
    assert (again.title, again.tokens) == ("\u202eT", [words])
    assert not set(text) & (set(hidden()) - {"\n"})


def test_a_quantized_matrix_is_drawn_as_it_would_be_written_and_kept_as_it_was() -> None:
    maker = Maker(parse_scenario(dump(QUANTIZED)), "few-bits", SheetOptions())
    again, before = parse_scenario(maker.scenario_text(maker.draws.find(1))), parse_scenario(dump(QUANTIZED))
    found, known = trace(again), trace(before)
    assert [(value.path, value.shape, value.settings) for value in found] == [
        (value.path, value.shape, value.settings) for value in known
    ]
    other = {
        value.path for value in found if value.operation is None and (value.array != known[value.path].array).any()
    }
    assert f"{FEED_FORWARD}.w_1.original" in other
    assert "encoder.1.attention.w_q.original" in other
    assert f"{FEED_FORWARD}.b_1.original" not in other, "biases stay"


def test_the_title_of_what_a_weight_is_made_of_names_it_once() -> None:
    told = Titles.of(sheet := Maker(parse_scenario(dump(QUANTIZED)), "few-bits", SheetOptions()).sheet())
    titles = [told.title(value) for value in (*sheet.given, *(step.value for step in sheet.steps))]
    assert {"Scale: Weights W_1", "Zero point: Weights W_1", "Original: Bias b_1"} <= set(titles)
    assert len(set(titles)) == len(titles)
