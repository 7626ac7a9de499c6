"""Quizzes: what a platform reads of them, by parsers of our own, and whose answers it takes."""

from __future__ import annotations

import html
import io
import re
from decimal import Decimal
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from tests.examples import slow
from tests.teaching.students import handed_out
from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
from walkthrough.teaching.sheets.sheet import Sheet, Step
from walkthrough.teaching.sheets.write import moodle
from walkthrough.teaching.sheets.write.moodle import intervals, number_field, short_answer
from walkthrough.transformer.loading.load import parse_scenario

FURTHER = ["cooking", "cooking-multihead", "rotary", "tea-gpt"]
HOSTILE = r"""a}#~/"\<&b"""
TEXT = """
title: One/two
tokens: ["{1:NUMERICAL:=1:9}", "[r1c1]"]
embeddings: [[1, 0.5], [0, 2]]
output_head: {w: [[1.5, -0.2], [0.1, 0.9]], vocabulary: ['a}#~/"\\<&b', 'is']}
"""


def as_moodle(*sheets: Sheet) -> ET.Element:
    out = io.BytesIO()
    moodle.write(sheets, out)
    return ET.fromstring(out.getvalue())


def fields(text: str) -> list[tuple[str, list[str]]]:
    """The fields of a cloze text: kind and right answers; a sign behind a backslash stands for itself."""
    found = []
    for kind, inside in re.findall(r"\{1:(NUMERICAL|SHORTANSWER):=((?:\\.|[^\\}])*)\}", text, re.DOTALL):
        answers = re.split(r"(?<!\\)~=", inside)
        found.append((kind, [html.unescape(re.sub(r"\\(.)", r"\1", answer)) for answer in answers]))
    return found


def takes(one: tuple[str, list[str]], answer: str) -> bool:
    """Whether Moodle gives points: a number within the tolerance, or the same text."""
    kind, answers = one
    if kind == "SHORTANSWER":
        return answer in answers
    right, tolerance = answers[0].split(":")
    return abs(Decimal(answer) - Decimal(right)) <= Decimal(tolerance)


def questions(root: ET.Element) -> list[str]:
    return [
        element.findtext("questiontext/text") or ""
        for element in root.iter("question")
        if element.get("type") == "cloze"
    ]


def written(step: Step, array: np.ndarray) -> list[str]:
    """What a student writes into the cells to fill in, row by row."""
    names = step.value.names or {}
    return [
        names[int(array[row, column])]
        if names and column == 0
        else "-inf"
        if array[row, column] == -np.inf
        else step.digits.text(float(array[row, column]))
        for _, row, column in step.places
    ]


@pytest.mark.parametrize(
    ("name", "seed"),
    [("chai", None), ("masked-scores", 4), *(slow(name, seed) for name in FURTHER for seed in (None, 4))],
)
def test_right_answers_are_taken_by_hand_and_exact(name: str, seed: int | None) -> None:
    one = handed_out(name, seed)
    for step, text in zip(one.blank_steps, questions(as_moodle(one)), strict=True):
        found = fields(text)
        assert len(found) == len(step.places)
        for array in (step.value.array, step.right):
            assert all(map(takes, found, written(step, array))), step.value.path


@pytest.mark.parametrize("name", ["chai", *map(slow, ("cooking", "cooking-multihead"))])
def test_an_answer_from_operands_that_round_to_those_shown_is_taken(name: str) -> None:
    """Students who carry more digits than are shown: any numbers within half a unit, worked out by the operation."""
    one, random = handed_out(name), np.random.default_rng(1)
    checked = 0
    for step in one.blank_steps:
        value = step.value
        assert value.operation is not None
        low, high = intervals(step)
        for _ in range(20):
            arrays = [
                given.array
                if given.digits is None or given.operation is None or given.path.startswith("token_")
                else given.array + random.choice([-0.499, 0.0, 0.499], given.shape) * given.digits.unit(given.array)
                for given in value.inputs
            ]
            if value.names is None:
                found = step.digits.round(value.operation.forward(*arrays, **value.settings))
                assert (low - 1e-9 <= found).all(), value.path
                assert (found <= high + 1e-9).all(), value.path
                checked += found.size
    assert checked > 1000


def test_the_interval_is_that_of_the_step_and_no_constant() -> None:
    """Of a product of given numbers nothing is uncertain; of a quotient by a small deviation much is."""
    one = handed_out("cooking")
    widths = {step.value.path: (np.subtract(*intervals(step)[::-1]) / 0.001).round() for step in one.blank_steps}
    assert not widths["encoder.1.attention.head.1.query"].any()
    found = {int(width) for width in np.concatenate([width[np.isfinite(width)] for width in widths.values()])}
    assert {0, 1, 2} < found


def interval_of(name: str, path: str, decimals: int) -> tuple[Step, np.ndarray, np.ndarray]:
    step = next(step for step in handed_out(name, None, decimals).blank_steps if step.value.path.endswith(path))
    return step, *intervals(step)


def test_a_root_may_be_rounded_first() -> None:
    step, low, high = interval_of("chai", "scaled_scores", 1)
    moved = (step.value.inputs[0].array / 1.4).round(1)
    assert (moved != step.right).any()
    assert ((low <= moved) & (moved <= high)).all()


