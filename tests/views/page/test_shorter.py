"""Scripts with short names do what they did."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from walkthrough.views.page.shorter import shortened

PROGRAM = r"""
// A comment with `a template` and "a text".
const numbers = [3, 4], pattern = /[/"`]+\/(\d)/g, half = numbers[0] / 2 / 1;
function made(what, { count = 1, name: label = "none", ...others } = {}, ...more) {
  /* what is it? */
  const inner = `${what} ${more.map((one) => `<${one > 3 ? `{${one}}` : "}"}>`).join(`,`)} ${label}`;
  return { what, count, inner, others, get total() { return numbers.length + count }, "kept": half };
}
let total = 0, [first, ...rest] = numbers;
for (const [at, number] of numbers.entries()) total += at * number;
for (const what in { row: 1, column: 2 }) total += what.length;
const isOdd = number => number % 2 === 1, step = { isOdd, total, at: total ? first : rest };
let text = "a/b".replace(/a\/(b)/, (_, letter) => letter)
try { missing() } catch (error) { text += error.name }
const { total: sum, isOdd: odd } = step
const all = [made("x", { count: 2, name: "me", size: 5 }, 3, 4), made("y"), sum, odd(3), step, text]
JSON.stringify([...all, "1/2/3".split(pattern), first, rest, - -first, total++ + +total])
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_a_program_with_short_names_gives_what_it_gave() -> None:
    short = shortened(PROGRAM)
    said = [
        subprocess.run(["node", "-p", program], capture_output=True, encoding="utf-8", check=True).stdout
        for program in (PROGRAM, short)
    ]
    assert json.loads(said[0]) == json.loads(said[1])
    assert len(short) < 0.75 * len(PROGRAM)
    assert not {"numbers", "pattern", "label", "letter", "isOdd"} & set(re.findall(r"(?<!\.)\b\w+\b(?!:|\()", short))


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        (
            "function f(left) { return left }\nfunction g(right) { return right + f }",
            "function a(b){return b}\nfunction c(b){return b+a}",
        ),
        ("const f = (left) => left, g = (right) => right + f(g);", "let a=b=>b,c=b=>b+a(c);"),
        ("const f = (one) => `${one}${(two) => two + one}` + one;", "let c=a=>`${a}${b=>b+a}`+a;"),
        ("const f = [1].map((one, at) => one + at), at = f;", "let b=[1].map((c,a)=>c+a),a=b;"),
        ("const f = (one) => ({ one, two: 1 }); const two = f;", "let a=b=>({one:b,two:1}),c=a;"),
        ("const f = () => {}\ng(); const two = f;", "let a=()=>{}\ng();let b=a;"),
        ("if (x) { const one = 1; x(one) } const two = 2; let three = two;", "if(x){let a=1;x(a)}let b=2,c=b;"),
    ],
)
def test_variables_that_do_not_meet_share_a_short_name(script: str, wanted: str) -> None:
    assert shortened(script) == wanted


def test_what_the_browser_provides_and_what_is_read_by_name_stay() -> None:
    short = shortened("const cell = document.title.length, view = {cell, row: window.row}\nwindow.walkthrough = view")
    assert short == "let a=document.title.length,b={cell:a,row:window.row}\nwindow.walkthrough=b"
