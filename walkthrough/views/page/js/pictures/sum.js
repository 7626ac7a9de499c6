// A sum: its terms as bars that are laid end to end, above the bar of the result.
import { expressionAt } from "../engine/shown.js";
import { evaluate } from "../expressions/expressions.js";
import { make } from "../face/dom.js";
import { copyBar, copyLink, makeScale, numberOf } from "./copies.js";

/** @param {Page} page @param {Place} place */
export function drawSum(page, place) {
  const { engine, steps } = page;
  const step = steps[place[0]];
  const operands = engine.shown.operandsOf(step);
  const [sign, ...terms] = /** @type {any[]} */ (expressionAt(engine.model, step, place[1], place[2]));
  const numbers = terms.map((term, at) => (sign === "-" && at ? -1 : 1) * evaluate(term, operands));
  /** @type {{ at: Place, x: number, from: number }[]} */
  const bars = [];
  let end = 0;
  terms.forEach(([, operand, row, column], at) => {
    bars.push({ at: [step.inputs[operand], row, column], x: numbers[at], from: end });
    end += numbers[at];
  });
  bars.push({ at: place, x: numberOf(page, place), from: 0 });
  const scale = makeScale(bars.flatMap(({ from, x }) => [from, from + x]));
  const rows = bars.flatMap(({ at, x, from }, number) => {
    const name = `${page.nameOf(at)} = ${engine.text(...at)}`;
    const isResult = number === bars.length - 1;
    return [
      isResult ? make("b", {}, name) : copyLink(page, at, name),
      make("div", scale.zero, copyBar(page, at, x, scale, from)),
    ];
  });
  return make("div.drawn.sum", {}, ...rows);
}
