// What comes out, pinned in the bar: the prediction, or a number; while changes stand, before and after.
// @ts-check
import { button, make, write } from "../face/dom.js";
import { samePlace } from "../face/page.js";
import { say } from "../writing/language.js";

/** @typedef {import("../face/page.js").Page} Page */
/** @typedef {import("../face/page.js").Place} Place */

/** @param {Page} page */
export function makeOutcome(page) {
  const { bar, engine, state, steps } = page;
  const said = make("strong", { id: "-outcome", "aria-live": "polite" });
  const k = engine.find(bar.dataset.outcome ?? "");
  const [row, column] = k < 0 ? [0, 0] : [steps[k].rows - 1, 0];

  /** The texts of a place: a word has its probability with it.  @param {(...place: Place) => string} textOf */
  function textsOf(textOf) {
    if (state.pinned) return textOf(...state.pinned);
    const isWord = steps[k].words !== null && steps[k].columns > 1;
    return isWord ? `${textOf(k, row, 0)} ${textOf(k, row, 1)}` : textOf(k, row, column);
  }

  function show() {
    /** @type {Place} */
    const place = state.pinned ?? [k, row, column];
    if (place[0] < 0) return;
    const name = state.pinned || !steps[k].words ? page.nameOf(place) + " " : "";
    const now = textsOf((...one) => page.textAt(...one));
    const first =
      engine.changes().length && !page.isCovered(place) ? textsOf((...one) => engine.firstText(...one)) + " → " : "";
    write(said, name + first + now);
    said.title = said.textContent ?? "";
    said.toggleAttribute("data-stale", engine.isStale(place[0]));
  }

  engine.changing.subscribe(() => requestAnimationFrame(show));
  state.subscribe(["pinned"], show);
  show();
  return said;
}

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
