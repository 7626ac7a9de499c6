// The page: the engine, the state, and the elements of steps and numbers.
import { Listeners } from "../engine/listeners.js";
import { cellName } from "../engine/worked.js";
import { find, findAll, make, need } from "./dom.js";
import { PageState } from "./state.js";
import { Views } from "./views.js";
import { OwnNumbers } from "../quiz/own.js";
import { say } from "../writing/language.js";

export class Page {
  /** @param {Engine} engine */
  constructor(engine) {
    this.engine = engine;
    this.steps = engine.steps;
    this.state = new PageState();
    this.state.pass = engine.model.passes.length - 1;
    this.root = document.documentElement;
    this.main = need("main");
    this.sections = this.steps.map(({ path }) => /** @type {HTMLElement} */ (document.getElementById(path)));
    /** The steps in the order of the page. */
    this.order = findAll("section", this.main).map(({ id }) => engine.find(id));
    this.tables = this.steps.map(({ k }) => this.#makeGrid(k));
    // Within another page there are neither of these.
    this.bar = find(".bar") ?? make("div.bar");
    this.map = find("nav") ?? make("nav");
    this.front = find(".front") ?? make("div.front");
    /** page or embed */
    this.form = document.body.dataset.form;
    this.panel = make("aside.panel.empty", { id: "-panel", "aria-label": say("chosen_number") });
    /** @type {Listeners<Element>} told of an element that is about to be gone to: whoever hides it shows it */
    this.revealing = new Listeners();
    this.views = new Views(engine);
    /** @type {HTMLTableCellElement[][]} */
    this.cells = [];
    /** @type {Set<string>} while numbers are covered: the places of those that are not */
    this.uncovered = new Set();
    /** The numbers that somebody goes on with while they are covered. */
    this.own = new OwnNumbers(engine);
    const { asked } = document.body.dataset;
    /** The steps that practice asks for: those that the page names, or all that are calculated and not only copied. */
    this.toAsk = asked ? asked.split(" ").map((path) => engine.find(path)) : engine.calculatedSteps();
    /** The steps that are covered then. */
    this.covered = new Set(asked ? engine.model.reach(this.toAsk) : this.steps.keys());
    this.isOnPaper = false;
  }

  /** The table of a step, as a grid that the tab key stops at once.  @param {number} k */
  #makeGrid(k) {
    const section = this.sections[k];
    const table = /** @type {HTMLTableElement} */ (need("table", section));
    if (table.parentElement) table.parentElement.tabIndex = -1;
    table.setAttribute("role", "grid");
    table.setAttribute("aria-label", this.titleOf(k));
    table.rows[1].cells[1].tabIndex = 0;
    if (this.steps[k].isEditable) section.dataset.edit = "";
    else table.setAttribute("aria-readonly", "true");
    return table;
  }

  /** The cells of a step, row by row.  @param {number} k */
  cellsOf(k) {
    return (this.cells[k] ??= [...this.tables[k].tBodies[0].querySelectorAll("td")]);
  }

  /** The place of a number in its step, counted row by row.  @param {Place} place */
  indexOf([k, row, column]) {
    return row * this.steps[k].columns + column;
  }

  /** @param {Place} place */
  cellAt(place) {
    return this.cellsOf(place[0])[this.indexOf(place)];
  }

  /** @param {number} k @param {number} at  counted row by row @returns {Place} */
  placeAt(k, at) {
    const { columns } = this.steps[k];
    return [k, Math.floor(at / columns), at % columns];
  }

  /** The step that an element is in, or the first one in it.  @param {Element} element */
  stepAround(element) {
    return this.engine.find((element.closest("section") ?? find("section", element))?.id ?? "");
  }

  /** The number whose cell an element is in.  @param {EventTarget | null} element @returns {Place | null} */
  placeOf(element) {
    const td = element instanceof Element ? element.closest("tbody td") : null;
    if (!(td instanceof HTMLTableCellElement)) return null;
    const row = /** @type {HTMLTableRowElement} */ (td.parentElement);
    return [this.stepAround(td), row.sectionRowIndex, td.cellIndex - 1];
  }

  /**
   * The place that an element names, of the number that it shows.
   * @param {number} k @param {HTMLElement} element
   * @returns {Place}
   */
  placeIn(k, element) {
    const [row, column] = (element.dataset.c ?? "").split(",").map(Number);
    return [k, row, column];
  }

  /** @param {Place} place */
  nameOf([k, row, column]) {
    return cellName(this.steps[k], row, column);
  }

  /** Whether a number is one that the quiz still asks for.  @param {Place} place */
  isCovered(place) {
    if (!this.state.isAsking || this.isOnPaper || !this.covered.has(place[0])) return false;
    return !this.steps[place[0]].isGiven && !this.uncovered.has(String(place)) && !isNaN(this.engine.number(...place));
  }

  /** The covered numbers, one step after the other.  @returns {Iterable<Place>} */
  *placesToAsk() {
    for (const k of this.toAsk)
      for (let at = 0; at < this.steps[k].size; at++)
        if (this.isCovered(this.placeAt(k, at))) yield this.placeAt(k, at);
  }

  /** The text of a number as it may be seen now.  @param {Place} place */
  textAt(...place) {
    return this.isCovered(place) ? "…" : this.engine.text(...place);
  }

  /** The worked line of a number as it may be seen now.  @param {Place} place */
  lineAt(...place) {
    return this.isCovered(place) ? `${this.nameOf(place)} = …` : this.engine.line(...place);
  }

  /** @param {number} k */
  titleOf(k) {
    const heading = need("h2,h3,h4,h5,h6", this.sections[k]);
    return (heading.textContent ?? "").slice(find("i", heading)?.textContent?.length ?? 0).trim();
  }

  /** Unfolds whatever hides an element.  @param {Element | null} element */
  reveal(element) {
    for (let box = element?.closest("details"); box; box = box.parentElement?.closest("details")) box.open = true;
    if (element) this.revealing.emit(element);
  }
}

export const samePlace = (/** @type {Place | null} */ one, /** @type {Place | null} */ other) =>
  String(one) === String(other);

export const within = (/** @type {number} */ at, /** @type {number} */ count) => Math.min(Math.max(at, 0), count - 1);

/**
 * Those of the same key together, in the order in which the keys come.
 * @template T
 * @param {Iterable<T>} all @param {(one: T) => unknown} key
 */
export function group(all, key) {
  /** @type {Map<unknown, T[]>} */
  const found = new Map();
  for (const one of all) found.set(key(one), [...(found.get(key(one)) ?? []), one]);
  return [...found.values()];
}
