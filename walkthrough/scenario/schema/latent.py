"""The keys of latent attention: keys and values of all heads are made of one compressed row for each token."""

from __future__ import annotations

from typing import ClassVar

from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.schema.parameters import bias, vector, weight
from walkthrough.scenario.schema.readers import Real
from walkthrough.scenario.schema.sections import Section, SectionOf, key


class LatentNorm(Section):
    """RMS norm of the compressed rows of keys and values."""

    gamma: Matrix | None = vector("d_c", "γ", "Gamma", "the scale of each compressed feature")
    epsilon: float = key(Real(least=0), "added to the mean square", default=1e-6)


class QueryLatentNorm(LatentNorm):
    """RMS norm of the compressed queries."""

    gamma: Matrix | None = vector("d_cq", "γ", "Gamma", "the scale of each compressed feature")


class Latent(Section):
    """Latent attention: what is compressed, what is made of it for each head, and the part that is rotated."""

    w_dkv: Matrix | None = weight("d_model×d_c", "W_DKV", "compresses each row, for keys and values of all heads")
    b_dkv: Matrix | None = bias("d_c", "b_DKV", "bias of the compressed rows")
    kv_norm: LatentNorm | None = key(SectionOf(LatentNorm), "RMS norm of the compressed rows")
    w_uk: Matrix | None = weight("d_c×(heads·d_h)", "W_UK", "makes the keys of the compressed rows, joined")
    w_uv: Matrix | None = weight("d_c×(heads·d_v)", "W_UV", "makes the values of the compressed rows, joined")
    w_kr: Matrix | None = weight("d_model×d_r", "W_KR", "makes the rotated key, one for all heads", needs="w_qr")
    b_kr: Matrix | None = bias("d_r", "b_KR", "bias of the rotated key", needs="w_kr")
    w_dq: Matrix | None = weight("d_model×d_cq", "W_DQ", "compresses each row, for the queries of all heads")
    b_dq: Matrix | None = bias("d_cq", "b_DQ", "bias of the compressed queries", needs="w_dq")
    query_norm: QueryLatentNorm | None = key(
        SectionOf(QueryLatentNorm), "RMS norm of the compressed queries", needs="w_dq"
    )
    w_uq: Matrix | None = weight(
        "d_cq×(heads·d_h)",
        "W_UQ",
        "makes the queries, joined; without w_dq of the rows themselves: d_model×(heads·d_h)",
    )
    w_qr: Matrix | None = weight(
        "d_cq×(heads·d_r)", "W_QR", "makes the rotated part of the queries, joined, of the same rows", needs="w_kr"
    )
    HINTS: ClassVar = {
        "kv_lora_rank": "it is dimensions: {d_c: …} here, or the width of w_dkv",
        "q_lora_rank": "it is dimensions: {d_cq: …} here, or the width of w_dq",
        "w_q": "it is called w_uq here",
        "w_k": "it is called w_uk here",
        "w_v": "it is called w_uv here",
    }
