"""The gated delta rule: each head has a state, which every token changes and then reads. Yang et al. 2024, §3.1.

Vectors are rows here, and S is d_k×d_v: S_t = α(I − β·kᵀ·k)·S + β·kᵀ·v = α·S + kᵀ·β(v − k·α·S), o = q·S_t, where S is
the state before the token.
"""

from __future__ import annotations

from collections.abc import Callable

from walkthrough.operations.activation import ACTIVATIONS, sigmoid, silu, softplus
from walkthrough.operations.backward import negative, take_columns
from walkthrough.operations.convolution import causal_convolution
from walkthrough.operations.matrix import (
    add,
    append_rows,
    concatenate,
    matrix_product,
    multiply,
    select_rows,
    subtract,
    transposed_product,
)
from walkthrough.operations.normalization import root_of_squares, scale_by_number
from walkthrough.operations.norms import l2_norm
from walkthrough.operations.scaling import divide_by_root
from walkthrough.operations.softmax import divide_rows, exponential
from walkthrough.recording.axes import Axis, Multiple
from walkthrough.recording.values import Kind, Value, unknown_value
from walkthrough.scenario.resolved import HeadSlice, Projection
from walkthrough.scenario.schema.keys import LinearAttention
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.transformer.model.attention.attention import CONCAT, OUTPUT
from walkthrough.transformer.model.attention.gate import GATE_ACTIVATION, GATED
from walkthrough.transformer.model.attention.head_norms import norm_of_each
from walkthrough.transformer.model.attention.heads import GATE, KEY, QUERY, VALUE, settle_width
from walkthrough.transformer.model.norms import Steps, index_kinds
from walkthrough.transformer.scope import Scope, kind_of
from walkthrough.transformer.stream import Stream

QUERY_PROJECTED = Kind("query_projected", "Q_p", "Projected queries", words="projected.query")
KEY_PROJECTED = Kind("key_projected", "K_p", "Projected keys", words="projected.key")
VALUE_PROJECTED = Kind("value_projected", "V_p", "Projected values", words="projected.value")
QUERY_CONVOLVED = Kind("query_convolved", "Q_c", "Convolved queries", words="convolved.query")
KEY_CONVOLVED = Kind("key_convolved", "K_c", "Convolved keys", words="convolved.key")
VALUE_CONVOLVED = Kind("value_convolved", "V_c", "Convolved values", words="convolved.value")
QUERY_ACTIVATED = Kind("query_activated", "Q_a", "Activated queries", words="activated.query")
KEY_ACTIVATED = Kind("key_activated", "K_a", "Activated keys", words="activated.key")
VALUE_ACTIVATED = Kind("value_activated", "V_a", "Activated values", words="activated.value")
OF_ALL_HEADS = {
    "q": (QUERY_PROJECTED, QUERY_CONVOLVED, QUERY_ACTIVATED),
    "k": (KEY_PROJECTED, KEY_CONVOLVED, KEY_ACTIVATED),
    "v": (VALUE_PROJECTED, VALUE_CONVOLVED, VALUE_ACTIVATED),
}
"""What queries, keys and values go through before each head takes its columns."""
WINDOW = Kind("window", "w", "Rows with those before them", words="convolution.window")
CACHE = Kind("convolution_cache", "w_c", "Convolution cache")
BETA_LOGITS = Kind("beta_logits", "b_0", "Writing strengths before the sigmoid")
BETA = Kind("beta", "β", "Writing strengths")
DECAY_LOGITS = Kind("decay_logits", "Δ_0", "Time steps before the softplus")
BIASED_DECAY_LOGITS = Kind("biased_decay_logits", "Δ_b", "Time steps with the bias of the head")
TIME_STEP = Kind("time_step", "Δ", "Time steps")
RATE = Kind("rate", "A", "Rates of forgetting")
FORGETTING = Kind("forgetting", "F", "Forgetting")
LOG_DECAY = Kind("log_decay", "g", "Logarithm of the decay")
ALPHA = Kind("alpha", "α", "Decay", words="state.alpha")
LENGTH = Kind("length", "r", "Length")
OF_LENGTH_1 = Kind("output", "N", "L2 norm", words="l2_norm.output")
SCALED_QUERY = Kind("scaled_query", "Q'", "Scaled queries")
OWN = (
    Kind("query", "q", "Query", words="token.query"),
    Kind("key", "k", "Key", words="token.key"),
    Kind("value", "v", "Value", words="token.value"),
    BETA._replace(symbol="β_t"),
    ALPHA._replace(symbol="α_t"),
)
"""The rows of one token, and how much of it is written, and how much of the state kept."""
KEPT = Kind("kept", "S_k", "Kept state", words="state.kept")
READ = Kind("read", "r", "Read at the key", words="state.read")
ERROR = Kind("error", "e", "What is new", words="state.error")
WRITTEN = Kind("written", "u", "Written", words="state.written")
CHANGE = Kind("change", "D", "Change of the state", words="state.change")
STATE = Kind("state", "S", "State", words="state.state")
ANSWER = Kind("answer", "o", "Read at the query", words="state.answer")
HEAD_OUTPUT = Kind("output", "Z", "Head output", words="state.head_output")


