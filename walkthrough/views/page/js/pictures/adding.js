// The terms of a product: each lights with its partner, and they are added one by one.
import { evaluate } from "../expressions/expressions.js";
import { preciseSum } from "../expressions/functions.js";
import { button, findAll, make, targetOf } from "../face/dom.js";
import { say } from "../writing/language.js";

/** How long the next term waits, and all of them at most, in milliseconds. */
const PAUSE = 600;
const LONGEST = 5000;

/** Elements with data-term are the numbers of a term. */
export class Adding {
  /** @param {Page} page @param {Place} place @param {any[]} terms @param {HTMLElement} grid */
  constructor(page, place, terms, grid) {
    const operands = page.engine.shown.operandsOf(page.steps[place[0]]);
    this.page = page;
    this.place = place;
    this.grid = grid;
    this.numbers = terms.map((term) => evaluate(term, operands));
    this.done = 0;
    this.timer = 0;
    this.sum = make("output", { "data-sum": "" });
    this.said = make("span");
    this.controls = make(
      "p",
      {},
      button(say("add_up"), () => this.#press()),
      " ",
      this.sum,
      " ",
      this.said,
    );
    this.#show();
    this.light();
    const point = (/** @type {Event} */ event) => this.light(targetOf(event).closest("[data-term]"));
    for (const type of ["pointerover", "focusin"]) grid.addEventListener(type, point);
    for (const type of ["pointerleave", "focusout"]) grid.addEventListener(type, () => this.light());
  }

  /** Lights a term and its partner, or without one the whole row and column.  @param {Element | null} [element] */
  light(element) {
    const term = element instanceof HTMLElement ? element.dataset.term : undefined;
    for (const one of findAll("[data-term]", this.grid))
      one.toggleAttribute("data-lit", term === undefined || one.dataset.term === term);
  }

  #show() {
    const { engine, steps } = this.page;
    const { numbers, done, place } = this;
    const isAll = done === numbers.length;
    const sum = preciseSum(numbers.slice(0, done));
    this.sum.textContent = isAll ? engine.text(...place) : engine.shown.textOf(steps[place[0]], place[2], sum);
    this.said.textContent = say("terms_done", { done, count: numbers.length });
  }

  /** The next term; after the last one it begins again. */
  #add() {
    this.done = this.done === this.numbers.length ? 0 : this.done + 1;
    this.#show();
    this.light(this.grid.querySelector(`[data-term="${this.done - 1}"]`));
  }

  #press() {
    clearTimeout(this.timer);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.#add();
    const count = this.numbers.length;
    const pause = Math.min(PAUSE, LONGEST / count);
    const go = () => {
      if (!this.grid.isConnected) return;
      if (this.done === count) return this.light();
      this.#add();
      this.timer = window.setTimeout(go, pause);
    };
    this.done = 0;
    this.#show();
    this.timer = window.setTimeout(go, pause);
  }
}
