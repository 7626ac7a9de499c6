// The quiz: calculated numbers are covered, and the chosen one is asked for.
// @ts-check
import { focusCell } from "../interaction/choosing.js";
import { button, find, findAll, input, make } from "../face/dom.js";
import { samePlace } from "../face/page.js";
import { say } from "../writing/language.js";
import { judgeAnswer, wantedAt } from "./judge.js";

/** @typedef {import("../face/page.js").Page} Page */
/** @typedef {import("../face/page.js").Place} Place */

/** @type {Record<string, () => string>} */
const SAID = {
  right: () => say("right"),
  unreadable: () => say("unreadable"),
  wrong: () => say("wrong"),
  sign: () => say("wrong_sign"),
  not_scaled: () => say("wrong_not_scaled"),
  swapped: () => say("wrong_swapped"),
  point: () => say("wrong_point"),
  fewer: () => say("wrong_fewer"),
};

/** A switch: one stands in the bar, one in the lecture.  @param {Page} page */
export function makeQuizSwitch({ state }) {
  const found = button(say("quiz"), () => state.change({ isAsking: !state.isAsking }), { "aria-pressed": "false" });
  state.subscribe(["isAsking"], () => found.setAttribute("aria-pressed", String(state.isAsking)));
  return found;
}

/** While it is on, every calculated number is covered wherever it stands.  @param {Page} page */
export function startQuiz(page) {
  const { engine, root, state, steps } = page;
  state.subscribe(["isAsking"], () => {
    page.uncovered.clear();
    root.toggleAttribute("data-asking", state.isAsking);
    for (const heat of findAll("[data-heat]")) {
      const k = engine.find(heat.dataset.heat ?? "");
      heat.toggleAttribute("data-quiz", state.isAsking && k >= 0 && !steps[k].isGiven);
    }
    engine.changing.emit([...steps.keys()]);
  });
}

/** What asks for the chosen number: nothing, or an element.  @param {Page} page @returns {() => HTMLElement[]} */
export function makeQuestion(page) {
  const { engine, state } = page;
  /** @type {Place | null} */
  let asked = null;
  const wanted = make("span");
  const name = make("b");
  const answer = input({ autocomplete: "off", spellcheck: "false", "aria-label": say("answer") });
  const said = make("p", { role: "status" });
  const form = /** @type {HTMLFormElement} */ (
    make(
      "form",
      {},
      name,
      " = ",
      answer,
      " ",
      wanted,
      " ",
      make("button", {}, say("check")),
      " ",
      button(say("uncover"), uncover),
    )
  );
  const question = make("div", { id: "-quiz" }, form, said);

  function uncover() {
    if (!asked) return;
    page.uncovered.add(String(asked));
    form.hidden = true;
    engine.changing.emit([asked[0]]);
    state.change({ pointed: null });
    focusCell(page, asked);
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!asked) return;
    const { verdict, cause } = judgeAnswer(engine, asked, answer.value);
    said.dataset.verdict = verdict;
    if (cause) said.dataset.cause = cause;
    else delete said.dataset.cause;
    said.textContent = SAID[cause ?? verdict]();
    if (verdict === "right") uncover();
  });

  return () => {
    const { chosen } = state;
    if (!state.isAsking || !chosen || (!page.isCovered(chosen) && !samePlace(chosen, asked))) {
      asked = null;
      question.remove();
      return [];
    }
    if (samePlace(chosen, asked)) return [question];
    asked = chosen;
    form.hidden = false;
    name.textContent = page.nameOf(chosen);
    wanted.textContent = wantedAt(engine, chosen);
    answer.value = said.textContent = "";
    delete said.dataset.verdict;
    delete said.dataset.cause;
    return [question];
  };
}

/** Goes to the field of the question.  @param {Page} page */
export const askFor = ({ panel }) => find("#-quiz input", panel)?.focus();
