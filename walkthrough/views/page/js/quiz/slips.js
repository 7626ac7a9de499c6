// What was probably done where an answer is wrong: the first that makes it right.
import { roundNumber } from "../writing/numbers.js";
import { readAnswer } from "./answers.js";

/** @typedef {{ word: string, facts?: Record<string, string> }} Slip */
/**
 * What is right, which mistakes in the step give a number, and whether one is copied from those it is computed from.
 * @typedef {{ right: number[], has: (x: number) => boolean, mistakes: (x: number) => Slip[],
 *   copies: (x: number) => boolean }} Reached
 */

/** A number with fewer significant digits agrees with another one by chance too often. */
const MIN_DIGITS = 2;

/** @param {number} x @param {string} text  as it was typed @param {Reached} reached @returns {Slip | null} */
export function findSlip(x, text, reached) {
  if (!isFinite(x) || countDigits(x) < MIN_DIGITS) return null;
  const has = (/** @type {number | null} */ other) => other !== null && reached.has(other);
  if (has(-x)) return { word: "sign" };
  const made = reached.mistakes(x);
  const scaled = made.find(({ word }) => word === "not_scaled");
  if (scaled) return scaled;
  if (!reached.copies(x)) {
    if (exchanged(text).some((other) => has(readAnswer(other)))) return { word: "swapped" };
    if ([10, 100, 0.1, 0.01].some((factor) => has(x * factor))) return { word: "point" };
  }
  const decimals = decimalsOf(text);
  const isNear = (/** @type {number} */ other) => Math.abs(other - x) <= 1e-9 * Math.max(1, Math.abs(x));
  if (decimals !== null && reached.right.some((one) => isNear(roundNumber(one, decimals)))) return { word: "fewer" };
  return made[0] ?? null;
}

/** The significant digits, without zeros at the end.  @param {number} x */
const countDigits = (x) => x.toExponential(12).split("e")[0].replace(/[-.]/g, "").replace(/0+$/, "").length;

/** A text with two neighbouring digits exchanged, in every way.  @param {string} text */
const exchanged = (text) =>
  [...text.matchAll(/(?=(\d)([.,]?)(\d))/g)].map(({ 1: one, 2: between, 3: other, index }) => {
    return text.slice(0, index) + other + between + one + text.slice(index + 2 + between.length);
  });

/** The decimals of a number that is written plainly.  @param {string} text */
const decimalsOf = (text) => {
  const found = /^[-+−]?\d*(?:[.,](\d*))?$/.exec(text);
  return found ? (found[1]?.length ?? 0) : null;
};
