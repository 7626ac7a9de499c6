// Answers a line {engine, data, calls}: the address of the module `Engine` is in, the data of a page, and calls
// [function, …arguments] of the engine. Its answer is what they give.
import { answerLines } from "./lines.mjs";

/** JSON has no infinity and no NaN. */
const said = (x) => (typeof x === "number" && !isFinite(x) ? String(x) : x);

const functionsOf = (engine, cells) => ({
  every: () => engine.steps.map((_, k) => Array.from(engine.numbers(k), said)),
  everyLine: () => cells((k, row, column) => engine.line(k, row, column)),
  everyText: () => cells((k, row, column) => engine.text(k, row, column)),
  everyChanged: () => engine.steps.map((_, k) => engine.changed(k)),
  everyStale: () => engine.steps.map((_, k) => engine.isStale(k)),
  editable: (k) => engine.steps[k].isEditable,
  /** Everything is calculated again: each given number becomes another, and itself again. */
  again: () => {
    for (const [k, step] of engine.steps.entries())
      for (let at = 0; at < step.size && step.isEditable; at++) {
        const place = [Math.floor(at / step.columns), at % step.columns];
        const x = engine.numbers(k)[at];
        if (isFinite(x)) {
          engine.set(k, ...place, x + 1);
          engine.set(k, ...place, x);
        }
      }
  },
});

await answerLines(async ({ engine: address, data, calls }) => {
  const { Engine } = await import(address);
  const { setLanguage } = await import(new URL("../writing/language.js", address));
  const parsed = JSON.parse(data);
  setLanguage(parsed.language);
  const engine = new Engine(parsed);
  const cells = (of) =>
    engine.steps.map((step, k) =>
      Array.from({ length: step.size }, (_, at) => of(k, Math.floor(at / step.columns), at % step.columns)),
    );
  const more = functionsOf(engine, cells);
  return calls.map(([name, ...args]) => {
    try {
      return (more[name] ?? engine[name].bind(engine))(...args) ?? null;
    } catch (error) {
      return { error: error.message };
    }
  });
});
