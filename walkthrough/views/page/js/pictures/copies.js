// Drawn copies of numbers: texts, links and bars that say which number they are of.
import { make } from "../face/dom.js";
import { makeJump } from "../interaction/choosing.js";

/** What says whose copy an element is.  @param {Page} page @param {Place} place */
export const copyOf = ({ steps }, [k, row, column]) => ({ "data-of": steps[k].path, "data-c": `${row},${column}` });

/** The text of a number.  @param {Page} page @param {Place} place */
export const copyText = (page, place) => make("span", copyOf(page, place), page.textAt(...place));

/** The text of a number, as a link to it.  @param {Page} page @param {Place} place @param {string} [text] */
export function copyLink(page, place, text = page.engine.text(...place)) {
  const link = makeJump(page, place, text);
  for (const [name, value] of Object.entries(copyOf(page, place))) link.setAttribute(name, value);
  return link;
}

/** @typedef {{ low: number, unit: number, zero: Record<string, string> }} Scale  unit: per cent that a 1 is wide; zero: of what holds a bar */

/**
 * How bars of some numbers stand beside one another; where some are negative, there is a line at 0.
 * @param {number[]} numbers
 * @returns {Scale}
 */
export function makeScale(numbers) {
  const finite = numbers.filter(isFinite);
  const low = Math.min(0, ...finite);
  const unit = 100 / (Math.max(0, ...finite) - low || 1);
  return { low, unit, zero: low < 0 ? { "data-zero": "", style: `--zero:${(-low * unit).toFixed(2)}%` } : {} };
}

/**
 * A bar from one number, or 0, as wide as another one is large; negative ones have another colour.
 * @param {Page} page @param {Place} place @param {number} x @param {Scale} scale
 */
export function copyBar(page, place, x, { low, unit }, from = 0) {
  const wide = isFinite(x) ? Math.abs(x) * unit : 0;
  const left = wide ? (Math.min(from, from + x) - low) * unit : 0;
  const style = `width:${wide.toFixed(2)}%;margin-left:${(isFinite(left) ? left : 0).toFixed(2)}%`;
  return make(x < 0 ? "i.below" : "i", { "data-bar": "", ...copyOf(page, place), style });
}

/** A symbol as the formulas have it.  @param {string} symbol */
export function writeSymbol(symbol) {
  const at = symbol.indexOf("_");
  return at < 1 ? [symbol] : [symbol.slice(0, at), make("sub", {}, symbol.slice(at + 1))];
}

/**
 * The symbol of a matrix whose numbers are read along rows (side 0) or along columns (1); else it is transposed.
 * @param {Page} page @param {Place[]} read @param {0 | 1} side
 */
export function symbolOf({ steps }, read, side) {
  const isTurned = read.length > 1 && read[0][2 - side] === read[1][2 - side];
  return make("b", {}, ...writeSymbol(steps[read[0][0]].symbol), isTurned ? "ᵀ" : "");
}

/** A number, unless it is covered.  @param {Page} page @param {Place} place */
export const numberOf = (page, place) => (page.isCovered(place) ? NaN : page.engine.number(...place));
