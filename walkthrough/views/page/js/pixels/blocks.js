// Large matrices made smaller: means of blocks of cells.
// @ts-check

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
