"""Readers for positions: sinusoids, rotary positions and slopes of distance."""

from __future__ import annotations

import math
from typing import ClassVar

from walkthrough.scenario.schema.matrices import Matrix, MatrixReader
from walkthrough.scenario.schema.parameters import Parameter
from walkthrough.scenario.schema.readers import Choice, Context, Flag, JsonSchema, ListOf, Real, Whole, WordOr
from walkthrough.scenario.schema.rules import Exclusion
from walkthrough.scenario.schema.sections import Section, SectionOf, key
from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node, ScalarNode


class Sinusoidal(Section):
    """Options of sinusoidal positions."""

    base: float = key(Real(above=0), "the 10000 of the formula", default=10000.0)
    layout: str = key(
        Choice(("interleaved", "halves", "tensor2tensor")),
        "sin, cos, sin, …; or sines, then cosines",
        default="interleaved",
    )
    angle: str = key(Choice(("radians", "degrees")), "unit of the angle", default="radians")
    rotation: int | None = key(
        Whole(least=0), "also show that shifting by this many positions is one rotation, the same for every position"
    )


class PositionOptions(Section):
    """Sinusoidal positions with options."""

    sinusoidal: Sinusoidal = key(SectionOf(Sinusoidal), "the options", required=True)


class PositionsReader:
    """none, sinusoidal, sinusoidal with options, or a matrix of learned positions."""

    def read(self, node: Node, context: Context) -> Sinusoidal | Matrix | str | None:
        if isinstance(node, ScalarNode):
            word = Choice(("none", "sinusoidal")).read(node, context)
            return (
                Sinusoidal(node=MappingNode([], node.line, node.column), path=context.path)
                if word == "sinusoidal"
                else word
            )
        if isinstance(node, MappingNode) and node.get("sinusoidal") is not None:
            options: PositionOptions | None = SectionOf(PositionOptions).read(node, context)
            return options.sinusoidal if options else None
        return MatrixReader().read(node, context)

    def schema(self) -> JsonSchema:
        named = {"enum": ["none", "sinusoidal"]}
        return {"anyOf": [named, {"$ref": "#/$defs/PositionOptions"}, MatrixReader().schema()]}


class Llama3(Section):
    """The scaling of Llama 3.1: slow pairs are slowed by a factor, fast ones are not, those between in part."""

    factor: float = key(Real(above=0), "by what factor the slow pairs are slowed", default=8.0, required=True)
    low_freq_factor: float = key(
        Real(above=0), "slow pairs: at most this many turns in the original context", default=1.0, required=True
    )
    high_freq_factor: float = key(
        Real(above=0), "fast pairs: at least this many turns in the original context", default=4.0, required=True
    )
    original_max_position_embeddings: float = key(
        Real(above=0), "the length of the original context", default=8192.0, required=True
    )


class Yarn(Section):
    """The scaling of YaRN: slow pairs are slowed by a factor, fast ones are not; queries and keys grow a little."""

    factor: float = key(Real(above=0), "by what factor the slow pairs are slowed", default=1.0, required=True)
    original_max_position_embeddings: float = key(
        Real(above=0), "the length of the original context", default=4096.0, required=True
    )
    beta_fast: float = key(Real(above=0), "fast pairs: at least this many turns in the original context", default=32.0)
    beta_slow: float = key(Real(above=0), "slow pairs: at most this many turns in the original context", default=1.0)
    truncate: bool = key(Flag(), "the limits of the ramp between them are whole numbers", default=True)
    attention_factor: float | None = key(
        Real(above=0), "what the rotated features are multiplied by (default 0.1·ln(factor) + 1)"
    )
    mscale: float | None = key(
        Real(least=0),
        "with mscale_all_dim: what multiplies ln(factor) above the line of that default",
        needs="mscale_all_dim",
    )
    mscale_all_dim: float | None = key(
        Real(least=0), "with mscale: what multiplies ln(factor) below the line", needs="mscale"
    )

    @property
    def attention_scaling(self) -> float:
        """What queries and keys are multiplied by. Peng et al. 2023, eq. 22; mscale: DeepSeek-V2's code."""
        if self.attention_factor is not None:
            return self.attention_factor
        if self.mscale and self.mscale_all_dim:
            return self._mscale(self.mscale) / self._mscale(self.mscale_all_dim)
        return self._mscale(1.0)

    def _mscale(self, scale: float) -> float:
        return 0.1 * scale * math.log(self.factor) + 1 if self.factor > 1 else 1.0


