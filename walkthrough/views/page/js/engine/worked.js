// The worked line of a number: its name, its arithmetic, what comes out.
import { cellsOf } from "../expressions/expressions.js";
import { MOST_DIGITS, REST, lineNumber, lineWriter, makeChoices, readBack, result, shorten } from "../writing/lines.js";
import { typeset, dropLastBits } from "../writing/numbers.js";
import { escapeLabel } from "../writing/text.js";

/**
 * `S[chai, is]`; a row or a column that is the only one is left out.
 * @param {Step} step @param {number} row @param {number} column
 */
export function cellName(step, row, column, symbol = step.symbol) {
  const labels = step.rows > 1 || step.columns === 1 ? [step.rowLabels[row]] : [];
  if (step.columns > 1) labels.push(step.columnLabels[column]);
  return `${symbol}[${labels.map(escapeLabel).join(", ")}]`;
}

/**
 * @param {Shown} shown @param {Step} step @param {number} row @param {number} column
 * @param {boolean} isStale  it has no arithmetic then: its numbers are those of another calculation
 */
export function workedLine(shown, step, row, column, isStale) {
  const plain = shown.plainText(step, row, column);
  const text = step.isWord(column) ? plain : typeset(plain);
  const arithmetic = step.isGiven || isStale ? "" : arithmeticOf(shown, step, row, column);
  return [cellName(step, row, column), arithmetic === text ? "" : arithmetic, text].filter(Boolean).join(" = ");
}

/** @param {Shown} shown @param {Step} step @param {number} row @param {number} column */
function arithmeticOf(shown, step, row, column) {
  const expression = makeChoices(shown.model.expressionAt(step.k, row, column), shown.operandsOf(step));
  if (step.isWord(column) && typeof expression === "number") return ""; // nobody works out an id
  if (expression[0] !== "@")
    return withNumbers(shown, step, column, expression, heldText(shown, step, shown.number(step, row, column)));
  const [, operand, i, j] = expression;
  return cellName(shown.steps[step.inputs[operand]], i, j, symbolsOf(shown, step)[operand]);
}

/** @param {Shown} shown @param {Step} step @param {number} x */
const heldText = (shown, step, x) => shown.write(step, shown.calculation.asHeld(step, x));

/** The symbols of a step's inputs; equal ones are numbered.  @param {Shown} shown @param {Step} step */
function symbolsOf(shown, step) {
  const symbols = step.inputs.map((input) => shown.steps[input].symbol);
  return symbols.map((one, at) => {
    if (symbols.indexOf(one) === symbols.lastIndexOf(one)) return one;
    return one.includes("_") ? `${one}${at + 1}` : `${one}_${at + 1}`;
  });
}

/**
 * The expression with numbers, in as few digits as give the result.
 * @param {Shown} shown @param {Step} step @param {number} column @param {any} whole @param {string} wanted
 */
function withNumbers(shown, step, column, whole, wanted) {
  /** @type {number[]} */
  const rests = [];
  const inputs = step.inputs.map((input) => shown.steps[input]);
  const own = shown.operandsOf(step);
  /** @type {CellNumber} */
  const cell = (operand, i, j) => (operand === REST ? rests[i] : own(operand, i, j));
  const expression = shorten(whole, cell, rests);
  const read = [...cellsOf(expression).values()];
  const numbers = (/** @type {(cell: any[]) => number} */ of) => new Map(read.map((one) => [String(one), of(one)]));
  let known = numbers(([, operand, i, j]) =>
    operand === REST ? dropLastBits(rests[i], shown.model.termsOf(step)) : shown.number(inputs[operand], i, j),
  );
  let digits = digitsNeeded(shown, step, expression, known, wanted);
  if (digits < 0) {
    known = numbers(([, operand, i, j]) => cell(operand, i, j));
    digits = digitsNeeded(shown, step, expression, known, wanted);
    if (digits < 0) digits = MOST_DIGITS;
  }
  const isUnknown = (/** @type {number} */ operand) => operand === REST || shown.isUnknown(inputs[operand]);
  const cellText = (/** @type {any[]} */ one) => {
    const x = known.get(String(one)) ?? NaN;
    return x !== x && !isUnknown(one[1]) ? "nan" : lineNumber(x, digits);
  };
  const label = (/** @type {number} */ id) => escapeLabel(String((step.isWord(column) && step.words?.[id]) || id));
  return lineWriter(shown.model.rules, cellText, (x) => lineNumber(x, Math.max(digits, 12)), label)(expression);
}

/**
 * The fewest digits of the operands that give the result, or −1.
 * @param {Shown} shown @param {Step} step @param {any} expression @param {Map<string, number>} known @param {string} wanted
 */
function digitsNeeded(shown, step, expression, known, wanted) {
  for (let digits = shown.style(step).decimals; digits <= MOST_DIGITS; digits++) {
    const read = new Map([...known].map(([key, x]) => [key, readBack(x, digits)]));
    const found = result(expression, (operand, i, j) => read.get(`@,${operand},${i},${j}`) ?? NaN);
    if (heldText(shown, step, found) === wanted) return digits;
  }
  return -1;
}
