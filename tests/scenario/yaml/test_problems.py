"""Problems are collected once, in order, and shown with the line they are on."""

from __future__ import annotations

import pickle
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.draws import TEXTS
from walkthrough.scenario.yaml.nodes import ScalarNode
from walkthrough.scenario.yaml.problems import Problem, Problems, ScenarioError


def shown(line: int, column: int, message: str, text: str, **more: str) -> str:
    return str(ScenarioError("chai.yaml", [Problem(line, column, message, **more)], text))


def test_problems_are_kept_once_and_sorted_by_position() -> None:
    problems = Problems()
    assert not problems
    problems.add(ScalarNode("b", True, 3, 1), "second")
    problems.add(ScalarNode("a", True, 1, 5), "first", key="a.b", help="do this")
    problems.add(ScalarNode("b", True, 3, 1), "second")
    assert problems
    assert problems.found == [Problem(1, 5, "first", "a.b", "do this"), Problem(3, 1, "second")]


def test_a_problem_shows_its_line_a_caret_its_key_and_help() -> None:
    text = "title: x\nattention:\n  w_qq: [[1, 0]]\n"
    assert shown(3, 3, "unknown key 'w_qq'", text, key="attention.w_qq", help="did you mean 'w_q'?") == (
        "chai.yaml:3:3: unknown key 'w_qq'\n"
        "   3 |   w_qq: [[1, 0]]\n"
        "     |   ^\n"
        "     = key:  attention.w_qq\n"
        "     = help: did you mean 'w_q'?"
    )


def test_a_problem_without_a_line_shows_the_file_and_the_message() -> None:
    assert shown(0, 0, "no such file", "", help="look") == "chai.yaml: no such file\n     = help: look"


def test_problems_are_separated_by_an_empty_line_and_nothing_follows() -> None:
    error = ScenarioError("f", [Problem(1, 1, "one"), Problem(1, 2, "two")], "ab")
    assert str(error) == "f:1:1: one\n   1 | ab\n     | ^\n\nf:1:2: two\n   1 | ab\n     |  ^"


def test_only_the_first_fifty_problems_are_shown_and_the_rest_counted() -> None:
    error = ScenarioError("f", [Problem(0, 0, str(number)) for number in range(53)])
    assert str(error).count("f: ") == 50
    assert str(error).endswith("\n\n… and 3 more problems")
    assert str(ScenarioError("f", [Problem(0, 0, "x")] * 51)).endswith("\n\n… and 1 more problem")


def caret_column(rendered: str) -> int:
    return rendered.splitlines()[2].index("^")


def display_width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def test_the_caret_stands_right_behind_wide_characters_tabs_and_control_characters() -> None:
    rendered = shown(1, 6, "here", "日本\t\x1b[X]")
    excerpt = rendered.splitlines()[1]
    assert excerpt == "   1 | 日本\\t\\x1b[X]"
    assert display_width(excerpt[: excerpt.index("X")]) == caret_column(rendered)


def test_combining_characters_take_no_column() -> None:
    assert caret_column(shown(1, 3, "here", "e\u0301X")) == len("   1 | ") + 1


@pytest.mark.parametrize("column", [1, 40, 95, 150, 3000, 5999, 6000])
def test_a_long_line_is_cut_around_the_column(column: int) -> None:
    line = "".join(f"{number:5d}," for number in range(1000))
    rendered = shown(1, column, "here", line)
    excerpt = rendered.splitlines()[1]
    assert len(excerpt) <= len("   1 | ") + 102
    assert excerpt[caret_column(rendered)] == line[column - 1]
    assert ("…" in excerpt[: caret_column(rendered)]) == (column > 70)
    assert excerpt.endswith("…") == (column < 5900)


def test_a_line_that_fits_is_never_cut() -> None:
    assert "…" not in shown(1, 99, "here", "x" * 100)


def test_a_caret_may_stand_behind_the_end_of_the_line() -> None:
    assert shown(1, 4, "more", "abc").splitlines()[1:] == ["   1 | abc", "     |    ^"]


def test_a_line_that_is_blank_or_not_there_is_not_shown() -> None:
    assert shown(9, 1, "end", "abc") == "chai.yaml:9:1: end"
    assert shown(1, 1, "empty", "\n") == "chai.yaml:1:1: empty"


def test_names_messages_and_keys_cannot_move_the_cursor() -> None:
    error = ScenarioError("a\x1bb", [Problem(1, 1, "m\nn", "k\x07", "h\u202e")], "x")
    assert [sign for sign in str(error) if not sign.isprintable()] == ["\n"] * 4
    assert str(error).startswith("a\\x1bb:1:1: m\\nn\n")


def test_lines_are_counted_as_the_yaml_library_counts_them() -> None:
    assert "   4 | d" in shown(4, 1, "here", "a\r\nb\rc\nd")
    assert r"   3 | c\u2028d" in shown(3, 1, "here", "a\r\nb\rc\u2028d")


def test_an_error_keeps_its_parts_and_can_be_pickled() -> None:
    error = pickle.loads(pickle.dumps(ScenarioError("f", [Problem(1, 1, "m")], "x")))
    assert (error.source, error.problems, error.text) == ("f", [Problem(1, 1, "m")], "x")


@given(TEXTS, st.integers(0, 5), st.integers(0, 200))
def test_any_text_and_position_can_be_shown(text: str, line: int, column: int) -> None:
    rendered = shown(line, max(column, 1), "m", text)
    assert rendered.startswith("chai.yaml")
    assert not any(unicodedata.category(sign) == "Cc" for sign in rendered.replace("\n", ""))
