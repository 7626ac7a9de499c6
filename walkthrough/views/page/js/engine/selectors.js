// Reads `CELL=NUMBER` as `--set` does: a selector, labels, a number.
import { findMeant, escapeLabel } from "../writing/text.js";
import { say } from "../writing/language.js";

/** @typedef {[word: string, number: string]} Word */

/**
 * The cell and the number of a change.
 * @param {Model} model @param {string} item
 * @returns {[k: number, row: number, column: number, x: number]}
 */
export function readChange(model, item) {
  const at = item.lastIndexOf("=");
  const open = item.indexOf("[");
  const number = item
    .slice(at + 1)
    .trim()
    .replace("−", "-");
  const cell = item.slice(0, Math.max(at, 0)).trim();
  if (at < 0 || open < 0 || !cell.endsWith("]")) throw new Error(say("no_change", { item: escapeLabel(item) }));
  if (!/^[-+]?(\d[\d_]*\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(number))
    throw new Error(say("not_finite", { item: escapeLabel(item) }));
  const step = select(model, cell.slice(0, open).trim());
  const labels = cell.slice(open + 1, -1);
  const place = findCell(step, labels);
  if (!place) throw new Error(say("no_cell", { path: step.path, labels: escapeLabel(labels) }));
  return [step.k, ...place, Number(number.replaceAll("_", ""))];
}

/**
 * The one step that a selector names; of several, the one given step.
 * @param {Model} model @param {string} selector
 */
function select(model, selector) {
  const exact = model.paths.get(selector);
  if (exact !== undefined) return model.steps[exact];
  const wanted = wordsOf(model, selector);
  const found = model.steps.filter((step) =>
    [step.path, ...step.aliases].some((path) => isSelected(model, path, wanted)),
  );
  const given = found.filter((step) => step.isEditable);
  const fitting = given.length === 1 ? given : found;
  if (fitting.length === 1) return fitting[0];
  const several = () => say("several_steps", { selector, count: found.length, first: found[0].path });
  throw new Error(found.length ? several() : say("no_step", { selector: escapeLabel(selector) }));
}

/** A selector, or a path, as words with their numbers.  @param {Model} model @param {string} text */
function wordsOf({ selectors: { short } }, text) {
  /** @type {Word[]} */
  const words = [];
  for (const part of text.toLowerCase().split(".")) {
    const last = words.at(-1);
    if (/^\d+$/.test(part) && last && !last[1]) last[1] = part;
    else words.push([short[part] || part, ""]);
  }
  return words;
}

/**
 * Whether a path has the words of a selector, in order; some steps only if it says theirs.
 * @param {Model} model @param {string} path @param {Word[]} wanted
 */
function isSelected(model, path, wanted) {
  const { kinds, namedOnly } = model.selectors;
  const said = wanted.map(([word]) => word);
  let at = 0;
  for (const [word, number] of wordsOf(model, path)) {
    if (namedOnly.includes(word) && !said.includes(word)) return false;
    if (at === wanted.length) continue;
    const [sought, count] = wanted[at];
    const isWord = (kinds[sought] || [sought]).includes(word) || (wanted.length > 1 && word === sought);
    if (isWord && (!count || count === number)) at += 1;
  }
  return at === wanted.length;
}

/**
 * Row and column of labels, which may hold commas.
 * @param {Step} step @param {string} labels
 * @returns {[row: number, column: number] | null}
 */
function findCell(step, labels) {
  /** @type {[string, string][]} */
  const readings = [];
  if (step.columns === 1) readings.push([labels.trim(), step.columnLabels[0]]);
  if (step.rows === 1) readings.push([step.rowLabels[0], labels.trim()]);
  for (let at = labels.indexOf(","); at >= 0; at = labels.indexOf(",", at + 1)) {
    const left = labels.slice(0, at);
    const right = labels.slice(at + 1);
    readings.push([left, right.replace(/^ /, "")], [left.trim(), right.trim()]);
  }
  for (const [left, right] of readings) {
    const row = findMeant(left, step.rowLabels);
    const column = findMeant(right, step.columnLabels);
    if (row >= 0 && column >= 0) return [row, column];
  }
  return null;
}