def attend_linearly(s: Scope, stream: Stream) -> Value:
    """Each token changes the state of each head, and reads it: n×d_model → n×d_model."""
    return _DeltaRule(s, stream).record()


class _DeltaRule:
    """One linear attention: what its heads share, and its heads one after the other.

    first:   which of all rows is the first here; those before it have left the state of the pass before
    is_kept: later passes go on from this state
    gate:    of all heads, activated, where there is one; norm: that of each head's output
    """

    def __init__(self, s: Scope, stream: Stream) -> None:
        assert stream.x is not None
        self.s = s
        self.x = stream.x
        self.stream = stream
        self.spec: LinearAttention = s.section
        self.first = stream.first
        self.is_kept = s.calculation.keeps(stream.sequence)
        self.count = self.spec.num_heads
        self.key_count = self.spec.num_key_heads or self.count
        self.d_k, self.d_v = s.calculation.stated_axis("d_k"), s.calculation.stated_axis("d_v")
        self.of_keys = Multiple(self.d_k, self.key_count, "heads" if self.key_count == self.count else "key_heads")
        self.of_values = Multiple(self.d_v, self.count, "heads")
        s.axes |= {
            "heads": Axis("heads", self.count),
            "(key_heads·d_k)": self.of_keys,
            "(heads·d_v)": self.of_values,
        }
        self.gate: Value | None = None
        self.norm: Callable[[Scope, Value], Steps] | None = None
        self._of_first: dict[str, Steps] = {}

    def record(self) -> Value:
        """Projections, strengths and gate of all heads; the heads, each with its norm and gate; their projection."""
        s = self.s
        s.check(check_heads)
        s.check(_settle_widths, self.of_keys, self.of_values, self.x.axes[1])
        query, key, value = map(self._prepared, "qkv")
        beta = s.record(BETA, sigmoid, s.linear(BETA_LOGITS, self.x, "w_beta"))
        alpha = self._decay() if s.has("w_alpha") else None
        if s.has("w_gate"):
            self.gate = s.record(GATE_ACTIVATION, silu, s.linear(GATE, self.x, "w_gate"))
        if self.spec.output_norm is not None:
            self.norm = norm_of_each(s.under("output_norm"), self.spec.output_norm, self.d_v)
        if not all(one.has_size for one in (self.x, query, key, value)) or self.count % self.key_count:
            return unknown_value(self.stream.n, self.x.axes[1])
        states = self.x.shape[0] * self.count * (self.d_k.size or 0) * (self.d_v.size or 0)
        s.reserve(3 * states)  # each with what is kept and changed of it
        heads = [self._head(number, query, key, value, alpha, beta) for number in range(1, self.count + 1)]
        joined = s.record(CONCAT, concatenate, *heads) if len(heads) > 1 else heads[0]
        return s.linear(OUTPUT, joined, "w_o", default=self.x.axes[1]) if s.has("w_o") else s.alias(OUTPUT, joined)

    def _prepared(self, letter: str) -> Value:
        """Queries, keys or values of all heads: projected, convolved, activated. n×d_model → n×(heads·d)."""
        s = self.s
        projected, convolved, activated = OF_ALL_HEADS[letter]
        x = s.linear(projected, self.x, f"w_{letter}")
        conv: Matrix | None = getattr(self.spec, f"conv_{letter}")
        if conv is not None:
            outward = self.of_values if letter == "v" else self.of_keys
            weights = s.given(kind_of(self.spec, f"conv_{letter}"), conv, s.axis("kernel"), outward)
            x = self._convolved(convolved, x, weights)
        if self.spec.activation == "none":
            return x
        kind = activated._replace(reason=f"activation.{self.spec.activation}")
        return s.record(kind, ACTIVATIONS[self.spec.activation], x)

    def _convolved(self, kind: Kind, x: Value, weights: Value) -> Value:
        """Each feature over its last rows; with a cache the first of them are those of earlier passes."""
        s, before = self.s.under(kind.name), weights.shape[0] - 1
        kept = s.recorder.earlier(CACHE.name) if self.first and before > 0 else None
        if self.is_kept and before > 0:
            self._keep_rows(s, x, kept, before)
        return self.s.record(kind, causal_convolution, x, weights, kept)

    def _keep_rows(self, s: Scope, x: Value, kept: Value | None, before: int) -> None:
        """The last rows, which the convolutions of later passes read."""
        whole = x
        if kept is not None:
            rows = (*kept.rows, *x.rows)
            whole = s.record(s.recorder.number_kind(WINDOW), append_rows, kept, x, rows=rows, copied=x)
        count = whole.shape[0]
        if count <= before:
            s.alias(CACHE, whole)
        else:
            last = tuple(range(count - before, count))
            s.record(CACHE, select_rows, whole, settings={"indices": last}, rows=whole.rows[last[0] :], copied=x)

    def _decay(self) -> Value:
        """alpha = e^(−time_step·rate), n×heads. Gu and Dao 2024, Mamba, §3.6; Yang et al. 2024, §3.4."""
        s = self.s
        logits = s.linear(DECAY_LOGITS, self.x, "w_alpha")
        if (bias := s.vector("b_alpha", s.axes["heads"])) is not None:
            logits = s.record(BIASED_DECAY_LOGITS, add, logits, bias)
        step = s.record(TIME_STEP, softplus, logits)
        logarithm = s.vector("a_log", s.axes["heads"])
        if logarithm is None:
            forgetting = s.alias(FORGETTING, step)
        else:
            forgetting = s.record(FORGETTING, multiply, step, s.record(RATE, exponential, logarithm))
        return s.record(ALPHA, exponential, s.record(LOG_DECAY, negative, forgetting))

    def _head(self, number: int, query: Value, key: Value, value: Value, alpha: Value | None, beta: Value) -> Value:
        """What one head reads of its state after each token, and makes of it, n×d_v."""
        s, at = self.s.under(f"head.{number}"), number - 1
        rows = [
            self._of_group(number, QUERY, query),
            self._of_group(number, KEY, key),
            _columns(s, VALUE, value, at, self.count),
            _columns(s, BETA, beta, at, self.count),
            *([] if alpha is None else [_columns(s, ALPHA, alpha, at, self.count)]),
        ]
        state = s.recorder.earlier(f"token.{self.first}.{STATE.name}") if self.first else None
        answers = []
        for place, label in enumerate(self.stream.labels or self.x.rows):
            token = s.under(f"token.{self.first + place + 1}")
            own = [_row(token, kind, one, place, label) for kind, one in zip(OWN, rows, strict=False)]
            state = _change_state(token, state, *own[1:])
            answers.append(token.record(ANSWER, matrix_product, own[0], state))
        if len(answers) == 1:
            return self._finished(s, s.alias(HEAD_OUTPUT, answers[0]), at)
        return self._finished(s, s.record(HEAD_OUTPUT, append_rows, *answers, rows=self.x.rows), at)

    def _of_group(self, number: int, kind: Kind, whole: Value) -> Value:
        """Queries or keys, recorded for the first head of a group; to the others' paths they answer too."""
        group, place = divmod(number - 1, self.count // self.key_count)
        own = self.s.under(f"head.{number - place}")
        if not place:
            self._of_first[kind.name] = self._normed(own, kind, _columns(own, kind, whole, group, self.key_count))
        else:
            for value in self._of_first[kind.name]:
                self.s.under(f"head.{number}").recorder.alias_all(value, own.recorder)
        return self._of_first[kind.name][-1]

    def _normed(self, s: Scope, kind: Kind, x: Value) -> list[Value]:
        """A head's queries or keys, of length 1 each; queries then divided by √d_k."""
        steps = [x]
        if self.spec.qk_norm == "l2":
            under, settings = s.under(f"{kind.name}_norm"), {"epsilon": self.spec.epsilon}
            named = index_kinds(under)
            length = under.record(named(LENGTH), root_of_squares, x, settings=settings)
            steps += [length, under.record(named(OF_LENGTH_1), divide_rows, x, length)]
            s.recorder.compose(steps[-1], l2_norm, (x,), settings, {"length": length})
        if kind is QUERY and self.spec.scale == "sqrt_d_k":
            root = {"root_of": x.shape[1], "name": "d_k"}
            steps.append(s.record(SCALED_QUERY, divide_by_root, steps[-1], settings=root))
        return steps

    def _finished(self, s: Scope, output: Value, at: int) -> Value:
        """The output of a head, n×d_v: normed and let through by its gate, where it has them."""
        if self.norm is not None:
            output = self.norm(s.under("output_norm"), output)[-1]
        if self.gate is None:
            return output
        return s.record(GATED, multiply, output, _columns(s, GATE_ACTIVATION, self.gate, at, self.count))


def _change_state(s: Scope, before: Value | None, k: Value, v: Value, beta: Value, alpha: Value | None = None) -> Value:
    """α·S + kᵀ·β(v − k·α·S), d_k×d_v; before the first token there is no state."""
    kept, error = before, v
    if before is not None:
        kept = before if alpha is None else s.record(KEPT, scale_by_number, before, alpha)
        error = s.record(ERROR, subtract, v, s.record(READ, matrix_product, k, kept))
    change = s.record(CHANGE, transposed_product, k, s.record(WRITTEN, scale_by_number, error, beta))
    return s.alias(STATE, change) if kept is None else s.record(STATE, add, kept, change)


def _columns(s: Scope, kind: Kind, whole: Value, at: int, count: int) -> Value:
    """The columns of one of several heads; of a single one, all."""
    if count == 1:
        return s.alias(kind, whole)
    own = whole.shape[1] // count
    return s.record(kind, take_columns, whole, settings={"start": at * own, "stop": (at + 1) * own})


def _row(s: Scope, kind: Kind, whole: Value, place: int, label: str) -> Value:
    """The row of one token; of a single one, the matrix."""
    if whole.shape[0] == 1:
        return s.alias(kind, whole)
    return s.record(kind, select_rows, whole, settings={"indices": (place,)}, rows=(label,))


def check_heads(s: Scope) -> None:
    """Heads of keys are shared evenly, and each setting has something to act on."""
    spec: LinearAttention = s.section
    count, key_heads = spec.num_heads, spec.num_key_heads
    if key_heads is not None and count % key_heads:
        fault = f"num_key_heads is {key_heads}, which {count} heads (num_heads) cannot share evenly"
        s.problems.fault(spec, "num_key_heads", fault)
    if spec.output_norm is not None and spec.output_norm.over == "all":
        fault = "output_norm norms each head by itself: over: all is for the queries and keys of an attention"
        s.problems.fault(spec.output_norm, "over", fault, "remove it")


def _settle_widths(s: Scope, of_keys: Multiple, of_values: Multiple, d_model: Axis) -> None:
    """What the weights say of d_k and d_v; heads of weights made by `init` divide d_model evenly."""
    spec: LinearAttention = s.section
    widths = {"q": of_keys, "k": of_keys, "v": of_values}
    for letter, width in widths.items():
        matrix: Matrix | None = getattr(spec, f"w_{letter}")
        if matrix is not None and matrix.init is None:
            width.settle(matrix.rows if s.calculation.out_in else matrix.columns)
    for letter, width in widths.items():
        part = Projection(letter, spec, HeadSlice(0, width.count, "heads"))
        settle_width(s, part, width.axis, of_keys.axis, d_model, spec.num_heads)
