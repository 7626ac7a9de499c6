// Heat maps: the cells of one shade as one path, as views/pictures/heat.py writes them.
// @ts-check
import { largestSize } from "../expressions/functions.js";

/** @typedef {import("../engine/model.js").Step} Step */

/**
 * The class of a number's shade, p9 the largest, n9 the most negative; share: of the largest one.
 * @param {number} share
 */
export function shadeOf(share) {
  const dark = isFinite(share) ? Math.max(-9, Math.min(9, Math.floor(share * 9 + 0.5))) : 0;
  return dark ? (dark < 0 ? "n" : "p") + Math.abs(dark) : "";
}

/**
 * The size that is as dark as can be, or 0 where there are no shades.
 * @param {string | undefined} kind  share or none, else its own largest @param {Float64Array | number[]} numbers
 */
export function darkest(kind, numbers) {
  if (kind === "none" || numbers.length < 2) return 0;
  return kind === "share" ? 1 : largestSize(numbers);
}

/**
 * The class and the path of each shade, in an order of their own; a cell is 1 wide and 1 high.
 * @param {Float64Array | number[]} numbers @param {number} rows @param {number} columns @param {string | undefined} kind
 */
export function shadePaths(numbers, rows, columns, kind) {
  const largest = darkest(kind, numbers);
  /** @type {Map<string, string>} */
  const paths = new Map();
  if (!largest) return paths;
  for (let i = 0; i < rows; i++)
    for (let j = 0, start = 0; j < columns; start = j) {
      const shade = shadeOf(numbers[i * columns + start] / largest);
      while (j < columns && shadeOf(numbers[i * columns + j] / largest) === shade) j++;
      if (!shade) continue;
      const piece = `M${start} ${i}h${j - start}v1h${start - j}z`;
      paths.set(shade, (paths.get(shade) ?? "") + piece);
    }
  return paths;
}
