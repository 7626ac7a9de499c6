// Where a number comes from, and where it goes: both follow from shapes alone.
import { addressAt, affine, cellsOf } from "../expressions/expressions.js";

/** The cells that a number is computed from.  @param {Model} model @param {Place} place */
export function operandsOf(model, place) {
  const { k, inputs, isGiven } = model.stepAt(...place);
  const read = isGiven ? [] : [...cellsOf(model.expressionAt(k, place[1], place[2])).values()];
  const places = read.map(([, operand, i, j]) => /** @type {Place} */ ([inputs[operand], i, j]));
  return [...new Map(places.map((one) => [String(one), one])).values()]; // two operands may be one step
}

/** The cells that are computed from a number.  @param {Model} model @param {Place} place */
export function usersOf(model, place) {
  const { k } = model.stepAt(...place);
  return model.steps.filter((user) => user.inputs.includes(k)).flatMap((user) => usersIn(model, user, place));
}

/** @param {Model} model @param {Step} step @param {Place} place */
function usersIn(model, step, [k, row, column]) {
  /** @type {Place[]} */
  const found = [];
  const operands = new Set(step.inputs.flatMap((input, at) => (input === k ? [at] : [])));
  for (const piece of step.pieces) {
    const [top, height, down] = piece.rows;
    const [left, width, right] = piece.columns;
    const readers = readersIn(model.expressions[piece.expression], operands, []);
    for (let i = top; i < top + height * down; i += down)
      for (let j = left; j < left + width * right; j += right)
        if (readers.some(({ node, counts }) => reads(node, [1, i, j], counts, row, column))) found.push([step.k, i, j]);
  }
  return found.sort((one, other) => one[1] - other[1] || one[2] - other[2]);
}

/**
 * The places of an expression that read some operands, each with the lengths of the runs around it.
 * @param {any} node @param {Set<number>} operands @param {number[]} counts
 * @returns {{ node: any, counts: number[] }[]}
 */
function readersIn(node, operands, counts) {
  if (!Array.isArray(node)) return [];
  if (node[0] === "@") return operands.has(node[1]) ? [{ node, counts }] : [];
  const isRun = node[0] === "…";
  const inner = isRun ? [...counts, node[1]] : counts;
  return node.slice(isRun ? 2 : 1).flatMap((part) => readersIn(part, operands, inner));
}

/**
 * Whether the cell at [1, row, column, index of each run …] reads this one.
 * @param {any} node @param {number[]} at @param {number[]} counts @param {number} row @param {number} column
 * @returns {boolean}
 */
function reads(node, at, counts, row, column) {
  const isElsewhere = (/** @type {Address} */ address, /** @type {number} */ wanted) =>
    !affine(address).slice(at.length).some(Boolean) && addressAt(address, at) !== wanted;
  if (isElsewhere(node[2], row) || isElsewhere(node[3], column)) return false;
  const count = counts[at.length - 3];
  if (count === undefined) return true;
  return Array.from({ length: count }).some((_, index) => reads(node, [...at, index], counts, row, column));
}
