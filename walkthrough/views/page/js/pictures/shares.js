// A softmax: the scores of a row, their exponentials, and what share of the whole each is, as bars.
import { make } from "../face/dom.js";
import { escapeLabel } from "../writing/text.js";
import { copyBar, copyText, makeScale, numberOf, writeSymbol } from "./copies.js";

/** @param {Page} page @param {Place} place */
export function drawShares(page, [k, row, column]) {
  const { steps } = page;
  const line = steps[k].drawn?.line ?? [];
  const labels = steps[line[0]].columnLabels;
  const chosen = line.includes(k) ? column : -1;
  const scales = line.map((one) => makeScale(labels.map((_, j) => numberOf(page, [one, row, j]))));
  const head = line.map((one) => make("b", {}, ...writeSymbol(steps[one].symbol)));
  const bars = labels.flatMap((label, j) => [
    make("b", j === chosen ? { "data-lit": "" } : {}, escapeLabel(label)),
    ...line.map((one, at) => {
      /** @type {Place} */
      const place = [one, row, j];
      const bar = copyBar(page, place, numberOf(page, place), scales[at]);
      return make("div", {}, copyText(page, place), make("span", scales[at].zero, bar));
    }),
  ]);
  return make("div.drawn.shares", { style: `--n:${line.length}` }, make("span"), ...head, ...bars);
}
