"""Whole messages for typical faults: where, what, which key, what may help."""

from __future__ import annotations

from textwrap import dedent

import pytest

from walkthrough import parse_scenario
from walkthrough.scenario.yaml.problems import ScenarioError

W = "[[1, 0], [0, 1], [0, 0], [0, 0]]"
START = """\
title: t
tokens: [a, b]
embeddings: {a: [1, 0, 0, 0], b: [0, 1, 0, 0]}
"""
ATTENTION = f"""\
attention:
  heads:
    - w_q: {W}
      w_k: {W}
      w_v: {W}
"""
ENCODER = f"""\
encoder:
  layers:
    - attention:
        heads:
          - w_q: {W}
            w_k: {W}
            w_v: {W}
"""
OUTPUT_HEAD = """\
output_head:
  vocabulary: [a, b, z]
  w: [[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 1, 1]]
"""


SAID = {
    "an unknown key": (
        START.replace("embeddings", "embedings") + ATTENTION,
        """
        f.yaml:3:1: unknown key 'embedings'
           3 | embedings: {a: [1, 0, 0, 0], b: [0, 1, 0, 0]}
             | ^
             = key:  embedings
             = help: did you mean 'embeddings' or 'embedding_scale' or 'embedding_norm'?
        """,
    ),
    "a ragged matrix": (
        START + ATTENTION.replace(f"w_k: {W}", "w_k: [[1, 0], [0], [0, 0], [0, 0]]"),
        """
        f.yaml:7:21: w_k is ragged: row 2 has 1 number, the others have 2
           7 |       w_k: [[1, 0], [0], [0, 0], [0, 0]]
             |                     ^
             = key:  attention.heads.1.w_k
        """,
    ),
    "a residual of two widths": (
        START + ENCODER,
        """
        f.yaml:6:7: the residual adds an output of width 2 to an input of width 4: they must be equal
           6 |     - attention:
             |       ^
             = key:  encoder.layers.1.attention
             = help: give a w_o that is d_v×d_model = 2×4, or set residual: false
        """,
    ),
    "heads that cannot share": (
        START + f"attention: {{num_heads: 3, w_q: {W}, w_k: {W}, w_v: {W}}}\n",
        """
        f.yaml:4:32: w_q is 2 wide, which 3 heads cannot share evenly
           4 | attention: {num_heads: 3, w_q: [[1, 0], [0, 1], [0, 0], [0, 0]], w_k: [[1, 0], [0, 1], [0, 0], [0, 0…
             |                                ^
             = key:  attention.w_q
        """,
    ),
    "a tab": (
        "title: t\nattention:\n\theads: []\n",
        """
        f.yaml:3:1: a tab is used for indentation
           3 | \\theads: []
             | ^
             = help: YAML indents with spaces only
        """,
    ),
    "several faults of all kinds": (
        START.replace("[a, b]", "[a, b, q]")
        + "decimals: many\nsoftmax: plane\n"
        + ENCODER.replace("encoder:\n", "encoder:\n  norm_ordr: post\n").replace(
            f"w_q: {W}", "w_q: [[1, 0], [0, 1], [0, 0]]"
        )
        + "        w_o: [[1, 2, 3, 4], [5, 6, 7, 8]]\n"
        "      feed_forward: {w_1: [[1, 1], [2, 2], [3, 3], [x, 4]], b_1: [1, 2], w_2: [[1, 2, 3]]}\n",
        """
        f.yaml:2:16: the token 'q' has no embedding
           2 | tokens: [a, b, q]
             |                ^
             = key:  embeddings
             = help: known: a, b

        f.yaml:4:11: expected a whole number from 0 to 15, found text 'many'
           4 | decimals: many
             |           ^
             = key:  decimals

        f.yaml:5:10: expected plain or shifted, found text 'plane'
           5 | softmax: plane
             |          ^
             = key:  softmax
             = help: did you mean 'plain'?

        f.yaml:7:3: unknown key 'norm_ordr'
           7 |   norm_ordr: post
             |   ^
             = key:  encoder.norm_ordr
             = help: did you mean 'norm_order' or 'norm'?

        f.yaml:11:18: w_q is 3×2, expected d_model×d_k = 4×2
          11 |           - w_q: [[1, 0], [0, 1], [0, 0]]
             |                  ^
             = key:  encoder.layers.1.attention.heads.1.w_q
             = help: embeddings, w_k, w_v and others say d_model = 4

        f.yaml:15:53: expected a finite number, found text 'x'
          15 |       feed_forward: {w_1: [[1, 1], [2, 2], [3, 3], [x, 4]], b_1: [1, 2], w_2: [[1, 2, 3]]}
             |                                                     ^
             = key:  encoder.layers.1.feed_forward.w_1.4

        f.yaml:15:79: w_2 is 1×3, expected d_ff×d_model = 2×4
          15 |       feed_forward: {w_1: [[1, 1], [2, 2], [3, 3], [x, 4]], b_1: [1, 2], w_2: [[1, 2, 3]]}
             |                                                                               ^
             = key:  encoder.layers.1.feed_forward.w_2
             = help: w_1 and b_1 say d_ff = 2
        """,
    ),
}
"""A scenario with a fault, and all that is said of it, by what the fault is."""
FAULTS = {
    "a missing key": (
        START.replace("title: t\n", "") + ATTENTION.replace(f"      w_k: {W}\n", ""),
        "1:1: title is missing: the name of the example (title)",
        "5:7: w_k is missing: d_model×d_k; or give k, scores or weights as numbers (attention.heads.1.w_k)",
    ),
    "a wrong shape": (
        START + ATTENTION.replace(f"w_k: {W}", "w_k: [[1, 0], [0, 1], [0, 0]]"),
        "7:12: w_k is 3×2, expected d_model×d_k = 4×2 (attention.heads.1.w_k); embeddings, w_q and w_v say d_model = 4",
    ),
    "a wrong shape in the column convention": (
        START
        + "matrix_convention: column\n"
        + ATTENTION.replace(W, "[[1, 0, 0, 0], [0, 1, 0, 0]]")
        .replace("w_v: [[1, 0, 0, 0]", "w_v: [[1, 0, 0]")
        .replace("w_k: [[1, 0, 0, 0], [0, 1, 0, 0]]", "w_k: [[1, 0, 0], [0, 1, 0]]")
        .replace("w_v: [[1, 0, 0]", "w_v: [[1, 0, 0, 0]"),
        "8:12: w_k is 2×3, expected d_k×d_model = 2×4 (attention.heads.1.w_k); embeddings, w_q and w_v say d_model = 4",
    ),
    "text for a number": (
        START.replace("b: [0, 1, 0, 0]", "b: [0, one, '1', \"0,5\"]") + ATTENTION,
        "3:38: expected a finite number, found text 'one' (embeddings.b)",
        "3:43: expected a finite number, found text '1' (embeddings.b); remove the quotes",
        "3:48: expected a finite number, found text '0,5' (embeddings.b); write the decimal point as '.': 0.5",
    ),
    "a number that is not one": (
        START.replace("a: [1, 0, 0, 0]", "a: [1, .nan, .inf, 1e999]") + ATTENTION,
        "3:21: expected a finite number, found the number .nan (embeddings.a)",
        "3:27: expected a finite number, found the number .inf (embeddings.a)",
        "3:33: expected a finite number, found the number 1e999 (embeddings.a)",
    ),
    "infinity is above no bound": (
        START + ATTENTION + "embedding_scale: .inf\n",
        "9:18: expected a finite number above 0, found the number .inf (embedding_scale)",
    ),
    "an attention without heads": (
        START + "attention: {heads: []}\n",
        "4:20: expected a list of heads, found an empty list (attention.heads)",
    ),
    "a key under both of its names": (
        START + "encoder: {layers: [{self_attention: {output: [[1, 2, 3, 4], [5, 6, 7, 8]]}, attention: {}}]}\n",
        "4:77: attention is another name for self_attention, which is already given (encoder.layers.1)",
    ),
    "a token without an embedding": (
        START.replace("[a, b]", "[a, B, '|']") + ATTENTION,
        "2:13: the token 'B' has no embedding (embeddings); did you mean 'b'?",
        "2:16: the token '|' has no embedding (embeddings); known: a, b",
    ),
    "a token that is not in the vocabulary": (
        START + "vocabulary: {a: 0, bb: 1}\n" + ATTENTION,
        "2:13: the token 'b' is not in the vocabulary (vocabulary); did you mean 'bb'?",
    ),
    "a vocabulary with one id twice": (
        START + "vocabulary: {a: 1, b: 1}\n" + ATTENTION,
        "4:23: the id 1 is given to two tokens (vocabulary)",
    ),
    "embeddings that no weight can read": (
        START.replace("0, 0]", "0]") + ATTENTION,
        "3:13: the vectors of embeddings have 3 numbers, expected d_model = 4 (embeddings); "
        "w_q, w_k and w_v say d_model = 4",
    ),
    "dimensions that contradict": (
        START + "dimensions: {d_model: 3}\n" + ATTENTION,
        "4:23: d_model is 3, expected 4: embeddings, w_q, w_k and others say d_model = 4 (dimensions.d_model)",
    ),
    "a w o of the wrong width": (
        START + ENCODER + "        w_o: [[1, 2, 3], [4, 5, 6]]\n",
        "11:14: the residual adds an output of width 3 to an input of width 4: they must be equal"
        " (encoder.layers.1.attention.w_o); give a w_o that is d_v×d_model = 2×4, or set residual: false",
    ),
    "heads of two kinds": (
        START + ATTENTION + "  num_heads: 2\n",
        "9:14: both heads and num_heads are given (attention.num_heads); "
        "keep a list of heads, or joined w_q, w_k, w_v with num_heads",
    ),
    "a mask of the wrong shape": (
        START + ATTENTION + "  mask: [[1, 0, 0], [1, 1, 0]]\n",
        "9:9: mask is 2×3, expected n×m = 2×2 (attention.mask)",
    ),
    "a mask that hides a whole row": (
        START + ATTENTION + "  mask: [[1, 0], [0, 0]]\n",
        "9:9: the mask hides every column from 'b' (row 2): it has nothing to attend to (attention.mask)",
    ),
    "given scores without d k": (
        START + "attention:\n  heads:\n    - scores: [[1, 2], [3, 4]]\n",
        "6:7: d_k is missing: the given scores are divided by √d_k (attention.heads.1.d_k); "
        "add d_k: … to the head, or scale: none",
    ),
    "an output head of the wrong width": (
        START + OUTPUT_HEAD.replace("[[1, 2, 3], ", "["),
        "6:6: w is 3×3, expected d_model×vocabulary = 4×3 (output_head.w); embeddings say d_model = 4",
    ),
    "a shape that nobody says": (
        "title: t\ntokens: [a, b]\nvocabulary: [a, b]\nembeddings: {init: normal}\n",
        "4:13: the shape of embeddings cannot be inferred: d_model not known (embeddings); "
        "set it with dimensions: {d_model: …}",
    ),
    "an initialisation without measure": (
        START + "encoder:\n  layers:\n    repeat: 1000\n"
        "    layer: {feed_forward: {w_1: {init: normal}, w_2: {init: normal}}}\n"
        "dimensions: {d_ff: 1000000}\n",
        "7:54: too large: this brings the total to 200,000,008 numbers, the limit is 200,000,000"
        " (encoder.layers.20.feed_forward.w_2); make the dimensions, or the sequence, smaller",
    ),
    "a sample variance of one number": (
        "title: t\ntokens: [a]\nembeddings: {a: [1]}\n"
        "encoder:\n  layer_norm: {variance: sample}\n"
        "  layers:\n    - feed_forward: {w_1: [[1]], w_2: [[1]]}\n",
        "5:26: the sample variance divides by d − 1: it needs vectors of at least two numbers, these have one"
        " (encoder.layer_norm.variance)",
    ),
    "a scale that is switched off": (
        "title: t\ntokens: [a]\nattention:\n  scale: false\n  heads: [{d_k: 2, scores: [[1]]}]\n",
        "4:10: expected sqrt_d_k or none or a number or {sqrt: …}, found false (attention.scale)",
    ),
    "a temperature of zero": (
        START + OUTPUT_HEAD + "  temperature: 0\n",
        "7:16: expected a number above 0, found the number 0 (output_head.temperature)",
    ),
    "a weights file that is not there": (
        START + ATTENTION.replace(f"w_v: {W}", "w_v: {file: no-such.safetensors, tensor: v}"),
        "8:19: there is no file 'no-such.safetensors' (attention.heads.1.w_v)",
    ),
    "generation that cannot go on": (
        START
        + OUTPUT_HEAD
        + "positional_encoding: [[1, 2, 3, 4], [5, 6, 7, 8]]\ngenerate: {max_tokens: 3, end_token: '<end>'}\n",
        "7:22: positional_encoding has 2 rows, expected at least 4, one for each position (positional_encoding); "
        "the prompt has 2, and generation reads up to 2 more",
        "8:1: no embedding for 1 word of the output vocabulary: 'z' (generate); "
        "generate may append them: give each an embedding, or make it the end_token",
        "8:38: the end token '<end>' is not in the output vocabulary (generate.end_token)",
    ),
    "training without a head to train": (
        START + ATTENTION + "training: {targets: [b, z]}\n",
        "9:1: training needs an output_head, which makes predictions (training)",
    ),
    "wrong targets": (
        START + OUTPUT_HEAD + "training: {targets: [b, q, null]}\n",
        "7:21: targets has 3 entries, expected 2: one for each token (training.targets); "
        "write null for a position without a target",
        "7:25: the target 'q' is not in the output vocabulary (training.targets)",
    ),
    "attention without values in a layer": (
        START
        + ENCODER.replace(f"            w_v: {W}\n", "")
        + "      feed_forward: {w_1: [[1], [1], [1], [1]], w_2: [[1, 2, 3, 4]]}\n",
        "10:7: nothing can follow an attention without values: a head before this has neither w_v nor v"
        " (encoder.layers.1.feed_forward)",
    ),
    "what parallel parts cannot have, written or not": (
        START + ENCODER.replace("encoder:\n", "encoder:\n  parallel: shared\n  residual: false\n"),
        "5:13: parallel cannot be combined with norm_order: post (encoder.parallel); "
        "write norm_order: pre, branch, sandwich or none",
        "5:13: parallel cannot be combined with residual: false: the residual adds the two parts (encoder.parallel); "
        "remove one of them",
    ),
    "relative positions beside the slopes of a layer": (
        START
        + ENCODER.replace("encoder:\n", "encoder:\n  residual: false\n  relative_bias: {table: [[1]]}\n")
        + "        alibi: true\n",
        "6:26: table is 1×1, expected buckets×heads = 32×1 (encoder.relative_bias.table)",
        "13:16: relative_bias cannot be combined with alibi (encoder.layers.1.attention.alibi); remove one of them",
    ),
    "what the rows of weights are wanted for": (
        START + ATTENTION + f"  block_size: 1\n  sink: [1]\ntraining: {{gradients: {{w_q: {W}}}}}\n",
        "9:15: block_size leaves no whole rows of weights, and a sink takes its share of them (attention.block_size); "
        "remove it",
        "9:15: block_size leaves no whole rows of weights, and training trains through them (attention.block_size); "
        "remove it",
    ),
    "a bracket that is never closed": (
        START.replace("[a, b]", "[a, b"),
        "3:11: ',' or ']' is expected before this, in the brackets opened on line 2; "
        "is a comma or a closing bracket missing?",
    ),
}
"""The same, of each problem only its place, its message, its key and its help."""


