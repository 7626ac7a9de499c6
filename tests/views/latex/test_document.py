"""LaTeX: the same numbers as in Markdown, harmless text, and, where TeX is there, a document without a warning."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import walkthrough as wt
from tests.cli.program import invoke
from tests.views.samples import HOSTILE, SMALL, bundled_trace, hostile_trace, wide_trace
from tests.views.samples import SAMPLES as TRACES
from walkthrough.expressions.notations.latex import to_inline_latex
from walkthrough.expressions.notations.writing import Writer
from walkthrough.expressions.tree.nodes import Call, Cell, Expression, Named, Number, Power, Sum
from walkthrough.languages.catalogue import ENGLISH
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.views import formats
from walkthrough.views.latex import document as latex
from walkthrough.views.latex import preamble as tex_preamble
from walkthrough.views.latex.tex import tex, unknown_characters
from walkthrough.views.options import Options
from walkthrough.views.report import explanation

LARGE = {"specialise", "transformer-base"}
NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e[+-]\d+)?")


def document(trace: wt.Trace, options: Options = Options()) -> str:  # noqa: B008
    return formats.to_bytes(trace, options, "latex").decode()


def numbers_of_tables(markdown: str) -> Counter[str]:
    """The numbers in the tables of a Markdown document."""
    rows = [line.split("|")[2:-1] for line in markdown.replace("−", "-").splitlines() if line[:1] == "|"]
    return Counter(number for row in rows for cell in row for number in NUMBER.findall(cell))


def missing(wanted: Counter[str], text: str) -> dict[str, int]:
    found = Counter(NUMBER.findall(text.replace("\u2212", "-").replace("\\mathrm{e}{-}", "e-").replace("$", "")))
    return {number: count - found[number] for number, count in wanted.items() if found[number] < count}


@pytest.mark.parametrize("sample", ["chai", "by hand", "small", "wide"])
def test_every_number_of_the_markdown(sample: str) -> None:
    trace = TRACES[sample]()
    wanted = numbers_of_tables(formats.to_bytes(trace, Options(), "markdown").decode())
    assert wanted
    assert missing(wanted, document(trace)) == {}


def test_steps_nest_in_parts() -> None:
    lines = document(bundled_trace("chai")).splitlines()
    at = [
        lines.index(heading)
        for heading in (
            r"\section{4. Input}",
            r"\section{Encoder}",
            r"\subsection{Layer 1}",
            r"\subsubsection{Attention}",
            r"\paragraph{Head 1}",
            r"\subparagraph{9. Scores}",
        )
    ]
    assert at == sorted(at)


def test_formulas_and_worked_lines_are_mathematics() -> None:
    text = document(bundled_trace("chai"))
    assert "\\[\nS' = \\frac{S}{\\sqrt{d_{k}}}\n\\]" in text
    assert r"$S[\text{chai}, \text{is}] = 1.0415\times (-0.1161) + 1.5403\times 1.4093 = 2.050$" in text
    assert r"$E[\text{chai}, \text{3}] = W_{E}[\text{chai}, \text{3}] = 0.800$" in text


def test_symbols_and_shapes_are_mathematics() -> None:
    text = document(bundled_trace("chai"))
    assert r"\subparagraph{5. Weights $W_{Q}$}" in text
    assert "query} --- $(4\\times 4)\\cdot (4\\times 2) \\to  4\\times 2$; $X$: 4, $W_{Q}$: 5\n\\[\n" in text


def test_a_page_does_not_end_within_a_step_if_it_can_end_elsewhere() -> None:
    lines = document(bundled_trace("chai"), Options(work="all")).splitlines()
    assert all(lines[at - 1] == r"\nopagebreak[3]" for at, line in enumerate(lines) if line.startswith(r"{\small"))
    worked = [at for at, line in enumerate(lines) if line.startswith("$S[")]
    assert [lines[at - 1] == r"\nopagebreak[3]" for at in worked] == [True] + 15 * [False]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1.5", "1.5"),
        ("−0", "-0"),
        ("−1.2×10^(−4)", r"-1.2\times 10^{-4}"),
        ("1.2×10^20", r"1.2\times 10^{20}"),
        ("−∞", r"-\infty"),
        ("?", r"\text{?}"),
        (".", r"\text{.}"),
        ("a_b %", r"\text{a\_b \%}"),
    ],
)
def test_numbers(text: str, wanted: str) -> None:
    assert latex.number_or_word(text) == wanted


A, B = Cell(0, 0, 0), Cell(1, 0, 0)


@pytest.mark.parametrize(
    ("expression", "latex"),
    [
        (A / Call("sqrt", (Number(2),)), r"-0.5 / \sqrt{2}"),
        (Call("sqrt", (B + Number(0.00001),)), r"\sqrt{1.5 + 1e-05}"),
        (Call("exp", (A,)) + Call("exp", (B,)), "e^{-0.5} + e^{1.5}"),
        (Call("max", (Number(0), A)), r"\max(0,\allowbreak -0.5)"),
        (Power(A, Number(2)) * B, r"(-0.5)^{2}\times 1.5"),
        (A * (A + B), r"-0.5\times (-0.5 + 1.5)"),
        (Call("noted", (B, Named(" [17 smaller terms]"))), r"1.5\text{ [17 smaller terms]}"),
        (Call("argmax", (Number(1), A)), r"\mathrm{argmax}(\text{1}{:}\ -0.5)"),
    ],
)
def test_arithmetic_may_break_between_its_terms(expression: Expression, latex: str) -> None:
    writer = Writer(
        cell=lambda cell: ("-0.5", "1.5")[cell.operand],
        label=lambda label: rf"\text{{{label:g}}}",
        phrase=ENGLISH.phrase,
    )
    assert to_inline_latex(expression, writer) == latex


def test_a_long_root_has_no_roof() -> None:
    assert to_inline_latex(Call("sqrt", (Sum((B,) * 40),)), Writer()).startswith(r"\surd([0, 0] + [0, 0]")


def test_labels_in_worked_lines_are_words_whatever_they_hold() -> None:
    text = document(bundled_trace("tea-gpt"), Options(steps=("prediction",), work="all"))
    assert r"\text{\textless{}end\textgreater{}}{:}\ 0" in text
    comma = document(hostile_trace(["a, b", "e^2"]), Options(steps=("scores",), work="all"))
    assert r"$S[\text{a, b}, \text{e\textasciicircum{}2}] = " in comma


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("50 % & #1 {x} $y$", r"50 \% \& \#1 \{x\} \$y\$"),
        ("C:\\x^~<>|", r"C:\textbackslash{}x\textasciicircum{}\textasciitilde{}\textless{}\textgreater{}\textbar{}"),
        ("a--b", "a-{}-b"),
        ("naïve ß", "naïve ß"),
        ("10⁻⁹ x₁", r"10\textsuperscript{\ensuremath{-}}\textsuperscript{9} x\textsubscript{1}"),
        ("ạ", r"\d{a}"),
        ("αά", r"\ensuremath{\alpha}\ensuremath{\acute{\alpha}}"),
        ("мир", r"\cyrillic{мир}"),
        ("a␣b", r"a\textvisiblespace{}b"),
        ("\x1b[31m\u202e", r"\textbackslash{}x1b[31m\textbackslash{}u202e"),
    ],
)
def test_text_means_only_itself(text: str, latex: str) -> None:
    assert tex(text) == latex


def test_words_of_a_formula_are_escaped_once() -> None:
    """A label of the scenario in the formula of a what-if."""
    head = "{w_q: [[1], [2]], w_k: [[1], [2]], w_v: [[1], [2]]}"
    text = f"title: t\ntokens: ['a_b%', '{{x*']\nembeddings: [[1, 2], [3, 4]]\nattention: {{heads: [{head}]}}\n"
    for cell, label in (("a_b%", r"a\_b\%"), ("{x*", r"\{x\ensuremath{\ast}")):
        trace = wt.trace(wt.parse_scenario(text), changes={f"scores[{cell}, {cell}]": 0})
        (formula,) = re.findall(r"^S = .*but.*$", document(trace, Options(["scores"])), re.MULTILINE)
        assert f"[{label}, {label}]" in formula
        assert r"\textbackslash" not in formula
        assert not unknown_characters(formula)


def test_other_scripts_ask_for_lualatex() -> None:
    assert not document(hostile_trace(["naïve", "Ελλάς", "мир", "a_b"])).startswith("%")
    for word in ("नमस्ते", "日本語", "سلام", "👩‍👩‍👧", "한국어"):
        assert document(hostile_trace([word, "b"])).startswith("% !TeX program = lualatex\n")
        assert unknown_characters(tex(word))
        assert "lualatex" in latex.remark(hostile_trace([word, "b"]), Options())
    assert latex.remark(bundled_trace("chai"), Options()) == ""


def test_both_engines_can_set_what_bundled_scenarios_say() -> None:
    for path in bundled_scenarios().values():
        assert not unknown_characters(tex(path.read_text(encoding="utf-8"))), path


def test_standard_error_says_so(tmp_path: Path) -> None:
    scenario = tmp_path / "words.yaml"
    head = "{w_q: [[1], [2]], w_k: [[1], [2]], w_v: [[1], [2]]}"
    text = f"title: Two words\ntokens: [日, b]\nembeddings: [[1, 2], [3, 4]]\nattention: {{heads: [{head}]}}\n"
    scenario.write_text(text, encoding="utf-8")
    result = invoke("export", str(scenario), "-o", str(tmp_path / "words.tex"))
    assert result.stderr == f"{tex_preamble.SAID}\n"


def test_token_work_and_full_hold() -> None:
    chai = bundled_trace("chai")
    assert r"\textbf{is}" not in document(chai, Options(tokens=["chai"], steps=["query"]))
    assert document(chai, Options(work="all")).count("$S[") == 16
    assert r"\ldots{} 28 rows and 28 columns not shown." in document(wide_trace(), Options(steps=["scores"]))
    assert "not shown" not in document(wide_trace(25), Options(full=True))


def test_bands_of_so_many_columns() -> None:
    text = document(bundled_trace("chai"), Options(steps=["scores"], columns=2))
    assert "{@{}lrr@{}}" in text
    assert "{@{}lrrrr@{}}" not in text


def test_reports_are_written_too() -> None:
    """What `explain` and `check` have to say."""
    text = latex.text([explanation.report(bundled_trace("chai").explain("scores[chai, is]"))])
    assert r"\begin{document}" in text
    assert r"S[\text{chai}" in text or "S[chai" in text


DESCRIPTION = (
    r"""# Head *em* $x$ \alpha

