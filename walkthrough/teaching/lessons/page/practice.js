// A round of practice: asks for one number after the other, and judges each from the numbers before it.
// @ts-check
import { readAnswer } from "./quiz/answers.js";
import { readWord } from "./quiz/judge.js";
import { OwnNumbers } from "./own.js";
import { Engine } from "./engine/engine.js";
import { say, setLanguage } from "./writing/language.js";
import { typesetSigns } from "./writing/numbers.js";
import { escapeLabel } from "./writing/text.js";
import { isWord } from "./engine/shown.js";

const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const readData = (/** @type {string} */ id) => JSON.parse(element(id).textContent ?? "");
/**
 * @type {{
 *   words: Record<string, string>,
 *   steps: { path: string, title: string, formula: string, digits: string, given: string[], cells: [number, number][] }[],
 *   names: Record<string, string>,
 *   date: string,
 * }}
 */
const plan = readData("practice");
const data = readData("data");
setLanguage({ ...data.language, texts: { ...data.language.texts, ...plan.words } });
const engine = new Engine(data);
const own = new OwnNumbers(engine, new Set(plan.steps.map(({ path }) => engine.find(path))));
const places = plan.steps.flatMap((one) => one.cells.map(([row, column]) => ({ one, row, column, k: engine.find(one.path) })));
const input = /** @type {HTMLInputElement} */ (element("answer"));
const score = { asked: 0, right: 0, first: 0, repeat: new Set(), began: Date.now() };
/** After a mistake, a number may be right by the rounding of as many steps before it. */
const STEPS = 3;
let now = 0;
let tries = 0;
let isLeft = false;
let hasMistake = false;
let isEnded = false;

/** The step at hand, the cell in it, and whether a word is asked for; null at the end. */
function current() {
  const place = isEnded ? undefined : places[now];
  if (!place) return null;
  const step = engine.steps[place.k];
  return { ...place, step, at: place.row * step.columns + place.column, isWord: isWord(step, place.column) };
}

// --- judging ---

/** @param {string} text */
function judge(text) {
  const asked = current();
  if (!asked) return "unreadable";
  const { step, k, at } = asked;
  if (asked.isWord) return judgeWord(text);
  const x = readAnswer(text);
  if (x === null) return "unreadable";
  const isRight = isRightNumber(step, at, x) || own.isWithin(step, x, own.rightReach(k, at, hasMistake ? STEPS : 1));
  const isReached = isRight || own.isWithin(step, x, own.reach(k, at));
  own.take(k, at, x);
  return verdictOf(isRight, isReached);
}

/** @param {import("./engine/model.js").Step} step @param {number} at @param {number} x */
function isRightNumber(step, at, x) {
  const [low, high] = own.right(step.k, at);
  return [low, high].some((right) => own.isWithin(step, x, [right, right]));
}

/** @param {string} text */
function judgeWord(text) {
  const { step, k, at } = /** @type {NonNullable<ReturnType<typeof current>>} */ (current());
  const id = readWord(step, text);
  if (id === undefined) return readAnswer(text) === null && text ? "wrong" : "unreadable";
  const isRight = own.right(k, at).includes(id);
  const isReached = isRight || own.possibleWords(k, at).includes(id);
  own.take(k, at, id);
  return verdictOf(isRight, isReached);
}

/** @param {boolean} isRight @param {boolean} isReached */
function verdictOf(isRight, isReached) {
  if (isRight) return "right";
  if (!isReached) return "wrong";
  return hasMistake ? "follows" : "right";
}

const date = new RegExp(`^(?:${plan.date})$`, "i");

/**
 * @param {string} text
 * @param {boolean} isWord
 */
function whyUnreadable(text, isWord) {
  if (isWord) return "unreadable_word";
  return date.test(text.trim()) ? "unreadable_date" : "unreadable_text";
}

/** @param {string} text */
function answer(text) {
  const asked = current();
  if (!asked) return null;
  const verdict = judge(text.trim());
  tries += 1;
  if (tries === 1) score.asked += 1;
  if (verdict === "right" || verdict === "follows") {
    score.right += 1;
    if (tries === 1) score.first += 1;
    moveTo(now + 1);
    tell(verdict, say(verdict === "right" ? "yes" : "yes_follows"));
  } else if (verdict === "wrong") {
    hasMistake = isLeft = true;
    score.repeat.add(asked.one.title);
    tell(verdict, say("no"));
  } else tell(verdict, say("not_a_number", { why: say(whyUnreadable(text, asked.isWord)) }));
  return verdict;
}

// --- hints ---

/** The arithmetic of the cell with the own numbers, without its result. */
function arithmetic() {
  const { step, one, row, column } = /** @type {NonNullable<ReturnType<typeof current>>} */ (current());
  const { numbers } = engine.calculation;
  for (const k of new Set([...step.inputs, step.k])) {
    const array = Float64Array.from(engine.steps[k].recorded, (_, at) => own.number(k, at));
    if (k === step.k) array[row * step.columns + column] = own.worked(k, row * step.columns + column);
    numbers[k] = { ...numbers[k], now: array, look: {} };
  }
  const parts = engine.line(step.k, row, column).split(" = ");
  return `${parts[0]} = ${parts.length > 2 ? parts.slice(1, -1).join(" = ") : one.title}`;
}

