// What programs see of a page: `window.walkthrough`.

/** @param {Engine} engine */
export function makeApi(engine) {
  const stepOf = (/** @type {string} */ path) => {
    const k = engine.find(path);
    if (k < 0) throw new Error(`no step is called '${path}'`);
    return k;
  };
  return {
    paths: engine.steps.map((step) => step.path),
    /** @param {string} path */
    values(path) {
      const k = stepOf(path);
      const { rows, columns } = engine.steps[k];
      const numbers = engine.numbers(k);
      const isUnknown = engine.isUnknown(k);
      const known = Array.from(numbers, (x) => (x !== x && isUnknown ? null : x));
      return Array.from({ length: rows }, (_, at) => known.slice(at * columns, (at + 1) * columns));
    },
    /** @param {string} path @param {[row: number, column: number, x: number]} change */
    set: (path, ...change) => engine.set(stepOf(path), ...change),
    /** @param {string} path @param {[row: number, column: number]} cell */
    line: (path, ...cell) => engine.line(stepOf(path), ...cell),
    /** @param {number} at  from 0 @param {string} word */
    word: (at, word) => engine.word(at, word),
    reset: () => engine.reset(),
    undo: () => engine.undo(),
    redo: () => engine.redo(),
    /** @param {string} mode @param {number} [decimals] */
    arithmetic: (mode, decimals) => engine.arithmetic(mode, decimals),
    changes: () => engine.changes(),
  };
}
