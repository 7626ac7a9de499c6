// What a page knows of its steps and never changes: shapes, labels, where each comes from, the recorded numbers.
import { SPECIAL, readExpression, unfold } from "../expressions/expressions.js";
import { compile } from "../expressions/kernels.js";
import { longestSum } from "../writing/lines.js";
import { GivenWords } from "./words.js";

/** One matrix of the calculation, without the numbers that it has now. */
export class Step {
  /** @param {StoredStep} stored @param {number} k @param {Data} data */
  constructor(stored, k, data) {
    this.k = k;
    this.path = stored.path;
    /** Its path in the pass that it is in. */
    this.inner = stored.path.slice(stored.pass ?? 0);
    this.aliases = stored.aliases ?? [];
    this.symbol = stored.symbol;
    this.formula = stored.formula ?? "";
    this.rows = stored.shape[0];
    this.columns = stored.shape[1];
    this.size = this.rows * this.columns;
    this.rowLabels = labelsOf(data, stored.rowLabels, this.rows);
    this.columnLabels = labelsOf(data, stored.columnLabels, this.columns);
    this.inputs = stored.inputs ?? [];
    this.pieces = stored.pieces ?? [];
    this.isGiven = !stored.pieces;
    this.isEditable = stored.isEditable ?? false;
    this.isAsGiven = stored.isAsGiven ?? false;
    /** By hand a given matrix is rounded if a rule or a file has made it, but for the cells that are written down. */
    this.isRounded = stored.isRounded ?? !this.isGiven;
    this.isFixed = stored.isFixed ?? false;
    this.isShare = stored.isShare ?? false;
    this.written = stored.written ?? [];
    this.matrix = stored.matrix;
    /** The columns with ids. */
    this.ids = stored.ids ?? [];
    this.counts = stored.counts ?? [];
    this.words = stored.words === undefined ? null : data.words[stored.words];
    this.digits = stored.digits;
    this.bound = stored.bound;
    this.drawn = stored.drawn;
    this.chosenBy = stored.chosenBy;
    this.shownWith = stored.shownWith;
    this.stop = stored.stop;
    /** Those that its expressions give to the last bit are not stored. */
    this.recorded = Float64Array.from(stored.numbers ?? [], (x) => (typeof x === "string" ? SPECIAL[x] : (x ?? NaN)));
    this.hasUnknown = stored.numbers?.includes(null) ?? false;
    /** @type {Step[]} */
    this.users = [];
  }

  /** @param {number} row @param {number} column */
  nameOf(row, column) {
    return `${this.path}[${this.rowLabels[row]}, ${this.columnLabels[column]}]`;
  }

  /** Whether a number, counted row by row, is an id, which is no quantity.  @param {number} at */
  isId(at) {
    return this.ids.includes(at % this.columns);
  }

  /** Whether the ids of a column stand for words.  @param {number} column */
  isWord(column) {
    return this.words !== null && this.ids.includes(column) && !this.counts.includes(column);
  }
}

/** All steps, and what they share. */
export class Model {
  /** @param {Data} data */
  constructor(data) {
    this.decimals = data.decimals;
    this.rounding = data.rounding;
    this.format = data.format;
    this.rules = data.rules;
    this.selectors = data.selectors;
    this.film = data.film;
    this.passes = data.passes;
    /** The arithmetic of the recorded numbers. */
    this.arithmetic = { byHand: data.byHand, asked: data.asked };
    this.expressions = data.expressions.map(readExpression);
    /** @type {import("../expressions/kernels.js").Kernel[]} */
    this.kernels = [];
    /** @type {number[]} */
    this.terms = [];
    this.steps = data.steps.map((stored, k) => new Step(stored, k, data));
    /** The steps whose numbers decide which steps there are. */
    this.deciding = this.steps.filter(
      ({ bound, chosenBy, counts, stop }) => bound || chosenBy !== undefined || counts.length || stop,
    );
    /** The words that can be exchanged. */
    this.words = data.tokens ? new GivenWords(this, data.tokens, data.labels) : null;
    /** @type {Map<string, number>} */
    this.paths = new Map();
    for (const step of this.steps) {
      for (const path of [step.path, ...step.aliases]) if (!this.paths.has(path)) this.paths.set(path, step.k);
      const read = [...step.inputs, step.chosenBy ?? [], step.stop?.[2] ?? []].flat();
      for (const input of new Set(read)) this.steps[input].users.push(step);
      if (!data.steps[step.k].numbers) step.recorded = this.compute(step, (k) => this.steps[k].recorded);
    }
  }

  /** A step's numbers, from those of its inputs.  @param {Step} step @param {(k: number) => Float64Array} numbersOf */
  compute({ inputs, columns, pieces, size }, numbersOf) {
    const array = new Float64Array(size);
    const widths = inputs.map((input) => this.steps[input].columns);
    const at = { row: 0, column: 0, runs: [], arrays: inputs.map(numbersOf), widths };
    for (const piece of pieces) {
      const [top, height, down] = piece.rows;
      const [left, width, right] = piece.columns;
      const kernel = this.kernel(piece.expression);
      for (let i = 0; i < height; i++) {
        at.row = top + i * down;
        for (let j = 0; j < width; j++) {
          at.column = left + j * right;
          array[at.row * columns + at.column] = kernel(at);
        }
      }
    }
    return array;
  }

  /** How the number of a cell comes about.  @param {Place} place @returns {any} */
  expressionAt(...[k, row, column]) {
    const isIn = (/** @type {number} */ at, /** @type {Every} */ [start, count, by]) =>
      (at - start) % by === 0 && at >= start && at < start + count * by;
    const piece = this.steps[k].pieces.find(({ rows, columns }) => isIn(row, rows) && isIn(column, columns));
    return unfold(this.expressions[piece?.expression ?? -1], [1, row, column]);
  }

  /** @param {number} expression */
  kernel(expression) {
    return (this.kernels[expression] ??= compile(this.expressions[expression]));
  }

  /** How many terms the longest sum has that a number of a step comes from.  @param {Step} step */
  termsOf(step) {
    return (this.terms[step.k] ??= Math.max(
      1,
      ...step.pieces.map(({ expression }) => longestSum(this.expressions[expression])),
    ));
  }

  /** The step of a number; an error where there is no such cell.  @param {number} k @param {number} row @param {number} column */
  stepAt(k, row, column) {
    const step = this.steps[k];
    if (!step) throw new Error(`there is no step ${k}`);
    const isIn = (/** @type {number} */ at, /** @type {number} */ count) =>
      Number.isInteger(at) && at >= 0 && at < count;
    if (!isIn(row, step.rows) || !isIn(column, step.columns))
      throw new Error(
        `${step.path} has ${step.rows} rows and ${step.columns} columns, counted from 0: no cell ${row}, ${column}`,
      );
    return step;
  }

  /** These steps and all that come from them, in order.  @param {Iterable<number>} from */
  reach(from) {
    /** @type {Set<number>} */
    const found = new Set();
    const waiting = [...from];
    for (let k = waiting.pop(); k !== undefined; k = waiting.pop()) {
      if (found.has(k)) continue;
      found.add(k);
      for (const user of this.steps[k].users) waiting.push(user.k);
    }
    return [...found].sort((one, other) => one - other);
  }
}

/** @param {Data} data @param {number | undefined} table @param {number} count */
const labelsOf = (data, table, count) =>
  table === undefined ? Array.from({ length: count }, (_, at) => String(at + 1)) : data.labels[table];
