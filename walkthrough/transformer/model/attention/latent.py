"""Latent attention: keys and values of all heads are made of one compressed row for each token, and one rotated key.

DeepSeek-V2 (2024), §2.1; these two are all that a cache keeps.
"""

from __future__ import annotations

from walkthrough.operations.matrix import concatenate
from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Kind, Value, unknown_value
from walkthrough.scenario.resolved import HeadPlan, NormPlan, Projection
from walkthrough.scenario.schema.keys import Attention
from walkthrough.scenario.schema.latent import Latent, LatentNorm
from walkthrough.transformer.model.attention.heads import KEY, PROJECTED, QUERY, VALUE, Heads
from walkthrough.transformer.model.attention.rotary import Rotation, record_angles
from walkthrough.transformer.model.norms import Steps, norm_steps, record_parameter
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import Stream

COMPRESSED = Kind("compressed", "C_KV", "Compressed rows")
COMPRESSED_QUERY = Kind("compressed_query", "C_Q", "Compressed queries")
COMPRESSED_CACHE = Kind("compressed_cache", "C_c", "Cache of compressed rows")
KEY_ROPE = Kind("key_rope", "K_P", "Position key")
KEY_ROTATED = Kind("key_rotated", "K_R", "Rotated position key", words="latent.key_rotated")
KEY_ROTATED_CACHE = Kind("key_rotated_cache", "K_Rc", "Cache of position keys")
QUERY_CONTENT = Kind("query_content", "Q_C", "Content queries")
QUERY_ROPE = Kind("query_rope", "Q_P", "Position queries")
QUERY_ROTATED = Kind("query_rotated", "Q_R", "Rotated position queries", words="latent.query_rotated")
KEY_CONTENT = Kind("key_content", "K_C", "Content keys")
WHOLE_QUERY = QUERY._replace(words="latent.query")
WHOLE_KEY = KEY._replace(words="latent.key")
_ALONE = {"uq": (QUERY, "d_h"), "uk": (KEY, "d_h"), "uv": (VALUE, "d_v"), "gate": PROJECTED["gate"]}
_WITH_POSITION = {**_ALONE, "uq": (QUERY_CONTENT, "d_h"), "uk": (KEY_CONTENT, "d_h"), "qr": (QUERY_ROPE, "d_r")}


class LatentHeads(Heads):
    """The heads of latent attention: queries, keys and values come from compressed rows, positions from a part beside.

    spec:   the section of what is compressed
    joined: where all that heads have in common is recorded
    key_rotated: the part of the keys that is rotated, m×d_r; one for all heads
    whole:  the rows of the queries before they are compressed, which an output gate reads
    """

    def __init__(self, s: Scope, queries: Stream, keys: Stream) -> None:
        super().__init__(s, queries, keys)
        assert self.attention.latent is not None
        self.spec: Latent = self.attention.latent
        self.joined = s.under("latent", self.spec)
        self.kinds = _WITH_POSITION if self.spec.has("w_kr") else _ALONE
        self.rotary: Rotation | None = None
        self.key_rotated: Value | None = None
        self.whole = queries
        s.check(check_latent)

    def record_common(self) -> None:
        """Compressed rows, their norms, and the rotated key; from here on heads read compressed rows."""
        x = self.queries.x or unknown_value(self.queries.n, self.queries.width)
        source = x
        if self.spec.has("w_dq"):
            source = self._normed("query_norm", self.joined.linear(COMPRESSED_QUERY, x, "w_dq", "b_dq"))
        kept = self._kept(
            COMPRESSED_CACHE, self._normed("kv_norm", self.joined.linear(COMPRESSED, x, "w_dkv", "b_dkv"))
        )
        if self.attention.rotary is not None and self.spec.has("w_kr"):
            position = self.joined.linear(KEY_ROPE, x, "w_kr", "b_kr")
            self.rotary = record_angles(self.s, self.attention.rotary, self.keys, position.axes[1].size)
            self.key_rotated = self._kept(KEY_ROTATED_CACHE, self.rotary.record(self.joined, KEY_ROTATED, position))
        self.queries = self.queries._replace(x=source)
        self.keys = self.keys.whole()._replace(x=kept)
        self.is_kept = False  # keys and values are made again of what is

    def _normed(self, name: str, x: Value) -> Value:
        """Compressed rows with their norm, where they have one."""
        norm: LatentNorm | None = getattr(self.spec, name)
        if norm is None:
            return x
        s, plan = self.joined.under(name), NormPlan("rms", norm, norm.epsilon)
        return norm_steps(s, x, plan, lambda one: record_parameter(s, plan, one, x.axes[1]))[-1]

    def _kept(self, kind: Kind, new: Value) -> Value:
        """With a cache: the new rows below those of earlier passes, m×d; else the rows themselves."""
        return self._with_earlier(self.joined, new, kind) if self.is_kept else new

    def rows_of(self, part: Projection) -> Stream:
        """What a part is made of: compressed rows, or of a gate the rows themselves."""
        return self.whole if part.letter == "gate" else super().rows_of(part)

    def _widths_of(self, plan: HeadPlan) -> dict[str, Axis]:
        """The widths of all heads."""
        for symbol in ("d_h", "d_r", "d_v"):
            self.joined.axis(symbol)
        return self.joined.axes

    def settle_widths(self, plan: HeadPlan, *parts: Projection) -> None:
        """Heads are as wide as the file says: what they are made of says nothing of it."""

    def _finished(self, plan: HeadPlan, part: Projection) -> Steps:
        """Queries and keys with the rotated part beside them; values as they are projected."""
        steps = list(self.projected(plan, part))
        if part.letter == "v" or self.rotary is None or self.key_rotated is None:
            return steps
        s, content = self.scope(plan, part), steps[-1]
        if part.letter == "k":
            return [*steps, s.record(WHOLE_KEY, concatenate, content, self.key_rotated)]
        steps += self.projected(plan, part.replace(key="qr"))
        s.check(check_position, self.spec, steps[-1].axes[1], self.rotary)
        rotated = self.rotary.record(s, QUERY_ROTATED, steps[-1])
        return [*steps, rotated, s.record(WHOLE_QUERY, concatenate, content, rotated)]


def check_latent(s: Scope) -> None:
    """Rotary positions are those of the rotated part, all of it: each needs the other."""
    attention: Attention = s.section
    assert attention.latent is not None
    has_part = attention.latent.has("w_kr")
    if has_part and not attention.has("rotary"):
        s.problems.missing(attention, "rotary", "w_kr makes the part of the keys that is rotated")
    if attention.rotary is None:
        return
    if not has_part:
        why = "rotary rotates the part that w_kr and w_qr make, but latent has neither"
        s.problems.fault(attention, "rotary", why, "add them to latent, or leave out rotary")
    elif attention.rotary.dimensions != "all":
        why = "dimensions cannot be combined with latent: all that w_kr and w_qr make is rotated"
        s.problems.fault(attention.rotary, "dimensions", why, "remove it")


def check_position(s: Scope, latent: Latent, d_r: Axis, rotation: Rotation) -> None:
    """Features are rotated in pairs."""
    if d_r.size is None:
        return
    rotation.angle.axes[1].settle(d_r.size // 2)
    if d_r.size % 2 and latent.at("w_kr") not in s.problems:
        why = f"w_kr makes {d_r.size} features, expected an even number: they are rotated in pairs"
        s.problems.fault(latent, "w_kr", why)
