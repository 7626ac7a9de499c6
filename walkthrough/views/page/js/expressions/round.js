// The nearest whole number, of two the even one.
// @ts-check
/** @param {number} x */
export function roundEven(x) {
  const short = Math.round(x * 1e12) / 1e12; // float64 leaves a little of a half
  const up = Math.round(short);
  return (Math.abs(short % 1) === 0.5 && up % 2 ? up - 1 : up) + 0; // no −0
}
