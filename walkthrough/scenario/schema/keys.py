"""The scenario format: every key, how it is read, what it means and its default. The one list of keys there is."""

from __future__ import annotations

from typing import ClassVar

from walkthrough.languages import LANGUAGES
from walkthrough.number_formats import NumberFormat
from walkthrough.scenario.schema.feed_forward import ACTIVATIONS, FeedForward
from walkthrough.scenario.schema.latent import Latent
from walkthrough.scenario.schema.matrices import GradientReader, Matrix, MatrixReader, ShapedReader, Table, TableReader
from walkthrough.scenario.schema.parameters import bias, single, taps, vector, weight
from walkthrough.scenario.schema.positions import PositionsReader, RelativeBias, Rotary, Sinusoidal, SlopesReader
from walkthrough.scenario.schema.published import PrintSpec, PublishedReader
from walkthrough.scenario.schema.readers import (
    Choice,
    Context,
    Flag,
    FlagOr,
    ListOf,
    MappingOf,
    NumberOr,
    Real,
    Text,
    Whole,
    WordOr,
)
from walkthrough.scenario.schema.repeat import LayersReader
from walkthrough.scenario.schema.rules import ALL, BOTH, Exclusion
from walkthrough.scenario.schema.sections import Section, SectionOf, key
from walkthrough.scenario.schema.tokens import (
    SentenceReader,
    Tokenizer,
    TokenList,
    Vocabulary,
    VocabularyReader,
    WordsReader,
)
from walkthrough.scenario.schema.values import (
    SCALE,
    DigitsReader,
    FormatReader,
    Inspection,
    InspectionsReader,
    Mask,
    MaskReader,
    SquareRoot,
)
from walkthrough.scenario.yaml.nodes import MappingNode, Node

NORM_ORDERS = ("post", "pre", "none", "branch", "sandwich")
NORMS = {
    "layer": ("gamma", "beta", "epsilon", "variance", "epsilon_in"),
    "rms": ("gamma", "epsilon"),
    "rms_plus_one": ("gamma", "epsilon"),
    "dyt": ("gamma", "beta", "alpha"),
}
"""The norms by name, and the keys that each of them has."""
GIVEN = MatrixReader(unknowns=True)
SCORES = MatrixReader(unknowns=True, hidden=True)


class LayerNorm(Section):
    """How layer norms are computed: PyTorch's LayerNorm by default."""

    epsilon: float | None = key(
        Real(least=0), "added to the variance against division by zero; 0 is fine (default 1e-5)"
    )
    variance: str | None = key(Choice(("population", "sample")), "divide by d, or by d − 1 (default population)")
    epsilon_in: str | None = key(Choice(("variance", "std")), "√(variance + epsilon), or √variance + epsilon")


_ALPHA = ("Alpha", "of dyt: what the numbers are multiplied by before the tanh (0.5)")


class Norm(LayerNorm):
    """One norm: its gamma and beta, ones and zeros when left out."""

    norm: str | None = key(Choice(tuple(NORMS)), "which norm it is (default: that of the stack; embedding_norm: layer)")
    gamma: Matrix | None = vector("d_model", "γ", "Gamma", "the scale of each feature")
    beta: Matrix | None = vector("d_model", "β", "Beta", "the shift of each feature")
    alpha: Matrix | None = single("α", *_ALPHA)


class HeadNorm(Section):
    """RMS norm, or another, of the queries or keys; gamma is one parameter for all heads."""

    norm: str = key(Choice(tuple(NORMS)), "which norm it is", default="rms")
    over: str = key(
        Choice(("head", "all")),
        "each head's features by themselves, or those of all heads side by side; gamma is then 1×(heads·d_k)",
        default="head",
    )
    gamma: Matrix | None = vector("d_k", "γ", "Gamma", "the scale of each of a head's features")
    beta: Matrix | None = vector("d_k", "β", "Beta", "the shift of each of a head's features")
    alpha: Matrix | None = single("α", *_ALPHA)
    epsilon: float | None = key(Real(least=0), "added to the mean square (default 1e-6)")