_KNOWN_SCALINGS = "supported are linear, llama3 and yarn"


class RotaryScaling(Section):
    """How rotary positions are stretched for longer texts: one of the three."""

    ONE_OF: ClassVar = ("linear", "llama3", "yarn")

    linear: float | None = key(Real(above=0), "the positions are divided by it")
    llama3: Llama3 | None = key(SectionOf(Llama3), "as in Llama 3.1")
    yarn: Yarn | None = key(SectionOf(Yarn), "YaRN, as in gpt-oss")
    HINTS: ClassVar = {
        name: f"{name} is not supported; {_KNOWN_SCALINGS}"
        for name in ("dynamic", "longrope", "su", "ntk", "mrope", "proportional", "rope_type", "type", "factor")
    }


class Rotary(Section):
    """Rotary positions: pairs of features are rotated by position · base^(−2i/r)."""

    base: float = key(Real(above=0), "the 10000 of the formula; theta in model configs", default=10000.0)
    dimensions: int | str = key(
        WordOr(("all",), Whole()), "the first r features of each head are rotated; r is even", default="all"
    )
    layout: str = key(
        Choice(("halves", "interleaved")),
        "halves: feature i is paired with i + r/2 (Llama, GPT-NeoX); interleaved: 2i with 2i + 1, from 0 "
        "(RoFormer, GPT-J)",
        default="halves",
    )
    scaling: RotaryScaling | str = key(
        WordOr(("none",), SectionOf(RotaryScaling), "a mapping, {linear: …}, {llama3: …} or {yarn: …}"),
        "for texts longer than those in training: {linear: 4} divides the positions, or {llama3: …}, {yarn: …}",
        default="none",
        excludes=Exclusion(
            (("base", 1),), "yarn needs a base other than 1: with 1 all pairs turn alike", "", when="scaling.yarn"
        ),
    )
    HINTS: ClassVar = {"theta": "it is called base here", "rope_theta": "it is called base here"}

    @property
    def width(self) -> int | None:
        """How many features of a head are rotated; None: all."""
        return self.dimensions if isinstance(self.dimensions, int) else None

    @property
    def scaled_by(self) -> RotaryScaling | None:
        """How it is scaled for longer texts, if it is."""
        return self.scaling if isinstance(self.scaling, RotaryScaling) else None


class RelativeBias(Section):
    """T5's relative positions: what is added to a score, looked up by the distance of its two tokens."""

    table: Matrix | None = key(
        MatrixReader(),
        "buckets×heads, a number for each bucket of distances and each head",
        required=True,
        parameter=Parameter(("buckets", "heads"), "W_B", "Table of biases", "relative_bias"),
    )
    buckets: int = key(Whole(least=2), "how many buckets there are", default=32)
    max_distance: int = key(Whole(least=2), "from this distance on all share the last bucket", default=128)
    bidirectional: bool | None = key(Flag(), "half of the buckets for later tokens (default: true, in a decoder false)")


class SlopesReader:
    """true, false, or a slope for each head."""

    def read(self, node: Node, context: Context) -> bool | list[float] | None:
        if isinstance(node, ListNode):
            return ListOf(Real()).read(node, context)
        if isinstance(node, ScalarNode) and isinstance(node.value, bool):
            return node.value
        context.reject(node, "true, false, or a list with a slope for each head")
        return None

    def schema(self) -> JsonSchema:
        return {"anyOf": [Flag().schema(), ListOf(Real()).schema()]}
