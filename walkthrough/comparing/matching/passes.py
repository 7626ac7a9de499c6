"""Which pass of the calculation a call of a module is: NAME@K is the K-th call of NAME."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable
from functools import cache

from walkthrough.comparing.matching.files import TensorsError
from walkthrough.recording.trace import Trace
from walkthrough.text import escape_label, pluralize, whole_number

GRADIENT = ".grad"
"""How the name of a gradient ends, of what a module returned or of a parameter."""
OF_A_STEP = {GRADIENT: ("gradient",), ".clipped": ("clipped", "gradient"), ".update": ("update",)}
"""How names end that say what a step of an optimizer did to a parameter; what our paths of it begin with."""
ROOT = ("output", "logits", "last_hidden_state")
"""What the model itself returns, as `capture` and models of transformers call it."""
_NUMBERED = re.compile(r"(generate|train)\.(\d+)\.")
_NO_PASS = re.compile(r"(?:^|\.)(example|beam)\.\d+\.")


class PassTrace(Trace):
    """The values of one pass, by their path within it."""

    def __init__(self, trace: Trace, prefix: str) -> None:
        super().__init__(trace.title)
        within = {path.removeprefix(prefix): value for path, value in trace.items() if path.startswith(prefix)}
        self.values = {path: value for path, value in within.items() if value.path == prefix + path}
        self.aliases = {path: value for path, value in within.items() if path not in self.values}


class Passes:
    """The passes of a trace, and how often each module was called, as names of tensors tell."""

    def __init__(self, names: Iterable[str], trace: Trace) -> None:
        calls, names = Counter[str](), set(names)
        bare = (split_call(name)[0] for name in names)
        self._stepped = {name.removesuffix(".clipped") for name in bare if name.endswith(".clipped")}
        for name in names:
            module, number = split_call(name)
            if self.is_of_a_step(module):
                continue
            calls[module.removesuffix(GRADIENT)] = max(calls[module.removesuffix(GRADIENT)], number)
        self._calls = calls
        usual = Counter(calls.values()).most_common(1)
        self._runs = next((calls[name] for name in ROOT if name in calls), usual[0][0] if usual else 1)
        self._trace = trace
        self._prefixes = prefixes_of(trace)
        paths = (_NO_PASS.search(path) for path in trace.values)
        self._no_pass = next((found[1] for found in paths if found), "")
        self._pass = cache(self._view)

    @property
    def first(self) -> Trace:
        """The first pass, with the matrices of the scenario."""
        return self._pass(1)

    def is_of_a_step(self, bare: str) -> bool:
        """Whether it is what a step of an optimizer did to a parameter."""
        return bare.rpartition(".")[0] in self._stepped and f".{bare.rpartition('.')[2]}" in OF_A_STEP

    def find(self, name: str, uses: Callable[[str], int]) -> tuple[str, Trace, int]:
        """The name without the number of its call, the pass that this call was, and which of several calls in it.

        The last is 0 where the module is called once in a pass. Several are told apart where as many steps use the
        parameters of the module (uses says how many). A TensorsError says why it is no pass. A parameter has one
        gradient: that of the last pass with gradients.
        """
        bare, number = split_call(name)
        module = bare.removesuffix(GRADIENT)
        count = self._calls[module]
        if self.is_of_a_step(bare):
            return bare, self._of_step(number), 0
        if number == count == 1:
            return bare, self.first, 0
        called = f"{escape_label(module)} was called {_times(count)}"
        if self._no_pass:
            more = "; capture(…, gradients=True) has what each step does" if self._no_pass == "example" else ""
            why = f"{called}; where there are {self._no_pass}s, a call is no one pass"
            raise TensorsError(why + ("" if self._stepped else more))
        each, rest = divmod(count, self._runs)
        if rest or (each > 1 and each > uses(module)):
            again = f"a further call of {escape_label(module)}"
            runs = f"{called} while the model ran {_times(self._runs)}, so that a call is no one step"
            raise TensorsError(again if number > 1 else runs)
        before, turn = divmod(number - 1, each)
        if before >= len(self._prefixes):
            raise TensorsError(f"call {number} of {escape_label(module)}: the scenario has {_passes(self._prefixes)}")
        return bare, self._pass(before + 1), turn + 1 if each > 1 else 0

    def _of_step(self, number: int) -> Trace:
        """The pass before a step of an optimizer."""
        if number > self._steps:
            raise TensorsError(f"step {number}: the scenario has {pluralize(self._steps, 'step')} of training")
        return self._pass(number)

    @property
    def last_step(self) -> Trace:
        """The pass before the last step of an optimizer, or the only one."""
        return self._pass(self._steps)

    @property
    def _steps(self) -> int:
        """How many passes have gradients: all but one after training, which is the last."""
        return sum(prefix != "trained." for prefix in self._prefixes)

    def last_trained(self) -> Trace:
        """The last pass whose gradients somebody could have: the model may have run once more after it."""
        return self._pass(min(self._runs, self._steps))

    def _view(self, number: int) -> Trace:
        prefix = self._prefixes[number - 1]
        return PassTrace(self._trace, prefix) if prefix else self._trace


def split_call(name: str) -> tuple[str, int]:
    """The name of a tensor without `@K`, and K; 1 where there is none."""
    bare, at, number = name.rpartition("@")
    call = whole_number(number)
    return (bare, call) if at and call else (name, 1)


def is_returned(name: str) -> bool:
    """Whether a tensor is what the model itself returned, or of it."""
    return split_call(name)[0].partition(".")[0] in ROOT


_ITEM = re.compile(r"(.+?)((?:\.\d+)+)((?:\.grad)?(?:@\d+)?)")


def beside_what(name: str, names: Container[str], losses: Container[str] = ()) -> str:
    """The first item, or that behind a loss, of the tuple whose further item NAME.1 is; empty for any other name."""
    if (found := _ITEM.fullmatch(name)) is None:
        return ""
    before, numbers, ending = found.groups()
    while numbers:
        numbers, _, last = numbers.rpartition(".")
        module = before + numbers
        if int(last) and f"{module}{ending}" in names and f"{module}.0{ending}" not in names:
            items = (f"{module}{ending}", *(f"{module}.{at}{ending}" for at in range(1, int(last))))
            return next((one for one in items if one not in losses), "")
    return ""


def prefixes_of(trace: Trace) -> list[str]:
    """What the paths of each pass begin with, in order."""
    numbers = Counter[str]()
    for path in trace.values:
        if found := _NUMBERED.match(path):
            numbers[found[1]] = max(numbers[found[1]], int(found[2]))
    passes = [f"train.{number}." for number in range(1, numbers["train"] + 1)] or [""]
    passes += [f"generate.{number}." for number in range(2, numbers["generate"] + 1)]
    return [*passes, "trained."] if any(path.startswith("trained.") for path, _ in trace.items()) else passes


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _passes(prefixes: list[str]) -> str:
    return pluralize(len(prefixes), "pass", "passes")
