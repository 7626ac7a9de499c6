// What helps with a question: the formula, the constants in it, the arithmetic with the numbers gone on with.
import { expressionAt } from "../engine/shown.js";
import { say } from "../writing/language.js";
import { makeChoices } from "../writing/lines.js";
import { typesetSigns, writeShortest } from "../writing/numbers.js";
import { isRoot } from "./mistakes.js";

/** The formula as text, as the page's data has it.  @param {Page} page @param {Place} place */
export const formulaOf = ({ steps }, [k]) => steps[k].formula;

/** The value of a root that the number is divided or multiplied by: √16 = 4.  @param {Page} page @param {Place} place */
export function factsOf(page, place) {
  const { engine, steps } = page;
  const [k, row, column] = place;
  const expression = makeChoices(expressionAt(engine.model, steps[k], row, column), engine.shown.operandsOf(steps[k]));
  const root = Array.isArray(expression) && expression.find(isRoot);
  if (!root) return "";
  const name = formulaOf(page, place).includes("√d_k") ? "√d_k = " : "";
  return `(${name}√${root[1]} = ${typesetSigns(writeShortest(Math.sqrt(root[1]), engine.mode().decimals))})`;
}

/**
 * The arithmetic of a number without its result, with one's own numbers; refused ones are named.
 * @param {Page} page @param {Place} place
 */
export function lineWithOwn({ engine, own, steps }, place) {
  const [k, row, column] = place;
  const { numbers } = engine.calculation;
  const kept = new Map([...steps[k].inputs, k].map((one) => [one, numbers[one]]));
  for (const one of kept.keys()) {
    const { columns } = steps[one];
    const now = Float64Array.from(numbers[one].now, (_, at) => own.number(one, Math.floor(at / columns), at % columns));
    if (one === k) now[row * columns + column] = own.rounded(place);
    numbers[one] = { ...numbers[one], now };
  }
  const [name, ...rest] = workedParts(engine.line(k, row, column));
  for (const [one, before] of kept) numbers[one] = before;
  const refused = own.refusedBefore(place);
  const line = `${name} = ${rest.length > 1 ? rest.slice(0, -1).join(" = ") : steps[k].formula}`;
  return refused ? `${line}   (${say("with_your", { numbers: refused })})` : line;
}

const workedParts = (/** @type {string} */ line) => line.split(" = ");
