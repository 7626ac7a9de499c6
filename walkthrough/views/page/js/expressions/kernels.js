// Folded expressions as functions: one calculates every cell of a matrix.
import { affine } from "./expressions.js";
import { FUNCTIONS, MANY } from "./functions.js";

/**
 * The place of the cell that is calculated, the index of each enclosing loop, and the operands' numbers and widths.
 * @typedef {{ row: number, column: number, runs: number[], arrays: Float64Array[], widths: number[] }} At
 */
/** @typedef {(at: At) => number} Kernel */

/** Where an affine address leads.  @param {Address} address @returns {Kernel} */
function addressKernel(address) {
  const [start, row = 0, column = 0, ...runs] = affine(address);
  if (!runs.length) return (at) => start + row * at.row + column * at.column;
  return (at) =>
    runs.reduce((found, by, depth) => found + by * at.runs[depth], start + row * at.row + column * at.column);
}

/** A function that computes a node, inside so many runs.  @param {any} node @returns {Kernel} */
export function compile(node, depth = 0) {
  if (typeof node === "number") return () => node;
  const [sign, ...parts] = node;
  if (sign === "~") return addressKernel(parts[0]);
  if (sign === "@") return cellKernel(parts[0], addressKernel(parts[1]), addressKernel(parts[2]));
  if (sign in MANY) return manyKernel(sign, parts, depth);
  const [first, second, third] = parts.map((/** @type {any} */ part) => compile(part, depth));
  const rule = FUNCTIONS[sign];
  if (sign === "?") return (at) => (first(at) !== 0 ? second(at) : third(at));
  return second ? (at) => rule(first(at), second(at)) : (at) => rule(first(at));
}

/** @param {number} operand @param {Kernel} row @param {Kernel} column @returns {Kernel} */
const cellKernel = (operand, row, column) => (at) => at.arrays[operand][row(at) * at.widths[operand] + column(at)];

/** A function of many arguments.  @param {string} sign @param {any[]} parts @param {number} depth @returns {Kernel} */
function manyKernel(sign, parts, depth) {
  if (parts.length === 1 && isDot(parts[0], sign)) return dotKernel(parts[0], depth);
  const rule = MANY[sign];
  const adders = parts.map((part) => adder(part, depth, sign));
  return (at) => {
    /** @type {number[]} */
    const found = [];
    for (const add of adders) add(at, found);
    return rule(found);
  };
}

/**
 * Adds to `found` what an argument gives, or each of a run of them.
 * @param {any} part @param {number} depth @param {string} sign
 * @returns {(at: At, found: number[]) => void}
 */
function adder(part, depth, sign) {
  if (part[0] !== "…" || isDot(part, sign)) {
    const number = part[0] === "…" ? dotKernel(part, depth) : compile(part, depth);
    return (at, found) => found.push(number(at));
  }
  const [, count, ...items] = part;
  const adders = items.map((/** @type {any} */ item) => adder(item, depth + 1, sign));
  return (at, found) => {
    for (let index = 0; index < count; index++)
      for (const add of adders) {
        at.runs[depth] = index;
        add(at, found);
      }
  };
}

/** Whether this is the sum of a run of products of two cells.  @param {any} part @param {string} sign */
function isDot(part, sign) {
  const [, , item] = part[0] === "…" && part.length === 3 ? part : [];
  return item && sign === "+" && item[0] === "*" && item.length === 3 && item[1][0] === "@" && item[2][0] === "@";
}

/** A dot product: two addresses that move by even steps.  @param {any} run @param {number} depth @returns {Kernel} */
function dotKernel([, count, [, ...factors]], depth) {
  const [a, b] = factors.map((/** @type {any[]} */ [, operand, row, column]) => {
    const [down, along] = [row, column].map((address) => affine(address)[3 + depth] || 0);
    return { operand, row: addressKernel(row), column: addressKernel(column), down, along };
  });
  return (at) => {
    at.runs[depth] = 0;
    const x = at.arrays[a.operand];
    const y = at.arrays[b.operand];
    const xWidth = at.widths[a.operand];
    const yWidth = at.widths[b.operand];
    const xStep = a.down * xWidth + a.along;
    const yStep = b.down * yWidth + b.along;
    let i = a.row(at) * xWidth + a.column(at);
    let j = b.row(at) * yWidth + b.column(at);
    let sum = 0;
    for (let k = 0; k < count; k++, i += xStep, j += yStep) sum += x[i] * y[j];
    return sum;
  };
}
