// How a number is written: what walkthrough/notation.py and recording/rounding.py do, digit by digit.
import { localize } from "./language.js";

export const LARGE = 1e7;
export const MOST_PLACES = 15;

const POWERS = Array.from({ length: 23 }, (_, n) => Number("1e" + n));
export const power10 = (/** @type {number} */ n) => POWERS[n] ?? Number("1e" + n);

/**
 * The digits of a number's shortest decimal, and the power of ten of the last of them.
 * @param {number} x
 * @returns {[string, number]}
 */
export function digitsOf(x) {
  const [mantissa, exponent] = Math.abs(x).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  return [digits, +exponent - digits.length + 1];
}

const firstPlace = (/** @type {number} */ x) => (x && isFinite(x) ? +x.toExponential().split("e")[1] : 0);

/** How near to a half a number of units may lie before the digits themselves must be looked at. */
const doubt = (/** @type {number} */ units) => 1e-9 + units * 2e-15;

/**
 * |x| rounded to whole units of so many decimals, where it lies clearly on one side of a half; else −1.
 * @param {number} x @param {number} decimals
 */
function clearUnits(x, decimals) {
  if (decimals < 0 || decimals >= POWERS.length) return -1;
  const units = Math.abs(x) * POWERS[decimals];
  const whole = Math.floor(units);
  const rest = units - whole;
  return units < 2 ** 53 && Math.abs(rest - 0.5) > doubt(units) ? whole + +(rest > 0.5) : -1;
}

/**
 * |x| rounded half up to so many decimals, as digits and the power of ten of the last.
 * @param {number} x @param {number} decimals
 * @returns {[string, number]}
 */
function roundedDigits(x, decimals) {
  const clear = clearUnits(x, decimals);
  if (clear >= 0) return [String(clear), -decimals];
  const [digits, exponent] = digitsOf(x);
  const drop = -decimals - exponent;
  if (drop <= 0) return [digits, exponent];
  const kept = digits.slice(0, Math.max(digits.length - drop, 0)) || "0";
  const rest = digits.padStart(drop, "0").slice(-drop);
  const units = decimals < 300 ? Math.abs(x) * power10(decimals) : Infinity;
  const nudged = digits.length > 12 && units < 1e9;
  const up = nudged ? Number("0." + rest) + doubt(units) >= 0.5 : rest[0] >= "5";
  return [String(BigInt(kept) + (up ? 1n : 0n)), -decimals];
}

/** Half away from zero, as people round; negative decimals: to tens, …  @param {number} x @param {number} decimals */
export function roundNumber(x, decimals) {
  if (!isFinite(x) || x === 0) return x + 0;
  const clear = clearUnits(x, decimals);
  const size = clear < 0 ? Number(roundedDigits(x, decimals).join("e")) : clear / power10(decimals);
  return Math.sign(x) * size + 0;
}

/** digits·10^exponent to so many decimals.  @param {string} digits @param {number} exponent @param {number} decimals */
function writeFixed(digits, exponent, decimals) {
  const all = exponent < 0 ? digits.padStart(1 - exponent, "0") : digits + "0".repeat(exponent);
  const whole = exponent < 0 ? all.slice(0, exponent) : all;
  const part = (exponent < 0 ? all.slice(exponent) : "").padEnd(decimals, "0").slice(0, decimals);
  return decimals ? whole + "." + part : whole;
}

/** @param {number} x @param {number} decimals @returns {string} */
export function writeNumber(x, decimals) {
  if (x !== x) return "?";
  if (!isFinite(x)) return x > 0 ? "inf" : "-inf";
  if (Math.abs(x) >= LARGE) return writeScientific(x, decimals);
  const text = writeFixed(...roundedDigits(x, decimals), decimals);
  return x < 0 && /[1-9]/.test(text) ? "-" + text : text;
}

/** @param {number} x @param {number} decimals @returns {string} */
export function writeScientific(x, decimals) {
  if (!x) return "0";
  if (!isFinite(x)) return writeNumber(x, decimals);
  let first = firstPlace(x);
  const [digits, exponent] = roundedDigits(x, decimals - first);
  if (digits.length - 1 + exponent > first) first += 1;
  return (x < 0 ? "-" : "") + writeFixed(digits, exponent - first, decimals) + writePower(first);
}

/** A power of ten, as Python writes it.  @param {number} power */
const writePower = (power) => `e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;

/** As writeNumber, without zeros at the end that say nothing.  @param {number} x @param {number} decimals */
export function writeShortest(x, decimals) {
  const text = writeNumber(x, decimals);
  return text.includes(".") && Number(text) === x ? text.replace(/^([^e]*?)\.?0*(e|$)/, "$1$2") : text;
}

/** A written number as it stands in a formula.  @param {string} text */
export function typeset(text) {
  const [mantissa, exponent] = text.split("e");
  if (exponent === undefined) return typesetSigns(text);
  const power = typesetSigns(String(+exponent));
  return `${typesetSigns(mantissa)}×10^${+exponent < 0 ? `(${power})` : power}`;
}

export const typesetSigns = (/** @type {string} */ text) => localize(text.replaceAll("-", "−").replace("inf", "∞"));

/**
 * The decimal of at most 12 digits that a sum of so many terms misses by its last bits only, or the number.
 * @param {number} x @param {number} terms
 */
export function dropLastBits(x, terms) {
  if (!isFinite(x)) return x;
  let near = Number(x.toExponential(11));
  if (Math.abs(near - x) > terms * 2e-15 * Math.abs(x)) return x;
  const longer = x.toExponential(12);
  if (near !== x && /5e/.test(longer) && Number(longer) === x) near = evenTie(longer);
  return near;
}

/** A number exactly between two decimals goes to the even one.  @param {string} longer */
function evenTie(longer) {
  const [mantissa, exponent] = longer.split("e");
  const down = mantissa.slice(0, -1);
  return Number(
    ("02468".includes(down.slice(-1)) ? down : Number(longer).toExponential(11).split("e")[0]) + "e" + exponent,
  );
}

/** All digits of a number, as Python writes it, whole numbers without a point.  @param {number} x */
export function allDigits(x) {
  if (!isFinite(x)) return x !== x ? "nan" : x > 0 ? "inf" : "-inf";
  const [mantissa, power] = x.toExponential().split("e");
  if (+power >= -4 && +power < 16) return Object.is(x, -0) ? "-0" : String(x);
  return mantissa + writePower(+power);
}

const placesOf = (/** @type {number} */ x, /** @type {Digits} */ { count, significant }) =>
  significant ? count - 1 - firstPlace(x) : count;

export const roundTo = (/** @type {number} */ x, /** @type {Digits} */ digits) => roundNumber(x, placesOf(x, digits));

/** @param {number} x @param {Digits} digits */
export function digitsText(x, digits) {
  const { count, significant } = digits;
  if (!significant || !isFinite(x) || x === 0) return writeNumber(x, count);
  x = roundTo(x, digits);
  const places = placesOf(x, digits);
  return places > MOST_PLACES || Math.abs(x) >= LARGE
    ? writeScientific(x, count - 1)
    : writeNumber(x, Math.max(places, 0));
}
