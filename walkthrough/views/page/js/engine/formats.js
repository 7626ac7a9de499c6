// Rounding to a number format, as walkthrough/number_formats.py does it.

/** A number of so many bits of its own takes this many, whatever they are: adding it leaves whole numbers, halves to even. */
const WHOLE = 1.5 * 2 ** 52;
const nearest = (/** @type {number} */ size) => size + WHOLE - WHOLE;

const bits = new DataView(new ArrayBuffer(8));

/** The power of two of a number's first bit.  @param {number} x */
function powerOf(x) {
  bits.setFloat64(0, x);
  return ((bits.getUint16(0) >> 4) & 0x7ff) - 1023;
}

/** @param {number} power  of two */
function power2(power) {
  bits.setUint32(0, (power + 1023) << 20);
  bits.setUint32(4, 0);
  return bits.getFloat64(0);
}

/** @param {number} x @param {number} size */
const signed = (x, size) => (x < 0 ? -size : size);

/** To the nearest number of a binary format.  @param {number} x @param {Format} format */
function toFloat(x, { mantissa = 0, least = 0, largest = 0, endsInNaN }) {
  if (x !== x || x === 0 || x === -Infinity) return x;
  const unit = power2(Math.max(powerOf(x), least) - mantissa);
  const size = nearest(Math.abs(x) / unit) * unit;
  return size <= largest ? signed(x, size) : endsInNaN ? NaN : signed(x, Infinity);
}

/**
 * What rounds to a number format, of matrices with these numbers.
 * @param {Format} format @param {Float64Array} numbers
 * @returns {(x: number) => number}
 */
export function roundingTo(format, numbers) {
  if (!format.most) return (x) => toFloat(x, format);
  const scale = numbers.reduce((most, x) => (isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0) / format.most;
  return (x) => (scale && isFinite(x) && x ? signed(x, scale * nearest(Math.abs(x) / scale)) : x);
}
