// The lecture: one step fills the window, what it is computed from beside it; its rows are uncovered one by one.
import { close } from "../interaction/choosing.js";
import { goTo } from "../face/address.js";
import { find, findAll, isCommand, isField, make, need, sign } from "../face/dom.js";
import { within } from "../face/page.js";
import { makeQuizSwitch } from "../quiz/quiz.js";
import { partTitles } from "../map/rail.js";
import { chooseLayout, MATRIX_GAP } from "./layout.js";
import { MOST_CELLS } from "../pictures/heat.js";
import { say } from "../writing/language.js";

/** The type that matrices are measured with, and the smallest one; what does not fit then is scrolled to. */
const MEASURED = 20;
const SMALLEST_TYPE = 10;
/** As large as a step's digits have to be before its operands come, on a screen of 1920×1080, and on any. */
const [LEGIBLE, LEAST_TYPE] = [42, 16];

/** What keys do: rows forward (1) or back (−1), or the first or last step.  @type {Record<string, string | number>} */
const LECTURE_KEYS = { " ": 1, PageDown: 1, ArrowRight: 1, PageUp: -1, ArrowLeft: -1, Home: "first", End: "last" };

export class Lecture {
  /** @param {Page} page */
  constructor(page) {
    const { state } = page;
    this.page = page;
    this.order = page.order;
    /** The place of the current step in it. */
    this.at = -1;
    /** @type {[section: HTMLElement, home: Comment][]} what stands in the lecture now, and where it belongs */
    this.taken = [];
    this.where = make("span.where");
    this.title = make("div.now");
    this.stage = make("div.stage");
    const controls = make(
      "div.controls",
      { onmousedown: (/** @type {Event} */ event) => event.preventDefault() }, // keys remain those of the lecture
      this.where,
      makeQuizSwitch(page),
      sign("◀", () => this.#turnTo(this.at - 1, false), say("previous_step")),
      sign("▶", () => this.#turnTo(this.at + 1), say("next_step")),
      sign("✕", () => this.#leave(), say("leave"), say("leave_help")),
    );
    const about = { id: "-lecture", role: "region", "aria-label": say("lecture"), tabindex: -1 };
    this.box = make("div", about, make("div.lead", {}, this.title, controls), this.stage);
    page.revealing.subscribe((element) => this.#reveal(element));
    page.views.painted.subscribe(() => this.#isOpen() && this.#isTooLarge() && this.#fit());
    state.subscribe(["isLecturing"], () => this.#follow());
    // With the window, and once the page that an address has opened is shown.
    new ResizeObserver(() => requestAnimationFrame(() => this.#isOpen() && this.#fit())).observe(this.stage);
    addEventListener("beforeprint", () => this.#putBack());
    addEventListener("afterprint", () => this.#isOpen() && this.#turnTo(this.at, false));
    document.addEventListener("keydown", (event) => {
      if (this.#press(event)) event.preventDefault();
    });
  }

  #isOpen() {
    return this.box.isConnected;
  }

  /** Begins or ends, as the state says. */
  #follow() {
    const { main, panel, root, state } = this.page;
    if (state.isLecturing === this.#isOpen()) return;
    root.classList.toggle("lecturing", state.isLecturing);
    if (state.isLecturing) {
      main.append(this.box);
      this.box.append(panel); // below the matrices
      this.#turnTo(Math.max(0, this.order.indexOf(state.atHand)));
    } else {
      this.#putBack();
      document.body.append(panel);
      this.box.remove();
    }
  }

  /** To the same step in the page. */
  #leave() {
    const { state, steps } = this.page;
    state.change({ isLecturing: false });
    goTo(this.page, steps[this.order[this.at]].path);
  }

  #putBack() {
    close(this.page);
    this.#light(-1);
    for (const [section, home] of this.taken) home.replaceWith(section);
    for (const { dataset } of findAll("[data-covered]", this.page.main)) delete dataset.covered;
    this.taken = [];
  }

  /** @param {HTMLElement} section @param {HTMLElement} box */
  #take(section, box) {
    const home = document.createComment("");
    section.replaceWith(home);
    this.taken.push([section, home]);
    box.append(section);
  }

  /** @param {number} wanted @param {boolean} isCovered  whether the rows of a computed matrix begin covered */
  #turnTo(wanted, isCovered = true) {
    const { page } = this;
    const { sections, state, steps } = page;
    this.#putBack();
    this.at = within(wanted, this.order.length);
    const k = this.order[this.at];
    this.where.textContent = `${this.at + 1} / ${this.order.length}`;
    const { isGiven, inputs, path } = steps[k];
    page.reveal(sections[k]);
    this.box.dataset.step = path;
    this.title.replaceChildren(
      make("h2", {}, ...need("h2,h3,h4,h5,h6", sections[k]).cloneNode(true).childNodes),
      need("math", sections[k]).cloneNode(true),
      make("p", {}, partTitles(sections[k]).join(" · ")),
    );
    this.stage.replaceChildren(make("div.operands"));
    for (const input of isGiven ? [] : new Set(inputs)) {
      const figure = make("figure", {}, make("figcaption", {}, this.#linkTo(input)));
      need(".operands", this.stage).append(figure);
      this.#take(sections[input], figure);
    }
    this.#take(sections[k], this.stage);
    if (isCovered && !isGiven) for (const { dataset } of this.#rows()) dataset.covered = "";
    state.change({ address: path, atHand: k });
    this.#fit();
    this.box.focus({ preventScroll: true });
  }

  /** To an operand, by the symbol that it has in the formula of the current step.  @param {number} k */
  #linkTo(k) {
    const { sections, steps } = this.page;
    const href = "#" + steps[k].path;
    const links = findAll(".formula p a", sections[this.order[this.at]]);
    const named = links.find((link) => link.getAttribute("href") === href);
    return named?.cloneNode(true) ?? make("a", { href }, this.page.titleOf(k));
  }

  #rows() {
    return findAll("tbody tr", this.page.tables[this.order[this.at]]);
  }

  /** Lights a row of the current step and what it is made of; −1: none.  @param {number} row */
  #light(row) {
    const { engine, steps } = this.page;
    const k = this.order[this.at];
    for (const { dataset } of findAll("td[data-lit]", this.stage)) delete dataset.lit;
    const columns = row < 0 || steps[k].columns > MOST_CELLS ? [] : [...Array(steps[k].columns).keys()];
    /** @type {Place[]} */
    const places = columns.flatMap((column) => [[k, row, column], ...engine.operands(k, row, column)]);
    for (const place of places) this.page.cellAt(place).dataset.lit = "";
  }

  /** Uncovers the next row, or goes on to the next step. */
  #forward() {
    const rows = this.#rows();
    const next = rows.findIndex(({ dataset }) => "covered" in dataset);
    if (next < 0) return this.at < this.order.length - 1 ? this.#turnTo(this.at + 1) : undefined;
    delete rows[next].dataset.covered;
    this.#light(next);
    rows[next].scrollIntoView({ block: "nearest" });
  }

  /** Covers the last row again, or goes back to the step before. */
  #back() {
    const rows = this.#rows();
    const shown = rows.filter(({ dataset }) => !("covered" in dataset)).length;
    if (!shown || this.page.steps[this.order[this.at]].isGiven)
      return this.at ? this.#turnTo(this.at - 1, false) : undefined;
    rows[shown - 1].dataset.covered = "";
    this.#light(shown - 2);
  }

  /** Chooses the type and the places by the sizes that the matrices have. */
  #fit() {
    const { stage, title } = this;
    const formula = need("math", title);
    formula.style.fontSize = "";
    if (formula.scrollWidth > title.clientWidth)
      formula.style.fontSize = `${(title.clientWidth / formula.scrollWidth).toFixed(3)}em`;
    const boxes = this.taken.map(([section]) => section.closest("figure") ?? section);
    const own = boxes[boxes.length - 1];
    stage.dataset.way = "row";
    stage.style.fontSize = `${MEASURED}px`;
    stage.style.setProperty("--ratio", "1");
    const sizes = boxes.map((box) => ({ wide: box.offsetWidth / MEASURED, high: box.offsetHeight / MEASURED }));
    const room = { wide: stage.clientWidth, high: stage.clientHeight };
    const least = Math.max(LEAST_TYPE, LEGIBLE * Math.min(innerWidth / 1920, innerHeight / 1080));
    const line = parseFloat(getComputedStyle(need(".line", this.page.panel)).fontSize);
    const { way, ratio, size } = chooseLayout(sizes[sizes.length - 1], sizes.slice(0, -1), room, least);
    stage.dataset.way = way;
    stage.style.setProperty("--ratio", String(ratio));
    stage.style.setProperty("--gap", `${MATRIX_GAP}em`);
    let type = Math.min(size, 2 * line); // a line is never less than half as large as the digits
    for (let turn = 0; turn < 4; turn++) {
      stage.style.fontSize = `${Math.max(type, SMALLEST_TYPE).toFixed(2)}px`;
      if (!this.#isTooLarge()) break;
      type *= 0.985; // type does not grow quite evenly
    }
    own.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  #isTooLarge() {
    const { clientWidth, clientHeight, scrollWidth, scrollHeight } = this.stage;
    return scrollWidth > clientWidth || scrollHeight > clientHeight;
  }

  /**
   * A link, or a number that is followed, leads to a step that is not there now: it takes the place of the current one.
   * Whoever follows a number wants to see it.
   * @param {Element} element
   */
  #reveal(element) {
    const { page } = this;
    const wanted = this.order.indexOf(page.stepAround(element));
    if (!this.#isOpen() || wanted === this.at || wanted < 0) return;
    const { chosen, trail } = page.state;
    this.#turnTo(wanted, !chosen);
    page.state.change({ chosen, trail });
  }

  /** Whether a key means something to the lecture, and does it.  @param {KeyboardEvent} event */
  #press(event) {
    const { key, target, shiftKey } = event;
    const { state } = this.page;
    if (isCommand(event) || event.defaultPrevented || isField(target)) return false;
    if (key.toLowerCase() === "f") state.isLecturing ? this.#leave() : state.change({ isLecturing: true });
    else if (!state.isLecturing) return false;
    else if (key === "Escape") this.#leave();
    else if (key === " " && target instanceof Element && target.matches("button,summary,input")) return false;
    else if (LECTURE_KEYS[key] === "first") this.#turnTo(0);
    else if (LECTURE_KEYS[key] === "last") this.#turnTo(this.order.length - 1);
    else if (LECTURE_KEYS[key] === 1 && !shiftKey) this.#forward();
    else if (LECTURE_KEYS[key] === -1 || (key === " " && shiftKey)) this.#back();
    else return false;
    return true;
  }
}
