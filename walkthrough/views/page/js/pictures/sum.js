// A sum: its terms as bars that are laid end to end, above the bar of the result.
import { evaluate } from "../expressions/expressions.js";
import { make } from "../face/dom.js";
import { copyBar, copyLink, makeScale, numberOf } from "./copies.js";

/** @param {Page} page @param {Place} place */
export function drawSum(page, place) {
  const { engine, steps } = page;
  const step = steps[place[0]];
  /** @type {any[]} */
  const [sign, ...terms] = engine.model.expressionAt(...place);
  let end = 0;
  const bars = terms.map((term, at) => {
    const [, operand, row, column] = term;
    const x = (sign === "-" && at ? -1 : 1) * evaluate(term, engine.shown.operandsOf(step));
    const from = end;
    end += x;
    return { at: /** @type {Place} */ ([step.inputs[operand], row, column]), x, from };
  });
  bars.push({ at: place, x: numberOf(page, place), from: 0 });
  const scale = makeScale(bars.flatMap(({ from, x }) => [from, from + x]));
  const rows = bars.flatMap(({ at, x, from }) => {
    const name = `${page.nameOf(at)} = ${engine.text(...at)}`;
    const bar = make("div", scale.zero, copyBar(page, at, x, scale, from));
    return [at === place ? make("b", {}, name) : copyLink(page, at, name), bar];
  });
  return make("div.drawn.sum", {}, ...rows);
}