function showAnswer() {
  const { step, k, at, one, isWord: isName } = /** @type {NonNullable<ReturnType<typeof current>>} */ (current());
  const x = own.worked(k, at);
  own.take(k, at, x);
  tries += 1;
  if (tries === 1) score.asked += 1;
  score.repeat.add(one.title);
  const shown = isName ? escapeLabel(step.words?.[x] ?? "") : typesetSigns(engine.shown.write(step, x));
  hint(say("answer_is", { number: shown }));
}

// --- the page ---

/** @param {string} verdict @param {string} text */
function tell(verdict, text) {
  element("verdict").dataset.verdict = verdict;
  element("verdict").textContent = text;
}

const hint = (/** @type {string} */ text) => (element("hint").textContent = text);

/** @param {number} place */
function moveTo(place) {
  if (tries && isLeft) score.repeat.add(places[now].one.title);
  now = place;
  tries = 0;
  isLeft = false;
  hint("");
  ask();
}

function next() {
  if (!current()) return;
  moveTo(now + 1);
  element("verdict").removeAttribute("data-verdict");
  element("verdict").textContent = current() ? say("skipped") : "";
}

function nextStep() {
  const asked = current();
  if (!asked) return;
  const after = places.findIndex((place, at) => at > now && place.one !== asked.one);
  next();
  moveTo(after < 0 ? places.length : after);
}

function ask() {
  const asked = current();
  const question = element("question");
  if (!asked) return end();
  const { one, step, row, column } = asked;
  const cell = `${one.title}: ${engine.name(asked.k, row, column)}`;
  question.textContent = asked.isWord ? say("ask_word", { cell }) : say("ask", { cell, digits: one.digits });
  const labels = { path: one.path, row: escapeLabel(step.rowLabels[row]), column: escapeLabel(step.columnLabels[column]) };
  Object.assign(question.dataset, labels, { digits: asked.isWord ? "" : one.digits });
  input.value = "";
  input.inputMode = asked.isWord ? "text" : "decimal";
  introduce(asked);
  input.focus();
}

/** The step, its formula, and the given numbers that it needs; once for all its cells.  @param {any} asked */
function introduce({ one }) {
  if (element("asked").dataset.path === one.path) return;
  element("asked").dataset.path = one.path;
  element("title").textContent = one.title;
  element("about").textContent = one.formula;
  element("given").replaceChildren(...one.given.map(givenTable));
}

/** @param {string} path */
function givenTable(path) {
  const k = engine.find(path);
  const step = engine.steps[k];
  const table = document.createElement("table");
  table.createCaption().textContent = say("given_for", { name: plan.names[path] });
  const line = (/** @type {string[]} */ texts, /** @type {boolean} */ isHead) => {
    const row = table.insertRow();
    texts.forEach((text, at) => {
      const cell = document.createElement(isHead || !at ? "th" : "td");
      cell.textContent = text;
      row.append(cell);
    });
  };
  line(["", ...step.columnLabels.map(escapeLabel)], true);
  step.rowLabels.forEach((label, row) => {
    const texts = step.columnLabels.map((_, column) => engine.text(k, row, column));
    line([escapeLabel(label), ...texts], false);
  });
  return table;
}

function end() {
  if (isEnded) return;
  isEnded = true;
  for (const id of ["question", "form", "asked"]) element(id).hidden = true;
  element("result").replaceChildren(
    ...summary().map((text) => Object.assign(document.createElement("p"), { textContent: text })),
  );
}

function summary() {
  if (!score.asked) return [say("nothing_asked")];
  const seconds = Math.round((Date.now() - score.began) / 1000);
  const parts = { minutes: Math.floor(seconds / 60), seconds: seconds % 60, count: seconds };
  const time = say(parts.minutes ? "minutes" : "seconds", parts);
  const steps = [...score.repeat].join(", ");
  return [say("result", { right: score.right, asked: score.asked, first: score.first, time }), steps ? say("repeat", { steps }) : say("well")];
}

/** @param {string} id @param {() => void} act */
function onClick(id, act) {
  element(id).addEventListener("click", () => {
    if (current()) act();
    if (current()) input.focus();
  });
}

const submit = () => (input.value.trim() ? answer(input.value) : next());
input.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  submit();
});
onClick("check", () => input.value.trim() && answer(input.value));
onClick("formula", () => hint(plan.steps.find((one) => one === current()?.one)?.formula ?? ""));
onClick("numbers", () => hint(arithmetic()));
onClick("show", showAnswer);
onClick("next", next);
onClick("step", nextStep);
for (const key of document.querySelectorAll("[data-key]")) {
  key.addEventListener("pointerdown", (event) => event.preventDefault());
  key.addEventListener("click", () => {
    input.focus();
    const [from, to] = [input.selectionStart ?? 0, input.selectionEnd ?? 0];
    input.setRangeText(/** @type {HTMLElement} */ (key).dataset.key ?? "", from, to, "end");
  });
}
Object.assign(window, {
  practice: {
    question() {
      const { path, row, column, digits } = element("question").dataset;
      return current() && { path, row, column, digits };
    },
    answer,
    next,
  },
});
ask();
