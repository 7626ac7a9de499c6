// Folded expressions: `["+", ["…", 4, ["*", ["@", 0, [0, 1], …], …]]]`, as expressions/notations/page.py writes them.
import { FUNCTIONS, MANY, preciseSum } from "./functions.js";

/** How numbers are stored that JSON does not have.  @type {Record<string, number>} */
export const SPECIAL = { inf: Infinity, "-inf": -Infinity, nan: NaN };

/** Infinite numbers and nan are written ["inf"], ["-inf"], ["nan"].  @param {Expression} node @returns {Expression} */
export function readExpression(node) {
  if (!Array.isArray(node)) return node;
  return node[0] in SPECIAL ? SPECIAL[node[0]] : node.map(readExpression);
}

/** An affine address as a list: constant, per row, per column, per run. */
export const affine = (/** @type {Address} */ address) => (Array.isArray(address) ? address : [address]);

/** Where an address leads; at: [1, row, column, index of each run around], as far as they are known. */
export const addressAt = (/** @type {Address} */ address, /** @type {number[]} */ at) =>
  affine(address).reduce((sum, factor, index) => sum + factor * (at[index] ?? 0), 0);

/**
 * The expression of one cell: `["@", operand, row, column]` with numbers, runs written out.
 * @param {Expression} node @param {number[]} at
 * @returns {Expression}
 */
export function unfold(node, at) {
  if (!Array.isArray(node)) return node;
  const [sign, ...parts] = node;
  if (sign === "@") return [sign, parts[0], addressAt(parts[1], at), addressAt(parts[2], at)];
  return sign === "~" ? addressAt(parts[0], at) : [sign, ...parts.flatMap((part) => unroll(part, at))];
}

/** @param {any} part @param {number[]} at @returns {Expression[]} */
function unroll(part, at) {
  if (part[0] !== "…") return [unfold(part, at)];
  const [, count, ...items] = part;
  return Array.from({ length: count }, (_, index) =>
    items.flatMap((/** @type {any} */ item) => unroll(item, [...at, index])),
  ).flat();
}

/**
 * What the expression of a cell gives. Sums lose nothing on the way.
 * @param {any} node @param {CellNumber} cell
 * @returns {number}
 */
export function evaluate(node, cell) {
  if (!Array.isArray(node)) return node;
  const [sign, ...parts] = node;
  if (sign === "@") return cell(parts[0], parts[1], parts[2]);
  if (sign === "?") return evaluate(evaluate(parts[0], cell) !== 0 ? parts[1] : parts[2], cell);
  const numbers = parts.map((part) => evaluate(part, cell));
  return sign === "+" ? preciseSum(numbers) : sign in MANY ? MANY[sign](numbers) : FUNCTIONS[sign](...numbers);
}

/**
 * All cells that an expression reads, each once; what decides comes after what it decides between.
 * @param {Expression} node
 * @param {Map<string, any[]>} found
 */
export function cellsOf(node, found = new Map()) {
  if (!Array.isArray(node)) return found;
  const [sign, first, ...others] = node;
  if (sign === "@") found.set(String(node), node);
  else for (const part of sign === "?" ? [...others, first] : [first, ...others]) cellsOf(part, found);
  return found;
}
