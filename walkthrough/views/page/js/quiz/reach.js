// Which numbers a cell may come out as, where the numbers that it is computed from are known to so many digits only.
import { largest, smallest } from "../expressions/functions.js";
import { intervalOf, possibleLabels } from "./intervals.js";

const LAST_BITS = 1e-9;

/**
 * What the arithmetic of one cell reaches; of an arg-max the labels that may have the largest number.
 * @param {any} expression  unfolded @param {CellInterval} cell
 * @param {(x: number) => number} looked  how a constant that people look up may be rounded
 * @returns {Interval}
 */
export function reachOf(expression, cell, looked) {
  if (expression[0] !== "argmax") return intervalOf(expression, cell, looked);
  const labels = possibleLabels(expression, cell);
  return [smallest(labels), largest(labels)];
}

/** Whether a number is one of an interval, when it is rounded.  @param {number} x @param {Interval} between @param {number} half  a unit */
export function isNear(x, [low, high], half) {
  if (!isFinite(x)) return x === low || x === high;
  const slack = half * (1 + LAST_BITS) + LAST_BITS * 1e-3 * Math.abs(x);
  return x >= low - slack && x <= high + slack;
}
