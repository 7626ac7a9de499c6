// How the numbers of a step are shown: one precision for all, without what rounding has left of a 0.
import { largestSize } from "../expressions/functions.js";
import { cancels, clean, makeChoices } from "../writing/lines.js";
import {
  LARGE,
  MOST_PLACES,
  allDigits,
  digitsOf,
  digitsText,
  power10,
  writeScientific,
  typesetSigns,
  dropLastBits,
  writeNumber,
} from "../writing/numbers.js";
import { escapeLabel } from "../writing/text.js";

/**
 * How all numbers of a step are written. isWhole: without decimals where they are none; isTiny: with a power of ten;
 * isExact: to the last bit; missing: what stands for NaN; digits: those of by-hand arithmetic
 * @typedef {{
 *   decimals: number, isWhole: boolean, isTiny: boolean, isExact: boolean, missing: string,
 *   digits: Digits | null,
 * }} Style
 */
/**
 * What has been found out about the numbers that a step has now.
 * @typedef {{ size?: number, isUnknown?: boolean, residues?: Map<number, boolean>, suspect?: number, style?: Style, texts?: string[] }} Display
 */

const SUSPECT = 1e-9;

/** Shows the numbers of a calculation, of steps that are up to date. */
export class Shown {
  /** @param {Calculation} calculation */
  constructor(calculation) {
    this.calculation = calculation;
    this.model = calculation.model;
    this.steps = calculation.steps;
  }