[l](https://a.b/c_d%20~e#f&g), <https://x.y/z_{}> and **b *i*** and `c_$%`

- [x] one
  - two
    - three
      - four
        - five
          1. [six]

12. twelve

    loose

```
\end{itemize} $$ % # _ {}

   x  y
```
"""
    + "*a **b " * 20
)
ENGINES = ("pdflatex", "lualatex")
TROUBLE = re.compile(r"^!|Overfull|Missing character|undefined|Warning", re.MULTILINE)
NOTHING = re.compile("(?!)")
CHARACTERS = [word for word in HOSTILE if not unknown_characters(tex(word))]
SAMPLES = {
    **{name: lambda name=name: bundled_trace(name) for name in sorted(bundled_scenarios().keys() - LARGE)},
    "hostile": lambda: hostile_trace([*CHARACTERS, "naïve", "Ελλάς", "ạ", "a" * 70, "*", "[x]", "?`"]),
    "unknown": TRACES["small"],
    "wide": TRACES["wide"],
    "described": lambda: wt.trace(wt.parse_scenario(f"description: {json.dumps(DESCRIPTION)}\n{SMALL}")),
}


def compiled(folder: Path, engine: str, text: str, fine: re.Pattern[str] = NOTHING) -> str:
    """What stands in the PDF; an AssertionError with what the engine complains of. fine: lines that are in order"""
    for needed in (engine, "pdftotext"):
        if shutil.which(needed) is None:
            pytest.skip(f"needs {needed}")
    (folder / "document.tex").write_text(text, encoding="utf-8")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "document.tex"]
    result = subprocess.run(command, cwd=folder, capture_output=True, timeout=300)
    log = (folder / "document.log").read_text(encoding="utf-8", errors="replace")
    assert [line for line in log.splitlines() if TROUBLE.search(line) and not fine.match(line)] == []
    assert result.returncode == 0
    read = ["pdftotext", "-layout", "document.pdf", "-"]
    return subprocess.run(read, cwd=folder, capture_output=True, check=True).stdout.decode()


OWN = SAMPLES.keys() - bundled_scenarios().keys()
"""What is not bundled: strange words, unknown numbers, wide tables. What the engines differ in is words alone."""
QUICK = {"pdflatex": {"chai"} | OWN, "lualatex": {"hostile"}}


@pytest.mark.tex
@pytest.mark.parametrize(
    ("name", "engine"),
    [
        pytest.param(name, engine, marks=() if name in QUICK[engine] else pytest.mark.slow)
        for name in SAMPLES
        for engine in ENGINES
    ],
)
def test_it_compiles_without_a_warning_and_has_every_number(name: str, engine: str, tmp_path: Path) -> None:
    trace = SAMPLES[name]()
    options = Options(full=name == "hostile")
    wanted = numbers_of_tables(formats.to_bytes(trace, options, "markdown").decode())
    assert missing(wanted, compiled(tmp_path, engine, document(trace, options))) == {}


@pytest.mark.tex
def test_any_script_with_lualatex(tmp_path: Path) -> None:
    if shutil.which("fc-list") is None or not subprocess.run(["fc-list", ":lang=hi"], capture_output=True).stdout:
        pytest.skip("needs a font for Devanagari: fonts-noto-core")
    compiled(
        tmp_path, "lualatex", document(hostile_trace(["नमस्ते", "мир", "שלום", "سلام", "Ελλάς"]), Options(full=True))
    )
