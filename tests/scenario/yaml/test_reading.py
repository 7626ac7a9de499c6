"""YAML text becomes nodes with positions, or problems; never an exception, and never much time."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.draws import TEXTS
from walkthrough.scenario.yaml import reading
from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node, ScalarNode
from walkthrough.scenario.yaml.problems import Problem, Problems
from walkthrough.scenario.yaml.reading import read_nodes


@pytest.fixture(params=["C", "Python"])
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test holds with libyaml and without it."""
    monkeypatch.setattr(reading, "_LOADER", yaml.CLoader if request.param == "C" else yaml.Loader)


def read(text: str) -> Node:
    problems = Problems()
    node = read_nodes(text, problems)
    assert problems.found == []
    assert node is not None
    return node


def found(text: str) -> list[Problem]:
    problems = Problems()
    read_nodes(text, problems)
    return problems.found


def messages(text: str) -> list[str]:
    return [f"{problem.line}:{problem.column}: {problem.message}" for problem in found(text)]


def data(node: Node | None) -> object:
    if isinstance(node, MappingNode):
        return {key.text: data(value) for key, value in node.entries}
    if isinstance(node, ListNode):
        return [data(item) for item in node.items]
    return node.value if node else None


@pytest.mark.usefixtures("loader")
def test_everything_knows_its_line_and_its_column_in_characters() -> None:
    assert read("é😀: [日本, 'x']\nb:\n  - -1.50\n") == MappingNode(
        [
            (
                ScalarNode("é😀", True, 1, 1),
                ListNode([ScalarNode("日本", True, 1, 6), ScalarNode("x", False, 1, 10)], 1, 5),
            ),
            (ScalarNode("b", True, 2, 1), ListNode([ScalarNode("-1.50", True, 3, 5)], 3, 3)),
        ],
        1,
        1,
    )


def test_words_and_numbers_are_those_of_yaml_1_2() -> None:
    assert data(read("[no, on, 1e-5, 010, 0x10, 1:30, null, ~, 'null', \"1\", ! 3, true]")) == (
        ["no", "on", 1e-5, 10, 16, "1:30", None, None, "null", "1", "3", True]
    )


def test_a_byte_order_mark_and_any_line_ending_are_fine() -> None:
    assert read("\ufeffa: 1\r\nb: 2\rc: 3") == MappingNode(
        [
            (ScalarNode(key, True, line, 1), ScalarNode(str(line), True, line, 4))
            for line, key in enumerate("abc", start=1)
        ],
        1,
        1,
    )


def test_block_texts_are_text() -> None:
    assert data(read("a: |\n  1\n  2\nb: >\n  x\n  y\nc:\n")) == {"a": "1\n2\n", "b": "x y\n", "c": None}


def test_simple_tags_are_honoured_and_others_refused() -> None:
    assert data(read("{a: !!str 3, b: !!int '3', c: !!float 3, d: !!seq [1], e: !!map {}, f: !!null ''}")) == (
        {"a": "3", "b": 3, "c": 3, "d": [1], "e": {}, "f": None}
    )
    assert messages("a: !foo 1\nb: !!set {}\nc: !!int x\nd: !x!y 1\n") == [
        "1:4: tags are not supported, found !foo",
        "2:4: tags are not supported, found !!set",
        "3:4: text 'x' does not match its tag !!int",
        "4:4: tags are not supported",
    ]


# --- aliases ---------------------------------------------------------------------------------------------------------


def test_an_alias_is_the_very_node_it_names() -> None:
    root = read("a: &w [1, 2]\nb: *w\n")
    assert isinstance(root, MappingNode)
    assert root.get("b") is root.get("a")


def test_an_anchor_may_be_given_again() -> None:
    assert data(read("[&a 1, *a, &a 2, *a, &b [&b 3, *b], *b]")) == [1, 1, 2, 2, [3, 3], 3]


def test_undefined_and_cyclic_aliases_are_all_problems() -> None:
    assert found("a: *x\nb: &b [1, {c: *b}]\n") == [
        Problem(1, 4, "*x is not defined", "a", "write &x before the value it refers to, above this line"),
        Problem(2, 15, "*b is inside the value it refers to", "b.2.c"),
    ]


def test_an_alias_bomb_is_refused_before_it_goes_off() -> None:
    bomb = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n"
    bomb += "".join(f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 40))
    assert messages(bomb) == ["7:22: more than 5,000,000 values, counting each alias in full"]


def test_aliases_cannot_nest_deeper_than_brackets() -> None:
    chain = "- &a0 [1]\n" + "".join(f"- &a{i} [*a{i - 1}]\n" for i in range(1, 3000))
    assert messages(chain) == ["50:9: nested more than 50 deep"]
    assert data(read(chain.split("- &a49")[0])) is not None


# --- limits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("opening", ["[", "{", "- ", "? ", "[{a: "])
def test_a_hundred_thousand_levels_are_refused(opening: str) -> None:
    (problem,) = found(opening * 100_000)  # ours, or from PyYAML 6.0.4 on libyaml's, which looks 1,024 characters ahead
    assert problem.message in ("nested more than 50 deep", "not valid YAML: exceeded maximum nesting depth")


