// A product of matrices: left the rows, above the columns, the result where both cross.
import { make } from "../face/dom.js";
import { makeAdding } from "./adding.js";
import { copyLink, copyText, symbolOf } from "./copies.js";

/** Of larger matrices only the row and the column are drawn. */
const MOST_SIDE = 8;

/** @param {Page} page @param {Place} place */
export function drawProduct(page, place) {
  const [k, row, column] = place;
  const step = page.steps[k];
  const terms = termsOf(page, place);
  const count = terms.filter(isPair).length;
  const isWhole = Math.max(step.rows, step.columns, count) <= MOST_SIDE;
  const rows = isWhole ? [...Array(step.rows).keys()] : [row];
  const columns = isWhole ? [...Array(step.columns).keys()] : [column];
  const factors = (/** @type {0 | 1} */ side) => (/** @type {Place} */ at) =>
    termsOf(page, at)
      .filter(isPair)
      .map((term) => cellOf(step, term[1 + side]));
  const left = rows.map((i) => factors(0)([k, i, column]));
  const right = columns.map((j) => factors(1)([k, row, j]));

  /** @param {Place} at @param {boolean} isTerm @param {number} term */
  const operand = (at, isTerm, term) => (isTerm ? set(copyLink(page, at), "term", String(term)) : copyText(page, at));
  const result = (/** @type {number} */ i, /** @type {number} */ j) =>
    i === row && j === column ? set(copyText(page, [k, i, j]), "lit", "") : copyText(page, [k, i, j]);
  const corner = make("div", {}, symbolOf(page, left[0], 0), symbolOf(page, right[0], 1));
  const above = left[0].flatMap((_, term) => columns.map((j, at) => operand(right[at][term], j === column, term)));
  const below = rows.flatMap((i, at) => {
    const factors = left[at].map((one, term) => operand(one, i === row, term));
    const line = [...factors, make("span"), ...columns.map((j) => result(i, j))];
    for (const { style } of line) style.gridRow = String(count + 1 + at);
    return line;
  });
  // The row comes before the column for the keyboard, too.
  const style = `--terms:${count};--right:${columns.length}`;
  const grid = make("div.product", { style }, corner, ...below, ...above);
  const beside = terms.filter((term) => term[0] === "@").map((term) => cellOf(step, term));
  const more = beside.map((at) =>
    make("p", {}, "+ ", copyLink(page, at, `${page.nameOf(at)} = ${page.engine.text(...at)}`)),
  );
  return make("div.drawn", {}, grid, ...more, makeAdding(page, place, terms, grid));
}

/** @param {HTMLElement} element @param {string} name @param {string} value */
function set(element, name, value) {
  element.dataset[name] = value;
  return element;
}

/** @param {any} term */
const isPair = (term) => term[0] === "*";

/** The terms of a sum.  @param {Page} page @param {Place} place @returns {any[]} */
function termsOf(page, place) {
  const node = page.engine.model.expressionAt(...place);
  return node[0] === "+" ? node.slice(1) : [node];
}

/** @param {Step} step @param {any} cell @returns {Place} */
const cellOf = (step, [, operand, row, column]) => [step.inputs[operand], row, column];