_OF_SCORES = ("q", "k", "w_q", "w_k", "b_q", "b_k")
"""What given scores make of no use."""
_JOINED = ("num_kv_heads", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v")


class Head(Section):
    """One attention head: its projections, or any of its values as numbers."""

    w_q: Matrix | None = weight("d_model×d_k", "W_Q", "makes the queries", makes="q")
    w_k: Matrix | None = weight("d_model×d_k", "W_K", "makes the keys", makes="k")
    w_v: Matrix | None = weight("d_model×d_v", "W_V", "makes the values", makes="v")
    b_q: Matrix | None = bias("d_k", "b_Q", "bias of the queries")
    b_k: Matrix | None = bias("d_k", "b_K", "bias of the keys")
    b_v: Matrix | None = bias("d_v", "b_V", "bias of the values")
    q: Matrix | None = key(GIVEN, "the queries as numbers", replaces=("w_q", "b_q"))
    k: Matrix | None = key(GIVEN, "the keys as numbers", replaces=("w_k", "b_k"))
    v: Matrix | None = key(GIVEN, "the values as numbers", replaces=("w_v", "b_v"))
    scores: Matrix | None = key(SCORES, "the scores as numbers; -.inf: hidden", replaces=_OF_SCORES)
    weights: Matrix | None = key(
        GIVEN, "the attention weights as numbers", replaces=("scores", *_OF_SCORES, "scale", "sink", "d_k")
    )
    kv: int | None = key(
        Whole(),
        "the number of the head whose keys and values it shares",
        excludes=Exclusion(
            ("w_k", "b_k", "k", "w_v", "b_v", "v"), BOTH + ": kv takes the keys and values of head {section.kv}"
        ),
    )
    d_k: int | None = key(Whole(), "width of queries and keys, where only scores are given")
    scale: str | float | SquareRoot | None = key(SCALE, "overrides the scale of the attention")
    sink: Matrix | None = single("s", "Sink", "one more score in every row, which has no value")


_NO_ROWS = "block_size leaves no whole rows of weights, and"
_LATER = Exclusion(
    ("alibi", "score_cap"),
    "mask_first cannot be combined with alibi or score_cap: these come after the scaling and before the mask",
)
_BIAS = "relative_bias cannot be combined with {other}"


class Attention(Section):
    """Scaled dot-product attention with one or more heads."""

    heads: list[Head] | None = key(
        ListOf(SectionOf(Head), "a list of heads"),
        "each head by itself",
        excludes=Exclusion(
            ("num_heads", *_JOINED), help="keep a list of heads, or joined w_q, w_k, w_v with num_heads"
        ),
    )
    num_heads: int | None = key(Whole(most=4096), "number of heads, for joined w_q, w_k, w_v split evenly")
    num_kv_heads: int | None = key(
        Whole(most=4096), "number of key and value heads, each shared by neighbouring heads (default num_heads)"
    )
    w_q: Matrix | None = weight("d_model×(heads·d_k)", "W_Q", "of the queries, joined")
    w_k: Matrix | None = weight("d_model×(kv_heads·d_k)", "W_K", "of the keys, joined")
    w_v: Matrix | None = weight("d_model×(kv_heads·d_v)", "W_V", "of the values, joined")
    b_q: Matrix | None = bias("(heads·d_k)", "b_Q", "joined bias of the queries")
    b_k: Matrix | None = bias("(kv_heads·d_k)", "b_K", "joined bias of the keys")
    b_v: Matrix | None = bias("(kv_heads·d_v)", "b_V", "joined bias of the values")
    latent: Latent | None = key(
        SectionOf(Latent),
        "latent attention: keys and values of all heads are made of one compressed row for each token",
        excludes=Exclusion(
            ("heads", *_JOINED, "query_norm", "key_norm"), BOTH + ": latent has weights and norms of its own"
        ),
    )
    w_o: Matrix | None = weight(
        "(heads·d_v)×d_model",
        "W_O",
        "the output projection; null where nobody printed it, beside the output",
        makes="output",
    )
    b_o: Matrix | None = bias("d_model", "b_O", "bias of the output projection", needs="w_o")
    w_gate: Matrix | None = weight(
        "d_model×(heads·d_v)",
        "W_G",
        "the output gate: the heads are multiplied by sigmoid(x·W_gate + b_gate)",
        words="weight.output_gate",
    )
    b_gate: Matrix | None = bias("(heads·d_v)", "b_G", "bias of the output gate", needs="w_gate")
    scale: str | float | SquareRoot | None = key(SCALE, "what the scores are divided by (default sqrt_d_k)")
    score_cap: float | None = key(
        Real(above=0), "the scaled scores are kept between −cap and cap: cap·tanh(scores/cap)"
    )
    sink: Matrix | None = single(
        "s", "Sink", "a number for each head: one more score in every row, which has no value", axis="heads"
    )
    query_norm: HeadNorm | None = key(
        SectionOf(HeadNorm), "a norm of each query, before the rotation: RMS norm if nothing else is said"
    )
    key_norm: HeadNorm | None = key(
        SectionOf(HeadNorm), "a norm of each key, before the rotation: RMS norm if nothing else is said"
    )
    rotary: Rotary | None = key(
        SectionOf(Rotary), "rotary positions: queries and keys are rotated according to their position"
    )
    alibi: bool | list[float] | None = key(
        SlopesReader(), "distance · slope is subtracted from the scores; true: the paper's slopes, or one for each head"
    )
    relative_bias: RelativeBias | None = key(
        SectionOf(RelativeBias),
        "of an attention by itself: T5's relative positions; in a stack they belong to it",
        excludes=Exclusion(("alibi", "mask_first"), _BIAS),
    )
    window: int | None = key(Whole(), "how many tokens a token sees at most in each direction, itself included")
    mask: Mask | None = key(MaskReader(), "none, causal, padding, both in a list, or a matrix of 0 (hidden) and 1")
    mask_value: float = key(
        Real(infinite=True), "-.inf replaces hidden scores; a finite value is added to them", default=float("-inf")
    )
    mask_first: bool = key(Flag(), "mask before scaling", default=False, excludes=_LATER)
    block_size: int | None = key(
        Whole(),
        "attention in blocks of so many keys: online softmax, as FlashAttention has it",
        excludes=(
            Exclusion(("sink", "heads.sink"), f"{_NO_ROWS} a sink takes its share of them", "remove it", here=True),
            Exclusion(("heads.weights",), f"{_NO_ROWS} they are given as numbers", "remove it", here=True),
        ),
    )
    output: Matrix | None = key(
        GIVEN, "the sub-layer's output as numbers; then nothing before it is computed", replaces=ALL
    )
    HINTS: ClassVar = {
        "n_head": "it is called num_heads here",
        "n_heads": "it is called num_heads here",
        "n_kv_heads": "it is called num_kv_heads here",
        "num_key_value_heads": "it is called num_kv_heads here",
        "sliding_window": "it is called window here",
        "rope": "it is called rotary here",
        "q_norm": "it is called query_norm here",
        "k_norm": "it is called key_norm here",
    }


_CAUSAL = "linear attention is causal: each token reads the state of those before it, and there are no scores"
_LISTED = "linear attention has joined weights: w_q, w_k, w_v with num_heads"


class LinearAttention(Section):
    """The gated delta rule in place of attention weights: each head has a state that every token changes."""

    num_heads: int = key(Whole(most=4096), "number of heads, each with a state and values of its own", default=1)
    num_key_heads: int | None = key(
        Whole(most=4096), "number of heads of queries and keys, each shared by neighbouring heads (default num_heads)"
    )
    w_q: Matrix | None = weight("d_model×(key_heads·d_k)", "W_Q", "of the queries, joined")
    w_k: Matrix | None = weight("d_model×(key_heads·d_k)", "W_K", "of the keys, joined")
    w_v: Matrix | None = weight("d_model×(heads·d_v)", "W_V", "of the values, joined")
    conv_q: Matrix | None = taps(
        "(key_heads·d_k)", "C_Q", "a short causal convolution; its last row is of the token itself"
    )
    conv_k: Matrix | None = taps("(key_heads·d_k)", "C_K", "the same of the keys")
    conv_v: Matrix | None = taps("(heads·d_v)", "C_V", "the same of the values")
    activation: str = key(Choice(ACTIVATIONS), "of queries, keys and values", default="silu")
    qk_norm: str = key(Choice(("l2", "none")), "queries and keys are divided by their length", default="l2")
    epsilon: float = key(
        Real(least=0),
        "added to the sum of squares, under the root of the length",
        default=1e-6,
        idle={("qk_norm", "none"): "qk_norm: none divides by no length"},
    )
    scale: str = key(Choice(("sqrt_d_k", "none")), "what the queries are divided by", default="sqrt_d_k")
    w_beta: Matrix | None = weight("d_model×heads", "W_β", "how much of each token is written")
    w_alpha: Matrix | None = weight("d_model×heads", "W_α", "how fast the state is forgotten; without it nothing is")
    b_alpha: Matrix | None = bias("heads", "b_α", "bias of w_alpha (dt_bias)", needs="w_alpha")
    a_log: Matrix | None = vector(
        "heads", "a", "Logarithm of the rate", "logarithm of each head's rate of forgetting (A_log)", needs="w_alpha"
    )
    output_norm: HeadNorm | None = key(
        SectionOf(HeadNorm), "a norm of what each head reads: RMS norm if nothing else is said"
    )
    w_gate: Matrix | None = weight(
        "d_model×(heads·d_v)",
        "W_G",
        "the output gate: the heads are multiplied by silu(x·W_gate)",
        words="weight.output_gate",
    )
    w_o: Matrix | None = weight("(heads·d_v)×d_model", "W_O", "the output projection")
    HINTS: ClassVar = {
        **dict.fromkeys(("mask", "window", "rotary", "alibi", "relative_bias", "sink", "score_cap"), _CAUSAL),
        "heads": _LISTED,
        "num_kv_heads": "it is called num_key_heads here",
        "A_log": "it is called a_log here",
        "dt_bias": "it is called b_alpha here",
        "query_norm": "queries and keys have one norm here, qk_norm",
        "key_norm": "queries and keys have one norm here, qk_norm",
        "norm": "the norm of the heads is called output_norm here",
    }


_BRANCH = "norm of the sub-layer's output, before the residual; with branch and sandwich"
_LAYER_HINTS = {"ffn": "did you mean 'feed_forward'?", "mlp": "did you mean 'feed_forward'?"}


class EncoderLayer(Section):
    """One encoder layer; leaving out a sub-layer leaves out its residual and norm too."""

    HINTS: ClassVar = _LAYER_HINTS

    attention: Attention | None = key(
        SectionOf(Attention), "self-attention; in a decoder causal by default", also=["self_attention"]
    )
    linear_attention: LinearAttention | None = key(
        SectionOf(LinearAttention),
        "the gated delta rule in place of self-attention",
        excludes=Exclusion(("attention",), BOTH + ": linear attention takes its place"),
    )
    norm_1: Norm | None = key(SectionOf(Norm), "layer norm of the self-attention")
    branch_norm_1: Norm | None = key(SectionOf(Norm), _BRANCH)
    feed_forward: FeedForward | None = key(SectionOf(FeedForward), "feed-forward network")
    norm_2: Norm | None = key(SectionOf(Norm), "layer norm of the second sub-layer")
    branch_norm_2: Norm | None = key(SectionOf(Norm), _BRANCH)


_OF_ONE_SEQUENCE = {
    "rotary": "rotary positions are only",
    "alibi": "ALiBi slopes are only",
    "window": "a window is only",
    "relative_bias": "relative positions are only",
    "latent": "latent attention is only",
}
_BESIDE_CROSS = tuple(
    Exclusion(
        (f"cross_attention.{name}",),
        f"{words} for self-attention: in cross-attention queries and keys come from two sequences",
        "remove it",
    )
    for name, words in _OF_ONE_SEQUENCE.items()
)


class DecoderLayer(EncoderLayer):
    """One decoder layer: causal self-attention, cross-attention with an encoder, feed-forward network."""

    cross_attention: Attention | None = key(
        SectionOf(Attention),
        "queries from the decoder, keys and values from the encoder",
        excludes=_BESIDE_CROSS,
    )
    norm_3: Norm | None = key(SectionOf(Norm), "layer norm of the third sub-layer")
    branch_norm_3: Norm | None = key(SectionOf(Norm), _BRANCH)


class Sentence(Section):
    """Tokens, and where they stand."""

    text: TokenList | None = key(
        SentenceReader(), "a sentence; words and punctuation marks are tokens", excludes=Exclusion(("tokens",))
    )
    tokens: TokenList | None = key(WordsReader(), "the tokens, taken literally")
    positions: list[int] | None = key(
        ListOf(Whole(least=0), "a list of whole numbers"), "the position of each token, from 0 (default 0, 1, 2, …)"
    )


class SequenceSpec(Sentence):
    """Tokens and what turns them into the input matrix."""

    tokenizer: Tokenizer | None = key(SectionOf(Tokenizer), "how `text` is split into tokens")
    vocabulary: Vocabulary | None = key(
        VocabularyReader(), "token → id, a list with ids from 0, or {file: tokenizer.json}"
    )
    embeddings: Table | Matrix | None = key(TableReader(), "token → vector, a matrix by id, or a row for each position")
    embedding_scale: str | float | None = key(
        WordOr(("none", "sqrt_d_model"), Real(above=0)), "what the embeddings are multiplied by"
    )
    positional_encoding: Sinusoidal | Matrix | str | None = key(PositionsReader(), "none, sinusoidal, or a matrix")
    segment_embedding: Matrix | None = key(MatrixReader(either=True), "a vector for all positions, or n×d_model")
    embedding_norm: Norm | None = key(
        SectionOf(Norm), "layer norm of the summed embeddings (epsilon 1e-12), as in BERT"
    )


_PARALLEL = "parallel cannot be combined with"
_BESIDE_PARALLEL = (
    Exclusion(
        (("norm_order", "post"),),
        f"{_PARALLEL} norm_order: post",
        "write norm_order: pre, branch, sandwich or none",
        here=True,
    ),
    Exclusion(
        (("norm_order", "none"), ("norm_order", "branch")),
        "parallel: shared needs a norm_1 that both parts read: norm_order: {value} has none",
        "write norm_order: pre or sandwich, or parallel: true",
        when=("parallel", "shared"),
        here=True,
    ),
    Exclusion((("residual", False),), f"{_PARALLEL} residual: false: the residual adds the two parts", here=True),
    Exclusion(("layers.cross_attention",), f"{_PARALLEL} cross-attention", here=True),
)


class StackSpec(Section):
    """What encoder and decoder share."""

    norm_order: str = key(
        Choice(NORM_ORDERS),
        "norms after the residual (post), before each sub-layer (pre), after it (branch), on both sides (sandwich)",
        default="post",
    )
    residual: bool = key(Flag(), "add each sub-layer's input to its output", default=True)
    residual_scale: float | None = key(
        Real(above=0),
        "what each sub-layer makes is multiplied by this before it is added, as in Granite",
        idle={("residual", False): "residual: false adds nothing"},
    )
    parallel: bool | str = key(
        FlagOr(("shared",)),
        "both sub-layers read the layer's input, each through its norm; shared: both through norm_1",
        default=False,
        excludes=_BESIDE_PARALLEL,
    )
    norm: str = key(
        Choice(tuple(NORMS)),
        "layer norm; RMS norm: without mean and shift; the same times 1 + gamma; tanh of alpha·x",
        default="layer",
    )
    layer_norm: LayerNorm | None = key(SectionOf(LayerNorm), "options of every norm")
    relative_bias: RelativeBias | None = key(
        SectionOf(RelativeBias),
        "T5's relative positions, one table for the self-attentions of all layers",
        excludes=Exclusion(("layers.attention.alibi", "layers.attention.mask_first"), _BIAS),
    )
    final_norm: Norm | str | None = key(
        WordOr(("none",), SectionOf(Norm), "a mapping of its options"),
        "the norm after the last layer; there by default with pre, branch and sandwich, unless it is none",
    )


class Encoder(StackSpec):
    """The encoder: layers, or its output as numbers."""

    layers: list[EncoderLayer] | None = key(
        LayersReader(EncoderLayer),
        "the layers, or {repeat: 6, layer: {…}} among them",
        excludes=Exclusion(("output",), BOTH + ": the output takes the place of the layers", help=""),
    )
    output: Matrix | None = key(
        GIVEN,
        "the encoder's output as numbers, instead of layers",
        replaces=("norm_order", "residual", "residual_scale", "norm", "layer_norm", "final_norm"),
    )


class Decoder(StackSpec, SequenceSpec):
    """The decoder: its layers and, with an encoder, a sequence of its own."""

    layers: list[DecoderLayer] | None = key(LayersReader(DecoderLayer), "the layers", required=True)


class OutputHead(Section):
    """From the last hidden states to probabilities over the vocabulary."""

    w: Matrix | None = weight(
        "d_model×vocabulary",
        "W_out",
        "or with a column for each id of the embeddings; null where nobody printed it, beside the logits",
        title="Output weights",
        words="weight.output",
        makes="logits",
    )
    b: Matrix | None = bias("vocabulary", "b_out", "bias of the logits", title="Output bias", words="bias.output")
    vocabulary: Vocabulary | None = key(
        VocabularyReader(), "words of the columns; default: the decoder's or the top level's"
    )
    tied: bool = key(
        Flag(),
        "use the embedding table as w",
        default=False,
        excludes=Exclusion(("w",), "w is given, but tied: true uses the embedding table as w", ""),
    )
    logits: Matrix | None = key(
        GIVEN, "the logits as numbers, n×vocabulary; then nothing before them is computed", replaces=("w", "b", "tied")
    )
    probabilities: Matrix | None = key(
        GIVEN,
        "the probabilities as numbers, n×vocabulary; then nothing before them is computed",
        replaces=("w", "b", "tied", "logits", "logit_cap", "temperature"),
    )
    logit_cap: float | None = key(Real(above=0), "the logits are kept between −cap and cap: cap·tanh(logits/cap)")
    temperature: float = key(Real(above=0), "what the logits are divided by", default=1.0)

    @property
    def gives_numbers(self) -> bool:
        """Whether logits or probabilities are given."""
        return self.has("logits") or self.has("probabilities")


class Dimensions(Section):
    """Sizes, checked when given; needed where `init` cannot infer a shape."""

    d_model: int | None = key(Whole(), "width of the embeddings")
    d_k: int | None = key(Whole(), "width of queries and keys of one head")
    d_v: int | None = key(Whole(), "width of values of one head")
    d_ff: int | None = key(Whole(), "width of the feed-forward network")
    d_c: int | None = key(Whole(), "latent attention: width of the compressed rows of keys and values")
    d_cq: int | None = key(Whole(), "latent attention: width of the compressed queries")
    d_h: int | None = key(Whole(), "latent attention: width of the part of queries and keys that is not rotated")
    d_r: int | None = key(Whole(), "latent attention: width of their rotated part")


class Rounding(Section):
    """By-hand arithmetic: each recorded value is rounded before it is used."""

    decimals: int | None = key(Whole(least=0, most=15), "decimals of every step (default: those shown)")
    steps: dict[str, tuple[int, bool]] | None = key(
        MappingOf(DigitsReader(), "a mapping selector → digits"), "selector → decimals, or '3 significant'"
    )
    format: NumberFormat | None = key(
        FormatReader(),
        "a number format that everything is rounded to instead",
        excludes=Exclusion(("decimals", "steps"), help="a format takes the place of decimals and steps"),
    )


class Sample(Section):
    """The next token is drawn; either seed or draws says how."""

    ONE_OF: ClassVar = ("seed", "draws")

    top_k: int | None = key(Whole(), "how many of the most likely words may be drawn; more where the last is tied")
    top_p: float | None = key(
        Real(above=0), "the most likely words may be drawn, until their probabilities add up to this; at most 1"
    )
    seed: int | None = key(Whole(least=0, most=2**32 - 1), "seed of the draws, by numpy's default_rng(seed)")
    draws: list[float] | None = key(ListOf(Real(least=0, below=1)), "the draws themselves, one for each token")


class LengthPenalty(Section):
    """A penalty by length in another form than the usual one."""

    power: float = key(Real(), "the penalty of t tokens is t to this power", default=1.0, required=True)


class Generate(Section):
    """Generation: the most likely token is appended, or a drawn one; or the best of several beams is kept."""

    max_tokens: int = key(Whole(most=10_000), "how many tokens to generate at most", default=1, required=True)
    end_token: str | None = key(Text(), "generation stops after this token")
    cache: bool = key(
        Flag(), "keep the keys and values of earlier passes: each pass computes only the new token's row", default=False
    )
    sample: Sample | None = key(SectionOf(Sample), "draw the next token instead of taking the most likely one")
    beams: int | None = key(
        Whole(most=1000),
        "beam search: how many hypotheses go on from each pass",
        excludes=Exclusion(("sample", "cache"), BOTH + ": beams search for the best text instead"),
    )
    length_penalty: float | LengthPenalty = key(
        NumberOr(Real(), SectionOf(LengthPenalty)),
        "α: a total is divided by ((5 + t)/6)^α, t tokens long; or {power: α}: by t^α",
        default=0.6,
        needs="beams",
    )


class Adam(Section):
    """Adam's settings, by default those of its paper."""

    beta_1: float = key(Real(least=0, below=1), "how much of the first moment is kept", default=0.9)
    beta_2: float = key(Real(least=0, below=1), "how much of the second moment is kept", default=0.999)
    epsilon: float = key(Real(least=0), "added to the root of the second moment", default=1e-8)


class AdamW(Adam):
    """Adam with weight decay apart from the gradient."""

    weight_decay: float = key(
        Real(least=0), "each parameter is multiplied by 1 − learning rate · weight_decay first", default=0.01
    )


class Optimizer(Section):
    """An optimizer with its settings: one of them."""

    ONE_OF: ClassVar = ("momentum", "adam", "adamw")

    momentum: float = key(
        Real(least=0, below=1), "how much of the velocity is kept: velocity = momentum·velocity + gradient"
    )
    adam: Adam | None = key(SectionOf(Adam), "Adam, as torch.optim.Adam")
    adamw: AdamW | None = key(SectionOf(AdamW), "AdamW, as torch.optim.AdamW")


class Warmup(Section):
    """The paper's schedule: up in a line, then down with the root of the step."""

    steps: int = key(Whole(), "how many steps it rises", required=True, default=1)
    d_model: int | None = key(Whole(), "the d_model of the formula (default the model's)")


class Linear(Section):
    """Up in a line from 0, then down in a line to 0."""

    warmup_steps: int = key(Whole(least=0), "how many steps it rises; the first rate is 0 then", default=0)
    total: int | None = key(Whole(), "the step, counted from 0, at which it ends (default the training's steps)")


class Cosine(Linear):
    """Up in a line from 0, then down along half a cosine."""

    minimum: float = key(Real(least=0, below=1), "the share of the learning rate that is left in the end", default=0)


class Schedule(Section):
    """How the learning rate changes from step to step: one of them."""

    ONE_OF: ClassVar = ("warmup", "linear", "cosine")

    warmup: Warmup | None = key(SectionOf(Warmup), "as in the paper, eq. 3; learning_rate is 1 then unless given")
    linear: Linear | None = key(SectionOf(Linear), "as transformers' get_linear_schedule_with_warmup")
    cosine: Cosine | None = key(SectionOf(Cosine), "as transformers' get_cosine_with_min_lr_schedule_with_warmup")


_TARGETS = "the right next token at each position; null: no target"


class Example(Sentence):
    """One of several sentences to train on."""

    decoder: Sentence | None = key(SectionOf(Sentence), "the decoder's sentence")
    targets: TokenList | None = key(WordsReader(), _TARGETS, required=True)


_NO_LOSS = {"gradients": "the gradients are given, and there is no loss"}


class Training(Section):
    """Training by gradient descent."""

    ONE_OF: ClassVar = ("targets", "examples", "gradients")

    targets: TokenList | None = key(WordsReader(), _TARGETS)
    examples: list[Example] | None = key(
        ListOf(SectionOf(Example), "a list of examples"),
        "several sentences with their targets, in place of the scenario's sentence and of `targets`",
    )
    gradients: dict[str, list[Matrix]] | None = key(
        MappingOf(GradientReader(), "a mapping path → matrix"),
        "path → its gradient in numbers, or a list of one for each step; then no loss is needed",
    )
    batch_size: int | str = key(
        WordOr(("all",), Whole()),
        "how many examples a step takes, in order, from the first again after the last",
        default="all",
        without="examples",
    )
    learning_rate: float = key(Real(above=0), "what the gradient is multiplied by", default=0.1)
    optimizer: Optimizer | str = key(
        WordOr(("sgd", "adam", "adamw"), SectionOf(Optimizer), "a mapping such as {momentum: 0.9}"),
        "how the gradient becomes an update: plain descent (sgd), {momentum: 0.9}, adam or adamw",
        default="sgd",
    )
    schedule: Schedule | str = key(
        WordOr(("constant",), SectionOf(Schedule), "a mapping with warmup, linear or cosine, such as {linear: {}}"),
        "how the learning rate changes from step to step",
        default="constant",
    )
    clip: float | str = key(
        WordOr(("none",), Real(above=0)),
        "the largest norm of all gradients together; larger ones are scaled down",
        default="none",
    )
    label_smoothing: float = key(
        Real(least=0, below=1),
        "the share of each target that is spread evenly over all words",
        default=0.0,
        idle=_NO_LOSS,
    )
    steps: int = key(Whole(), "number of updates; of listed gradients as many as there are", default=1)
    first_step: int = key(
        Whole(), "the number of the first one, where a schedule and Adam's correction begin", default=1
    )
    update: list[str] | str = key(
        WordOr(("all",), ListOf(Text()), "a list of selectors"), "what is trained", default="all"
    )
    reduction: str = key(
        Choice(("mean", "sum")), "the loss is the mean or the sum over the positions", default="mean", idle=_NO_LOSS
    )

    def count(self, number: int) -> int:
        """The number by which schedules and Adam's correction know a step, the `number`-th of the training."""
        return self.first_step - 1 + number


class Dropout(Section):
    """Dropout: masks are drawn for each training step; no effect outside training."""

    rate: float = key(Real(least=0, below=1), "the share of numbers dropped", default=0.1, required=True)
    seed: int = key(Whole(least=0, most=2**32 - 1), "seed of the masks; training step K uses seed + K − 1", default=1)
    masks: dict[str, Matrix] | None = key(
        MappingOf(ShapedReader(as_is="a mask"), "a mapping path → matrix"),
        "path of a dropout → its mask of 0 (dropped) and 1, instead of drawing",
    )


_BESIDE_EXAMPLES = (
    Exclusion(
        (*Sentence.KEYS, *(f"decoder.{name}" for name in Sentence.KEYS)),
        "{path} cannot be combined with training.examples: these are the sentences",
        "move it into an example, or remove it",
        when="training.examples",
    ),
    Exclusion(
        ("dropout.masks",),
        "masks cannot be combined with examples: each example would need its own",
        "remove it: masks are drawn",
        when="training.examples",
    ),
)
_ALONE = "attention takes the place of encoder and decoder, and cannot be combined with them"


class ScenarioSpec(SequenceSpec):
    """A scenario for walkthrough: tokens, embeddings and weights of a Transformer, small enough to follow by hand."""

    title: str = key(Text(), "the name of the example", default="", required=True)
    description: str | None = key(Text(), "what it shows; Markdown")
    source: str | None = key(Text(), "where the numbers come from")
    matrix_convention: str = key(
        Choice(("row", "column")), "row: y = x·W, W is in×out; column: y = W·x, W is out×in", default="row"
    )
    decimals: int = key(Whole(least=0, most=15), "how many decimals are shown", default=3)
    language: str = key(Choice(LANGUAGES), "of what people read", default="en")
    rounding: Rounding | None = key(SectionOf(Rounding), "by-hand arithmetic, used with --by-hand")
    softmax: str = key(Choice(("plain", "shifted")), "shifted: the row maximum is subtracted first", default="plain")
    dimensions: Dimensions | None = key(SectionOf(Dimensions), "sizes, checked when given")
    weights_file: str | None = key(Text(), "the default for `file:` of a matrix")
    padding_token: str = key(Text(), "the token that `mask: padding` hides", default="<pad>")
    encoder: Encoder | None = key(SectionOf(Encoder), "the encoder")
    decoder: Decoder | None = key(SectionOf(Decoder), "the decoder")
    attention: Attention | None = key(
        SectionOf(Attention),
        "one attention by itself, instead of encoder and decoder",
        excludes=Exclusion(("encoder", "decoder"), _ALONE, ""),
    )
    output_head: OutputHead | None = key(SectionOf(OutputHead), "logits and probabilities over the vocabulary")
    generate: Generate | None = key(SectionOf(Generate), "generation: greedy, drawn, or by beams")
    dropout: Dropout | None = key(SectionOf(Dropout), "dropout, in training only", without="training")
    training: Training | None = key(
        SectionOf(Training),
        "training by gradient descent",
        excludes=(
            Exclusion(
                ("generate",),
                "generate cannot be combined with training: a scenario either trains or generates",
                "leave out generate, or training",
            ),
            Exclusion(("*.block_size",), f"{_NO_ROWS} training trains through them", "remove it"),
            *_BESIDE_EXAMPLES,
        ),
    )
    inspect: list[Inspection] | None = key(
        InspectionsReader(),
        "look inside: lens and attribution, either or both; {attribution: LABEL} for another position than the last",
        excludes=Exclusion(
            ("training",),
            "inspect cannot be combined with training: it looks into passes of a model that stays as it is",
            "leave out inspect, or training",
        ),
    )
    published: list[PrintSpec] | None = key(
        PublishedReader(), "numbers that somebody printed, checked by `walkthrough check`"
    )
    inputs_are: str = key(
        Choice(("exact", "rounded")),
        "rounded: the given matrices, too, are rounded prints",
        default="exact",
        without="published",
    )
    source_arithmetic: str = key(
        Choice(("exact", "float32", "float16", "bfloat16")),
        "precision of the author's program",
        default="exact",
        without="published",
    )


def read_keys(node: Node, place: Context) -> ScenarioSpec | None:
    """The keys of a whole scenario."""
    if not isinstance(node, MappingNode):
        place.reject(node, "a mapping with keys such as title, tokens, embeddings", help="see docs/scenario-format.md")
        return None
    keys: ScenarioSpec | None = SectionOf(ScenarioSpec).read(node, place)
    return keys
