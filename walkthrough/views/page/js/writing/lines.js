// Worked lines: `S[chai, is] = 1.0415×(−0.1161) + 1.5403×1.4093 = 2.050`, as walkthrough/explaining writes them.
import { evaluate } from "../expressions/expressions.js";
import { largest } from "../expressions/functions.js";
import { power10, writeShortest, typeset } from "./numbers.js";
import { say, separator } from "./language.js";

export const MOST_DIGITS = 17;
export const REST = -1;
const TINY = 5e-10;
const MOST_TERMS = 8;

/** The expression with every choice made.  @param {any} node @param {CellNumber} cell @returns {any} */
export function makeChoices(node, cell) {
  if (!Array.isArray(node) || node[0] === "@") return node;
  const [sign, ...parts] = node;
  if (sign === "?") return makeChoices(evaluate(parts[0], cell) !== 0 ? parts[1] : parts[2], cell);
  if (sign === "max" && parts.every((part) => part[0] === "abs")) return largestOf(parts, cell);
  return [sign, ...parts.map((part, at) => (sign === "^" && at ? part : makeChoices(part, cell)))];
}

/** The largest of some sizes |x|, as x or −x.  @param {any[]} sizes @param {CellNumber} cell */
function largestOf(sizes, cell) {
  const numbers = sizes.map((size) => evaluate(size, cell));
  const most = largest(numbers);
  const [, node] = sizes[numbers.findIndex((x) => x !== x || x === most)];
  return evaluate(node, cell) < 0 ? ["neg", node] : node;
}

/**
 * Long sums and maxima with their largest terms and the rest as one number, which is added to `rests`; of many choices
 * the best.
 * @param {any} node @param {CellNumber} cell @param {number[]} rests
 * @returns {any}
 */
export function shorten(node, cell, rests) {
  if (node[0] === "/") return ["/", shorten(node[1], cell, rests), shorten(node[2], cell, rests)];
  if (node[0] === "-" && node[2][0] === "max") return ["-", node[1], shorten(node[2], cell, rests)];
  if (!["+", "max", "argmax"].includes(node[0])) return node;
  const isChoice = node[0] === "argmax";
  /** @type {any[]} */
  const terms = node.slice(1).filter((/** @type {any} */ _, /** @type {number} */ at) => !isChoice || at % 2);
  if (terms.length <= MOST_TERMS) return node;
  const numbers = terms.map((term) => evaluate(term, cell));
  const sizes = numbers.map((x) => (node[0] === "+" ? Math.abs(x) : x !== x ? Infinity : x));
  const order = [...terms.keys()].sort((one, other) => sizes[other] - sizes[one] || one - other);
  const kept = new Set(order.slice(0, MOST_TERMS - 1));
  const left = terms.filter((_, at) => !kept.has(at));
  const noted = (/** @type {any} */ one) => ["noted", one, say("smaller_terms", { count: left.length })];
  if (isChoice) return noted(["argmax", ...terms.flatMap((one, at) => (kept.has(at) ? [node[2 * at + 1], one] : []))]);
  rests.push(result([node[0], ...left], cell));
  return [node[0], ...terms.filter((_, at) => kept.has(at)), noted(["@", REST, rests.length - 1, 0])];
}

/**
 * Whether a number is below 1e-14 of the largest term of its sum; a quotient is 0 where what it divides is.
 * @param {any} node @param {number} number @param {CellNumber} cell
 * @returns {boolean}
 */
export function cancels(node, number, cell) {
  if (node[0] === "neg") return cancels(node[1], number, cell);
  if (node[0] === "/") return cancels(node[1], number * evaluate(node[2], cell), cell);
  if (node[0] !== "+" && node[0] !== "-") return false;
  const sizes = node.slice(1).map((/** @type {any} */ term) => Math.abs(evaluate(term, cell)));
  return sizes.every(isFinite) && Math.abs(number) < 1e-14 * Math.max(0, ...sizes);
}

/** What an expression gives, as it is shown.  @param {any} node @param {CellNumber} cell */
export function result(node, cell) {
  const number = evaluate(node, cell);
  if (cancels(node, number, cell)) return 0;
  return number === 0 || !(Math.abs(number) <= 1e-6) ? number : clean(node, cell);
}

/**
 * What a node gives where sums within that cancel are 0.
 * @param {any} node @param {CellNumber} cell
 * @returns {number}
 */
