// A softmax: the scores of a row, their exponentials, and what share of the whole each is, as bars.
// @ts-check
import { largestSize } from "../expressions/functions.js";
import { make } from "../face/dom.js";
import { escapeLabel } from "../writing/text.js";
import { copyBar, copyText, numberOf, writeSymbol } from "./copies.js";

/** @typedef {import("../face/page.js").Page} Page */
/** @typedef {import("../face/page.js").Place} Place */

/** @param {Page} page @param {Place} place */
export function drawShares(page, [k, row, column]) {
  const { engine, steps } = page;
  const line = steps[k].drawn?.line ?? [];
  const labels = steps[line[0]].columnLabels;
  const chosen = line.includes(k) ? column : -1;
  const units = line.map((one) => 100 / (largestSize(labels.map((_, j) => numberOf(page, [one, row, j]))) || 1));
  const head = line.map((one) => make("b", {}, ...writeSymbol(steps[one].symbol)));
  const bars = labels.flatMap((label, j) => [
    make("b", j === chosen ? { "data-lit": "" } : {}, escapeLabel(label)),
    ...line.map((one, at) => {
      /** @type {Place} */
      const place = [one, row, j];
      return make("div", {}, copyText(page, place), copyBar(page, place, numberOf(page, place), units[at]));
    }),
  ]);
  return make("div.drawn.shares", { style: `--n:${line.length}` }, make("span"), ...head, ...bars);
}
