// The state of a page's numbers: the arithmetic, the current changes, and the numbers of every step.
import { largest } from "../expressions/functions.js";
import { roundingTo } from "./formats.js";
import { roundTo } from "../writing/numbers.js";
import { say } from "../writing/language.js";

/** @typedef {{ byHand: boolean, asked: number | null }} Arithmetic  asked: the decimals that the user has asked for */
/** @typedef {{ x: number, place: Place, cells: Place[], name: string }} Edit  cells: all that hold the changed number */
/**
 * The numbers of one step, before any change and now; typed: of a given one, before a number format has rounded them; isOther: it would choose others. Times are those of the calculation's clock.
 * @typedef {{
 *   first: Float64Array, now: Float64Array, typed: Float64Array, isStale: boolean, wasStale: boolean, isOther: boolean,
 *   changed: number, computed: number, checked: number, display: import("./shown.js").Display,
 * }} Numbers
 */

/** In place of the step: an edit is of a word, its row the place in the text, its number the row of the table. */
export const WORD = -1;

export const same = (/** @type {number} */ x, /** @type {number} */ y) => x === y || (x !== x && y !== y);

/**
 * Whether a table of the best, with their ids, would now have others: then there are other steps behind it.
 * @param {Step} step @param {Float64Array} array
 */
const choosesOthers = (step, array) =>
  step.counts.length > 0 && array.some((x, at) => step.isId(at) && !same(x, step.recorded[at]));

/** Numbers are recalculated when they are asked for. */
export class Calculation {
  /** @param {Model} model @param {Arithmetic} arithmetic */
  constructor(model, arithmetic) {
    this.model = model;
    this.steps = model.steps;
    this.arithmetic = arithmetic;
    this.clock = 1;
    /** @type {Map<string, Edit>} */
    this.edits = new Map();
    /** @type {Numbers[]} */
    this.numbers = [];
    const { byHand, asked } = model.arithmetic;
    const isRecorded = arithmetic.byHand === byHand && (!byHand || !!model.format || arithmetic.asked === asked);
    for (const step of this.steps) this.#begin(step, isRecorded);
  }

  /** The same changes in another arithmetic.  @param {Arithmetic} arithmetic */
  withArithmetic(arithmetic) {
    const { words } = this.model;
    words?.reset(); // the first numbers are those of the first words
    const other = new Calculation(this.model, arithmetic);
    for (const { x, place } of this.edits.values()) other.set(...place, x);
    return other;
  }

