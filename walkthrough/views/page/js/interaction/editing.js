// Editing a given number in place.
import { consume, input } from "../face/dom.js";
import { focusCell } from "./choosing.js";
import { localize, say } from "../writing/language.js";

const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

/** A typed number in the form that a program reads. */
export const readTyped = (/** @type {string} */ text) => text.trim().replaceAll("−", "-").replace(",", ".");

/**
 * A field in place of a number; Enter and leaving it keep what it holds.
 * @param {Page} page @param {Place} place @param {string} [typed]  instead of the number
 */
export function edit(page, place, typed) {
  const { engine, state } = page;
  const td = page.cellAt(place);
  const text = td.textContent;
  const number = engine.number(...place);
  const label = say("new_number", { cell: page.nameOf(place) });
  const field = input({ "aria-label": label, inputmode: "decimal", spellcheck: "false" });
  field.value = typed ?? (isFinite(number) ? localize(String(number).replace("-", "−")) : "");
  td.replaceChildren(field);
  let isDone = false;

  /** @param {boolean} isKept @param {boolean} isByKey */
  function finish(isKept, isByKey) {
    if (isDone) return;
    isDone = true;
    td.textContent = text;
    const fault = isKept ? keep() : "";
    state.change({ notice: fault });
    if (fault && isByKey) {
      isDone = false;
      td.replaceChildren(field);
      return field.focus();
    }
    if (isByKey) focusCell(page, place);
    state.change({ pointed: null });
  }

  /** Sets the number that is typed; returns what is wrong with it, or nothing. */
  function keep() {
    const wanted = readTyped(field.value);
    if (wanted === String(number)) return "";
    if (!NUMBER.test(wanted)) return say("no_number", { text: field.value });
    return engine.attempt(() => engine.set(...place, +wanted));
  }

  field.addEventListener("keydown", (event) => {
    if (!/^(Enter|F2|Escape)$/.test(event.key)) return;
    consume(event);
    finish(event.key !== "Escape", true);
  });
  field.addEventListener("blur", () => finish(true, false));
  field.focus();
  if (typed === undefined) field.select();
}