def test_sine_and_cosine_may_be_rounded_first() -> None:
    step, low, high = interval_of("rotary", "query_rotated", 1)
    query, angle = (given.array for given in step.value.inputs)
    half = query.shape[1] // 2
    left, right, cos, sin = query[:, :half], query[:, half:], np.cos(angle).round(1), np.sin(angle).round(1)
    moved = np.concatenate([left * cos - right * sin, right * cos + left * sin], axis=1).round(1)
    assert ((low <= moved) & (moved <= high)).all()


def test_what_is_rounded_within_a_capped_score_is_not_taken_times_the_cap() -> None:
    """A tanh of two decimals, times 50, would be off by up to a quarter."""
    heads = "[{q: [[2.1, 0.4], [0.3, 1.7]], k: [[1.2, 0.7], [2.4, 0.9]]}]"
    text = f"title: t\ntokens: [a, b]\nattention: {{score_cap: 50, heads: {heads}}}\n"
    capped = Maker(parse_scenario(text), "capped", SheetOptions(None, 2)).sheet()
    step = next(step for step in capped.blank_steps if step.value.path.endswith("capped_scores"))
    low, high = intervals(step)
    assert (high - low).max() < 0.05


@pytest.mark.parametrize(("name", "decimals"), [("cat-sat", 3), slow("chai", None), slow("cooking-multihead", 2)])
def test_a_forgotten_root_is_not_taken(name: str, decimals: int | None) -> None:
    one = handed_out(name, None, decimals)
    refused = 0
    for step, text in zip(one.blank_steps, questions(as_moodle(one)), strict=True):
        if step.value.operation is not None and step.value.operation.name == "divide_by_root":
            for cell, answer, right in zip(
                fields(text), written(step, step.value.inputs[0].array), written(step, step.value.array), strict=True
            ):
                if abs(Decimal(right)) > Decimal("0.1"):
                    assert not takes(cell, answer)
                    refused += 1
    assert refused > 3


@pytest.mark.parametrize(
    ("numbers", "field_text"),
    [
        ((Decimal("0.06"), Decimal("0.06"), Decimal("0.06")), "{1:NUMERICAL:=0.06:0.005}"),
        ((Decimal("-7"), Decimal("-7"), Decimal("-7")), "{1:NUMERICAL:=-7:0.5}"),
        ((Decimal("2.0"), Decimal("1.8"), Decimal("2.1")), "{1:NUMERICAL:=2.0:0.2}"),
        ((Decimal("1.2e-5"), Decimal("1.2e-5"), Decimal("1.2e-5")), "{1:NUMERICAL:=0.000012:0.0000005}"),
    ],
)
def test_a_number_may_be_off_by_half_a_unit_of_its_last_digit(
    numbers: tuple[Decimal, Decimal, Decimal], field_text: str
) -> None:
    assert number_field(*numbers) == field_text


def test_an_answer_with_more_digits_than_are_asked_for_is_taken() -> None:
    one = handed_out("cooking", None, 2)
    for step, text in zip(one.blank_steps, questions(as_moodle(one)), strict=True):
        if step.value.names is None:
            for cell, place in zip(fields(text), step.places, strict=True):
                right = float(step.right[place[1:]])
                assert takes(cell, f"{Decimal(repr(right)).quantize(Decimal('1e-12')):f}"), (step.value.path, cell)


def test_signs_of_words_are_escaped() -> None:
    root = as_moodle(Maker(parse_scenario(TEXT), "x", SheetOptions()).sheet())
    categories = [element.findtext("category/text") or "" for element in root if element.get("type") == "category"]
    assert categories[0].startswith("$course$/top/One//two/01 ")
    for text in questions(root):
        cells = re.findall(r"<td>(.*?)</td>", text)
        assert "{1:NUMERICAL:=1:9}" not in text
        assert "[r1c1]" not in text
        assert "&#123;1:NUMERICAL:=1:9&#125;" in text or "tea" not in text
        assert cells
    words = [answers for kind, answers in fields(questions(root)[-1]) if kind == "SHORTANSWER"]
    assert words[0] == [HOSTILE]
    assert short_answer(HOSTILE) == r"{1:SHORTANSWER:=a\}\#\~\/\"\\&lt;&amp;b}"


def test_a_question_says_what_its_names_stand_for() -> None:
    shown = [text for text in questions(as_moodle(handed_out("tea-gpt"))) if "Variance" in text]
    assert "<p>σ²_1 = Σ (D_1²) / d (d = 4)</p>" in shown[0]


def test_hidden_scores_may_be_written_in_three_ways() -> None:
    one = handed_out("masked-scores")
    texts = dict(zip((step.value.kind.name for step in one.blank_steps), questions(as_moodle(one)), strict=True))
    assert ("SHORTANSWER", ["-inf", "−∞", "-∞"]) in fields(texts["masked_scores"])


def test_a_category_holds_all_variants_of_a_step() -> None:
    root = as_moodle(handed_out("help-me", 1), handed_out("help-me", 2))
    kinds = [element.get("type") for element in root]
    count = len(handed_out("help-me").blank_steps)
    assert kinds == ["category", "cloze", "cloze"] * count
    names = [element.findtext("name/text") or "" for element in root if element.get("type") == "cloze"]
    assert names[0].endswith("Seed 1")
    assert names[1].endswith("Seed 2")
    assert len(set(names)) == 2 * count
    notes = [element.findtext("generalfeedback/text") or "" for element in root if element.get("type") == "cloze"]
    assert all("earlier numbers" in note for note in notes)
    assert {element.findtext("defaultgrade") for element in root if element.get("type") == "cloze"} == {"1"}
