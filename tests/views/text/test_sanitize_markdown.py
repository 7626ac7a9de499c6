"""A scenario's own Markdown: it may be anything, and the document after it is what it is without."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.views.page.html_tables import RENDERERS, read
from walkthrough.views.markdown import text
from walkthrough.views.report.blocks import Description, Heading, Items, Paragraph, Report, Table
from walkthrough.views.text.sanitize_markdown import sanitize_markdown

LINES = [
    *("", "text", "  text", "    text", "- item", "  - item", "1. item", "> quoted", "# heading", "===", "---", "***"),
    *("```", "````", "~~~", "~~~~", "```yaml", "~~~ yaml", "  ```", "   ~~~", "    ```", "- ```", "> ```", "1. ~~~"),
    *("``` a ` b", "a ``` b", "\\```", "\\~~~", "`", "``", "`<!--", "<!--", "-->", "<!-- `", "<script>", "<pre>"),
    *("<![CDATA[", "<?php", "<div>", "`<b>`", "[a]: /b", "[a]:", "[a]: /b 'title", "[^a]: note", "| a | b |"),
    *("| --- | --- |", "| `<img> | ` |", "$$", "$", "$$x$$", "\\", "&", "&lt;", ":::", "!!! note", "{{", "%%", "\t```"),
]


def rendered(renderer: Callable[[str], str], description: str) -> str:
    """A document with that description, behind its title, as HTML."""
    blocks = [Heading("Step", "step", 1), Paragraph("Purpose."), Table(("a", "b"), (("1", "2"),)), Items(("x", "y"))]
    report = Report("Title", lambda: blocks, about=(Description(description), Description("A book", "Source")))
    return renderer(text([report])).partition("</h1>")[2].strip()


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=12).map("\n".join))
def test_no_description_reaches_beyond_its_end(description: str) -> None:
    html = rendered(RENDERERS["markdown-it"], description)
    assert html.endswith(rendered(RENDERERS["markdown-it"], ""))
    assert not read(html).elements & {"script", "div", "b", "img"}


@pytest.mark.parametrize("renderer", RENDERERS.values(), ids=RENDERERS)
@pytest.mark.parametrize(
    "description",
    [
        *("```\nopen", "~~~\nopen", "   ````yaml\nopen\n```", "- a\n\n  ```\n  open", "- ```\n  open", "> ```\n> open"),
        *("- a\n  ```\n```\nx", "```\n  ```\n```", "<!-- open", "`<!--`\n<!--", "[a]: /b\n'open", "text\n==="),
        *("| a | b |\n| --- | --- |\n| `<img> | ` |", "$$\nopen", "\t```\n```"),
    ],
)
def test_every_parser_ends_it_there(renderer: Callable[[str], str], description: str) -> None:
    html = rendered(renderer, description)
    assert html.endswith(rendered(renderer, ""))
    assert "img" not in read(html).elements


@pytest.mark.parametrize(
    "description",
    ["```yaml\na: 1\n```", "- a\n\n  ~~~\n  code\n  ~~~\n\n- b", "````\n```\n````", "```\n~~~\n```\n\n```\n```"],
)
def test_fences_that_are_closed_stay(description: str) -> None:
    assert sanitize_markdown(description) == description
    assert "pre" in read(rendered(RENDERERS["markdown-it"], description)).elements


@pytest.mark.parametrize(
    ("markdown", "wanted"),
    [
        ("plain *text*, a [link](x)", "plain *text*, a [link](x)"),
        ("<b> and `<start>` and ``a`<b>``", "&lt;b> and `<start>` and ``a`<b>``"),
        ("`a\n\n<script>` x", "`a\n\n&lt;script>` x"),  # an open backtick: who knows where code ends
        (r"\`<b>\`", r"\`&lt;b>\`"),
        ("\x1b[31m\ta\u202e", "\\x1b[31m   a\\u202e"),
    ],
)
def test_a_description_keeps_its_markdown_and_loses_its_html(markdown: str, wanted: str) -> None:
    assert sanitize_markdown(markdown) == wanted


@pytest.mark.parametrize("opening", ["`", "``", "\\`", "x` `", "- `a\n- ", "`` ` ", "# `\n"])
@pytest.mark.parametrize("renderer", RENDERERS.values(), ids=RENDERERS)
def test_no_backtick_lets_html_through(renderer: Callable[[str], str], opening: str) -> None:
    page = read(renderer(sanitize_markdown(f"{opening}a <img> `<i>` <b>` c\n`<u>`` <s>")))
    assert not page.elements & {"img", "i", "b", "u", "s"}
