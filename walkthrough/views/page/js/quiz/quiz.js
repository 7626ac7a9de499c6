// The quiz: calculated numbers are covered, and the chosen one is asked for. Practice asks for one after the other.
import { choose, focusCell } from "../interaction/choosing.js";
import { button, find, findAll, input, make, write } from "../face/dom.js";
import { samePlace } from "../face/page.js";
import { keepInView } from "../face/scrolling.js";
import { say, sayMistake } from "../writing/language.js";
import { escapeLabel } from "../writing/text.js";
import { factsOf, lineWithOwn } from "./hints.js";
import { judgeAnswer, wantedAt } from "./judge.js";
import { OwnNumbers } from "./own.js";
import { Score } from "./score.js";

/** A switch: one stands in the bar, one in the lecture.  @param {Page} page */
export function makeQuizSwitch({ state }) {
  const turn = () => state.change({ isAsking: !state.isAsking, isPractising: false });
  const found = button(say("quiz"), turn, { "aria-pressed": "false" });
  state.subscribe(["isAsking"], () => found.setAttribute("aria-pressed", String(state.isAsking)));
  return found;
}

/** While it is on, every calculated number is covered wherever it stands.  @param {Page} page */
export function startQuiz(page) {
  const { engine, root, state, steps } = page;
  const told = find(".do");
  const usual = told?.textContent ?? "";
  state.subscribe(["isAsking"], () => {
    page.uncovered.clear();
    page.own = new OwnNumbers(engine);
    root.toggleAttribute("data-asking", state.isAsking);
    if (told) told.textContent = state.isAsking ? say("quiz_what_to_do") : usual;
    for (const heat of findAll("[data-heat]")) {
      const k = engine.find(heat.dataset.heat ?? "");
      heat.toggleAttribute("data-quiz", state.isAsking && k >= 0 && !steps[k].isGiven);
    }
    engine.changing.emit([...steps.keys()]);
    page.views.paint(({ isPainted }) => isPainted); // whoever goes elsewhere sees none of them for a moment
  });
  engine.changing.subscribe(() => (page.own.exact = null));
}

/** What asks for the chosen number: nothing, or an element.  @param {Page} page @returns {() => HTMLElement[]} */
export function makeQuestion(page) {
  const question = new Question(page);
  Object.assign(window, { practice: question.forPrograms() });
  return () => question.show();
}

