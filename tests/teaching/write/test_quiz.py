"""Quizzes: what a platform reads of them, by parsers of our own, and whose answers it takes."""

from __future__ import annotations

import html
import io
import re
import zipfile
from decimal import Decimal
from functools import cache
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import walkthrough as wt
from walkthrough.recording.rounding import Digits
from walkthrough.teaching.make.maker import Maker, SheetOptions
from walkthrough.teaching.sheet import Sheet, SheetError, Step
from walkthrough.teaching.write.quiz import moodle, qti
from walkthrough.teaching.write.quiz.interval import intervals
from walkthrough.teaching.write.quiz.lookups import shifts
from walkthrough.teaching.write.quiz.moodle import field
from walkthrough.teaching.write.quiz.question import Accepted
from walkthrough.transformer.loading.load import parse_scenario

NAMES = ["chai", "cooking", "cooking-multihead", "rotary", "masked-scores", "tea-gpt"]
HOSTILE = r"""a}#~/"\<&b"""
TEXT = """
title: One/two
tokens: ["{1:NUMERICAL:=1:9}", "[r1c1]"]
embeddings: [[1, 0.5], [0, 2]]
output_head: {w: [[1.5, -0.2], [0.1, 0.9]], vocabulary: ['a}#~/"\\<&b', 'is']}
"""


@cache
def sheet(name: str, seed: int | None = None, decimals: int | None = None) -> Sheet:
    return Maker(wt.load_scenario(name), name, SheetOptions(decimals=decimals)).sheet(seed)


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


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [None, 4])
def test_right_answers_are_taken_by_hand_and_exact(name: str, seed: int | None) -> None:
    one = sheet(name, seed)
    for step, text in zip(one.asked, questions(as_moodle(one)), strict=True):
        found = fields(text)
        assert len(found) == len(step.places)
        for array in (step.value.array, step.right):
            assert all(map(takes, found, written(step, array))), step.value.path


@pytest.mark.parametrize("name", ["chai", "cooking", "cooking-multihead"])
def test_an_answer_from_operands_that_round_to_those_shown_is_taken(name: str) -> None:
    """Students who carry more digits than are shown: any numbers within half a unit, worked out by the operation."""
    one, random = sheet(name), np.random.default_rng(1)
    checked = 0
    for step in one.asked:
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
    one = sheet("cooking")
    widths = {step.value.path: (np.subtract(*intervals(step)[::-1]) / 0.001).round() for step in one.asked}
    assert not widths["encoder.1.attention.head.1.query"].any()
    found = {int(width) for width in np.concatenate([width[np.isfinite(width)] for width in widths.values()])}
    assert {0, 1, 2} < found


def test_a_root_may_be_rounded_first() -> None:
    value = next(step.value for step in sheet("chai").asked if step.value.path.endswith("scaled_scores"))
    scores = value.inputs[0].array
    low, high = shifts(value, Digits(1))
    moved = scores / 1.4 - scores / 2**0.5
    assert np.abs(moved).max() > 0.01
    assert low + high == pytest.approx(moved)


def test_sine_and_cosine_may_be_rounded_first() -> None:
    value = next(step.value for step in sheet("rotary").asked if step.value.path.endswith("query_rotated"))
    query, angle = (given.array for given in value.inputs)
    half = query.shape[1] // 2
    left, right = query[:, :half], query[:, half:]

    def rotated(cos: np.ndarray, sin: np.ndarray) -> np.ndarray:
        return np.concatenate([left * cos - right * sin, right * cos + left * sin], axis=1)

    low, high = shifts(value, Digits(1))
    exact = rotated(np.cos(angle), np.sin(angle))
    for cos, sin in ((1, 1), (1, 9), (9, 1)):
        moved = rotated(np.cos(angle).round(cos), np.sin(angle).round(sin)) - exact
        assert np.abs(moved).max() > 0.01
        assert (low - 1e-6 <= moved).all()
        assert (moved <= high + 1e-6).all()


def test_nothing_is_looked_up_in_a_product() -> None:
    value = next(step.value for step in sheet("chai").asked if step.value.path.endswith("query"))
    assert not any(shift.any() for shift in shifts(value, Digits(1)))