@pytest.mark.parametrize("opening", ["[", "{", "- ", "? ", "[{a: "])
def test_the_first_level_too_many_is_named(opening: str) -> None:
    assert [problem.message for problem in found(opening * 100)] == ["nested more than 50 deep"]


def test_fifty_levels_are_fine() -> None:
    read("[" * 50 + "]" * 50)
    assert messages("[" * 51 + "]" * 51) == ["1:51: nested more than 50 deep"]


def test_too_many_values_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_VALUES", 4)
    assert messages("[1, 2, 3]") == []
    assert messages("[1, 2, 3, 4]") == ["1:11: more than 4 values, counting each alias in full"]


# --- keys ------------------------------------------------------------------------------------------------------------


def test_every_repetition_of_a_key_is_a_problem_and_the_first_is_kept() -> None:
    problems = Problems()
    node = read_nodes('a: 1\nx:\n  - {b: 1, b: 2}\n"a": 2\na: 3\n', problems)
    assert data(node) == {"a": 1, "x": [{"b": 1}]}
    assert problems.found == [
        Problem(3, 12, "key 'b' is repeated; it is first given on line 3", "x.1.b"),
        Problem(4, 1, "key 'a' is repeated; it is first given on line 1", "a"),
        Problem(5, 1, "key 'a' is repeated; it is first given on line 1", "a"),
    ]


def test_merge_keys_are_a_problem_but_a_token_of_that_name_is_not() -> None:
    assert messages("a: &a {x: 1}\nb:\n  <<: *a\nc:\n  <<: [*a]\n") == [
        "3:3: merge keys ('<<') are not supported",
        "5:3: merge keys ('<<') are not supported",
    ]
    assert data(read("{<<: 3}")) == {"<<": 3}
    assert data(read("{<<: [0.5, 1], '>>': []}")) == {"<<": [0.5, 1], ">>": []}
    assert data(read("{'<<': {a: 1}}")) == {"<<": {"a": 1}}


def test_a_key_must_be_a_scalar() -> None:
    assert messages("? [1, 2]\n: b\n? {}\n: c\n") == [
        "1:3: a key must be a word or a number, not a list of 2",
        "3:3: a key must be a word or a number, not an empty mapping",
    ]


# --- texts that are not YAML -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n", "\ufeff", "--- # x\n...\n"])
def test_an_empty_file_is_a_problem(text: str) -> None:
    assert messages(text) == ["1:1: the file is empty; `walkthrough new FILE` writes a starter"]


def test_a_second_document_is_a_problem() -> None:
    assert messages("a: 1\n---\nb: 2\n") == ["2:1: a second document begins here; a scenario is one document"]


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a:\n\tb: 1\n", "2:1: a tab is used for indentation"),
        ("a:\n  b: 1\n\tc: 2", "3:1: a tab is used for indentation"),
        ("a: [1, 2", "1:4: this '[' is never closed"),
        ("a: [1,\n\n", "1:4: this '[' is never closed"),
        ("a:\n  b: {c: 1 # x\n", "2:6: this '{' is never closed"),
        ("k: [a: {b: c}", "1:4: this '[' is never closed"),
        ("a: 'abc\n\n", "1:4: this quote is never closed"),
        ('a: "abc', "1:4: this quote is never closed"),
        ("a: [1, 2\nb: 3", "2:2: ',' or ']' is expected before this, in the brackets opened on line 1"),
        ("a: [1, 2}", "1:9: ',' or ']' is expected before this, in the brackets opened on line 1"),
        ("a: [1,,2]", "1:7: a value is expected here, not ','"),
        ("a: b: c", "1:5: ':' is not allowed here"),
        ("a: 1\n b: 2", "2:3: ':' is not allowed here"),
        ("a: - b", "1:4: '- ' is not allowed here"),
        ("a: 1\nb\n", "2:1: a key without ':' and a value"),
        ("a: b\n- c", "2:1: this does not fit what begins at line 1, column 1"),
        ("a:\n    b: 1\n  c: 2", "3:3: this does not fit what begins at line 1, column 1"),
        ("- a\nb: c", "2:1: this does not fit what begins at line 1, column 1"),
        ("a: 'it's'", "1:8: the value before this is complete"),
        ("a: @x", "1:4: '@' cannot begin a value"),
        ("a: & x", "1:4: a name is expected after '&'"),
        ("{a: 1}}", "1:7: the document is complete before this"),
        ("日本😀: b: c", "1:7: ':' is not allowed here"),
    ],
)
def test_a_syntax_error_is_explained_where_it_is(text: str, message: str) -> None:
    assert messages(text) == [message]


def test_problems_before_a_syntax_error_are_kept() -> None:
    assert messages("a: 1\na: 2\nb: [") == [
        "2:1: key 'a' is repeated; it is first given on line 1",
        "3:4: this '[' is never closed",
    ]


