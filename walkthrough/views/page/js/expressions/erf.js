// The error function.
// @ts-check
/**
 * The error function: a series where it converges fast, beyond that what its tail leaves of 1.
 * @param {number} x
 */
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

/**
 * 1 − erf, as a continued fraction.
 * @param {number} x @param {number} square
 */
function erfTail(x, square) {
  let below = x;
  for (let n = 80; n > 0; n--) below = x + n / 2 / below;
  return Math.exp(-square) / (Math.sqrt(Math.PI) * below);
}
