// Where the matrices of a lecture stand, and how large: the step as large as the room allows, what it is computed from
// beside it where that leaves its digits large enough.

/** @typedef {{ wide: number, high: number }} Size  of a matrix in em of its digits, of a room in pixels */
/** @typedef {"alone" | "row" | "left" | "above"} Way  row: side by side; left, above: operands below or beside one another there */
/** @typedef {{ way: Way, ratio: number, size: number }} Layout  ratio: of the operands' digits to the step's; size: of these in pixels */

/** Between two matrices, in em. */
export const MATRIX_GAP = 1.5;
const RATIOS = [1, 0.8, 0.65, 0.5, 0.4];
/** Digits of an operand that nobody in the last row can read are left out. */
const LEAST_OPERAND = 12;

const addUp = (/** @type {number[]} */ all) => all.reduce((one, other) => one + other, 0);

/** The type at which something fits.  @param {Size} wanted @param {Size} room */
const typeFor = (wanted, room) => Math.min(room.wide / wanted.wide, room.high / wanted.high);

/**
 * What the matrices take together, in em of the step's digits.
 * @param {Way} way @param {Size} own @param {Size[]} operands  at their size
 * @returns {Size}
 */
function sizeOfAll(way, own, operands) {
  const [wides, highs] = [operands.map(({ wide }) => wide), operands.map(({ high }) => high)];
  const gaps = MATRIX_GAP * (operands.length - 1);
  if (way === "row") return { wide: addUp(wides) + gaps + MATRIX_GAP + own.wide, high: Math.max(own.high, ...highs) };
  if (way === "left")
    return { wide: Math.max(...wides) + MATRIX_GAP + own.wide, high: Math.max(own.high, addUp(highs) + gaps) };
  return { wide: Math.max(own.wide, addUp(wides) + gaps), high: Math.max(...highs) + MATRIX_GAP + own.high };
}

/**
 * @param {Size} own @param {Size[]} operands @param {Size} room
 * @param {number} least  as large as the step's digits have to be with operands, if they are without
 * @returns {Layout}
 */
export function chooseLayout(own, operands, room, least) {
  const size = typeFor(own, room);
  for (const ratio of operands.length ? RATIOS : []) {
    const scaled = operands.map(({ wide, high }) => ({ wide: wide * ratio, high: high * ratio }));
    const ways = /** @type {Way[]} */ (["row", "left", "above"]);
    const found = ways.map((way) => ({ way, ratio, size: typeFor(sizeOfAll(way, own, scaled), room) }));
    const best = found.reduce((one, other) => (other.size > one.size ? other : one));
    if (best.size >= Math.min(size, least) && best.size * ratio >= LEAST_OPERAND) return best;
  }
  return { way: "alone", ratio: 1, size };
}
