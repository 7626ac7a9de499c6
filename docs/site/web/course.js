/* The questions of a chapter, its tables, and how far one is. */
// @ts-check
import { judge } from "./judging.js";
import { stripQuotes } from "./quiz/answers.js";

const far = document.getElementById("far");
/** @type {Record<string, string>} what is said of slips of the pen */
const SLIPS = JSON.parse(far?.dataset.slips ?? "{}");

const forms = /** @type {HTMLFormElement[]} */ ([...document.querySelectorAll("form.ask")]);
const chapter = far?.dataset.chapter ?? "";
const key = (/** @type {string} */ name) => `walkthrough:${name}`;

/**
 * Whether the first answer to each question was right, by its number; nothing where the browser keeps nothing.
 * @param {string} name  of a chapter
 * @returns {Record<string, boolean>}
 */
function readProgress(name) {
  try {
    return JSON.parse(localStorage.getItem(key(name)) ?? "{}");
  } catch {
    return {};
  }
}

const first = readProgress(chapter);

function showProgress() {
  const known = Object.values(first);
  if (far && chapter)
    far.textContent = known.length
      ? `${known.length} of ${forms.length} answered, ${known.filter(Boolean).length} of them right at the first try.`
      : "";
}

/** @param {number} at @param {boolean} isRight */
function keep(at, isRight) {
  first[at] ??= isRight;
  try {
    localStorage.setItem(key(chapter), JSON.stringify(first));
  } catch {
    // a browser that keeps nothing: what was answered now is counted all the same
  }
  showProgress();
}

forms.forEach((form, at) =>
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const typed = new FormData(form).get("answer");
    const [verdict, remark] = judge(stripQuotes(String(typed ?? "")), JSON.parse(form.dataset.right ?? "{}"), SLIPS);
    form.dataset.verdict = verdict;
    const said = form.querySelector("output");
    const word = { right: "Right.", wrong: "No." }[verdict] ?? "";
    if (said) said.textContent = `${word} ${remark}`.trim();
    if (verdict !== "unreadable") keep(at, verdict === "right");
    if (verdict !== "right") /** @type {HTMLInputElement | null} */ (form.querySelector("input[type=text]"))?.select();
    const answer = form.nextElementSibling;
    if (verdict === "right" && answer instanceof HTMLDetailsElement) answer.open = true;
  }),
);

/** Shows where a number comes from. @param {Event} event */
function showLine(event) {
  const cell = event.target instanceof Element ? event.target.closest("td[data-line]") : null;
  const line = cell?.closest("figure")?.querySelector(".line");
  if (cell instanceof HTMLElement && line) line.textContent = cell.dataset.line ?? "";
}

/** @type {Record<string, [down: number, right: number]>} */
const WAYS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** From number to number by keys. @param {KeyboardEvent} event */
function move(event) {
  const cell = event.target instanceof Element ? event.target.closest("td[data-line]") : null;
  const way = WAYS[event.key];
  if (!(cell instanceof HTMLTableCellElement) || !way) return;
  const row = cell.closest("table")?.rows[/** @type {HTMLTableRowElement} */ (cell.parentElement).rowIndex + way[0]];
  const next = row?.cells[cell.cellIndex + way[1]];
  event.preventDefault();
  if (!next?.dataset.line) return;
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

for (const table of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("table[data-step]"))) {
  for (const kind of ["pointerover", "focusin", "click"]) table.addEventListener(kind, showLine);
  table.addEventListener("keydown", move);
}

for (const [name, count] of Object.entries(JSON.parse(far?.dataset.counts ?? "{}"))) {
  const known = Object.keys(readProgress(name)).length;
  const link = document.querySelector(`main a[href$="-${name}.html"]`);
  if (known) link?.after(` (${known} of ${count} answered)`);
}
showProgress();