@pytest.mark.parametrize(("text", "expected"), SAID.values(), ids=SAID)
def test_what_is_said_of_a_fault(text: str, expected: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text, "f.yaml")
    assert str(caught.value).expandtabs(1) + "\n" == dedent(expected).removeprefix("\n")


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_where_a_fault_is_and_what_may_help(fault: tuple[str, ...]) -> None:
    text, *expected = fault
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text)
    said = [
        f"{one.line}:{one.column}: {one.message}{one.key and f' ({one.key})'}{one.help and f'; {one.help}'}"
        for one in caught.value.problems
    ]
    assert said == expected


SMALL = """title: T
tokens: [tea, is]
embeddings:
  tea: [1, 0]
  is: [0, 1]
attention:
  heads:
    - w_q: [[1, 0], [0, 1]]
      w_k: [[1, 0], [0, 1]]
      w_v: [[1, 0], [0, 1]]
"""


@pytest.mark.parametrize(
    ("old", "new", "message", "help"),
    [
        ("tea: [1, 0]", "tea:[1, 0]", "4:7: a blank is missing after 'tea:'", "write 'tea: [1, 0]'"),
        ("w_q: [[1, 0]", "w_q: [[1 0]", "8:14: expected a finite number, found text '1 0'", "a comma is missing: 1, 0"),
        ("tea: [1, 0]", "tea: [1/2, 0]", "4:9: expected a finite number, found text '1/2'",
         "write it as a decimal number: 0.5"),
        ("- w_q", "  w_q", "8:7: expected a list of heads, found a mapping", "begin each with '- '"),
        ("tokens: [tea, is]", "tokens: [tea, ,:]", "2:15: a value is expected here, not ','",
         "put text that begins so in quotes"),
        ("attention:", "positional_encoding: sin\nattention:", "6:22: expected none or sinusoidal, found text 'sin'",
         "did you mean 'sinusoidal'?"),
    ],
)  # fmt: skip
def test_the_slips_of_a_beginner_are_told_once_with_what_to_write(old: str, new: str, message: str, help: str) -> None:
    with pytest.raises(ScenarioError) as error:
        parse_scenario(SMALL.replace(old, new, 1))
    assert len(error.value.problems) == 1
    problem = error.value.problems[0]
    assert f"{problem.line}:{problem.column}: {problem.message}" == message
    assert problem.help == help
