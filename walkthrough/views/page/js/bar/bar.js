// The bar: what comes out, undo, redo, lecture and quiz; under one button what is seldom used; what there is to say.
import { button, consume, make, targetOf } from "../face/dom.js";
import { makeArithmeticControls } from "./arithmetic.js";
import { makeChanges, makeNotice, makeStaleNotice, makeUndo } from "./changes.js";
import { makeQuizSwitch } from "../quiz/quiz.js";
import { makeOutcome } from "./outcome.js";
import { makePrintedSwitch } from "./printed.js";
import { describeKeys, say } from "../writing/language.js";

/** @param {Page} page */
export function startBar(page) {
  const { bar, state } = page;
  const keys = describeKeys().map(([key, what]) => make("li", {}, make("b", {}, key), " " + what));
  const settings = make(
    "div.settings",
    { id: "-settings" },
    ...makeArithmeticControls(page),
    ...makePrintedSwitch(page),
    makeChanges(page),
    button(say("theme"), () => toggleTheme(page)),
    make("details.keys", {}, make("summary", {}, say("keys")), make("ul", {}, ...keys)),
  );
  const turn = (isOpen = !settings.classList.contains("open")) => {
    settings.classList.toggle("open", isOpen);
    more.setAttribute("aria-expanded", String(isOpen));
  };
  const about = { class: "more", "aria-expanded": "false", "aria-controls": "-settings" };
  const more = button(say("settings"), () => turn(), about);
  bar.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !settings.classList.contains("open")) return;
    consume(event);
    turn(false);
    more.focus();
  });
  addEventListener("pointerdown", (event) => {
    if (!bar.contains(targetOf(event))) turn(false);
  });
  const controls = make(
    "div",
    {},
    makeOutcome(page),
    ...makeUndo(page),
    button(say("lecture"), () => state.change({ isLecturing: true }), { title: say("lecture_help") }),
    makeQuizSwitch(page),
    more,
    settings,
  );
  bar.append(controls, make("div.said", {}, makeStaleNotice(page), makeNotice(page)));
}

/** @param {Page} page */
function toggleTheme({ root }) {
  const { theme } = root.dataset;
  const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
}