  /**
   * The first numbers of a step: the recorded ones, or in another arithmetic new ones. What is stale keeps its own.
   * @param {Step} step @param {boolean} isRecorded
   */
  #begin(step, isRecorded) {
    const { recorded } = step;
    const states = { isStale: false, wasStale: false, isOther: false, changed: 1, computed: 1, checked: 1 };
    const numbers = { first: recorded, now: recorded, typed: recorded, ...states, display: {} };
    this.numbers[step.k] = numbers;
    if (!isRecorded) numbers.isStale = numbers.wasStale = this.#isStale(step);
    if (step.isGiven) numbers.first = this.#givenNumbers(step);
    else if (!isRecorded && !numbers.isStale) {
      const array = this.#compute(step);
      numbers.isStale = numbers.wasStale = numbers.isOther = choosesOthers(step, array);
      if (!numbers.isOther) numbers.first = array;
    }
    numbers.now = numbers.first;
  }

  /** @param {Step} step */
  #givenNumbers(step) {
    if (!this.#isInFormat(step) && !(this.arithmetic.byHand && step.isRounded)) return step.recorded;
    const array = step.recorded.slice();
    this.#round(step, array);
    if (!this.model.format) for (const at of step.written) array[at] = step.recorded[at];
    return array;
  }

  /** Whether a number format rounds a step.  @param {Step} step */
  #isInFormat(step) {
    return this.arithmetic.byHand && !!this.model.format && !step.isFixed;
  }

  /** @param {Step} step */
  digitsOf(step) {
    const { asked } = this.arithmetic;
    const all = { count: asked ?? this.model.rounding, significant: false };
    return asked === null ? (step.digits ?? all) : all;
  }

  /** @param {Step} step @param {Float64Array} array */
  #round(step, array) {
    if (this.model.format && step.isFixed) return;
    const round = this.#rounding(step, array);
    for (let at = 0; at < array.length; at++) if (!step.isId(at)) array[at] = round(array[at]);
  }

  /** How a number of a step is rounded, among these.  @param {Step} step @param {Float64Array} numbers */
  #rounding(step, numbers) {
    const { format } = this.model;
    if (format) {
      const quantities = numbers.filter((_, at) => !step.isId(at));
      return roundingTo(format, quantities);
    }
    const digits = this.digitsOf(step);
    return (/** @type {number} */ x) => roundTo(x, digits);
  }

  /** A number as a step would have it: in a number format rounded to that.  @param {Step} step @param {number} x */
  asHeld(step, x) {
    return this.#isInFormat(step) ? this.#rounding(step, this.numbers[step.k].now)(x) : x;
  }

  /** @param {Step} step */
  #compute(step) {
    const array = this.model.compute(step, (k) => this.numbers[k].now);
    if (this.arithmetic.byHand) this.#round(step, array);
    return array;
  }

  /** The numbers of a step, up to date: first what it comes from.  @param {Step} step */
  update(step) {
    const numbers = this.numbers[step.k];
    if (numbers.checked === this.clock || (step.isGiven && step.chosenBy === undefined)) return numbers;
    numbers.checked = this.clock;
    const newest = step.inputs.reduce((time, input) => Math.max(time, this.update(this.steps[input]).changed), 0);
    numbers.isStale = this.#isStale(step);
    if (numbers.isStale || step.isGiven) return numbers;
    if (newest > numbers.computed) {
      numbers.computed = this.clock;
      const array = this.#compute(step);
      numbers.isOther = choosesOthers(step, array);
      if (!numbers.isOther && array.some((x, at) => !Object.is(x, numbers.now[at]))) this.#put(numbers, array);
    }
    numbers.isStale = numbers.isOther;
    return numbers;
  }

  /** Whether changed numbers would alter which steps are calculated.  @param {Step} step */
  #isStale(step) {
    if (step.inputs.some((input) => this.numbers[input].isStale)) return true;
    const { bound, inputs, stop } = step;
    if (bound && isWithin(this.numbers[inputs[0]].now, this.steps[inputs[0]], bound.size) !== bound.isKept) return true;
    if (stop && this.#isOver(step, stop) !== stop[3]) return true;
    if (step.chosenBy === undefined) return false;
    const chooser = this.steps[step.chosenBy];
    const numbers = this.update(chooser);
    const word = chooser.size - chooser.columns;
    const place = this.model.words?.chosen.get(chooser.k) ?? -1;
    const wanted = place < 0 ? chooser.recorded[word] : (this.model.words?.now[place] ?? NaN);
    return numbers.isStale || !same(numbers.now[word], wanted);
  }

  /**
   * Whether nothing is better than the last that has been kept: a number of the first input, divided, is not above it.
   * @param {Step} step @param {[number, number, number, boolean]} stop
   */
  #isOver(step, [at, divisor, scores]) {
    const last = this.update(this.steps[scores]).now.at(-1) ?? NaN;
    return !(this.numbers[step.inputs[0]].now[at] / this.numbers[divisor].now[0] > last);
  }

  /** @param {Numbers} numbers @param {Float64Array} array */
  #put(numbers, array) {
    numbers.now = array;
    numbers.changed = this.clock;
    numbers.display = {};
  }

  /**
   * Changes a given number; the steps that hold it.
   * @param {number} k @param {number} row @param {number} column @param {number} x
   */
  set(k, row, column, x) {
    if (k === WORD) return this.#setWord(row, x);
    const step = this.model.stepAt(k, row, column);
    const name = step.nameOf(row, column);
    if (typeof x !== "number" || !isFinite(x)) throw new Error(say("not_finite", { item: name }));
    if (!step.isEditable)
      throw new Error(step.isGiven ? say("decisive", { cell: name }) : say("calculated", { cell: name }));
    const cells = this.#sharing(step, row, column);
    const key = String(cells[0]);
    this.clock += 1;
    this.edits.delete(key);
    if (!this.#isFirst(step, row, column, x)) this.edits.set(key, { x, cells, place: [k, row, column], name });
    const { words } = this.model;
    for (const [other, i, j] of cells) {
      const numbers = this.numbers[other];
      const isInFormat = this.#isInFormat(this.steps[other]);
      const array = (isInFormat ? numbers.typed : numbers.now).slice();
      array[i * this.steps[other].columns + j] = x;
      if (isInFormat) {
        numbers.typed = array.slice();
        this.#round(this.steps[other], array);
      }
      this.#put(numbers, array);
    }
    return [...cells.map(([other]) => other), ...(words?.isChanged ? this.#goOn(words) : [])];
  }

  /** Exchanges a given word; the steps that hold it.  @param {number} at @param {number} id */
  #setWord(at, id) {
    const words = /** @type {GivenWords} */ (this.model.words);
    const touched = [...words.lookups, ...words.ids];
    const cells = touched.map((k) => /** @type {Place} */ ([k, at, 0]));
    this.edits.delete(`word ${at}`);
    if (id !== words.first[at]) this.edits.set(`word ${at}`, { x: id, cells, place: [WORD, at, 0], name: "" });
    this.#look(words, at, id);
    if (words.isChanged) this.#goOn(words);
    return touched;
  }

  /** Has another word looked up.  @param {GivenWords} words @param {number} at @param {number} id */
  #look(words, at, id) {
    words.set(at, id);
    this.clock += 1;
    for (const k of words.lookups) this.numbers[k].computed = 0;
    for (const k of words.ids) {
      if (at >= this.steps[k].rows) continue;
      const array = this.numbers[k].now.slice();
      array[at] = id;
      this.#put(this.numbers[k], array);
    }
  }

  /**
   * After other given words a generation goes on with the words that it chooses now, but not behind its last one.
   * @param {GivenWords} words
   */
  #goOn(words) {
    const answer = this.model.film.answer ?? -1;
    const last = answer < 0 ? NaN : this.steps[answer].recorded.at(-2);
    for (const [k, place] of words.chosen) {
      const chooser = this.steps[k];
      const id = this.update(chooser).now[chooser.size - chooser.columns];
      if (id === last || chooser.words?.[id] !== words.vocabulary[id]) break;
      if (id !== words.now[place]) this.#look(words, place, id);
    }
    return [...words.lookups, ...words.ids];
  }

  /**
   * Whether a number is the scenario's, or the one shown without changes: by hand it may be rounded.
   * @param {Step} step @param {number} row @param {number} column @param {number} x
   */
  #isFirst(step, row, column, x) {
    const at = row * step.columns + column;
    const isFirst = same(x, this.numbers[step.k].first[at]);
    return this.#isInFormat(step) ? isFirst || same(x, step.recorded[at]) : isFirst && same(x, step.recorded[at]);
  }

  /**
   * The cells of all steps that hold the same number of the scenario.
   * @param {Step} step @param {number} row @param {number} column
   * @returns {Place[]}
   */
  #sharing({ k, matrix }, row, column) {
    if (!matrix) return [[k, row, column]];
    /** @type {Place[]} */
    const found = [];
    for (const other of this.steps) {
      if (other.matrix?.id !== matrix.id) continue;
      const i = row + matrix.row - other.matrix.row;
      const j = column + matrix.column - other.matrix.column;
      if (i >= 0 && j >= 0 && i < other.rows && j < other.columns) found.push([other.k, i, j]);
    }
    return found;
  }

  /** Takes all changes back; the steps that held them. */
  reset() {
    const touched = [...this.edits.values()].flatMap((edit) => edit.cells.map(([k]) => k));
    if (!touched.length) return [];
    const { words } = this.model;
    words?.reset();
    this.edits.clear();
    this.clock += 1;
    for (const k of this.model.reach(touched)) {
      const numbers = this.numbers[k];
      this.#put(numbers, numbers.first);
      numbers.typed = this.steps[k].recorded;
      numbers.computed = numbers.checked = this.clock;
      numbers.isStale = numbers.isOther = numbers.wasStale;
    }
    return touched;
  }

  /** Whether a number of this step is changed.  @param {Step} step */
  isEdited(step) {
    return [...this.edits.values()].some((edit) => edit.cells.some(([k]) => k === step.k));
  }
}

/**
 * Whether the largest number of each row keeps to a size.
 * @param {Float64Array} array @param {Step} step @param {number} size
 */
function isWithin(array, { rows, columns }, size) {
  for (let row = 0; row < rows; row++)
    if (Math.abs(largest(array.subarray(row * columns, (row + 1) * columns))) > size) return false;
  return true;
}
