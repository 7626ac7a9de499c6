// Stepping through: one step at a time, its numbers covered until the user has answered.
// @ts-check
import { close } from "../cells/choosing.js";
import { readTyped } from "../cells/editing.js";
import { goTo } from "../face/address.js";
import { button, find, findAll, input, make, need } from "../face/dom.js";
import { group, within } from "../face/page.js";
import { isBefore, partTitles } from "../map/rail.js";

/** @typedef {import("../face/page.js").Page} Page */
/** @typedef {import("../face/page.js").Place} Place */

export class Lesson {
  /** @param {Page} page */
  constructor(page) {
    const { sections } = page;
    this.page = page;
    /** The steps in the order of the page. */
    this.order = [...sections.keys()].sort((one, other) => (isBefore(sections[one], sections[other]) ? -1 : 1));
    /** The place of the current step among them. */
    this.at = -1;
    this.question = /** @type {HTMLFormElement} */ (make("form.ask"));
    this.sources = make("div.sources");
    this.where = make("span.where");
    const covers = input({ type: "checkbox", checked: "", onchange: () => this.#cover(covers.checked) });
    this.controls = make(
      "div.lesson",
      { hidden: "" },
      button("◀", () => this.#turnTo(this.at - 1), { "aria-label": "Previous step" }),
      button("▶", () => this.#turnTo(this.at + 1), { "aria-label": "Next step" }),
      this.where,
      make("label", {}, covers, " Cover numbers"),
      button("All steps", () => this.show(false)),
    );
    page.bar.prepend(this.controls);
    page.revealing.add((element) => this.#reveal(element));
    document.addEventListener("keydown", (event) => this.#press(event));
  }

  /** Begins, or ends.  @param {boolean} isStepping */
  show(isStepping) {
    const { page } = this;
    page.state.change({ isStepping });
    page.root.classList.toggle("stepping", isStepping);
    this.controls.hidden = !isStepping;
    this.#leave();
    if (isStepping) return this.#turnTo(Math.max(0, this.order.indexOf(page.state.atHand)));
    if (this.at >= 0) goTo(page, page.steps[this.order[this.at]].path);
    find(".start")?.focus({ preventScroll: true });
  }

  #leave() {
    this.question.remove();
    this.sources.remove();
    for (const old of findAll(".now,.covered", this.page.main)) old.classList.remove("now", "covered");
    close(this.page);
  }

  /** @param {boolean} covers */
  #cover(covers) {
    this.page.state.change({ covers });
    this.#turnTo(this.at);
  }

  /** @param {number} wanted */
  #turnTo(wanted, covers = this.page.state.covers) {
    const { page } = this;
    this.at = within(wanted, this.order.length);
    const k = this.order[this.at];
    const section = page.sections[k];
    const sample = page.sampleOf(k);
    this.#leave();
    page.reveal(section);
    section.classList.add("now");
    this.where.textContent = [`Step ${this.at + 1} of ${this.order.length}`, ...partTitles(section)].join(" · ");
    page.state.change({ address: page.steps[k].path });
    if (sample) {
      this.#showSources(section, page.placeIn(k, sample));
      if (covers) this.#ask(section, page.placeIn(k, sample));
    }
    scrollTo(0, 0);
  }

  /**
   * A link, or a number that is followed, leads to a step that is not there now: it takes the place of the current one.
   * @param {Element} element
   */
  #reveal(element) {
    const { page } = this;
    const { state } = page;
    const section = element.closest("section") ?? find("section", element);
    const wanted = this.order.indexOf(page.sections.findIndex((one) => one === section));
    const { trail } = state;
    if (!state.isStepping || wanted === this.at || wanted < 0) return;
    this.#turnTo(wanted, false);
    state.change({ trail });
  }

  /**
   * What the step is computed from, beside it; what the number in question reads is marked.
   * @param {HTMLElement} section @param {Place} place
   */
  #showSources(section, place) {
    const { page } = this;
    this.sources.replaceChildren(make("p", {}, "Computed from"));
    for (const strip of group(page.engine.operands(...place), ([k]) => k)) {
      const { k, path, symbol, columns } = page.steps[strip[0][0]];
      const copy = /** @type {HTMLTableElement} */ (page.tables[k].cloneNode(true));
      const cells = findAll("tbody td", copy);
      for (const td of cells)
        for (const name of ["tabindex", "data-mark", "aria-describedby"]) td.removeAttribute(name);
      for (const [, row, column] of strip) cells[row * columns + column].dataset.mark = "operand";
      const caption = make("figcaption", {}, make("a", { href: "#" + path }, `${symbol} ${page.titleOf(k)}`));
      this.sources.append(make("figure", {}, caption, copy));
    }
    section.after(this.sources);
  }

  /**
   * Which number belongs here?
   * @param {HTMLElement} section @param {Place} place
   */
  #ask(section, place) {
    const { question, page } = this;
    const name = page.nameOf(place);
    const answer = input({ inputmode: "decimal", autocomplete: "off", "aria-label": `Your answer for ${name}` });
    const said = make("span", { "aria-live": "polite" });
    section.classList.add("covered");
    question.replaceChildren(
      "Which number belongs here? ",
      make("b", {}, name),
      " = ",
      answer,
      button("Check", () => question.requestSubmit()),
      button("Uncover", () => this.#uncover()),
      said,
    );
    question.onsubmit = (event) => {
      event.preventDefault();
      const isRight = isAnswer(page.engine.text(...place).trim(), answer.value);
      if (isRight) this.#uncover();
      said.textContent = isRight ? "Right." : "Not right. Try again, or uncover.";
      said.className = isRight ? "right" : "wrong";
    };
    need(".matrix", section).before(question);
    answer.focus({ preventScroll: true });
  }

  #uncover() {
    find(".covered", this.page.main)?.classList.remove("covered");
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const { key, target } = event;
    const { state } = this.page;
    if (!state.isStepping || event.ctrlKey || event.altKey || event.metaKey) return;
    const isFree = !(target instanceof HTMLInputElement && target.type !== "checkbox") && !this.page.placeOf(target);
    if (key === "PageDown" || (key === "ArrowRight" && isFree)) this.#turnTo(this.at + 1);
    else if (key === "PageUp" || (key === "ArrowLeft" && isFree)) this.#turnTo(this.at - 1);
    else if (key === "Escape" && !state.chosen) this.show(false);
    else return;
    event.preventDefault();
  }
}

/**
 * Whether an answer is right, to the digits that are shown.
 * @param {string} shown @param {string} answer
 */
export function isAnswer(shown, answer) {
  const typed = readTyped(answer);
  if (!/\d/.test(shown) || shown === answer.trim()) return shown === answer.trim();
  const number = +shown.replaceAll("−", "-");
  const digits = shown.split("e")[0].split(".")[1]?.length ?? 0;
  const scale = shown.includes("e") ? Math.abs(number) : 1;
  return typed !== "" && Math.abs(+typed - number) <= 0.5 * 10 ** -digits * scale + 1e-12;
}
