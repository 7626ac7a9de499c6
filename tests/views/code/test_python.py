"""Scripts: what they hold, that they run, that they see a wrong number, and what they do with hostile text."""

from __future__ import annotations

import ast
import json
import keyword
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt
from tests.cli.program import invoke
from tests.examples import SMALL_OF_EACH_KIND, all_in_a_thorough_run, slow
from tests.views.code.programs import check, ran, source
from tests.views.samples import bundled_trace, hostile_trace, small_trace, wide_scenario, wide_trace
from walkthrough.library import calculate
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.views import formats
from walkthrough.views.code.names import names_of
from walkthrough.views.code.script import ByHandError
from walkthrough.views.options import Options

LARGE = {"specialise", "transformer-base"}
STORED = sorted((Path(__file__).parents[2] / "oracle").glob("stored*/*.yaml"))


@pytest.mark.parametrize("name", all_in_a_thorough_run(sorted(bundled_scenarios().keys() - LARGE), SMALL_OF_EACH_KIND))
def test_every_number_of_a_bundled_scenario(name: str) -> None:
    trace = bundled_trace(name)
    values = check(trace)["values"]
    assert values.keys() == dict(trace.items()).keys()
    assert all(value.dtype == np.float64 and value.ndim == 2 for value in values.values())


@pytest.mark.parametrize(
    "name", ["help-me", "masked-scores", "rotary", *map(slow, ("cooking", "cooking-training", "fuchs"))]
)
def test_every_number_by_hand(name: str) -> None:
    check(bundled_trace(name, by_hand=True))


@pytest.mark.parametrize(
    ("name", "arithmetic"),
    [("help-me", "float8_e4m3fn"), ("help-me", "int8"), slow("fuchs", "bfloat16")],
)
def test_every_number_in_a_number_format(name: str, arithmetic: str) -> None:
    check(wt.trace(wt.load_scenario(name), arithmetic=arithmetic))


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=path.stem, marks=pytest.mark.slow if at % 30 else ()) for at, path in enumerate(STORED)],
)
def test_every_number_of_a_stored_scenario(path: Path) -> None:
    scenario = wt.load_scenario(path)
    check(wt.trace(scenario))
    check(wt.trace(scenario, arithmetic="by-hand", decimals=6))


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_every_number_of_a_stored_scenario_in_pytorch(path: Path) -> None:
    pytest.importorskip("torch")
    check(wt.trace(wt.load_scenario(path)), "torch")


def test_lines_are_those_of_a_textbook() -> None:
    lines = source(bundled_trace("cooking-multihead")).splitlines()
    for line in (
        "Q_1 = E @ W_Q_1.T",
        "S_2 = Q_2 @ K_2.T",
        "U_2 = np.exp(S_2)",
        "u_2 = np.sum(U_2, axis=1, keepdims=True)",
        "A_2 = U_2 / u_2",
        "C = np.hstack([Z_1, Z_2])",
        "G = np.maximum(0, H)",
        "U_out = np.exp(L)",
        "# encoder.1.attention.head.1.query, 3×3: Queries",
    ):
        assert line in lines, line


def test_names_are_different_and_python() -> None:
    for name in ("cooking-training", "not-on-your-life"):
        trace = bundled_trace(name)
        names = list(names_of(trace).values())
        assert len(set(names)) == len(names) == len(trace)
        assert all(one.isidentifier() and one.isascii() and not keyword.iskeyword(one) for one in names)


def test_names_say_layer_and_head() -> None:
    names = {value.path: name for value, name in names_of(bundled_trace("not-on-your-life")).items()}
    assert names["encoder.1.attention.head.2.query"] == "Q_2"
    assert names["decoder.1.cross_attention.head.1.w_k"] == "W_K_cross_1"
    assert names["generate.3.decoder.1.self_attention.head.2.scores"] == "S_self_2_gen3"
    names = {value.path: name for value, name in names_of(bundled_trace("cooking-training")).items()}
    assert names["gradient.encoder.1.attention.head.1.w_q"] == "dW_Q"
    assert names["encoder.1.norm_1.variance"] == "sigma2_1"
    assert names["loss.mean"] == "loss_mean"


def test_text_of_a_scenario_is_only_text() -> None:
    trace = hostile_trace()
    trace.description = '"""\nimport os\n\\"""\n# coding: utf-7\n\\N{BULLET}'
    script = source(trace)
    ran(script)
    assert "\u202e" not in script
    imported = [node.names[0].name for node in ast.walk(ast.parse(script)) if isinstance(node, ast.Import)]
    assert imported == ["numpy"]
    assert "\x1b" not in script


