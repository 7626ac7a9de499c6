/* What is typed or chosen is judged as `walkthrough learn` judges it. */
// @ts-check
import { readAnswer } from "./quiz/answers.js";
import { findSlip } from "./quiz/slips.js";

/**
 * What is right: a letter, words, or the numbers from low to high, and what slips give; why other answers are wrong.
 * @typedef {{letter?: string, reasons?: Record<string, string>, words?: string[], low?: number, high?: number,
 *   right?: number[], half?: number, operands?: number[], slips?: [word: string, said: string, number: number][]}} Right
 */

const UNREADABLE = "That cannot be read as a number.";

/**
 * @param {string} text
 * @param {Right} right
 * @param {Record<string, string>} said  what is said of slips of the pen
 * @returns {[verdict: string, remark: string]}
 */
export function judge(text, right, said) {
  if (!text) return ["unreadable", right.letter ? "Choose one." : "Type your answer first."];
  if (right.letter !== undefined) return text === right.letter ? ["right", ""] : ["wrong", right.reasons?.[text] ?? ""];
  if (right.words) return [right.words.includes(text.normalize("NFC")) ? "right" : "wrong", ""];
  const number = readAnswer(text);
  if (number === null) return ["unreadable", UNREADABLE];
  const has = (/** @type {number} */ x) => Number(right.low) <= x && x <= Number(right.high);
  if (has(number)) return ["right", ""];
  const isNear = (/** @type {number} */ one) => Math.abs(one - number) <= Number(right.half) * (1 + 1e-9);
  const mistakes = () =>
    (right.slips ?? [])
      .filter(([, , made]) => isNear(made))
      .map(([word, sentence]) => ({ word, facts: { said: sentence } }));
  const copies = () => (right.operands ?? []).some(isNear);
  const slip = findSlip(number, text, { right: right.right ?? [], has, mistakes, copies });
  return ["wrong", slip ? (slip.facts?.said ?? said[slip.word]) : (right.reasons?.[number] ?? "")];
}