def test_characters_that_yaml_forbids_are_named_with_their_positions() -> None:
    assert found("a: 日\x07\nb: \x00\ud800\n") == [
        Problem(1, 5, "the character U+0007 is not allowed here", help=FORBIDDEN.format(r"\x07")),
        Problem(2, 4, "the character U+0000 is not allowed here", help=FORBIDDEN.format(r"\x00")),
        Problem(2, 5, "the character U+D800 is not allowed here", help="remove it"),
    ]
    assert len(found("\x01" * 1000)) == 10
    assert data(read(r'"\x07\x00\ufeff"')) == "\x07\x00\ufeff"


FORBIDDEN = 'remove it, or write it in double quotes: "{}"'


def test_unusual_spaces_around_words_are_pointed_out() -> None:
    assert messages("a:\n\xa0\xa0b: 1\nc: [1,\xa02]\n") == [
        "2:1: this is an unusual space (U+00A0)",
        "3:7: this is an unusual space (U+00A0)",
    ]
    assert data(read("'\xa0b'")) == "\xa0b"


def outcome_is_a_node_or_problems(text: str) -> None:
    problems = Problems()
    node = read_nodes(text, problems)
    assert node is not None or problems
    for problem in problems.found:
        assert problem.line >= 1
        assert problem.column >= 1


@given(TEXTS)
def test_no_text_raises(text: str) -> None:
    outcome_is_a_node_or_problems(text)


@pytest.mark.parametrize("parser", [yaml.CLoader, yaml.Loader])
@settings(max_examples=200)
@given(text=st.text(alphabet="ab1:-?[]{},#&*!|>'\"%@` \n\t<~.\\é日\u2028\x85\ufeff"))
def test_no_text_of_yaml_signs_raises(parser: type, text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_LOADER", parser)
        outcome_is_a_node_or_problems(text)


def same_in_both_versions(text: str) -> bool:
    """PyYAML writes YAML 1.1 and leaves `0E0`, a word there, without quotes."""
    return isinstance(ScalarNode(text, True, 1, 1).value, str) or (
        yaml.safe_dump([text], default_flow_style=True).startswith(("['", '["'))
    )


scalars = st.none() | st.booleans() | st.integers(-999, 999) | TEXTS.filter(same_in_both_versions)
trees = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abcé日", max_size=3), inner, max_size=4),
    max_leaves=20,
)


@given(trees.filter(lambda tree: tree is not None), st.booleans())
def test_what_pyyaml_writes_is_read_back(tree: object, flow: bool) -> None:
    text = yaml.safe_dump(tree, default_flow_style=flow, allow_unicode=False)
    problems = Problems()
    node = read_nodes(text, problems)
    assert not problems
    assert data(node) == tree


def test_a_big_matrix_is_read() -> None:
    rows = ("  - [" + ", ".join(["-0.1234"] * 500) + "]\n") * 200
    root = read("m:\n" + rows)
    assert isinstance(root, MappingNode)
    matrix = root.get("m")
    assert isinstance(matrix, ListNode)
    assert len(matrix.items) == 200


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize("sign", ["\x85", "\u2028", "\u2029"])
class TestCharactersThatEndNoLine:
    """U+0085, U+2028 and U+2029 ended lines in YAML 1.1; in 1.2 they are characters like others."""

    def test_lines_and_columns_are_those_of_an_editor(self, sign: str) -> None:
        assert messages(f"a: x{sign}y\nb: [1, *c]\nd: 'x{sign}'\ne: '{sign}' 1\n")[-1].startswith("4:8: ")
        node = read(f"a: x{sign}y\nb: {{'{sign}': 1, c: 2}}\n")
        assert isinstance(node, MappingNode)
        inner = node.entries[1][1]
        assert isinstance(inner, MappingNode)
        assert [(key.line, key.column) for key, _ in inner.entries] == [(2, 5), (2, 13)]

    def test_they_stay_what_they_are(self, sign: str) -> None:
        quoted = {"\x85": r"\x85", "\u2028": r"\u2028", "\u2029": r"\u2029"}[sign]
        texts = f'[x{sign}y, \'x{sign}y\', "x{sign}y", "x{quoted}y", "\\ue000", "\ue001"]'
        node = read(texts)
        assert isinstance(node, ListNode)
        assert [item.text for item in node.items if isinstance(item, ScalarNode)] == [f"x{sign}y"] * 4 + [
            "\ue000",
            "\ue001",
        ]
        block = read(f"a: |\n  x{sign}y\n  z\n")
        assert isinstance(block, MappingNode)
        assert block.entries[0][1] == ScalarNode(f"x{sign}y\nz\n", False, 1, 4)

    def test_they_end_no_comment(self, sign: str) -> None:
        node = read(f"a: 1 # comment{sign}b: 2\n")
        assert isinstance(node, MappingNode)
        assert [key.text for key, _ in node.entries] == ["a"]

    def test_as_indentation_or_space_they_are_named(self, sign: str) -> None:
        assert messages(f"a: [1,{sign} 2]") == [f"1:7: this is an unusual space (U+{ord(sign):04X})"]
