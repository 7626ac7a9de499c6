// Judges an answer as a fair teacher does: what follows from the numbers on the screen is right.
// @ts-check
import { expressionAt, isWord } from "../engine/shown.js";
import { say } from "../writing/language.js";
import { makeChoices } from "../writing/lines.js";
import { roundNumber } from "../writing/numbers.js";
import { escapeLabel } from "../writing/text.js";
import { readAnswer } from "./answers.js";
import { intervalOf, possibleLabels } from "./intervals.js";
import { isNear, reachOf } from "./reach.js";

/** @typedef {import("../engine/engine.js").Engine} Engine */
/** @typedef {import("../engine/calculation.js").Place} Place */
/** @typedef {import("../engine/model.js").Step} Step */
/** @typedef {import("./intervals.js").Interval} Interval */
/** @typedef {{ verdict: "right" | "wrong" | "unreadable", cause?: string }} Judged */

/** The place of the last digit of a written number, and half a unit of it.  @param {string} plain */
function precisionOf(plain) {
  const [mantissa, exponent = "0"] = plain.split("e");
  const places = (mantissa.split(".")[1]?.length ?? 0) - Number(exponent);
  return { places, half: isFinite(Number(plain)) ? 0.5 * Number(`1e${-places}`) : 0 };
}

/** The id of the word of a step that a text means; undefined where there is none.  @param {Step} step @param {string} text */
export function readWord(step, text) {
  const typed = text.replace(/^['"„“‚«](.+)['"“”‘»]$/, "$1").normalize();
  const names = Object.entries(step.words ?? {});
  const found = names.find(([, word]) => [word, escapeLabel(word)].some((name) => name.normalize() === typed));
  return found && Number(found[0]);
}

/** What is asked for in a cell: a word, or a number of so many digits.  @param {Engine} engine @param {Place} place */
export function wantedAt(engine, [k, row, column]) {
  const step = engine.steps[k];
  if (isWord(step, column)) return say("a_word");
  const [mantissa, power] = engine.shown.plainText(step, row, column).split("e");
  const { count = 0, significant = false } = engine.shown.style(step).digits ?? {};
  if (significant) return say("wanted_digits", { count });
  const decimals = mantissa.split(".")[1]?.length ?? 0;
  const said = decimals === 1 ? say("wanted_decimal") : say("wanted_decimals", { count: decimals });
  return power ? `${said} ${say("power_of_ten")}` : said;
}

/** The verdict on what somebody has typed for a cell.  @param {Engine} engine @param {Place} place @param {string} text @returns {Judged} */
export function judgeAnswer(engine, place, text) {
  const reach = new Reach(engine, place);
  const typed = text.trim();
  if (isWord(reach.step, place[2])) {
    const id = readWord(reach.step, typed);
    return { verdict: !typed ? "unreadable" : id !== undefined && reach.hasWord(id) ? "right" : "wrong" };
  }
  const x = readAnswer(typed);
  if (x === null) return { verdict: "unreadable" };
  if (reach.has(x)) return { verdict: "right" };
  return { verdict: "wrong", cause: CAUSES.find(([, explains]) => explains(reach, x, typed))?.[0] };
}

/** What the numbers on the screen give for a cell. */
class Reach {
  /** @param {Engine} engine @param {Place} place */
  constructor(engine, place) {
    const [k, row, column] = place;
    const { shown } = engine;
    this.step = engine.steps[k];
    this.number = engine.number(...place);
    Object.assign(this, precisionOf(shown.plainText(this.step, row, column)));
    this.expression = /** @type {any} */ (expressionAt(engine.model, this.step, row, column));
    this.operands = shown.operandsOf(this.step);
    /** @type {import("./intervals.js").CellInterval} */
    this.cell = (operand, i, j) => shownInterval(shown, engine.steps[this.step.inputs[operand]], i, j);
    this.looked = (/** @type {number} */ x) => roundNumber(x, this.places);
    this.whole = engine.isStale(k) ? point(this.number) : reachOf(this.expression, this.cell, this.looked);
  }
  places = 0;
  half = 0;

  /** Whether a number is right: the one shown, or one that follows from the numbers shown before it.  @param {number} x */
  has(x) {
    return isNear(x, point(roundNumber(this.number, this.places)), 0) || isNear(x, this.whole, this.half);
  }

  /** @param {number} id */
  hasWord(id) {
    if (id === this.number) return true;
    return this.expression[0] === "argmax" && possibleLabels(this.expression, this.cell).includes(id);
  }

  /** Whether a number is what the cell divides.  @param {number} x */
  hasDividend(x) {
    const chosen = makeChoices(this.expression, this.operands);
    const [sign, above] = Array.isArray(chosen) ? chosen : [];
    return sign === "/" && Array.isArray(above) && isNear(x, intervalOf(above, this.cell, this.looked), this.half);
  }
}

/** @param {number} x @returns {Interval} */
const point = (x) => [x, x];

/**
 * Where a number may lie for somebody who sees it: given ones and whole ones are exact where all digits are shown.
 * @param {import("../engine/shown.js").Shown} shown @param {Step} step @param {number} row @param {number} column
 * @returns {Interval}
 */
function shownInterval(shown, step, row, column) {
  const number = shown.number(step, row, column);
  const plain = shown.plainText(step, row, column);
  const seen = Number(plain);
  if (number !== number) return [-Infinity, Infinity];
  if (!isFinite(number) || step.ids.includes(column)) return point(number);
  if (seen === number && (step.isGiven || !plain.includes("."))) return point(number);
  const { half } = precisionOf(plain);
  return [seen - half, seen + half];
}

/** What was probably done where an answer is wrong; the first that makes it right is said.  @type {[name: string, explains: (reach: Reach, x: number, text: string) => boolean][]} */
const CAUSES = [
  ["sign", (reach, x) => reach.has(-x)],
  ["not_scaled", (reach, x) => reach.hasDividend(x)],
  ["swapped", (reach, _, text) => exchanged(text).some((other) => reach.has(readAnswer(other) ?? NaN))],
  ["point", (reach, x) => [10, 100, 0.1, 0.01].some((factor) => reach.has(x * factor))],
  ["fewer", (reach, x, text) => isNear(x, point(roundNumber(reach.number, decimalsOf(text))), 0)],
];

/** A text with two neighbouring digits exchanged, in every way.  @param {string} text */
const exchanged = (text) =>
  [...text.matchAll(/(?=(\d)([.,]?)(\d))/g)].map(({ 1: one, 2: between, 3: other, index }) => {
    return text.slice(0, index) + other + between + one + text.slice(index + 2 + between.length);
  });

/** @param {string} text */
const decimalsOf = (text) => /[.,](\d+)\D*$/.exec(text)?.[1].length ?? 0;
