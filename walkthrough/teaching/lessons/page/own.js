// The numbers that a student goes on with: those handed in or shown, and what follows from them.
// @ts-check
import { hull, possibleLabels } from "./quiz/intervals.js";
import { isNear, reachOf } from "./quiz/reach.js";
import { evaluate } from "./expressions/expressions.js";
import { expressionAt } from "./engine/shown.js";
import { roundNumber } from "./writing/numbers.js";

/** @typedef {import("./engine/model.js").Step} Step */
/** @typedef {import("./quiz/intervals.js").Interval} Interval */

const LARGEST_WRITTEN_OUT = 1e7;

/** Cells are called by their step's number k and their place, counted row by row. */
export class OwnNumbers {
  /** @param {import("./engine/engine.js").Engine} engine  by hand @param {Set<number>} asked  the steps that are asked for */
  constructor(engine, asked) {
    this.engine = engine;
    this.asked = asked;
    const { calculation } = engine;
    this.exact = calculation.withArithmetic({ ...calculation.arithmetic, byHand: false });
    /** @type {Map<string, number>} */
    this.answers = new Map();
    this.forget();
  }

  /** What follows is found anew. */
  forget() {
    /** @type {Map<string, number>} */
    this.known = new Map();
    /** @type {Map<string, Interval>} */
    this.between = new Map();
  }

  /** @param {number} k @param {number} at @param {number} x */
  take(k, at, x) {
    this.answers.set(`${k},${at}`, x);
    this.forget();
  }

  /** @param {Step} step @param {number} x */
  round(step, x) {
    return roundNumber(x, this.#places(step, x));
  }

  /** @param {Step} step @param {number} x  half a unit of the last digit that is asked for */
  half(step, x) {
    return isFinite(x) ? 0.5 * Number(`1e${-this.#places(step, x)}`) : 0;
  }

  /** @param {Step} step @param {number} x */
  #places(step, x) {
    const { count, significant } = this.engine.calculation.digitsOf(step);
    const size = Math.abs(x);
    if (!isFinite(size) || !(significant ? size : size >= LARGEST_WRITTEN_OUT)) return count;
    return count - Math.floor(Math.log10(size)) - (significant ? 1 : 0);
  }

  /** @param {Step} step @param {number} at */
  #expression(step, at) {
    const column = at % step.columns;
    return expressionAt(this.engine.model, step, (at - column) / step.columns, column);
  }

  /**
   * The own number of a cell: handed in, given, shown, or what follows from such numbers by hand.
   * @param {number} k @param {number} at
   * @returns {number}
   */
  number(k, at) {
    const step = this.engine.steps[k];
    const key = `${k},${at}`;
    const handedIn = this.answers.get(key) ?? this.known.get(key);
    if (handedIn !== undefined) return handedIn;
    const found = step.isGiven ? step.recorded[at] : this.worked(k, at);
    this.known.set(key, found);
    return found;
  }

  /** What the own numbers before a cell give for it.  @param {number} k @param {number} at */
  worked(k, at) {
    const step = this.engine.steps[k];
    const x = evaluate(this.#expression(step, at), (operand, row, column) => {
      const input = step.inputs[operand];
      return this.number(input, row * this.engine.steps[input].columns + column);
    });
    return step.ids.includes(at % step.columns) ? x : this.round(step, x);
  }

  /**
   * Between which numbers a cell may lie for the student: one that was handed in, within half a unit; one that was not,
   * whatever comes from the numbers before it, or the right number.
   * @param {number} k @param {number} at
   * @returns {Interval}
   */
  interval(k, at) {
    const step = this.engine.steps[k];
    const key = `${k},${at}`;
    const known = this.between.get(key);
    if (known) return known;
    const answer = this.answers.get(key);
    const found = step.isGiven
      ? exactly(step.recorded[at])
      : answer !== undefined
        ? this.#around(step, hull(exactly(answer), exactly(this.round(step, answer))))
        : this.asked.has(k)
          ? this.#around(step, hull(this.reach(k, at), this.right(k, at)))
          : this.reach(k, at);
    this.between.set(key, found);
    return found;
  }

  /** The right number, exact and by hand.  @param {number} k @param {number} at @returns {Interval} */
  right(k, at) {
    const step = this.engine.steps[k];
    return hull(exactly(this.exact.update(step).now[at]), exactly(step.recorded[at]));
  }

  /** @param {Step} step @param {Interval} between @returns {Interval} */
  #around(step, [low, high]) {
    return [low - this.half(step, low), high + this.half(step, high)];
  }

  /** What one step's arithmetic reaches from the own numbers.  @param {number} k @param {number} at */
  reach(k, at) {
    return this.#reach(this.engine.steps[k], at, (input, place) => this.interval(input, place));
  }

  /**
   * The same from the right numbers; steps: through how many steps each number before it may be off by half a unit.
   * @param {number} k @param {number} at
   * @returns {Interval}
   */
  rightReach(k, at, steps = 1) {
    return this.#reach(this.engine.steps[k], at, (input, place) => {
      const step = this.engine.steps[input];
      if (step.isGiven) return exactly(step.recorded[place]);
      const right = this.right(input, place);
      return this.#around(step, steps > 1 ? hull(right, this.rightReach(input, place, steps - 1)) : right);
    });
  }

  /** @param {Step} step @param {number} at @param {(k: number, at: number) => Interval} between @returns {Interval} */
  #reach(step, at, between) {
    return reachOf(this.#expression(step, at), this.#cells(step, between), (x) => this.round(step, x));
  }

  /** @param {Step} step @param {(k: number, at: number) => Interval} between */
  #cells(step, between) {
    return (/** @type {number} */ operand, /** @type {number} */ row, /** @type {number} */ column) => {
      const input = step.inputs[operand];
      return between(input, row * this.engine.steps[input].columns + column);
    };
  }

  /** Whether a number is one of an interval, rounded.  @param {Step} step @param {number} x @param {Interval} between */
  isWithin(step, x, between) {
    return isNear(x, between, Math.max(...[...between, x].map((end) => this.half(step, end))));
  }

  /** The ids of words that the own numbers allow.  @param {number} k @param {number} at @returns {number[]} */
  possibleWords(k, at) {
    const step = this.engine.steps[k];
    const expression = this.#expression(step, at);
    if (expression[0] !== "argmax") return [];
    return possibleLabels(expression, this.#cells(step, (input, place) => this.interval(input, place)));
  }
}

/** @param {number} x @returns {Interval} */
const exactly = (x) => [x, x];
