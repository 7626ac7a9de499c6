// What the signs and names of expressions calculate.

/** The error function: a series where it converges fast, beyond that what its tail leaves of 1.  @param {number} x */
export function erf(x) {
  const size = Math.abs(x);
  const square = x * x;
  if (!(size < 2)) return Math.sign(x) * (size > 6 ? 1 : 1 - erfTail(size, square));
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > 1e-18 * Math.abs(sum); n++) {
    term *= (2 * square) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-square) * sum;
}

/** 1 − erf, as a continued fraction.  @param {number} x @param {number} square */
function erfTail(x, square) {
  let below = x;
  for (let n = 80; n > 0; n--) below = x + n / 2 / below;
  return Math.exp(-square) / (Math.sqrt(Math.PI) * below);
}

/** @param {number} x */
export function roundEven(x) {
  const short = Math.round(x * 1e12) / 1e12; // float64 leaves a little of a half
  const up = Math.round(short);
  return (Math.abs(short % 1) === 0.5 && up % 2 ? up - 1 : up) + 0; // no −0
}

/**
 * The largest number; NaN where there is one.
 * @param {Iterable<number>} numbers  of any length, which arguments of Math.max are not
 */
export function largest(numbers) {
  let best = -Infinity;
  for (const x of numbers) {
    if (x !== x) return x;
    if (x > best) best = x;
  }
  return best;
}

/** The smallest number; NaN where there is one.  @param {number[]} numbers */
export const smallest = (numbers) => -largest(numbers.map((x) => -x));

/** The size of the largest finite number; 0 where there is none.  @param {Iterable<number>} numbers */
export function largestSize(numbers) {
  let most = 0;
  for (const x of numbers) if (isFinite(x)) most = Math.max(most, Math.abs(x));
  return most;
}

/** Of pairs of a label and a number the label of the first largest number.  @param {number[]} pairs */
function bestLabel(pairs) {
  const numbers = pairs.filter((_, at) => at % 2);
  const best = largest(numbers);
  return best !== best ? best : pairs[2 * numbers.indexOf(best)];
}

/** Functions of any number of arguments, runs among them.  @type {Record<string, (numbers: number[]) => number>} */
export const MANY = {
  "+": (numbers) => numbers.reduce((sum, x) => sum + x, 0),
  "*": (numbers) => numbers.reduce((product, x) => product * x, 1),
  max: largest,
  argmax: bestLabel,
};

/** @type {Record<string, (...numbers: number[]) => number>} */
export const FUNCTIONS = {
  "-": (x, y) => x - y,
  "/": (x, y) => x / y,
  "^": Math.pow,
  neg: (x) => -x,
  exp: Math.exp,
  log: Math.log,
  sqrt: Math.sqrt,
  sin: Math.sin,
  cos: Math.cos,
  tanh: Math.tanh,
  abs: Math.abs,
  step: (x) => (x !== x ? x : +(x > 0)),
  equal: (x, y) => +(x === y),
  noted: (x) => x,
  erf,
  round: roundEven,
};

/** The sum of numbers, with what each addition loses added at the end.  @param {number[]} numbers */
export function preciseSum(numbers) {
  let sum = 0;
  let lost = 0;
  for (const x of numbers) {
    const next = sum + x;
    lost += Math.abs(sum) >= Math.abs(x) ? sum - next + x : x - next + sum;
    sum = next;
  }
  return isFinite(sum) ? sum + lost : sum;
}
