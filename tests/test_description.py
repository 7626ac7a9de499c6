"""`describe`: what gives the numbers of a module stands, what nothing tells is asked, and nothing is overwritten."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import walkthrough as wt
from walkthrough.checkpoints import CheckpointError, Prompt, compose
from walkthrough.errors import ArgumentError

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from tests.comparing.describing.modules import (  # noqa: E402
    Choices,
    Distances,
    Elu,
    Encoder,
    Experts,
    Masked,
    Memory,
    Mixtures,
    Multiplied,
    Nano,
    Pairs,
    Pooled,
    Rest,
    Sunk,
    Unjoined,
    drawn,
)
from tests.comparing.matching.own_modules import Cached, Lecture  # noqa: E402
from tests.comparing.planted.modules import Gpt2, Llama, planted  # noqa: E402
from tests.comparing.test_libraries import FAMILIES, LATER  # noqa: E402
from tests.comparing.test_libraries import drawn as random_model  # noqa: E402
from tests.examples import slow  # noqa: E402

pytestmark = pytest.mark.torch

IDS = torch.tensor([[3, 1, 4, 1, 5, 9]])


def describe(module: nn.Module, folder: Path, inputs: Any = IDS) -> tuple[list[str], str]:
    """What is asked, and the scenario."""
    questions = wt.describe(module, inputs, folder / "mine.yaml")
    return questions, (folder / "mine.yaml").read_text(encoding="utf-8")


def assert_complete(module: nn.Module, folder: Path, inputs: Any = IDS) -> str:
    """Nothing is asked, and the scenario gives all numbers of the module; its text."""
    questions, text = describe(module, folder, inputs)
    assert questions == []
    assert "# ?" not in text
    with torch.no_grad(), wt.capture(module.eval()) as tensors:
        module(**inputs) if isinstance(inputs, dict) else module(inputs)
    found = wt.compare(folder / "mine.yaml", tensors)
    assert found.ok, found
    return text


def assert_other_ids_agree(module: nn.Module, folder: Path, path: str) -> str:
    """Nothing is asked, and of other ids the scenario gives the same numbers as the module; its text."""
    text = assert_complete(module, folder)
    others = [1, 3, 4, 5, 9, 1]
    (folder / "others.yaml").write_text(re.sub("tokens: .*", f"tokens: {list(map(str, others))}", text))
    with torch.no_grad():
        right = module(torch.tensor([others]))[0].numpy()
    found = wt.trace(wt.load_scenario(folder / "others.yaml"))[path].array
    assert abs(found - right).max() < 1e-6 * abs(right).max()
    return text


def asked(text: str) -> list[str]:
    """The lines that somebody has to look at, without their mark."""
    return [line.strip().removesuffix("# ?").strip() for line in text.splitlines() if line.endswith("# ?")]


def test_a_nanogpt_with_a_tied_head_needs_no_question(tmp_path: Path) -> None:
    module = drawn(Nano()).train()
    text = assert_complete(module, tmp_path)
    for line in ("norm_order: pre", "repeat: 2", "num_heads: 3", "activation: gelu\n", "output_head: {tied: true}"):
        assert line in text
    assert 'w_k: {tensor: "h.{i}.attn.c_attn.weight", rows: [13, 24]}' in text


@pytest.mark.parametrize(
    ("bug", "rotary"),
    [("rotary base", "{base: 500000, layout: halves}"), ("interleaved layout", "{base: 10000, layout: interleaved}")],
)
def test_a_llama_with_another_base_or_layout_needs_no_question(bug: str, rotary: str, tmp_path: Path) -> None:
    text = assert_complete(drawn(planted(Llama(), bug)), tmp_path, {"ids": IDS})
    for line in (f"rotary: {rotary}", "num_kv_heads: 2", "norm: rms", "epsilon: 1e-05"):
        assert line in text
    assert 'w_gate: {tensor: "model.layers.{i}.mlp.gate_proj.weight"}' in text


def test_an_encoder_with_bare_positions_needs_no_question(tmp_path: Path) -> None:
    text = assert_complete(drawn(Encoder()), tmp_path)
    for line in ("norm_order: post", "activation: gelu_tanh", "positional_encoding: {tensor: pos, index: 0}"):
        assert line in text
    assert "segment_embedding: {tensor: kinds.weight, rows: [2, 2]}" in text
    assert "embedding_norm: {epsilon: 1e-12, gamma: {tensor: begin.weight}" in text


@pytest.mark.parametrize("is_first", [slow(False), True])
def test_layers_of_torch_need_no_question(is_first: bool, tmp_path: Path) -> None:
    """Their attention is one call; where norms come first, there is none after the last layer."""
    layer = nn.TransformerEncoderLayer(12, 3, 20, batch_first=True, norm_first=is_first)
    module = drawn(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False))
    text = assert_complete(module, tmp_path, torch.randn(1, 5, 12, generator=torch.Generator().manual_seed(3)))
    assert ("final_norm: none" in text) == is_first
    assert 'w_v: {tensor: "layers.{i}.self_attn.in_proj_weight", rows: [25, 36]}' in text


def test_heads_that_are_modules_need_no_question(tmp_path: Path) -> None:
    text = assert_complete(drawn(Lecture()), tmp_path, IDS[:, :4])
    assert "- w_q: {tensor: heads.1.query.weight}" in text


@pytest.mark.parametrize("is_alone", [slow(False), True])
def test_an_attention_without_a_last_matrix_needs_no_question(is_alone: bool, tmp_path: Path) -> None:
    text = assert_complete(drawn(Unjoined(is_alone)), tmp_path)
    assert "w_v: {tensor: v.weight}" in text
    assert "w_o" not in text


def test_slopes_of_distance_need_no_question(tmp_path: Path) -> None:
    assert "alibi: true" in assert_complete(drawn(Gpt2(alibi=True)), tmp_path)


def test_fused_keys_and_values_need_no_question(tmp_path: Path) -> None:
    text = assert_complete(drawn(Cached()), tmp_path, IDS[:, :4])
    assert "w_k: {tensor: at.keep.weight, rows: [1, 6]}" in text


def test_norms_of_queries_and_keys_and_a_window_need_no_question(tmp_path: Path) -> None:
    text = assert_complete(drawn(planted(Llama(3, normed=True), "embeddings scaled")), tmp_path)
    name = "model.layers.{i}.self_attn.q_norm.weight"
    for line in ("window: 3", f'query_norm: {{epsilon: 1e-05, gamma: {{tensor: "{name}"}}}}', "sqrt_d_model"):
        assert line in text


def test_an_encoder_and_a_decoder_need_no_question(tmp_path: Path) -> None:
    inputs = {"source": IDS, "target": torch.tensor([[7, 0, 2, 9]])}
    text = assert_complete(drawn(Pairs()), tmp_path, inputs)
    assert text.index("\nencoder:") < text.index("\ndecoder:")
    for line in (
        "positional_encoding: sinusoidal",
        'tokens: ["7", "0", "2", "9"]',
        "embeddings: {tensor: target.weight}",
    ):
        assert line in text
    assert "cross_attention:" in text


def test_a_decoder_whose_memory_the_module_holds_needs_no_question(tmp_path: Path) -> None:
    text = assert_other_ids_agree(drawn(Memory()), tmp_path, "output_head.logits")
    assert "encoder: {output: {tensor: held, index: 0}}" in text


@pytest.mark.parametrize(
    ("module", "names"),
    [(Masked(), "turn, even, words"), (Pooled(3), "pool, out"), slow(Pooled(12), "pool, out")],
)
def test_what_comes_after_the_layers_and_is_no_head_is_said_in_one_sentence(
    module: nn.Module, names: str, tmp_path: Path
) -> None:
    questions, text = describe(drawn(module), tmp_path)
    assert questions == [f"What comes after the last layer that was recognised is no output head: {names}."]
    assert asked(text) == ["encoder:"]
    assert "output_head" not in text
    assert 'norm_2: {gamma: {tensor: "body.stages.{i}.n2.weight"}' in text


@pytest.mark.parametrize("heads", [4, slow(2)])
def test_sinks_need_no_question(heads: int, tmp_path: Path) -> None:
    text = assert_other_ids_agree(drawn(Sunk(heads)).double(), tmp_path, "decoder.1.residual_1")
    assert "sink: {tensor: sinks}" in text


def test_ids_that_are_positions_are_told_from_them(tmp_path: Path) -> None:
    """The table of the tokens is the one that was asked for what the module was given."""
    assert "embeddings: {tensor: wte.weight}" in assert_complete(drawn(Nano(layers=1)), tmp_path, torch.arange(5)[None])


@pytest.mark.parametrize(
    ("theta", "window"),
    [
        (1000.0, None),
        (10000.0, 4),
        (31415.0, None),
        *(slow(*one) for one in ((77.7, None), (1000.0, 4))),
    ],
)
def test_a_base_is_solved_for_and_a_window_seen(theta: float, window: int | None, tmp_path: Path) -> None:
    module = drawn(planted(Llama(window), f"rotary base {theta}")).double()
    text = assert_complete(module, tmp_path, torch.tensor([[3, 1, 4, 1, 5, 9, 2]]))
    assert f"rotary: {{base: {theta:g}, layout: halves}}" in text
    assert ("window: 4" in text) == (window == 4)


@pytest.mark.parametrize("kind", ["lstm", slow("mean")])
def test_a_module_that_is_no_transformer_is_all_questions(kind: str, tmp_path: Path) -> None:
    questions, text = describe(Rest(kind), tmp_path)
    assert "No attention and no feed-forward network was recognised." in questions
    assert asked(text)[0] == "title: Rest"


def test_where_no_family_is_known_it_is_named(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    pytest.importorskip("safetensors.torch").save_file({"a.weight": torch.zeros(2, 2)}, file)
    with pytest.raises(CheckpointError, match=r"walkthrough\.describe\(module, inputs, file\)"):
        compose(file, Prompt())


@pytest.mark.slow
@pytest.mark.parametrize(
    "family", ["distilbert", "gpt2", "llama", "qwen3", "opt", "gptj", "gpt_neox", "gemma2", "mixtral"]
)
def test_models_of_transformers_need_no_question(family: str, tmp_path: Path) -> None:
    """A module as `new --from` knows it by its config; here nothing but its numbers say what it is."""
    transformers = pytest.importorskip("transformers")
    name, config, sizes = {**FAMILIES, **LATER}[family]
    sizes = {**sizes, "experts_implementation": "eager"} if "num_local_experts" in sizes else sizes
    module = random_model(getattr(transformers, name)(getattr(transformers, config)(**sizes)))
    questions, _ = describe(module, tmp_path, torch.tensor([[3, 1, 4, 1, 5]]))
    assert questions == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["T5EncoderModel", "T5ForConditionalGeneration"])
@pytest.mark.parametrize("kind", ["relu", "gated-gelu"])
def test_t5_needs_no_question(kind: str, name: str, tmp_path: Path) -> None:
    """Its norms are in float32, whatever its type; what its tied head reads is divided by the root of its width."""
    transformers = pytest.importorskip("transformers")
    sizes = {"vocab_size": 11, "d_model": 8, "d_kv": 4, "d_ff": 12, "num_layers": 2, "num_heads": 2}
    config = transformers.T5Config(**sizes, feed_forward_proj=kind, use_cache=False)
    inputs = {"input_ids": torch.tensor([[3, 1, 4, 1, 5]])}
    inputs |= {"decoder_input_ids": torch.tensor([[0, 7, 2]])} if name != "T5EncoderModel" else {}
    questions, _ = describe(random_model(getattr(transformers, name)(config)).double(), tmp_path, inputs)
    assert questions == []


def test_what_is_not_known_is_asked_and_the_rest_stands(tmp_path: Path) -> None:
    questions, text = describe(drawn(Elu()), tmp_path)
    assert questions == ["What is between up and down is no activation or gate that is known here; relu is a guess."]
    assert asked(text) == ["activation: relu"]
    assert "num_heads: 3" in text


@pytest.mark.parametrize("module", [Rest("lstm"), Rest("mean")])
def test_what_is_written_of_a_module_that_is_not_known_loads_and_runs(module: nn.Module, tmp_path: Path) -> None:
    questions, text = describe(drawn(module), tmp_path)
    assert questions
    assert asked(text)
    assert wt.trace(wt.load_scenario(tmp_path / "mine.yaml"))["token_embedding"].shape == (6, 12)


def test_experts_with_the_tokens_that_they_are_sent_need_no_question(tmp_path: Path) -> None:
    text = assert_complete(drawn(Experts()), tmp_path)
    for line in ("router: {w: {tensor: router.weight}, top_k: 2, normalize: false}", "repeat: 4", 'tensor: "up.{e}.'):
        assert line in text


@pytest.mark.parametrize(
    "choices",
    [
        Choices(2),
        slow(Choices(1, is_normalized=False)),
        Choices(2, is_sigmoid=True, scale=2.5, has_shared=True, has_bias=True),
        slow(Choices(2, is_sigmoid=True, is_normalized=False, is_dense=True)),
        slow(Choices(3, is_normalized=False, has_shared=True, is_dense=True)),
        Choices(2, has_shared=True, is_gated=True, is_stacked=True),
        slow(Choices(2, has_shared=True, is_gated=True)),
    ],
    ids=repr,
)
def test_a_mixture_agrees_on_other_ids_too(choices: Choices, tmp_path: Path) -> None:
    assert_other_ids_agree(drawn(Mixtures(choices)).double(), tmp_path, "output_head.logits")


def test_relative_positions_need_no_question(tmp_path: Path) -> None:
    text = assert_other_ids_agree(drawn(Distances()).double(), tmp_path, "encoder.output")
    assert "relative_bias: {buckets: 4, max_distance: 6, table: {tensor: worth.weight}}" in text


def test_from_where_on_distances_share_a_number_is_asked_where_nothing_says_it(tmp_path: Path) -> None:
    questions, text = describe(drawn(Distances(None)), tmp_path)
    assert questions == ["From what distance on all share the last row of worth.weight is not known; 128 is a guess."]
    assert "max_distance: 128" in text


def test_what_is_multiplied_by_a_number_is_solved_for(tmp_path: Path) -> None:
    text = assert_complete(drawn(Multiplied()), tmp_path)
    for line in ("embedding_scale: 6.5", "residual_scale: 0.22", "output_head: {tied: true, temperature: 8"):
        assert line in text


@pytest.mark.parametrize("share", [6**-0.5, slow(1 / 7)])
def test_numbers_are_written_with_the_digits_that_are_determined(share: float, tmp_path: Path) -> None:
    assert_other_ids_agree(drawn(Multiplied(share, 0.3**0.5)).double(), tmp_path, "output_head.scaled_logits")


def test_logits_of_few_bits_that_are_smaller_are_not_taken_for_equal(tmp_path: Path) -> None:
    assert "temperature: 16" in describe(drawn(Multiplied(of_logits=1 / 16)).bfloat16(), tmp_path)[1]


def test_a_residual_that_is_scaled_in_one_part_alone_is_asked_about(tmp_path: Path) -> None:
    questions, text = describe(drawn(Elu(share=0.5)), tmp_path)
    assert "What parts make is multiplied by different numbers before it is added." in questions
    assert asked(text)


def test_one_token_tells_nothing_of_an_attention(tmp_path: Path) -> None:
    questions, text = describe(drawn(Nano(layers=1)), tmp_path, IDS[:, :1])
    assert sorted(asked(text))[:2] == ["mask: causal", "num_heads: 3"]
    assert len(questions) >= 4
    assert all(question.endswith(".") for question in questions)


@pytest.mark.parametrize("kind", [torch.bfloat16, slow(torch.float64)])
def test_tensors_keep_their_type_and_a_tied_one_is_stored_once(kind: Any, tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors.torch")
    module = drawn(Nano(layers=1)).to(kind)
    assert describe(module, tmp_path)[0] == []
    stored, known = safetensors.load_file(tmp_path / "mine.safetensors"), module.state_dict()
    assert known.keys() - stored.keys() == {"lm_head.weight"}
    assert all(one.dtype == kind and torch.equal(one, known[name]) for name, one in stored.items())


def test_the_module_is_as_before(tmp_path: Path) -> None:
    module = drawn(Nano()).train()
    module.h[0].eval()
    before = {name: one.clone() for name, one in module.state_dict().items()}
    describe(module, tmp_path)
    assert module.training
    assert [block.training for block in module.h] == [False, True]
    assert all(torch.equal(one, before[name]) for name, one in module.state_dict().items())
    assert not any(one._forward_hooks or one._forward_pre_hooks for one in module.modules())
    assert all(one.grad is None for one in module.parameters())


@pytest.mark.parametrize("there", ["mine.yaml", "mine.safetensors"])
def test_nothing_is_overwritten(there: str, tmp_path: Path) -> None:
    (tmp_path / there).write_text("mine", encoding="utf-8")
    with pytest.raises(ArgumentError, match=re.escape(there)):
        describe(drawn(Nano()), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [there]
    assert (tmp_path / there).read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("module", "inputs", "file", "message"),
    [
        (Nano, IDS, "mine.yaml", "module: expected a torch.nn.Module, found type"),
        ("Nano", IDS, "mine.yaml", "module: expected a torch.nn.Module, found str"),
        (nn.ReLU(), IDS, "mine.yaml", "module: the ReLU has no parameters"),
        (Nano(), IDS + 100, "mine.yaml", "the module cannot be run on these inputs: IndexError"),
        (Nano(), (IDS, IDS), "mine.yaml", "the module cannot be run on these inputs: TypeError"),
        (Nano(), {"tokens": IDS}, "mine.yaml", "the module cannot be run on these inputs: TypeError"),
        (Nano(), IDS.expand(2, -1), "mine.yaml", "inputs: expected one sentence, found 2×6"),
        (nn.Embedding(5, 4), IDS[:, :0], "mine.yaml", "inputs: expected one token or more, found none, as 1×0"),
        (
            nn.Embedding.from_pretrained(torch.full((10, 4), torch.nan)),
            IDS,
            "mine.yaml",
            "module: weight has numbers that are NaN or infinite",
        ),
        (Nano().to("meta"), IDS.to("meta"), "mine.yaml", "capture expects tensors with numbers"),
        (Nano(), IDS, "mine.txt", "file: expected a name that ends in .yaml"),
        (Nano(), IDS, "nowhere/mine.yaml", "file: there is no folder"),
    ],
)
def test_bad_arguments_are_one_sentence(module: Any, inputs: Any, file: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError) as error:
        wt.describe(module, inputs, tmp_path / file)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_a_path() -> None:
    with pytest.raises(ArgumentError, match="file: expected the path of a scenario"):
        wt.describe(Nano(), IDS, 5)  # type: ignore[arg-type]


def test_the_page_shows_what_it_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """The example of the page is no part of its own test, which runs without PyTorch."""
    page = (Path(__file__).parents[1] / "docs/real-models.md").read_text(encoding="utf-8")
    program, printed, lines = re.findall(
        r"```\w+\n(.*?)```\n", page.partition("## A module of your own")[2], re.DOTALL
    )[:3]
    monkeypatch.chdir(tmp_path)
    exec(compile(program, "real-models.md", "exec"), {"__name__": "page"})
    assert capsys.readouterr().out == printed
    written = Path("mine.yaml").read_text(encoding="utf-8")
    assert all(part in written for part in lines.split("        # …\n"))
