// What keys do in the tables and in the panel.
import { pin } from "../bar/outcome.js";
import { askFor } from "../quiz/quiz.js";
import { consume, find, findAll, isCommand } from "../face/dom.js";
import { within } from "../face/page.js";
import { choose, close, focusCell, goBack, letGo } from "./choosing.js";
import { edit } from "./editing.js";
import { nudge } from "./scrubbing.js";

/** @type {Map<string, [down: number, right: number]>} */
export const MOVES = new Map([
  ["ArrowLeft", [0, -1]],
  ["ArrowRight", [0, 1]],
  ["ArrowUp", [-1, 0]],
  ["ArrowDown", [1, 0]],
  ["Home", [0, -1e9]],
  ["End", [0, 1e9]],
]);

/** @param {Page} page */
export function startKeys(page) {
  const { main, panel, state } = page;
  main.addEventListener("keydown", (event) => {
    if (pressInTable(page, event)) consume(event);
  });
  panel.addEventListener("keydown", (event) => {
    if (pressInPanel(page, event)) consume(event);
  });
  const leave = () => findAll("[data-here]", main).forEach((td) => delete td.dataset.here);
  panel.addEventListener("focusout", leave);
  panel.addEventListener("focusin", (event) => {
    leave();
    const at = event.target instanceof HTMLElement ? event.target.dataset.at : "";
    if (!at) return;
    const [k, row, column] = at.split(",").map(Number);
    page.cellAt([k, row, column]).dataset.here = "";
  });
}

/** Whether a key means something on a number, and does it.  @param {Page} page @param {KeyboardEvent} event */
function pressInTable(page, event) {
  const { state, steps, panel } = page;
  const place = page.placeOf(event.target);
  const { key } = event;
  const isWithAlt = event.altKey && !event.ctrlKey && !event.metaKey;
  if (place && isWithAlt && /^Arrow(Up|Down)$/.test(key) && steps[place[0]].isEditable) {
    nudge(page, place, (key === "ArrowUp" ? 1 : -1) * (event.shiftKey ? 10 : 1));
    return true;
  }
  if (!place || event.target instanceof HTMLInputElement || isCommand(event)) return false;
  const [k, row, column] = place;
  const { rows, columns, isEditable } = steps[k];
  const move = MOVES.get(key);
  if (move) focusCell(page, [k, within(row + move[0], rows), within(column + move[1], columns)]);
  else if (isEditable && /^(Enter|F2|[-−.\d])$/.test(key)) edit(page, place, key.length === 1 ? key : undefined);
  else if (page.isCovered(place) && key === "Enter") askFor(page);
  else if (page.isCovered(place) && /^[-−.\d]$/.test(key)) {
    askFor(page); // what is typed comes into it
    return false;
  } else if (key === "Enter" && state.chosen) find(".reads [data-at]", panel)?.focus();
  else if (key === "Enter") choose(page, place);
  else if (key.toLowerCase() === "p" && state.chosen) pin(page);
  else if (key.toLowerCase() === "u") find(".users [data-at]", panel)?.focus();
  else if (key === "Escape" && state.isLecturing) letGo(page);
  else if (key === "Escape" && state.chosen) state.trail.length ? goBack(page) : close(page);
  else return false;
  return true;
}

/**
 * Whether a key means something on an operand or user, and does it.
 * @param {Page} page @param {KeyboardEvent} event
 */
function pressInPanel(page, event) {
  if (isCommand(event)) return false;
  const all = findAll("[data-at]", page.panel);
  const move = MOVES.get(event.key);
  const at = all.findIndex((one) => one === document.activeElement);
  if (at >= 0 && move) all[within(at + move[0] + move[1], all.length)].focus();
  else if (event.key === "Escape" && page.state.chosen) focusCell(page, page.state.chosen);
  else return false;
  return true;
}
