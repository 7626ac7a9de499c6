// What comes out, in the bar: of the pass that is shown, in words, or a pinned number; while changes stand, before and after.
import { shownPass } from "../face/clock.js";
import { button, make } from "../face/dom.js";
import { samePlace } from "../face/page.js";
import { fillBlanks, say } from "../writing/language.js";
import { escapeLabel } from "../writing/text.js";

/** @param {Page} page */
export function makeOutcome(page) {
  const { engine, state, steps } = page;
  const said = make("strong", { id: "-outcome", "aria-live": "polite" });

  /** The texts of some places, before the changes and now: words, and the last one a number.  @param {Place[]} places */
  function textsOf(places) {
    if (places.some((place) => page.isCovered(place))) return makeTexts(["…"]);
    const now = makeTexts(places.map((place) => engine.text(...place)));
    if (!engine.changes().length) return now;
    return make("span", {}, makeTexts(places.map((place) => engine.firstText(...place))), " → ", now);
  }

  function show() {
    const { said: sentence, step, columns, facts } = shownPass(page).outcome;
    const places = columns.map((column) => /** @type {Place} */ ([step, steps[step].rows - 1, column]));
    /** @type {Record<string, HTMLElement>} */
    const words = { outcome: textsOf(places) };
    for (const [name, fact] of Object.entries(facts)) words[name] = make("span", {}, `${fact}`);
    words.row = make("em", {}, escapeLabel(steps[step].rowLabels.at(-1) ?? "")); // another word may be there now
    if (state.pinned) said.replaceChildren(page.nameOf(state.pinned), " ", textsOf([state.pinned]));
    else said.replaceChildren(...fillBlanks(sentence, words));
    said.title = said.textContent ?? "";
    said.toggleAttribute("data-stale", engine.isStale(state.pinned?.[0] ?? step));
  }

  engine.changing.subscribe(() => requestAnimationFrame(show));
  state.subscribe(["pinned", "pass"], show);
  show();
  return said;
}

/** @param {string[]} texts */
const makeTexts = (texts) => make("span", {}, ...texts.flatMap((text, at) => [at ? " " : "", make("b", {}, text)]));

/** Pins the chosen number in the bar, or takes it off.  @param {Page} page */
export const pin = ({ state }) => state.change({ pinned: samePlace(state.pinned, state.chosen) ? null : state.chosen });

/** The button that does it.  @param {Page} page */
export function makePin(page) {
  const { state } = page;
  const found = button(say("pin"), () => pin(page), { class: "pin", hidden: "" });
  state.subscribe(["chosen", "pinned"], () => {
    found.hidden = !state.chosen;
    found.textContent = state.chosen && samePlace(state.chosen, state.pinned) ? say("unpin") : say("pin");
  });
  return found;
}
