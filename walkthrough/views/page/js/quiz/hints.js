// What helps with a question: the formula, the constants in it, the arithmetic with the numbers gone on with.
import { say } from "../writing/language.js";
import { makeChoices } from "../writing/lines.js";
import { typesetSigns, writeShortest } from "../writing/numbers.js";
import { isRoot } from "./mistakes.js";

/** The value of a root that the number is divided or multiplied by: √16 = 4.  @param {Page} page @param {Place} place */
export function factsOf(page, place) {
  const { engine, steps } = page;
  const step = steps[place[0]];
  const expression = makeChoices(engine.model.expressionAt(...place), engine.shown.operandsOf(step));
  const root = Array.isArray(expression) && expression.find(isRoot);
  if (!root) return "";
  const name = step.formula.includes("√d_k") ? "√d_k = " : "";
  return `(${name}√${root[1]} = ${typesetSigns(writeShortest(Math.sqrt(root[1]), engine.mode().decimals))})`;
}

/**
 * The arithmetic of a number without its result, with one's own numbers; refused ones are named.
 * @param {Page} page @param {Place} place
 */
export function lineWithOwn(page, place) {
  const { engine, own, steps } = page;
  const [k, row, column] = place;
  const { numbers } = engine.calculation;
  const kept = new Map([...steps[k].inputs, k].map((one) => [one, numbers[one]]));
  for (const one of kept.keys()) {
    const now = Float64Array.from(numbers[one].now, (_, at) => own.number(...page.placeAt(one, at)));
    if (one === k) now[row * steps[k].columns + column] = own.rounded(place);
    numbers[one] = { ...numbers[one], now };
  }
  const [name, ...rest] = engine.line(...place).split(" = ");
  for (const [one, before] of kept) numbers[one] = before;
  const refused = own.refusedBefore(place);
  const line = `${name} = ${rest.length > 1 ? rest.slice(0, -1).join(" = ") : steps[k].formula}`;
  return refused ? `${line}   (${say("with_your", { numbers: refused })})` : line;
}
