"""Scalars mean what YAML 1.2 says; nodes describe themselves in a few words."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.draws import TEXTS
from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node, ScalarNode, describe_node


def plain(text: str) -> ScalarNode:
    return ScalarNode(text, True, 1, 1)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("Null", None),
        ("NULL", None),
        ("true", True),
        ("False", False),
        ("TRUE", True),
        ("0", 0),
        ("010", 10),
        ("-7", -7),
        ("+12", 12),
        ("0o17", 15),
        ("0xFF", 255),
        ("1e-5", 1e-5),
        ("1e5", 1e5),
        (".5", 0.5),
        ("-.5E+2", -50.0),
        ("1.", 1.0),
        ("2.000", 2.0),
        (".inf", math.inf),
        ("+.INF", math.inf),
        ("-.Inf", -math.inf),
        ("1e999", math.inf),
        ("9" * 5000, math.inf),
        ("0x" + "F" * 5000, math.inf),
        ("0" * 400 + "1", 1.0),
        *((word, word) for word in ["no", "on", "Yes", "y", "nUll", "tRUE", "1:30", "1_000", "0b1", "-0x1", "+0o7"]),
        *((word, word) for word in [".", "-", "+", "e5", ".e5", "1e", "--1", "inf", "nan", "٣", "1 2", "2001-01-01"]),
        *((word, word) for word in ["1\n", "-.nan", "0o8", "0xg", "1.2.3", "<<", "="]),
    ],
)
def test_a_plain_scalar_means_what_yaml_1_2_says(text: str, value: object) -> None:
    found = plain(text).value
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", [".nan", ".NaN", ".NAN"])
def test_nan_is_a_number(text: str) -> None:
    found = plain(text).value
    assert isinstance(found, float)
    assert math.isnan(found)


@given(TEXTS)
def test_a_quoted_scalar_is_always_text(text: str) -> None:
    assert ScalarNode(text, False, 1, 1).value == text


@given(st.text(alphabet="0123456789+-.eExoinfaNATRUtrue_~ "))
def test_any_plain_scalar_has_a_value_and_numbers_fit_a_float(text: str) -> None:
    value = plain(text).value
    if isinstance(value, int | float):
        float(value)


@given(st.floats(allow_nan=False) | st.integers(-(10**30), 10**30))
def test_numbers_as_python_writes_them_are_read_back(number: float) -> None:
    written = repr(number).replace("inf", ".inf")
    assert plain(written).value == number


def test_a_mapping_finds_values_by_the_text_of_a_key_and_keeps_the_first() -> None:
    one, two, three = plain("1"), plain("2"), plain("3")
    mapping = MappingNode([(plain("a"), one), (plain("b"), two), (plain("a"), three)], 1, 1)
    assert mapping.get("a") is one
    assert mapping.get("c") is None
    mapping.entries.append((plain("c"), three))
    assert mapping.get("c") is three


@pytest.mark.parametrize(
    ("node", "words"),
    [
        (plain("1.5"), "the number 1.5"),
        (plain("7"), "the number 7"),
        (plain("abc"), "text 'abc'"),
        (ScalarNode("", False, 1, 1), "text ''"),
        (ScalarNode("a\x1b", False, 1, 1), "text 'a\\x1b'"),
        (plain("x" * 1000), f"text '{'x' * 39}…'"),
        (plain(""), "nothing (null)"),
        (plain("True"), "true"),
        (plain("false"), "false"),
        (ListNode([plain("1")] * 3, 1, 1), "a list of 3"),
        (ListNode([], 1, 1), "an empty list"),
        (MappingNode([(plain("a"), plain("1"))], 1, 1), "a mapping"),
        (MappingNode([], 1, 1), "an empty mapping"),
    ],
)
def test_nodes_are_described_in_a_few_words(node: Node, words: str) -> None:
    assert describe_node(node) == words
