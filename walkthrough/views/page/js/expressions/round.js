// The nearest whole number, of two the even one, of pages that calculate with it.
// @ts-check
import { FUNCTIONS } from "./functions.js";

FUNCTIONS.round = roundEven;

/** @param {number} x */
function roundEven(x) {
  const up = Math.round(x);
  return (Math.abs(x % 1) === 0.5 && up % 2 ? up - 1 : up) + 0; // no −0
}
