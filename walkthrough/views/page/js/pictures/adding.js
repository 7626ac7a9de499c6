// The terms of a product: each lights with its partner, and they are added one by one.
import { evaluate } from "../expressions/expressions.js";
import { preciseSum } from "../expressions/functions.js";
import { button, find, findAll, make, targetOf } from "../face/dom.js";
import { say } from "../writing/language.js";

/** How long the next term waits, and all of them at most, in milliseconds. */
const PAUSE = 600;
const LONGEST = 5000;

/**
 * The controls for the terms of a product in a grid, whose elements with data-term are the numbers of a term.
 * @param {Page} page @param {Place} place @param {any[]} terms @param {HTMLElement} grid
 */
export function makeAdding({ engine, steps }, place, terms, grid) {
  const step = steps[place[0]];
  const numbers = terms.map((term) => evaluate(term, engine.shown.operandsOf(step)));
  const sum = make("output", { "data-sum": "" });
  const said = make("span");
  let [done, timer] = [0, 0];

  /** Lights a term and its partner, or without one the whole row and column.  @param {Element | null} element */
  function light(element = null) {
    const term = element?.getAttribute("data-term");
    for (const one of findAll("[data-term]", grid))
      one.toggleAttribute("data-lit", !element || one.dataset.term === term);
  }

  /** @param {number} count  of terms that are added */
  function show(count) {
    done = count;
    const isAll = done === numbers.length;
    const text = () => engine.shown.textOf(step, place[2], preciseSum(numbers.slice(0, done)));
    sum.textContent = isAll ? engine.text(...place) : text();
    said.textContent = say("terms_done", { done, count: numbers.length });
  }

  /** The next term; after the last one it begins again. */
  function add() {
    show(done === numbers.length ? 0 : done + 1);
    light(find(`[data-term="${done - 1}"]`, grid));
  }

  function press() {
    clearTimeout(timer);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return add();
    const goOn = () => {
      if (!grid.isConnected) return;
      if (done === numbers.length) return light();
      add();
      wait();
    };
    const wait = () => (timer = window.setTimeout(goOn, Math.min(PAUSE, LONGEST / numbers.length)));
    show(0);
    wait();
  }

  show(0);
  light();
  for (const type of ["pointerover", "focusin"])
    grid.addEventListener(type, (event) => light(targetOf(event).closest("[data-term]")));
  for (const type of ["pointerleave", "focusout"]) grid.addEventListener(type, () => light());
  return make("p.adding", {}, button(say("add_up"), press), " ", sum, " ", said);
}
