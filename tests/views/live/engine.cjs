// Reads {scripts, data, calls} on standard input; calls are [function, …arguments] of the engine. Writes what they give.
"use strict";

const { scripts, data, calls } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const makeEngine = (0, eval)(`${scripts};[makeEngine, makeApi]`)[0];
const engine = makeEngine(JSON.parse(data));

/** JSON has no infinity and no NaN. */
const said = (x) => (typeof x === "number" && !isFinite(x) ? String(x) : x);

const all = {
  every: () => Array.from({ length: engine.count }, (_, k) => Array.from(engine.numbers(k), said)),
  everyLine: () => cells((k, row, column) => engine.line(k, row, column).text),
  everyText: () => cells((k, row, column) => engine.text(k, row, column)),
  lines: (chosen) => chosen.map((cell) => engine.line(...cell).text),
  everyChanged: () => Array.from({ length: engine.count }, (_, k) => engine.changed(k)),
  everyHalted: () => Array.from({ length: engine.count }, (_, k) => engine.halted(k)),
  numbers: (k) => Array.from(engine.numbers(k), said),
  find: (path) => engine.find(path),
  /** Everything is calculated again: each given number becomes another, and itself again. */
  again: () => {
    for (let k = 0; k < engine.count; k++)
      for (let at = 0; at < engine.numbers(k).length && engine.editable(k); at++) {
        const place = [Math.floor(at / engine.columns(k)), at % engine.columns(k)], x = engine.numbers(k)[at];
        if (isFinite(x)) {
          engine.set(k, ...place, x + 1);
          engine.set(k, ...place, x);
        }
      }
  },
};

const cells = (of) =>
  Array.from({ length: engine.count }, (_, k) =>
    Array.from({ length: engine.rows(k) * engine.columns(k) }, (_, at) => of(k, Math.floor(at / engine.columns(k)), at % engine.columns(k))));

const results = calls.map(([name, ...args]) => {
  try {
    return (all[name] || engine[name])(...args) ?? null;
  } catch (error) {
    return { error: error.message };
  }
});
process.stdout.write(JSON.stringify(results));