class Question {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    /** @type {Place | null} */
    this.asked = null;
    /** @type {Place[]} what practice asks for, in order */
    this.places = [];
    this.score = new Score();
    this.name = make("b");
    this.wanted = make("span");
    this.facts = make("span");
    const usual = { autocomplete: "off", autocapitalize: "off", spellcheck: "false" };
    this.answer = input({ id: "answer", ...usual, "aria-label": say("answer") });
    this.verdict = make("p", { id: "verdict", role: "status" });
    this.hint = make("p", { id: "hint", role: "status" });
    this.form = /** @type {HTMLFormElement} */ (
      make("form", {}, this.name, " = ", this.answer, " ", this.wanted, " ", this.facts, this.#makeButtons())
    );
    this.element = make("div", { id: "-quiz" }, this.verdict, this.form, this.hint);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.answer.value.trim()) this.judge(this.answer.value);
      else this.next();
    });
    page.state.subscribe(["isPractising"], () => this.practise());
  }

  #makeButtons() {
    return make(
      "div",
      {},
      make("button", { id: "check" }, say("check")),
      button(say("hint_formula"), () => this.#tell(this.page.steps[this.#place[0]].formula), { id: "formula" }),
      button(say("hint_numbers"), () => this.#tell(lineWithOwn(this.page, this.#place)), { id: "numbers" }),
      button(say("hint_show"), () => this.uncover(), { id: "show" }),
      button(say("hint_next"), () => this.next(), { id: "next" }),
      button(say("hint_step"), () => this.next(true), { id: "step" }),
    );
  }

  get #place() {
    return /** @type {Place} */ (this.asked);
  }

  /** @param {string} text */
  #tell(text) {
    write(this.hint, text);
  }

  /** Begins with the first number, or ends. */
  practise() {
    const { page } = this;
    const { isPractising, isAsking } = page.state;
    if (!isPractising) return;
    if (!isAsking) page.state.change({ isAsking: true });
    this.score = new Score();
    this.places = [...page.placesToAsk()];
    this.#goTo(this.places[0]);
    requestAnimationFrame(() => this.answer.focus({ preventScroll: true })); // while it loads, Firefox gives no focus
  }

  /** @param {Place | undefined} place */
  #goTo(place) {
    const { page } = this;
    if (!place) return this.#end();
    page.reveal(page.sections[place[0]]);
    choose(page, place, []);
    keepInView(() => page.cellAt(place).scrollIntoView({ block: "nearest", inline: "nearest" }));
    this.answer.focus({ preventScroll: true });
  }

  #end() {
    const { page, score } = this;
    const isPractice = page.state.isPractising;
    page.state.change({ isPractising: false, isAsking: false });
    choose(page, null, []);
    if (isPractice) page.state.change({ notice: score.summarize() });
  }

  /** The next number that is still covered, of another step if that is asked for; in order.  @param {boolean} isOther */
  #after(isOther) {
    const [k, row, column] = this.#place;
    const { columns } = this.page.steps[k];
    const order = (/** @type {Place} */ [step, i, j]) => (step === k ? i * columns + j : (step - k) * Infinity);
    const here = row * columns + column;
    const places = this.places.length ? this.places : [...this.page.placesToAsk()];
    return places.find((one) => order(one) > here && !(isOther && one[0] === k) && this.page.isCovered(one));
  }

  /** Goes on without an answer, to another step if that is asked for. */
  next(isOther = false) {
    if (!this.asked) return;
    this.score.leave(this.#title());
    this.#judgeAs("", say("skipped"));
    this.#goTo(this.#after(isOther));
  }

  #title() {
    const [k] = this.#place;
    return `${this.page.titleOf(k)} ${this.page.steps[k].symbol}`;
  }

  /** @param {string} verdict @param {string} text @param {string} [cause] */
  #judgeAs(verdict, text, cause) {
    const { dataset } = this.verdict;
    write(this.verdict, text);
    delete dataset.verdict;
    delete dataset.cause;
    Object.assign(dataset, verdict && { verdict }, cause && { cause });
  }

  /** @param {string} text */
  judge(text) {
    const { page, asked } = this;
    if (!asked) return null;
    const own = page.own.refusedBefore(asked);
    const { verdict, slip } = judgeAnswer(page.engine, asked, text, page.own);
    const said = {
      right: say("yes"),
      follows: own ? say("yes_with", { numbers: own }) : say("yes_follows"),
      wrong: slip ? say("likely", { mistake: sayMistake(slip.word, slip.facts) }) : say("wrong"),
      unreadable: say("unreadable"),
    };
    this.#judgeAs(verdict, said[verdict], slip?.word);
    if (verdict !== "unreadable") this.score.count(verdict, this.#title());
    if (verdict === "right" || verdict === "follows") this.uncover(false);
    else this.answer.select(); // the next try takes the place of this one
    return verdict;
  }

  /** The right number stands there from now on.  @param {boolean} isShown  without an answer */
  uncover(isShown = true) {
    const { page, asked } = this;
    if (!asked) return;
    if (isShown) {
      page.own.tell(asked);
      this.score.count("shown", this.#title());
      this.#judgeAs("", "");
      this.#tell(say("answer_is", { number: page.engine.text(...asked) }));
    }
    page.uncovered.add(String(asked));
    page.engine.changing.emit([asked[0]]);
    // After a right answer the next question stands there at once.
    if (page.state.isPractising) return isShown ? undefined : this.#goTo(this.#after(false));
    this.form.hidden = true;
    page.state.change({ pointed: null });
    focusCell(page, asked);
  }

  show() {
    const { page, asked } = this;
    const { chosen, isAsking, isPractising } = page.state;
    if (!isAsking || !chosen || (!page.isCovered(chosen) && !samePlace(chosen, asked))) {
      this.asked = null;
      this.element.remove();
      return [];
    }
    if (samePlace(chosen, asked)) return [this.element];
    this.asked = chosen;
    this.#ask(chosen);
    if (!isPractising) this.#judgeAs("", "");
    return [this.element];
  }

  /** @param {Place} place */
  #ask(place) {
    const { page } = this;
    const [k, row, column] = place;
    const step = page.steps[k];
    this.form.hidden = false;
    write(this.name, page.nameOf(place));
    this.wanted.textContent = wantedAt(page.engine, place);
    write(this.facts, factsOf(page, place));
    this.answer.value = "";
    this.answer.inputMode = step.isWord(column) ? "text" : "decimal";
    this.#tell("");
    Object.assign(this.element.dataset, {
      path: step.path,
      row: escapeLabel(step.rowLabels[row]),
      column: escapeLabel(step.columnLabels[column]),
      digits: step.isWord(column) ? "" : this.wanted.textContent,
    });
  }

  /** What programs are offered. */
  forPrograms() {
    return {
      question: () => {
        const { path, row, column, digits } = this.element.dataset;
        return this.asked && { path, row, column, digits };
      },
      answer: (/** @type {string} */ text) => this.judge(text),
      next: () => this.next(),
    };
  }
}

/** Goes to the field of the question.  @param {Page} page */
export const askFor = ({ panel }) => find("#answer", panel)?.focus();