def test_unknown_and_hidden_numbers_are_where_they_were() -> None:
    values = check(small_trace())["values"]
    assert np.isnan(values["attention.head.1.scores"]).any()
    assert np.isneginf(values["attention.head.1.masked_scores"]).any()


def test_experts_are_chosen_by_no_unknown_score() -> None:
    """A key of length 0 divided by its length: from there on all is unknown, the choice too."""
    layer = (
        "{attention: {heads: [{w_q: [[1]], w_k: [[1]], w_v: [[1]]}], key_norm: {epsilon: 0}}, feed_forward: "
        "{router: {w: [[0.5, 0]], top_k: 1}, experts: [{w_1: [[1]], w_2: [[1]]}, {w_1: [[1]], w_2: [[1]]}]}}"
    )
    trace = wt.trace(
        wt.parse_scenario(f"title: t\ntokens: [a, b]\nembeddings: [[1], [0]]\nencoder: {{layers: [{layer}]}}\n")
    )
    assert np.isnan(trace["encoder.1.feed_forward.router.chosen"].array).all()
    check(trace)


@pytest.mark.parametrize("number", ["0.301257479188183", "1.414213562373095"])
def test_a_wrong_number_is_seen(number: str) -> None:
    script = source(bundled_trace("chai"))
    wrong = script.replace(number, str(float(number) + 2e-9))
    assert wrong != script
    with pytest.raises(AssertionError, match="attention"):
        ran(wrong)
    ran(script.replace(number, str(float(number) + 1e-10)))


def test_imported_it_has_values_and_prints_nothing(capsys: pytest.CaptureFixture) -> None:
    names: dict = {"__name__": "chai"}
    exec(source(bundled_trace("chai")), names)
    assert capsys.readouterr().out == ""
    np.testing.assert_allclose(names["values"]["encoder.output"], bundled_trace("chai")["encoder.output"].array)


def test_chosen_steps_take_the_others_as_recorded() -> None:
    script = source(bundled_trace("chai"), options=Options(steps=["scores", "weights"]))
    values = ran(script)["values"]
    assert "taken as recorded" in script
    assert list(values) == [
        *(f"encoder.1.attention.head.1.{name}" for name in ("query", "key", "scores", "softmax.exp", "softmax.sum")),
        *(f"encoder.1.attention.head.1.{name}" for name in ("weights", "softmax.weights")),
    ]


def test_other_given_numbers_are_said_and_calculated_with() -> None:
    trace = wt.trace(wt.load_scenario("chai"), changes={"embeddings[chai, 1]": 2})
    assert "\nWith other numbers: embeddings[chai, 1]=2.\n" in source(trace)
    assert ran(source(trace))["values"]["embeddings"][1, 0] == 2


def test_training_that_was_let_go_is_not_needed() -> None:
    scenario = wt.load_scenario("specialise")
    trace = calculate(scenario, wanted=["weights", "w_q"], most_steps=3)
    ran(source(trace, options=Options(steps=["train.2.weights"])))


def exported(folder: Path, name: str, *options: str) -> Path:
    scenario = folder / "wide.yaml"
    scenario.write_text(wide_scenario())
    result = invoke("export", str(scenario), "-o", str(folder / name), *options)
    assert result.exit_code == 0, result.output
    return folder / name


def test_large_matrices_stand_beside_it(tmp_path: Path) -> None:
    script = exported(tmp_path, "wide.py")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["wide.py", "wide.py.npz", "wide.yaml"]
    assert 'E = stored["token_embedding"]' in script.read_text().replace("'", '"')
    with np.load(tmp_path / "wide.py.npz") as arrays:
        assert arrays["token_embedding"].shape == (40, 40)
    run = subprocess.run([sys.executable, str(script)], cwd="/", capture_output=True, text=True, check=True)
    assert run.stdout.endswith("All numbers of 9 steps match the recorded ones.\n")


def test_alone_on_standard_output_every_number_stands_in_it() -> None:
    ran(source(wide_trace()))


