"""A description says the same in every format: its lists, code, headings and links; and it does no harm in any."""

from __future__ import annotations

import io
import json
import re

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import walkthrough as wt
from tests.views.samples import SMALL
from walkthrough.views import formats
from walkthrough.views.latex.description import prose
from walkthrough.views.options import Options
from walkthrough.views.report.blocks import Description, Report
from walkthrough.views.terminal import terminal
from walkthrough.views.text.description import Marks, lines_of
from walkthrough.views.text.html import html_of

DESCRIPTION = """\
# Heading

See [the paper](https://a.b/c_d).

- one
  1. inner
  2. second
- two

```
for x:
    y  # z
```
"""


@pytest.mark.parametrize(
    ("markdown", "wanted"),
    [
        ("a *b* **c**", "<p>a <em>b</em> <strong>c</strong></p>"),
        ("x_y_z 2*3*4", "<p>x_y_z 2*3*4</p>"),
        ("`a <b>`", "<p><code>a &lt;b&gt;</code></p>"),
        ("- one\n  more\n- two", "<ul><li>one more</li><li>two</li></ul>"),
        ("1. one", "<ol><li>one</li></ol>"),
        ("3) three", '<ol start="3"><li>three</li></ol>'),
        ("- a\n  - b\n\n    c\n- d", "<ul><li>a<ul><li><p>b</p><p>c</p></li></ul></li><li>d</li></ul>"),
        ("- a\n\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"),
        (r"\*a\* &lt;b&gt; &amp;lt;", "<p>*a* &lt;b&gt; &amp;lt;</p>"),
        ("**a *b* `c`** d\\\ne", "<p><strong>a <em>b</em> <code>c</code></strong> d e</p>"),
        ("<https://a.b>, <a@b.c>", '<p><a href="https://a.b" rel="noreferrer">https://a.b</a>, &lt;a@b.c&gt;</p>'),
        (
            "[t](ftp://a) [t](//a) [t](data:x) ![t](https://a.b)",
            '<p>[t](ftp://a) [t](//a) [t](data:x) !<a href="https://a.b" rel="noreferrer">t</a></p>',
        ),
        ("[t](https://a.b/?x=1&y=_a_)", '<p><a href="https://a.b/?x=1&amp;y=_a_" rel="noreferrer">t</a></p>'),
        ("[t](javascript:alert(1))", "<p>[t](javascript:alert(1))</p>"),
        ('[t](https://a"onclick=x)', '<p><a href="https://a%22onclick=x" rel="noreferrer">t</a></p>'),
        ("<img onerror=x>", "<p>&lt;img onerror=x&gt;</p>"),
        ("```\n<a>\n```\nb", "<pre>&lt;a&gt;</pre><p>b</p>"),
        ("```\nopen", "<pre>open</pre>"),
        ("    a\n     b", "<pre>a\n b</pre>"),
        ("- a\n  ```\n  x  y\n\n  \tz\n  ```", "<ul><li>a<pre>x  y\n\n  z</pre></li></ul>"),
        ("# Head\ntext", "<p><strong>Head</strong></p><p>text</p>"),
        ("\x1b[31m", "<p>\\x1b[31m</p>"),
    ],
)
def test_a_description_is_read_as_markdown_and_does_no_harm(markdown: str, wanted: str) -> None:
    assert html_of(markdown) == wanted


def in_terminal(description: str, width: int = 80) -> list[str]:
    """What the terminal says below the title."""
    report = Report("Title", lambda: (), about=(Description(description),))
    return terminal.text([report], width).splitlines()[2:]


def test_a_terminal_keeps_lists_and_code_and_says_where_a_link_leads() -> None:
    assert in_terminal(DESCRIPTION) == [
        "Heading",
        "",
        "See the paper (https://a.b/c_d).",
        "",
        "- one",
        "  1. inner",
        "  2. second",
        "- two",
        "",
        "    for x:",
        "        y  # z",
    ]


