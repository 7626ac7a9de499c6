// Reads {scripts, data, calls} on standard input; calls are [function, …arguments] of the engine. Writes what they give.
"use strict";

const { scripts, data, calls } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const makeEngine = (0, eval)(`${scripts};[makeEngine, makeApi]`)[0];
const engine = makeEngine(JSON.parse(data));

/** JSON has no infinity and no NaN. */
const said = (x) => (typeof x === "number" && !isFinite(x) ? String(x) : x);

const all = {
  every: () => engine.steps.map((_, k) => Array.from(engine.numbers(k), said)),
  everyLine: () => cells((k, row, column) => engine.line(k, row, column)),
  everyText: () => cells((k, row, column) => engine.text(k, row, column)),
  lines: (chosen) => chosen.map((cell) => engine.line(...cell)),
  everyChanged: () => engine.steps.map((_, k) => engine.changed(k)),
  everyHalted: () => engine.steps.map((_, k) => engine.halted(k)),
  numbers: (k) => Array.from(engine.numbers(k), said),
  find: (path) => engine.find(path),
  editable: (k) => engine.steps[k].editable,
  /** Everything is calculated again: each given number becomes another, and itself again. */
  again: () => {
    for (const [k, step] of engine.steps.entries())
      for (let at = 0; at < step.size && step.editable; at++) {
        const place = [Math.floor(at / step.m), at % step.m], x = engine.numbers(k)[at];
        if (isFinite(x)) {
          engine.set(k, ...place, x + 1);
          engine.set(k, ...place, x);
        }
      }
  },
};

const cells = (of) =>
  engine.steps.map((step, k) => Array.from({ length: step.size }, (_, at) => of(k, Math.floor(at / step.m), at % step.m)));

const results = calls.map(([name, ...args]) => {
  try {
    return (all[name] || engine[name])(...args) ?? null;
  } catch (error) {
    return { error: error.message };
  }
});
process.stdout.write(JSON.stringify(results));
