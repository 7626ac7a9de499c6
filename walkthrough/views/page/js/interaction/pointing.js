// What the pointer does in the tables.
import { find, targetOf } from "../face/dom.js";
import { samePlace } from "../face/page.js";
import { askFor } from "../quiz/quiz.js";
import { choose, focusCell } from "./choosing.js";
import { edit } from "./editing.js";

/** @param {Page} page */
export function startPointing(page) {
  const { main, state, steps } = page;

  // The first click chooses, the second edits; the cell that the tab key stops at is chosen by the press of the first.
  let chosenBefore = state.chosen;
  main.addEventListener("pointerdown", () => (chosenBefore = state.chosen));
  main.addEventListener("click", (event) => {
    const place = page.placeOf(event.target);
    if (!place || find("input", page.cellAt(place))) return;
    const isAgain = samePlace(place, state.chosen) && samePlace(place, chosenBefore);
    if (isAgain && steps[place[0]].isEditable) return edit(page, place);
    chosenBefore = place;
    state.change({ trail: [] });
    focusCell(page, place);
    if (page.isCovered(place)) askFor(page);
  });
  main.addEventListener("focusin", (event) => {
    const place = page.placeOf(event.target);
    if (place && !samePlace(place, state.chosen)) choose(page, place);
  });
  main.addEventListener("dblclick", (event) => {
    const place = page.placeOf(event.target);
    if (place && steps[place[0]].isEditable) edit(page, place);
  });

  // What comes to lie under a pointer that rests, because the page scrolls, is not pointed at.
  let resting = "";
  const spot = (/** @type {PointerEvent} */ event) => `${event.clientX} ${event.clientY}`;
  addEventListener("pointermove", (event) => (resting = spot(event)), { passive: true });
  main.addEventListener("pointerover", (event) => {
    const place = page.placeOf(targetOf(event));
    const isIgnored = event.pointerType === "touch" || resting === spot(event) || find("td input");
    if (!isIgnored && !samePlace(place, state.pointed)) state.change({ pointed: place });
  });
  main.addEventListener("pointerleave", () => {
    if (state.pointed) state.change({ pointed: null });
  });
}
