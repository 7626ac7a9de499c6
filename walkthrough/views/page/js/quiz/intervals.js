// Between which numbers the expression of a cell can come out, where its operands lie between two numbers each.
import { FUNCTIONS, largest, smallest } from "../expressions/functions.js";

/**
 * @param {any} node  unfolded, as `Model.expressionAt` gives it @param {CellInterval} cell
 * @param {(x: number) => number} looked  how a constant that people look up may be rounded
 * @returns {Interval}
 */
export function intervalOf(node, cell, looked, isInside = false) {
  if (!Array.isArray(node)) return [node, node];
  const [sign, ...parts] = node;
  if (sign === "@") return cell(parts[0], parts[1], parts[2]);
  const inside = (/** @type {any} */ part) => intervalOf(part, cell, looked, true);
  if (sign === "?") {
    const [low, high] = inside(parts[0]);
    if (low > 0 || high < 0) return inside(parts[1]);
    return low === 0 && high === 0 ? inside(parts[2]) : hull(inside(parts[1]), inside(parts[2]));
  }
  const operands = parts.map(inside);
  const found =
    sign in MANY_BETWEEN ? MANY_BETWEEN[sign](operands) : (BETWEEN[sign] ?? rising(FUNCTIONS[sign]))(...operands);
  if (sign === "exp") return hull(found, power([looked(Math.E), looked(Math.E)], operands[0]));
  const rounded = (/** @type {Interval} */ [low, high]) => hull([low, high], [looked(low), looked(high)]);
  if (isWithSigmoid(node)) return hull(found, product(inside(parts[0]), rounded(quotient([1, 1], inside(parts[1])))));
  return isInside && isLookedUp(node) ? rounded(found) : found;
}

/** The labels of an arg-max that may have the largest number.  @param {any[]} node @param {CellInterval} cell */
export function possibleLabels([, ...parts], cell) {
  const pairs = parts.map((part) => intervalOf(part, cell, (x) => x));
  const numbers = pairs.filter((_, at) => at % 2);
  const least = largest(numbers.map(([low]) => low));
  return numbers.flatMap(([, high], at) => (high >= least ? [pairs[2 * at][0]] : []));
}

/** √d_k, sine and cosine, and the sigmoid of a gate.  @param {any[]} node */
const isLookedUp = ([sign, first]) =>
  sign === "sin" || sign === "cos" || (sign === "sqrt" && !Array.isArray(first)) || (sign === "/" && first === 1);

/** x / (1 + e^−x), x times a sigmoid.  @param {any[]} node */
const isWithSigmoid = ([sign, first, second]) =>
  sign === "/" && first !== 1 && second[0] === "+" && second.some((/** @type {any} */ part) => part[0] === "exp");

/** @param {Interval[]} intervals @returns {Interval} */
export const hull = (...intervals) => [
  Math.min(...intervals.map(([low]) => low)),
  Math.max(...intervals.map(([, high]) => high)),
];

/** All corners of a function; 0·∞ is 0, as a masked number is.  @param {number[]} corners @returns {Interval} */
function corners(...corners) {
  const known = corners.map((x) => (x !== x ? 0 : x));
  return [Math.min(...known), Math.max(...known)];
}

/** @type {(rule: (x: number) => number) => (x: Interval) => Interval} */
const rising =
  (rule) =>
  ([low, high]) => [rule(low), rule(high)];

/** @param {Interval} x @param {Interval} y @returns {Interval} */
function product([a, b], [c, d]) {
  return corners(a * c, a * d, b * c, b * d);
}

/** @param {Interval} x @param {Interval} y @returns {Interval} */
function quotient([a, b], [c, d]) {
  if (c <= 0 && d >= 0) return [-Infinity, Infinity];
  return corners(a / c, a / d, b / c, b / d);
}

/** @param {Interval} x @param {Interval} y @returns {Interval} */
function power([a, b], [c, d]) {
  const found = corners(a ** c, a ** d, b ** c, b ** d);
  return a < 0 && b > 0 ? hull(found, [0, 0]) : found;
}

/** A wave whose crests are at `crest` + 2π·n.  @param {number} crest @returns {(x: Interval) => Interval} */
const wave =
  (crest) =>
  ([low, high]) => {
    const rule = (/** @type {number} */ x) => Math.cos(x - crest);
    const has = (/** @type {number} */ at) =>
      Math.floor((high - at) / (2 * Math.PI)) >= Math.ceil((low - at) / (2 * Math.PI));
    const ends = corners(rule(low), rule(high));
    return [has(crest + Math.PI) ? -1 : ends[0], has(crest) ? 1 : ends[1]];
  };

/** Of any number of operands.  @type {Record<string, (intervals: Interval[]) => Interval>} */
const MANY_BETWEEN = {
  "+": (terms) => [terms.reduce((sum, [low]) => sum + low, 0), terms.reduce((sum, [, high]) => sum + high, 0)],
  "*": (factors) => factors.reduce(product, [1, 1]),
  max: (terms) => [largest(terms.map(([low]) => low)), largest(terms.map(([, high]) => high))],
};

/** Of functions that do not only rise.  @type {Record<string, (...intervals: any[]) => Interval>} */
const BETWEEN = {
  "-": ([a, b], [c, d]) => [a - d, b - c],
  "/": quotient,
  "^": power,
  neg: ([low, high]) => [-high, -low],
  log: rising((x) => Math.log(Math.max(x, 0))),
  sqrt: rising((x) => Math.sqrt(Math.max(x, 0))),
  sin: wave(Math.PI / 2),
  cos: wave(0),
  abs: ([low, high]) => (low > 0 || high < 0 ? corners(Math.abs(low), Math.abs(high)) : [0, Math.max(-low, high)]),
  equal: ([a, b], [c, d]) => [+(a === b && c === d && a === c), +(a <= d && c <= b)],
};

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