  /** @param {Step} step */
  #numbers(step) {
    return this.calculation.numbers[step.k].now;
  }

  /** @param {Step} step */
  #display(step) {
    return this.calculation.numbers[step.k].display;
  }

  /** The numbers of the cells that the expressions of a step read.  @param {Step} step @returns {CellNumber} */
  operandsOf(step) {
    return (operand, row, column) => {
      const given = this.steps[step.inputs[operand]];
      return this.#numbers(given)[row * given.columns + column];
    };
  }

  /** How far by-hand arithmetic has rounded the numbers of a step, or null.  @param {Step} step */
  #digits(step) {
    const { calculation } = this;
    if (!calculation.arithmetic.byHand || !step.isRounded || this.model.format) return null;
    return step.isGiven && (step.written.length || calculation.isEdited(step)) ? null : calculation.digitsOf(step);
  }

  /** @param {Step} step */
  #size(step) {
    return (this.#display(step).size ??= largestSize(this.#numbers(step)));
  }

  /**
   * Whether a step has unknown numbers, as rows that it leaves out have, or is computed from some.
   * @param {Step} step
   * @returns {boolean}
   */
  isUnknown(step) {
    return (this.#display(step).isUnknown ??=
      (step.hasUnknown && this.#numbers(step).some((x) => x !== x)) ||
      step.inputs.some((input) => this.isUnknown(this.steps[input])));
  }

  /**
   * Whether a number is 0 but for what rounding has left of a sum: its own, or that of a number it comes from.
   * @param {Step} step @param {number} at
   */
  #isResidue(step, at) {
    const number = this.#numbers(step)[at];
    if (step.isGiven || !this.#isSuspect(step, number)) return false;
    const known = (this.#display(step).residues ??= new Map());
    const found = known.get(at) ?? this.#cancels(step, at, number);
    known.set(at, found);
    return found;
  }

  /** @param {Step} step @param {number} at @param {number} number */
  #cancels(step, at, number) {
    const exact = this.operandsOf(step);
    const column = at % step.columns;
    const expression = makeChoices(this.model.expressionAt(step.k, (at - column) / step.columns, column), exact);
    /** @type {CellNumber} */
    const shown = (operand, i, j) => {
      const given = this.steps[step.inputs[operand]];
      return this.#isResidue(given, i * given.columns + j) ? 0 : exact(operand, i, j);
    };
    return clean(expression, shown) === 0 || cancels(expression, number, exact);
  }

  /** @param {Step} step @param {number} x */
  #isSuspect(step, x) {
    const largest = () => Math.max(1, ...step.inputs.map((input) => this.#size(this.steps[input])));
    return x !== 0 && isFinite(x) && Math.abs(x) < (this.#display(step).suspect ??= SUSPECT * largest() ** 2);
  }

  /** A number as it is shown, without its last bits.  @param {Step} step @param {number} row @param {number} column */
  number(step, row, column) {
    return this.#numberAt(step, row * step.columns + column);
  }

  /** So, but for the last bits, which are dropped where it is written.  @param {Step} step @param {number} at */
  #clean(step, at) {
    return this.#isResidue(step, at) ? 0 : this.#numbers(step)[at];
  }

  /** @param {Step} step @param {number} at */
  #numberAt(step, at) {
    const number = this.#clean(step, at);
    return this.#isExact(step) ? number : dropLastBits(number, this.model.termsOf(step));
  }

  /** @param {Step} step */
  #isExact(step) {
    return !step.isRounded || this.#digits(step) !== null;
  }

  /** @param {Step} step */
  #decimals(step) {
    const { byHand, asked } = this.calculation.arithmetic;
    const shown = asked ?? this.model.decimals;
    if (!byHand || !step.isGiven || this.model.format || this.#digits(step)) return shown;
    if (this.#size(step) >= LARGE) return MOST_PLACES + 1;
    return this.#numbers(step).reduce((most, x) => (isFinite(x) && x ? Math.max(most, -digitsOf(x)[1]) : most), 0);
  }

  /** @param {Step} step */
  style(step) {
    return (this.#display(step).style ??= this.#findStyle(step));
  }

  /** Whether all numbers would be 0; beside ids, or of shares, most rows.  @param {Step} step @param {number} limit */
  #areQuantitiesSmall(step, limit) {
    if (!step.ids.length && !step.isShare) return this.#size(step) > 0 && this.#size(step) < limit;
    const width = step.ids.length ? 1 : step.columns;
    const numbers = this.#numbers(step).map((x, at) => (step.isId(at) ? 0 : x));
    const sizeAt = (/** @type {number} */ at) => largestSize(numbers.slice(at * width, (at + 1) * width));
    const some = Array.from({ length: step.size / width }, (_, at) => sizeAt(at)).filter((size) => size > 0);
    return 2 * some.filter((size) => size < limit).length > some.length;
  }

  /** @param {Step} step @returns {Style} */
  #findStyle(step) {
    const decimals = this.#decimals(step);
    const size = this.#size(step);
    const isExact = this.#isExact(step);
    const isAll = (/** @type {(x: number) => boolean} */ isSo) =>
      this.#numbers(step).every((x, at) => !isFinite(x) || isSo(x) || isSo(this.#numberAt(step, at)));
    const isWhole = size < LARGE && isAll(Number.isInteger);
    const isTiny = this.#areQuantitiesSmall(step, 0.5 * power10(-decimals)) && !isAll((x) => x === 0);
    const missing = this.isUnknown(step) ? "?" : "nan";
    return { decimals, isWhole, isTiny, isExact, missing, digits: this.#digits(step) };
  }

  /** Any number, written as those of a step are.  @param {Step} step @param {number} x */
  write(step, x) {
    const { decimals, isWhole, isTiny, isExact, missing, digits } = this.style(step);
    if (!isExact) x = dropLastBits(x, this.model.termsOf(step));
    if (x !== x) return missing;
    if (digits) return digitsText(x, digits);
    if (decimals > MOST_PLACES && isFinite(x)) return allDigits(x);
    if (isWhole && Number.isInteger(x)) return writeNumber(x, 0);
    return isTiny && isFinite(x) ? writeScientific(x, decimals) : writeNumber(x, decimals);
  }

  /**
   * Any number of a column, or the word where it is an id that has one; as a program writes it.
   * @param {Step} step @param {number} column @param {number} x
   */
  #plain(step, column, x) {
    if (step.isWord(column) && x === x) return escapeLabel(step.words?.[x] ?? "");
    return step.ids.includes(column) && isFinite(x) ? String(x) : this.write(step, x);
  }

  /** The number of a cell so.  @param {Step} step @param {number} row @param {number} column */
  plainText(step, row, column) {
    return this.#plain(step, column, this.#clean(step, row * step.columns + column));
  }

  /** Any number of a column as people see it.  @param {Step} step @param {number} column @param {number} x */
  textOf(step, column, x) {
    const plain = this.#plain(step, column, x);
    return step.isWord(column) ? plain : typesetSigns(plain);
  }

  /** The number of a cell so.  @param {Step} step @param {number} row @param {number} column */
  text(step, row, column) {
    const texts = (this.#display(step).texts ??= []);
    const at = row * step.columns + column;
    return (texts[at] ??= this.textOf(step, column, this.#clean(step, at)));
  }
}