export function clean(node, cell) {
  if (!Array.isArray(node) || node[0] === "@") return evaluate(node, cell);
  const parts = [node[0], ...node.slice(1).map((part, at) => (node[0] === "^" && at ? part : clean(part, cell)))];
  const number = evaluate(parts, cell);
  return cancels(parts, number, cell) ? 0 : number;
}

/** How many terms the longest sum of a folded expression has.  @param {any} node @returns {number} */
export function longestSum(node) {
  if (!Array.isArray(node) || node[0] === "@" || node[0] === "~") return 1;
  const own =
    node[0] === "+" ? node.slice(1).reduce((sum, term) => sum + countTerms(term), 0) : node[0] === "-" ? 2 : 1;
  return Math.max(own, ...node.slice(node[0] === "…" ? 2 : 1).map(longestSum));
}

/** @type {(term: any) => number} */
const countTerms = (term) =>
  term[0] === "…"
    ? term[1] * term.slice(2).reduce((/** @type {number} */ sum, /** @type {any} */ item) => sum + countTerms(item), 0)
    : 1;

const [SUM, PRODUCT, ATOM] = [1, 2, 4];
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
/** @type {Record<string, (parts: string[]) => string>} */
const FORMS = {
  "+": (parts) => parts.reduce((line, part) => line + (part[0] === "−" ? " − " + part.slice(1) : " + " + part)),
  "-": (parts) => parts.join(" − "),
  "*": (parts) => parts.join("×"),
  "/": (parts) => parts.join(" / "),
  "^": ([base, power]) =>
    base + (/^\d+$/.test(power) ? power.replace(/\d/g, (digit) => SUPERSCRIPTS[+digit]) : "^" + power),
  neg: ([part]) => "−" + part,
  exp: ([part]) => "e^" + part,
  sqrt: ([part]) => "√" + part,
  noted: (parts) => parts.join(""),
};

/**
 * Writes expressions.
 * @param {Record<string, Rule>} rules  how tightly each construct binds, as expressions/notations/precedence.py says
 * @param {(cell: any[]) => string} cell @param {(x: number) => string} number @param {(id: number) => string} label
 * @returns {(node: any) => string}
 */
export function lineWriter(rules, cell, number, label) {
  /** @param {string} sign @param {number} at @param {any} node */
  const writePart = (sign, at, node) => {
    const [text, binding] = write(node);
    const { first, rest, leads } = rules[sign] || rules.function;
    const needed = at ? rest : first;
    const minus = text[0] === "−";
    if (sign === "+" && minus && binding >= SUM) return text;
    return binding < needed || (minus && needed > SUM && !(at === 0 && leads)) ? `(${text})` : text;
  };
  /** @param {any} node @returns {[string, number]} */
  const write = (node) => {
    const [sign, ...parts] = Array.isArray(node) ? node : [];
    if (!sign || sign === "@") {
      const text = sign ? cell(node) : typeof node === "string" ? node : number(node);
      return [text, text.includes("×") ? PRODUCT : ATOM];
    }
    if ((sign === "+" || sign === "*") && parts.length === 1) return write(parts[0]);
    if (sign === "+" && !parts.length) return ["0", SUM];
    const texts = parts.map((one, at) => writePart(sign, at, one));
    const { own } = rules[sign] || rules.function;
    if (sign === "argmax" && parts.length > 1) {
      const numbers = texts.filter((_, at) => at % 2);
      return [`argmax(${numbers.map((text, at) => `${label(parts[2 * at])}: ${text}`).join(separator())})`, ATOM];
    }
    const form = FORMS[sign];
    return [form ? form(texts) : `${sign === "log" ? "ln" : sign}(${texts.join(separator())})`, own];
  };
  return (node) => write(node)[0];
}

/** A number of a line in so many digits.  @param {number} x @param {number} digits */
export function lineNumber(x, digits) {
  const text = writeShortest(x, digits);
  const isLost = Math.abs(x) < 0.5 * power10(-digits) || (Math.abs(x) < TINY && Number(text) !== x);
  return typeset(isFinite(x) && x && isLost ? x.toExponential(Math.max(digits - 1, 0)) : text);
}

/** The number as a reader of the line would type it.  @param {number} x @param {number} digits */
export function readBack(x, digits) {
  const text = lineNumber(x, digits)
    .replaceAll("−", "-")
    .replace("∞", "Infinity")
    .replace("×10^", "e")
    .replace(",", ".")
    .replace(/[()]/g, "");
  return text === "?" ? NaN : Number(text);
}