def test_a_failure_leaves_neither_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(out: object, **arrays: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("walkthrough.views.code.script.np.savez", full)
    scenario = tmp_path / "wide.yaml"
    scenario.write_text(wide_scenario())
    assert invoke("export", str(scenario), "-o", str(tmp_path / "wide.py")).exit_code != 0
    assert [path.name for path in tmp_path.iterdir()] == ["wide.yaml"]


TARGETS = {"learning_rate": 0.5, "label_smoothing": 0.1}
SENTENCES = [{"tokens": ["a", "b"], "targets": ["b", None]}, {"tokens": ["b"], "targets": ["a"]}]


@pytest.mark.torch
@pytest.mark.parametrize("size", [1, "all"])
def test_pytorch_trains_on_several_sentences(size: int | str) -> None:
    """Its loss is one; what flows back through one of several sentences is a part, which autograd does not show."""
    pytest.importorskip("torch")
    keys = {"title": "t", "vocabulary": ["a", "b"], "embeddings": [[1.0, 0.5], [0.2, -1.0]]}
    training = {**TARGETS, "steps": 3, "examples": SENTENCES, "batch_size": size}
    keys |= {"output_head": {"tied": True}, "training": training}
    trace = wt.trace(wt.parse_scenario(json.dumps(keys)))
    values = check(trace, "torch")["values"]
    assert "train.2.gradient.embeddings" in values
    assert ("train.1.example.1.gradient.embeddings" in values) is (size == 1)
    assert source(trace, "torch").count(".backward()") == 3


@pytest.mark.parametrize("name", ["numpy.py", "torch.py", "NumPy.py", "random.py"])
@pytest.mark.parametrize("to", ["python", "torch"])
def test_a_name_that_would_be_imported_instead_is_refused(name: str, to: str, tmp_path: Path) -> None:
    result = invoke("export", "help-me", "-o", str(tmp_path / name), "--format", to)
    assert "would be imported instead of" in str(result.exception)
    assert list(tmp_path.iterdir()) == []


def test_pytorch_has_no_arithmetic_by_hand() -> None:
    with pytest.raises(ByHandError, match="remove --by-hand"):
        source(bundled_trace("cooking", by_hand=True), "torch")


@pytest.mark.torch
def test_pytorch_finds_the_gradients_itself() -> None:
    script = source(bundled_trace("cooking-training"), "torch")
    assert "\nloss_mean.backward()\n" in script
    assert "\ndW_Q = W_Q.grad\n" in script
    assert "W_Q_prime = (W_Q - 0.1 * dW_Q).detach()\n" in script
    pytest.importorskip("torch")
    assert "gradient.embeddings" in ran(script)["values"]


@pytest.mark.skipif(find_spec("ruff") is None, reason="needs ruff")
@pytest.mark.parametrize("name", ["chai", "cooking-training", "not-on-your-life"])
def test_ruff_finds_nothing_to_say(name: str, tmp_path: Path) -> None:
    for format in ("python", "torch", "notebook"):
        suffix = ".ipynb" if format == "notebook" else ".py"
        (tmp_path / f"{format}_code{suffix}").write_bytes(formats.to_bytes(bundled_trace(name), Options(), format))
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--ignore", "E741", "--no-cache", str(tmp_path)]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "All checks passed!\n"


def cells_of(trace: wt.Trace) -> list[dict]:
    notebook = json.loads(formats.to_bytes(trace, Options(), "notebook"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells: list[dict] = notebook["cells"]
    return cells


@pytest.mark.parametrize("name", ["chai", "cooking-training", "show-me-the-money"])
def test_a_notebook_is_the_same_step_by_step(name: str) -> None:
    cells = cells_of(bundled_trace(name))
    assert len({cell["id"] for cell in cells}) == len(cells)
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    values = ran(code)["values"]
    assert values.keys() == dict(bundled_trace(name).items()).keys()


def test_a_notebook_shows_each_formula_before_its_line() -> None:
    cells = cells_of(bundled_trace("chai"))
    at = next(at for at, cell in enumerate(cells) if "".join(cell["source"]) == "S = Q @ K.T\nS")
    assert "$$\nS = Q \\cdot K^{\\top}\n$$" in "".join(cells[at - 1]["source"])


@pytest.mark.parametrize("sample", [hostile_trace, small_trace], ids=["hostile", "unknown"])
def test_a_notebook_of_anything_is_valid_and_runs(sample: object) -> None:
    cells = cells_of(sample())  # type: ignore[operator]
    ran("\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"))


def test_a_notebook_runs_from_top_to_bottom(tmp_path: Path) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(exported(tmp_path, "wide.ipynb"), as_version=4)
    nbformat.validate(notebook)
    client = nbclient.NotebookClient(notebook, timeout=100, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    assert "steps match the recorded ones" in notebook.cells[-1].outputs[0].text


def test_one_step_is_one_step() -> None:
    text = formats.to_bytes(bundled_trace("chai"), Options(steps=("head.1.weights",)), "python").decode()
    assert "All numbers of 1 step match the recorded ones." in text
