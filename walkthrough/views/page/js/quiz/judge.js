// Judges an answer as a fair teacher does: what follows from the numbers on the screen is right.
import { say } from "../writing/language.js";
import { makeChoices } from "../writing/lines.js";
import { evaluate } from "../expressions/expressions.js";
import { roundNumber } from "../writing/numbers.js";
import { escapeLabel } from "../writing/text.js";
import { readAnswer, stripQuotes } from "./answers.js";
import { hull, isNear, possibleLabels, reachOf } from "./intervals.js";
import { usualMistakes } from "./mistakes.js";
import { OwnNumbers } from "./own.js";
import { findSlip } from "./slips.js";

/** @typedef {{ verdict: "right" | "follows" | "wrong" | "unreadable", slip?: import("./slips.js").Slip | null }} Judged */

const halfUnit = (/** @type {number} */ places) => 0.5 * Number(`1e${-places}`);

/** The place of the last digit of a written number, and half a unit of it.  @param {string} plain */
function precisionOf(plain) {
  const [mantissa, exponent = "0"] = plain.split("e");
  const places = (mantissa.split(".")[1]?.length ?? 0) - Number(exponent);
  return { places, half: isFinite(Number(plain)) ? halfUnit(places) : 0 };
}

/** The id of the word of a step that a text means; undefined where there is none.  @param {Step} step @param {string} text */
export function readWord(step, text) {
  const typed = text.normalize();
  const names = Object.entries(step.words ?? {});
  const found = names.find(([, word]) => [word, escapeLabel(word)].some((name) => name.normalize() === typed));
  return found && Number(found[0]);
}

/** What is asked for in a cell: a word, or a number of so many digits.  @param {Engine} engine @param {Place} place */
export function wantedAt(engine, [k, row, column]) {
  const step = engine.steps[k];
  if (step.isWord(column)) return say("a_word");
  const numbers = engine.numbers(k);
  if (numbers.every((x) => !isFinite(x) || Number.isInteger(x))) return say("a_whole_number");
  const [mantissa, power] = engine.shown.plainText(step, row, column).split("e");
  const { count = 0, significant = false } = engine.shown.style(step).digits ?? {};
  if (significant) return say("wanted_digits", { count });
  const decimals = mantissa.split(".")[1]?.length ?? 0;
  const said = decimals === 1 ? say("wanted_decimal") : say("wanted_decimals", { count: decimals });
  return power ? `${said} ${say("power_of_ten")}` : said;
}

/**
 * The verdict on what somebody has typed for a cell: from the numbers shown before it, or from those of one's own.
 * @param {Engine} engine @param {Place} place @param {string} text @param {OwnNumbers} own
 * @returns {Judged}
 */
export function judgeAnswer(engine, place, text, own = new OwnNumbers(engine)) {
  const step = engine.steps[place[0]];
  const typed = stripQuotes(text);
  const isName = step.isWord(place[2]);
  const x = isName ? (readWord(step, typed) ?? (typed ? -1 : null)) : readAnswer(typed);
  if (x === null) return { verdict: "unreadable" };
  own.take(place);
  const right = own.right(place);
  const { shown, steps } = engine;
  const reaches = [new Reach(engine, place, right, (k, row, column) => shown.number(steps[k], row, column))];
  if (own.answers.size) reaches.push(new Reach(engine, place, right, (...at) => own.number(...at)));
  const at = reaches.findIndex((reach) => (isName ? reach.hasWord(x) : reach.has(x)));
  const verdict = at < 0 ? "wrong" : at && own.refused.size ? "follows" : "right";
  const from = own.refused.size ? reaches : reaches.slice(0, 1);
  const reached = {
    right,
    has: (/** @type {number} */ x) => from.some((reach) => reach.has(x)),
    mistakes: (/** @type {number} */ x) => from.flatMap((reach) => reach.mistakes(x)),
    copies: (/** @type {number} */ x) =>
      engine.operands(...place).some(([k, i, j]) => isNear(x, point(shown.number(steps[k], i, j)), reaches[0].half)),
  };
  const slip = at < 0 && !isName ? findSlip(x, typed, reached) : null;
  own.take(place, x, at < 0 ? typed : null);
  return { verdict, slip };
}

/** What the numbers before a cell give for it. */
class Reach {
  /** @param {Engine} engine @param {Place} place @param {number[]} right @param {(...place: Place) => number} numberAt */
  constructor(engine, place, right, numberAt) {
    const [k, row, column] = place;
    const { model, shown, steps } = engine;
    const step = steps[k];
    this.right = right;
    const { decimals, isWhole } = shown.style(step);
    const { places, half } = precisionOf(shown.plainText(step, row, column));
    this.places = isWhole && !places ? decimals : places;
    this.half = isWhole && !places ? halfUnit(decimals) : half;
    const expression = model.expressionAt(...place);
    this.expression = expression[0] === "argmax" ? expression : makeChoices(expression, shown.operandsOf(step));
    /** @type {CellNumber} */
    this.before = (operand, i, j) => numberAt(step.inputs[operand], i, j);
    /** @type {CellInterval} */
    this.cell = (operand, i, j) => intervalAround(engine, [step.inputs[operand], i, j], this.before(operand, i, j));
    this.looked = (/** @type {number} */ x) => roundNumber(x, this.places);
    this.whole = engine.isStale(k) ? point(right[0]) : reachOf(this.expression, this.cell, this.looked);
  }

  /** Whether a number is right: the one shown, or one that follows from the numbers before it.  @param {number} x */
  has(x) {
    return this.right.some((one) => isNear(x, point(this.looked(one)), 0)) || isNear(x, this.whole, this.half);
  }

  /** @param {number} id */
  hasWord(id) {
    if (this.right.includes(id)) return true;
    return this.expression[0] === "argmax" && possibleLabels(this.expression, this.cell).includes(id);
  }

  /** The usual mistakes that give a number.  @param {number} x */
  mistakes(x) {
    const isMade = (/** @type {any} */ instead) => isNear(x, point(evaluate(instead, this.before)), this.half);
    return usualMistakes(this.expression).filter(({ instead }) => isMade(instead));
  }
}

/** @param {number} x @returns {Interval} */
const point = (x) => [x, x];

/** Whether a number is given, or copied from a given one.  @param {Engine} engine @param {Place} place @returns {boolean} */
function isGivenAt(engine, [k, row, column]) {
  const { inputs, isGiven } = engine.steps[k];
  if (isGiven) return true;
  const [sign, operand, i, j] = [engine.model.expressionAt(k, row, column)].flat();
  return sign === "@" && isGivenAt(engine, [inputs[operand], i, j]);
}

/**
 * Where a number may lie for somebody who goes on with it: given and whole ones are exact where all digits are shown.
 * @param {Engine} engine @param {Place} place @param {number} x
 * @returns {Interval}
 */
function intervalAround(engine, place, x) {
  const [step, column, { shown }] = [engine.steps[place[0]], place[2], engine];
  if (x !== x) return [-Infinity, Infinity];
  if (!isFinite(x) || step.ids.includes(column)) return point(x);
  const plain = shown.write(step, x);
  const seen = Number(plain);
  if (seen === x && (!plain.includes(".") || isGivenAt(engine, place))) return point(x);
  const { half } = precisionOf(plain);
  return hull([seen - half, seen + half], [x - (seen === x ? half : 0), x]);
}