@pytest.mark.parametrize(("name", "decimals"), [("chai", None), ("cooking-multihead", 2), ("cat-sat", 3)])
def test_a_forgotten_root_is_not_taken(name: str, decimals: int | None) -> None:
    one = sheet(name, None, decimals)
    refused = 0
    for step, text in zip(one.asked, questions(as_moodle(one)), strict=True):
        if step.value.operation is not None and step.value.operation.name == "divide_by_root":
            for cell, answer, right in zip(
                fields(text), written(step, step.value.inputs[0].array), written(step, step.value.array), strict=True
            ):
                if abs(Decimal(right)) > Decimal("0.1"):
                    assert not takes(cell, answer)
                    refused += 1
    assert refused > 3


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
    assert field(Accepted(HOSTILE)) == r"{1:SHORTANSWER:=a\}\#\~\/\"\\&lt;&amp;b}"


def test_a_question_says_what_its_names_stand_for() -> None:
    shown = [text for text in questions(as_moodle(sheet("tea-gpt"))) if "Variance" in text]
    assert "<p>σ²_1 = Σ (D_1²) / d (d = 4)</p>" in shown[0]


def test_hidden_scores_may_be_written_in_three_ways() -> None:
    assert fields(field(Accepted(by_hand=Decimal("-Infinity")))) == [("SHORTANSWER", ["-inf", "−∞", "-∞"])]


def test_a_category_holds_all_variants_of_a_step() -> None:
    root = as_moodle(sheet("chai", 1), sheet("chai", 2))
    kinds = [element.get("type") for element in root]
    count = len(sheet("chai").asked)
    assert kinds == ["category", "cloze", "cloze"] * count
    names = [element.findtext("name/text") or "" for element in root if element.get("type") == "cloze"]
    assert names[0].endswith("Seed 1")
    assert names[1].endswith("Seed 2")
    assert len(set(names)) == 2 * count
    notes = [element.findtext("generalfeedback/text") or "" for element in root if element.get("type") == "cloze"]
    assert all("earlier numbers" in note for note in notes)
    assert {element.findtext("defaultgrade") for element in root if element.get("type") == "cloze"} == {"1"}


def package(*sheets: Sheet) -> dict[str, bytes]:
    out = io.BytesIO()
    qti.write(sheets, out)
    with zipfile.ZipFile(out) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


Q = "{http://www.imsglobal.org/xsd/ims_qtiasiv1p2}"


def test_the_package_names_its_assessment_and_is_the_same_every_time() -> None:
    files = package(sheet("chai", None, 2))
    assert list(files) == ["imsmanifest.xml", "assessment.xml"]
    manifest = ET.fromstring(files["imsmanifest.xml"])
    assert [one.get("href") for one in manifest.iter() if one.tag.endswith("}file")] == ["assessment.xml"]
    assert package(sheet("chai", None, 2)) == files


@pytest.mark.parametrize("name", ["help-me", "cooking-multihead"])
def test_blanks_list_the_texts_of_the_interval(name: str) -> None:
    one, other = sheet(name, 4, 2), sheet(name, 5, 2)
    root = ET.fromstring(package(one, other)["assessment.xml"])
    sections = [section for section in root.iter(f"{Q}section") if section.get("ident") != "root_section"]
    assert [section.findtext(f".//{Q}selection_number") for section in sections] == ["1"] * len(one.asked)
    for section, step in zip(sections, one.asked, strict=True):
        items = section.findall(f"{Q}item")
        assert len(items) == 2
        blanks = items[0].findall(f".//{Q}response_lid")
        shown = items[0].findtext(f".//{Q}presentation/{Q}material/{Q}mattext") or ""
        low, high = intervals(step)
        scores = []
        for blank, (_, row, column), right in zip(blanks, step.places, written(step, step.value.array), strict=True):
            name = f"r{row + 1}c{column + 1}"
            assert blank.get("ident") == f"response_{name}"
            assert shown.count(f"[{name}]") == 1
            texts = [one.text or "" for one in blank.findall(f".//{Q}response_label//{Q}mattext")]
            assert right in texts
            assert right.replace(".", ",") in texts
            if right != "-inf" and not (step.value.names and column == 0):
                numbers = {Decimal(text.replace(",", ".")) for text in texts}
                reach = max(
                    step.value.array[row, column] - low[row, column], high[row, column] - step.value.array[row, column]
                )
                assert len(numbers) == round(2 * reach / 0.01) + 1
                short = f"{Decimal(right).normalize():f}"
                assert (short if short != "-0" else "0") in texts
        for condition in items[0].findall(f".//{Q}respcondition"):
            scores += [float(one.text or "0") for one in condition.findall(f"{Q}setvar")]
        assert sum(scores) == pytest.approx(100, abs=0.01)


def test_too_many_right_texts_are_an_error_with_the_cell() -> None:
    with pytest.raises(SheetError, match=r"softmax\.exp\[.*more than 400 right texts.*--decimals"):
        package(sheet("cooking-multihead", 1, 2))