def test_a_terminal_hangs_the_lines_of_items_and_breaks_no_code() -> None:
    items = "- a\n  more of it and more\n\n  - b\n\n12. c\n    d\nend"
    text = f"One\nline.\n\n{items}\n```\n{'code ' * 8}x\n```"
    assert in_terminal(text, 20) == [
        "One line.",
        "",
        "- a more of it and",
        "  more",
        "",
        "  - b",
        "",
        "12. c d end",
        "",
        f"    {'code ' * 8}x",
    ]


def test_a_terminal_shows_words_without_marks_of_emphasis() -> None:
    assert in_terminal("`w_o` of *cat* is **big**, 2*3*4, a_b_c") == ["`w_o` of cat is big, 2*3*4, a_b_c"]


def test_latex_has_headings_lists_code_and_links() -> None:
    assert list(prose(DESCRIPTION)) == [
        r"\textbf{Heading}",
        r"See the paper (\texttt{https://a.b/c\_d}).",
        "\\begin{itemize}\n\\item one\n\n\\begin{itemize}\n\\item[1.] inner\n\\item[2.] second\n\\end{itemize}\n"
        "\\item two\n\\end{itemize}",
        "\\texttt{for~x:}\\\\\n\\texttt{~~~~y~~\\#~z}",
    ]


def test_latex_nests_no_more_lists_than_it_can() -> None:
    text = "\n".join(f"{'  ' * depth}- {depth}" for depth in range(9))
    assert "".join(prose(text)).count(r"\begin{itemize}") == 4
    assert all(f"\\item {depth}\n" in "".join(prose(text)) for depth in range(9))


def test_a_workbook_has_a_line_for_each_item_and_line_of_code() -> None:
    trace = wt.trace(wt.parse_scenario(f"description: {json.dumps(DESCRIPTION)}\n{SMALL}"))
    first = openpyxl.load_workbook(io.BytesIO(formats.to_bytes(trace, Options(), "xlsx"))).worksheets[0]
    assert [row[0].value for row in first.iter_rows(min_row=2, max_row=9)] == [
        "Heading",
        "See the paper (https://a.b/c_d).",
        "• one",
        "  1. inner",
        "  2. second",
        "• two",
        "    for x:",
        "        y  # z",
    ]


PIECES = [
    *("a", "b ", "\n", "\n\n", "  ", "    ", "\t", "- ", "* ", "1. ", "12) ", "# ", "===", "---", "> "),
    *("```", "~~~", "`", "``", "*", "**", "_", "__", "[", "]", "](", ")", "](https://a.b)", "](javascript:x)"),
    *("<https://a>", "<b>", "<script>", "</script>", "<!--", "&lt;", "&", "\\", "\\*", "$", "$$", "%", "{", "}", "^"),
    *("~", "\x1b[31m", "\u202e", "\r", '"', "é"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_every_description_is_harmless_in_every_format(description: str) -> None:
    html = html_of(description)
    tags = {tag.split()[0].strip("/") for tag in re.findall(r"<([^>]*)>", html)}
    assert tags <= {"p", "ul", "ol", "li", "pre", "code", "strong", "em", "a"}
    assert all(one == "https://a.b" or one == "https://a" for one in re.findall(r'href="([^"]*)"', html))
    tex = "\n\n".join(prose(description))
    assert not re.search(r"(?<!\\)[$&#%]|\\(?!\\\n|begin\{itemize\}|end\{itemize\}|item|text|emph|[_{}$&#%])", tex)
    assert tex.count(r"\begin{itemize}") == tex.count(r"\end{itemize}")
    for text in (html, tex, *in_terminal(description), *(line for _, line in lines_of(description, Marks(), 80))):
        assert text.replace("\n", "").isprintable()


@pytest.mark.parametrize("opening", ["*a ", "- ", "> ", "[", "`", "**a", "1. "])
def test_deep_nesting_is_no_trouble(opening: str) -> None:
    for text in (opening * 1000, opening * 1000 + "x" + "*" * 1000):
        assert html_of(text)
        assert "".join(prose(text)).count(r"\emph{\emph{") < 9
        assert in_terminal(text)
