// Heat maps: the cells of one shade as one path, and of a large matrix blocks of cells, as views/pictures/heat.py has them.
import { largestSize } from "../expressions/functions.js";

/** The class of a shade, p9 the largest, n9 the most negative; share: of the largest one.  @param {number} share */
export function shadeOf(share) {
  const dark = isFinite(share) ? Math.max(-9, Math.min(9, Math.floor(share * 9 + 0.5))) : 0;
  return dark ? (dark < 0 ? "n" : "p") + Math.abs(dark) : "";
}

/**
 * The size that is as dark as can be, or 0 where there are no shades.
 * @param {string | undefined} kind  share or none, else its own largest @param {Float64Array | number[]} numbers
 */
export function darkest(kind, numbers) {
  if (kind === "none") return 0;
  if (kind === "share") return 1;
  return numbers.length < 2 ? 0 : largestSize(numbers); // a single number is always its own largest
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

/** More rows or columns are means of blocks in a heat map, and pixels in their step. */
export const MOST_CELLS = 24;

/**
 * At most 24 rows and columns: of more, the means of blocks of cells.
 * @param {Float64Array | number[]} numbers @param {number} rows @param {number} columns
 */
export function blockMeans(numbers, rows, columns) {
  const high = Math.ceil(rows / MOST_CELLS);
  const wide = Math.ceil(columns / MOST_CELLS);
  const size = { rows: Math.ceil(rows / high), columns: Math.ceil(columns / wide) };
  if (high === 1 && wide === 1) return { ...size, numbers };
  const byColumn = meansOf(numbers, rows, columns, high, 1);
  return { ...size, numbers: meansOf(byColumn, size.rows, columns, 1, wide) };
}

/**
 * @param {Float64Array | number[]} numbers @param {number} rows @param {number} columns @param {number} high @param {number} wide
 */
function meansOf(numbers, rows, columns, high, wide) {
  const found = [];
  for (let i = 0; i < rows; i += high)
    for (let j = 0; j < columns; j += wide) {
      let [sum, count] = [0, 0];
      for (let y = i; y < Math.min(i + high, rows); y++)
        for (let x = j; x < Math.min(j + wide, columns); x++)
          if (isFinite(numbers[y * columns + x])) {
            sum += numbers[y * columns + x];
            count += 1;
          }
      found.push(count ? sum / count : NaN);
    }
  return found;
}
