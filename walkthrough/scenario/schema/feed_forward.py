"""The keys of feed-forward networks: one for all tokens, or several experts and the router that chooses among them."""

from __future__ import annotations

from typing import Any, ClassVar

from walkthrough.scenario.schema.matrices import Matrix, MatrixReader
from walkthrough.scenario.schema.parameters import bias, weight
from walkthrough.scenario.schema.readers import Choice, Context, Flag, JsonSchema, ListOf, Real, Whole, WordOr
from walkthrough.scenario.schema.repeat import AnyMapping
from walkthrough.scenario.schema.rules import ALL, Exclusion
from walkthrough.scenario.schema.sections import Section, SectionOf, key
from walkthrough.scenario.yaml.nodes import MappingNode, Node

ACTIVATIONS = ("relu", "gelu", "gelu_tanh", "silu", "sigmoid", "none")
MOST_EXPERTS = 1000


class ClampedSwiglu(Section):
    """The gate of gpt-oss: gate and hidden layer cut at a limit."""

    alpha: float = key(Real(above=0), "how steep the sigmoid is", default=1.702)
    limit: float = key(Real(above=0), "where the gate, and the hidden layer on both sides, are cut", default=7.0)


class ActivationOptions(Section):
    """An activation with options."""

    clamped_swiglu: ClampedSwiglu = key(SectionOf(ClampedSwiglu), "the gate of gpt-oss", required=True)


ACTIVATION = WordOr(ACTIVATIONS, SectionOf(ActivationOptions), "a mapping, {clamped_swiglu: {…}}")


class Expert(Section):
    """The weights of a feed-forward network: activation(x·W_1 + b_1)·W_2 + b_2, or gated."""

    w_gate: Matrix | None = weight(
        "d_model×d_ff", "W_G", "the gate: activation(x·W_gate + b_gate) is multiplied by x·W_1 + b_1"
    )
    b_gate: Matrix | None = bias("d_ff", "b_G", "bias of the gate", needs="w_gate")
    w_1: Matrix | None = weight("d_model×d_ff", "W_1", "the expansion")
    b_1: Matrix | None = bias("d_ff", "b_1", "bias of the expansion")
    w_2: Matrix | None = weight("d_ff×d_model", "W_2", "the contraction")
    b_2: Matrix | None = bias("d_model", "b_2", "bias of the contraction")
    HINTS: ClassVar = {
        "w1": "did you mean 'w_1'?",
        "w2": "did you mean 'w_2'?",
        "b1": "did you mean 'b_1'?",
        "b2": "did you mean 'b_2'?",
        "w_up": "it is called w_1 here",
        "w_down": "it is called w_2 here",
        "w_3": "a gate is called w_gate here",
    }


class Shared(Expert):
    """A network for every token, beside the experts."""

    activation: str | ActivationOptions | None = key(ACTIVATION, "its activation (default: that of the experts)")


class Router(Section):
    """Which experts each token is sent to, and with what weights."""

    w: Matrix | None = weight("d_model×experts", "W_R", "a column for each expert", words="weight.router")
    b: Matrix | None = bias("experts", "b_R", "bias of the router")
    scores: str = key(
        Choice(("softmax", "sigmoid", "softmax_of_chosen")),
        "of the logits: a softmax over all experts, a sigmoid of each, or a softmax over those chosen",
        default="softmax",
        excludes=Exclusion(
            ("normalize",),
            "normalize cannot be combined with softmax_of_chosen: its weights add up to 1 already",
            "remove it",
            when=("scores", "softmax_of_chosen"),
        ),
    )
    top_k: int = key(Whole(), "how many experts each token is sent to", default=2)
    normalize: bool | None = key(Flag(), "divide the scores that are kept by their sum (default true)")
    choice_bias: Matrix | None = key(
        MatrixReader(vector=True), "a number for each expert, added where experts are chosen and nowhere else"
    )
    n_group: int | None = key(
        Whole(),
        "how many groups the experts are in, in order; the score of a group is the sum of its two largest",
        needs="topk_group",
    )
    topk_group: int | None = key(Whole(), "how many groups a token's experts are chosen from", needs="n_group")
    scale: float = key(Real(above=0), "what the weights are multiplied by", default=1.0)


class RepeatedExpert(Section):
    """An expert written once and repeated; `{e}` in its tensor names counts from 0, and seeds grow by e."""

    repeat: int | None = key(Whole(most=MOST_EXPERTS), "how many there are", required=True)
    expert: MappingNode | None = key(AnyMapping(), "the expert", required=True)


class ExpertsReader:
    """A list of experts, or one {repeat: …, expert: …}."""

    _listed: ClassVar = ListOf(SectionOf(Expert), "a list of experts, or {repeat: …, expert: {…}}")

    def read(self, node: Node, context: Context) -> list[Any] | None:
        if isinstance(node, MappingNode):
            repeated: RepeatedExpert = SectionOf(RepeatedExpert).read(node, context)
            if repeated.repeat is None or repeated.expert is None:
                return None
            places = [context.at(number + 1)._replace(expert=number) for number in range(repeated.repeat)]
            return [SectionOf(Expert).read(repeated.expert, place) for place in places]
        return self._listed.read(node, context)

    def schema(self) -> JsonSchema:
        return {"anyOf": [self._listed.schema(), SectionOf(RepeatedExpert).schema()]}


class FeedForward(Expert):
    """The position-wise feed-forward network: activation(x·W_1 + b_1)·W_2 + b_2, gated, or a mixture of experts."""

    w_2: Matrix | None = weight(
        "d_ff×d_model", "W_2", "the contraction; null where nobody printed it, beside the output", makes="output"
    )
    activation: str | ActivationOptions = key(
        ACTIVATION, "the non-linear function between the two, or of the gate", default="relu"
    )
    experts: list[Expert] | None = key(
        ExpertsReader(),
        "several networks, of which each token is sent to some",
        needs="router",
        excludes=Exclusion(("w_gate", "b_gate", "w_1", "b_1", "w_2", "b_2"), help="give these to each expert"),
    )
    router: Router | None = key(SectionOf(Router), "chooses the experts of each token", needs="experts")
    shared: Shared | None = key(SectionOf(Shared), "a network for every token, added to the experts", needs="experts")
    w_shared_gate: Matrix | None = weight(
        "d_model×1",
        "W_S",
        "the shared network is multiplied by sigmoid(x·W_shared_gate), a number a token",
        needs="shared",
    )
    output: Matrix | None = key(
        MatrixReader(unknowns=True),
        "the sub-layer's output as numbers; then nothing before it is computed",
        replaces=ALL,
    )
