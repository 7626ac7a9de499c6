// The numbers that somebody goes on with: those answered, and what comes of them by hand; else those of the page.
import { evaluate } from "../expressions/expressions.js";
import { roundTo } from "../writing/numbers.js";

export class OwnNumbers {
  /** @type {Map<string, number>} */
  answers = new Map();
  /** @type {Map<string, string>} the answers that were refused, as they were typed */
  refused = new Map();
  /** @type {Set<string>} the cells whose right number was shown: it stands, whatever is typed afterwards */
  told = new Set();
  /** @type {Map<string, number>} */
  known = new Map();
  /** @type {Set<number>} the steps that an answer goes into */
  moved = new Set();
  /** @type {Calculation | null} */
  exact = null;

  /** @param {Engine} engine */
  constructor(engine) {
    this.engine = engine;
  }

  /** The right number: as the page has it, and where that is by hand the exact one too.  @param {Place} place */
  right(place) {
    const { calculation, steps } = this.engine;
    const found = [this.engine.number(...place)];
    if (!calculation.arithmetic.byHand) return found;
    const [k, row, column] = place;
    this.exact ??= calculation.withArithmetic({ ...calculation.arithmetic, byHand: false });
    return [...found, this.exact.update(steps[k]).now[row * steps[k].columns + column]];
  }

  #forgetAll() {
    this.known.clear();
    this.moved = new Set(this.engine.model.reach([...this.answers.keys()].map((place) => parseInt(place))));
  }

  /**
   * What stands in a cell from now on, in place of an earlier answer; a right number that was shown stays.
   * @param {Place} place
   * @param {number} [x]  none: nothing stands there
   * @param {string | null} [refused]  as it was typed
   */
  take(place, x, refused = null) {
    const key = String(place);
    if (this.told.has(key)) return;
    this.answers.delete(key);
    this.refused.delete(key);
    if (x !== undefined && (x >= 0 || !this.engine.steps[place[0]].ids.includes(place[2]))) this.answers.set(key, x);
    if (refused !== null) this.refused.set(key, refused);
    this.#forgetAll();
  }

  /** The right number stands in a cell from now on.  @param {Place} place */
  tell(place) {
    this.take(place, this.engine.number(...place));
    this.told.add(String(place));
  }

  /** @param {Place} place @returns {number} */
  number(...place) {
    const key = String(place);
    const found = this.answers.get(key) ?? this.known.get(key) ?? this.#work(place);
    this.known.set(key, found);
    return found;
  }

  /** @param {Place} place */
  #work([k, row, column]) {
    const { shown, steps } = this.engine;
    const step = steps[k];
    if (step.isGiven || !this.moved.has(k)) {
      this.engine.numbers(k);
      return shown.number(step, row, column);
    }
    return this.rounded([k, row, column]);
  }

  /**
   * What the own numbers before a cell give for it, by hand where the page calculates so.
   * @param {Place} place
   * @returns {number}
   */
  rounded([k, row, column]) {
    const { calculation, model, steps } = this.engine;
    const step = steps[k];
    const x = evaluate(model.expressionAt(k, row, column), (operand, i, j) => this.number(step.inputs[operand], i, j));
    return calculation.arithmetic.byHand && !step.ids.includes(column) ? roundTo(x, calculation.digitsOf(step)) : x;
  }

  /** The refused answers that a cell is computed from, as they were typed.  @param {Place} place */
  refusedBefore(place) {
    const found = this.engine.operands(...place).flatMap((one) => this.refused.get(String(one)) ?? []);
    return [...new Set(found)].join(", ");
  }
}
