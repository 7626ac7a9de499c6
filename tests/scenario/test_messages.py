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
    "a repeated key": (
        START + "title: u\n" + ATTENTION,
        """
        f.yaml:4:1: key 'title' is repeated; it is first given on line 1
           4 | title: u
             | ^
             = key:  title
        """,
    ),
    "a missing key": (
        START.replace("title: t\n", "") + ATTENTION.replace(f"      w_k: {W}\n", ""),
        """
        f.yaml:1:1: title is missing: the name of the example
           1 | tokens: [a, b]
             | ^
             = key:  title

        f.yaml:5:7: w_k is missing: d_model×d_k; or give k, scores or weights as numbers
           5 |     - w_q: [[1, 0], [0, 1], [0, 0], [0, 0]]
             |       ^
             = key:  attention.heads.1.w_k
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
    "a wrong shape": (
        START + ATTENTION.replace(f"w_k: {W}", "w_k: [[1, 0], [0, 1], [0, 0]]"),
        """
        f.yaml:7:12: w_k is 3×2, expected d_model×d_k = 4×2
           7 |       w_k: [[1, 0], [0, 1], [0, 0]]
             |            ^
             = key:  attention.heads.1.w_k
             = help: embeddings, w_q and w_v say d_model = 4
        """,
    ),
    "a wrong shape in the column convention": (
        START
        + "matrix_convention: column\n"
        + ATTENTION.replace(W, "[[1, 0, 0, 0], [0, 1, 0, 0]]")
        .replace("w_v: [[1, 0, 0, 0]", "w_v: [[1, 0, 0]")
        .replace("w_k: [[1, 0, 0, 0], [0, 1, 0, 0]]", "w_k: [[1, 0, 0], [0, 1, 0]]")
        .replace("w_v: [[1, 0, 0]", "w_v: [[1, 0, 0, 0]"),
        """
        f.yaml:8:12: w_k is 2×3, expected d_k×d_model = 2×4
           8 |       w_k: [[1, 0, 0], [0, 1, 0]]
             |            ^
             = key:  attention.heads.1.w_k
             = help: embeddings, w_q and w_v say d_model = 4
        """,
    ),
    "text for a number": (
        START.replace("b: [0, 1, 0, 0]", "b: [0, one, '1', \"0,5\"]") + ATTENTION,
        """
        f.yaml:3:38: expected a finite number, found text 'one'
           3 | embeddings: {a: [1, 0, 0, 0], b: [0, one, '1', "0,5"]}
             |                                      ^
             = key:  embeddings.b

        f.yaml:3:43: expected a finite number, found text '1'
           3 | embeddings: {a: [1, 0, 0, 0], b: [0, one, '1', "0,5"]}
             |                                           ^
             = key:  embeddings.b
             = help: remove the quotes

        f.yaml:3:48: expected a finite number, found text '0,5'
           3 | embeddings: {a: [1, 0, 0, 0], b: [0, one, '1', "0,5"]}
             |                                                ^
             = key:  embeddings.b
             = help: write the decimal point as '.': 0.5
        """,
    ),
    "a number that is not one": (
        START.replace("a: [1, 0, 0, 0]", "a: [1, .nan, .inf, 1e999]") + ATTENTION,
        """
        f.yaml:3:21: expected a finite number, found the number .nan
           3 | embeddings: {a: [1, .nan, .inf, 1e999], b: [0, 1, 0, 0]}
             |                     ^
             = key:  embeddings.a

        f.yaml:3:27: expected a finite number, found the number .inf
           3 | embeddings: {a: [1, .nan, .inf, 1e999], b: [0, 1, 0, 0]}
             |                           ^
             = key:  embeddings.a

        f.yaml:3:33: expected a finite number, found the number 1e999
           3 | embeddings: {a: [1, .nan, .inf, 1e999], b: [0, 1, 0, 0]}
             |                                 ^
             = key:  embeddings.a
        """,
    ),
    "infinity is above no bound": (
        START + ATTENTION + "embedding_scale: .inf\n",
        """
        f.yaml:9:18: expected a finite number above 0, found the number .inf
           9 | embedding_scale: .inf
             |                  ^
             = key:  embedding_scale
        """,
    ),
    "an attention without heads": (
        START + "attention: {heads: []}\n",
        """
        f.yaml:4:20: expected a list of heads, found an empty list
           4 | attention: {heads: []}
             |                    ^
             = key:  attention.heads
        """,
    ),
    "a key under both of its names": (
        START + "encoder: {layers: [{self_attention: {output: [[1, 2, 3, 4], [5, 6, 7, 8]]}, attention: {}}]}\n",
        """
        f.yaml:4:77: attention is another name for self_attention, which is already given
           4 | encoder: {layers: [{self_attention: {output: [[1, 2, 3, 4], [5, 6, 7, 8]]}, attention: {}}]}
             |                                                                             ^
             = key:  encoder.layers.1
        """,
    ),
    "a token without an embedding": (
        START.replace("[a, b]", "[a, B, '|']") + ATTENTION,
        """
        f.yaml:2:13: the token 'B' has no embedding
           2 | tokens: [a, B, '|']
             |             ^
             = key:  embeddings
             = help: did you mean 'b'?

        f.yaml:2:16: the token '|' has no embedding
           2 | tokens: [a, B, '|']
             |                ^
             = key:  embeddings
             = help: known: a, b
        """,
    ),
    "a token that is not in the vocabulary": (
        START + "vocabulary: {a: 0, bb: 1}\n" + ATTENTION,
        """
        f.yaml:2:13: the token 'b' is not in the vocabulary
           2 | tokens: [a, b]
             |             ^
             = key:  vocabulary
             = help: did you mean 'bb'?
        """,
    ),
    "a vocabulary with one id twice": (
        START + "vocabulary: {a: 1, b: 1}\n" + ATTENTION,
        """
        f.yaml:4:23: the id 1 is given to two tokens
           4 | vocabulary: {a: 1, b: 1}
             |                       ^
             = key:  vocabulary
        """,
    ),
    "embeddings that no weight can read": (
        START.replace("0, 0]", "0]") + ATTENTION,
        """
        f.yaml:3:13: the vectors of embeddings have 3 numbers, expected d_model = 4
           3 | embeddings: {a: [1, 0, 0], b: [0, 1, 0]}
             |             ^
             = key:  embeddings
             = help: w_q, w_k and w_v say d_model = 4
        """,
    ),
    "dimensions that contradict": (
        START + "dimensions: {d_model: 3}\n" + ATTENTION,
        """
        f.yaml:4:23: d_model is 3, expected 4: embeddings, w_q, w_k and others say d_model = 4
           4 | dimensions: {d_model: 3}
             |                       ^
             = key:  dimensions.d_model
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
    "a w o of the wrong width": (
        START + ENCODER + "        w_o: [[1, 2, 3], [4, 5, 6]]\n",
        """
        f.yaml:11:14: the residual adds an output of width 3 to an input of width 4: they must be equal
          11 |         w_o: [[1, 2, 3], [4, 5, 6]]
             |              ^
             = key:  encoder.layers.1.attention.w_o
             = help: give a w_o that is d_v×d_model = 2×4, or set residual: false
        """,
    ),
    "heads of two kinds": (
        START + ATTENTION + "  num_heads: 2\n",
        """
        f.yaml:9:14: both heads and num_heads are given
           9 |   num_heads: 2
             |              ^
             = key:  attention.num_heads
             = help: keep a list of heads, or joined w_q, w_k, w_v with num_heads
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
    "a mask of the wrong shape": (
        START + ATTENTION + "  mask: [[1, 0, 0], [1, 1, 0]]\n",
        """
        f.yaml:9:9: mask is 2×3, expected n×m = 2×2
           9 |   mask: [[1, 0, 0], [1, 1, 0]]
             |         ^
             = key:  attention.mask
        """,
    ),
    "a mask that hides a whole row": (
        START + ATTENTION + "  mask: [[1, 0], [0, 0]]\n",
        """
        f.yaml:9:9: the mask hides every column from 'b' (row 2): it has nothing to attend to
           9 |   mask: [[1, 0], [0, 0]]
             |         ^
             = key:  attention.mask
        """,
    ),
    "given scores without d k": (
        START + "attention:\n  heads:\n    - scores: [[1, 2], [3, 4]]\n",
        """
        f.yaml:6:7: d_k is missing: the given scores are divided by √d_k
           6 |     - scores: [[1, 2], [3, 4]]
             |       ^
             = key:  attention.heads.1.d_k
             = help: add d_k: … to the head, or scale: none
        """,
    ),
    "an output head of the wrong width": (
        START + OUTPUT_HEAD.replace("[[1, 2, 3], ", "["),
        """
        f.yaml:6:6: w is 3×3, expected d_model×vocabulary = 4×3
           6 |   w: [[4, 5, 6], [7, 8, 9], [1, 1, 1]]
             |      ^
             = key:  output_head.w
             = help: embeddings say d_model = 4
        """,
    ),
    "a shape that nobody says": (
        "title: t\ntokens: [a, b]\nvocabulary: [a, b]\nembeddings: {init: normal}\n",
        """
        f.yaml:4:13: the shape of embeddings cannot be inferred: d_model not known
           4 | embeddings: {init: normal}
             |             ^
             = key:  embeddings
             = help: set it with dimensions: {d_model: …}
        """,
    ),
    "an initialisation without measure": (
        START + "encoder:\n  layers:\n    repeat: 1000\n"
        "    layer: {feed_forward: {w_1: {init: normal}, w_2: {init: normal}}}\n"
        "dimensions: {d_ff: 1000000}\n",
        """
        f.yaml:7:54: too large: this brings the total to 200,000,008 numbers, the limit is 200,000,000
           7 |     layer: {feed_forward: {w_1: {init: normal}, w_2: {init: normal}}}
             |                                                      ^
             = key:  encoder.layers.20.feed_forward.w_2
             = help: make the dimensions, or the sequence, smaller
        """,
    ),
    "a sample variance of one number": (
        "title: t\ntokens: [a]\nembeddings: {a: [1]}\n"
        "encoder:\n  layer_norm: {variance: sample}\n"
        "  layers:\n    - feed_forward: {w_1: [[1]], w_2: [[1]]}\n",
        """
        f.yaml:5:26: the sample variance divides by d − 1: it needs vectors of at least two numbers, these have one
           5 |   layer_norm: {variance: sample}
             |                          ^
             = key:  encoder.layer_norm.variance
        """,
    ),
    "a scale that is switched off": (
        "title: t\ntokens: [a]\nattention:\n  scale: false\n  heads: [{d_k: 2, scores: [[1]]}]\n",
        """
        f.yaml:4:10: expected sqrt_d_k or none or a number or {sqrt: …}, found false
           4 |   scale: false
             |          ^
             = key:  attention.scale
        """,
    ),
    "a temperature of zero": (
        START + OUTPUT_HEAD + "  temperature: 0\n",
        """
        f.yaml:7:16: expected a number above 0, found the number 0
           7 |   temperature: 0
             |                ^
             = key:  output_head.temperature
        """,
    ),
    "a weights file that is not there": (
        START + ATTENTION.replace(f"w_v: {W}", "w_v: {file: no-such.safetensors, tensor: v}"),
        """
        f.yaml:8:19: there is no file 'no-such.safetensors'
           8 |       w_v: {file: no-such.safetensors, tensor: v}
             |                   ^
             = key:  attention.heads.1.w_v
        """,
    ),
    "generation that cannot go on": (
        START
        + OUTPUT_HEAD
        + "positional_encoding: [[1, 2, 3, 4], [5, 6, 7, 8]]\ngenerate: {max_tokens: 3, end_token: '<end>'}\n",
        """
        f.yaml:7:22: positional_encoding has 2 rows, expected at least 4, one for each position
           7 | positional_encoding: [[1, 2, 3, 4], [5, 6, 7, 8]]
             |                      ^
             = key:  positional_encoding
             = help: the prompt has 2, and generation reads up to 2 more

        f.yaml:8:1: no embedding for 1 word of the output vocabulary: 'z'
           8 | generate: {max_tokens: 3, end_token: '<end>'}
             | ^
             = key:  generate
             = help: generate may append them: give each an embedding, or make it the end_token

        f.yaml:8:38: the end token '<end>' is not in the output vocabulary
           8 | generate: {max_tokens: 3, end_token: '<end>'}
             |                                      ^
             = key:  generate.end_token
        """,
    ),
    "training without a head to train": (
        START + ATTENTION + "training: {targets: [b, z]}\n",
        """
        f.yaml:9:1: training needs an output_head, which makes predictions
           9 | training: {targets: [b, z]}
             | ^
             = key:  training
        """,
    ),
    "wrong targets": (
        START + OUTPUT_HEAD + "training: {targets: [b, q, null]}\n",
        """
        f.yaml:7:21: targets has 3 entries, expected 2: one for each token
           7 | training: {targets: [b, q, null]}
             |                     ^
             = key:  training.targets
             = help: write null for a position without a target

        f.yaml:7:25: the target 'q' is not in the output vocabulary
           7 | training: {targets: [b, q, null]}
             |                         ^
             = key:  training.targets
        """,
    ),
    "attention without values in a layer": (
        START
        + ENCODER.replace(f"            w_v: {W}\n", "")
        + "      feed_forward: {w_1: [[1], [1], [1], [1]], w_2: [[1, 2, 3, 4]]}\n",
        """
        f.yaml:10:7: nothing can follow an attention without values: a head before this has neither w_v nor v
          10 |       feed_forward: {w_1: [[1], [1], [1], [1]], w_2: [[1, 2, 3, 4]]}
             |       ^
             = key:  encoder.layers.1.feed_forward
        """,
    ),
    "an empty file": (
        "# nothing\n",
        """
        f.yaml:1:1: the file is empty; `walkthrough new FILE` writes a starter
           1 | # nothing
             | ^
        """,
    ),
    "a bracket that is never closed": (
        START.replace("[a, b]", "[a, b"),
        """
        f.yaml:3:11: ',' or ']' is expected before this, in the brackets opened on line 2
           3 | embeddings: {a: [1, 0, 0, 0], b: [0, 1, 0, 0]}
             |           ^
             = help: is a comma or a closing bracket missing?
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
"""A scenario with a fault, and what is said of it, by what the fault is."""


@pytest.mark.parametrize(("text", "expected"), SAID.values(), ids=SAID)
def test_what_is_said_of_a_fault(text: str, expected: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text, "f.yaml")
    assert str(caught.value).expandtabs(1) + "\n" == dedent(expected).removeprefix("\n")


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
