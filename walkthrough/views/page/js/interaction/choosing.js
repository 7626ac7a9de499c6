// Choosing a number, following it to those that it comes from, and going back; buttons that lead to a number.
import { find, button } from "../face/dom.js";
import { samePlace } from "../face/page.js";
import { keepInView } from "../face/scrolling.js";

/** @param {Page} page @param {Place | null} place */
export const choose = ({ state }, place, trail = state.trail) => state.change({ chosen: place, pointed: null, trail });

/** @param {Page} page */
export const close = (page) => choose(page, null, []);

/** In the lecture: no number is chosen, and its keys are those of the lecture again.  @param {Page} page */
export function letGo(page) {
  close(page);
  find("[id='-lecture']")?.focus({ preventScroll: true });
}

/** Goes from the chosen number to another one.  @param {Page} page @param {Place} place */
export function followTo(page, place) {
  const { chosen, trail } = page.state;
  land(page, place, chosen && !samePlace(chosen, place) ? [...trail, chosen] : trail);
}

/** Goes back on the trail, by one or to an earlier number.  @param {Page} page */
export function goBack(page, at = page.state.trail.length - 1) {
  land(page, page.state.trail[at], page.state.trail.slice(0, at));
}

/**
 * To a cell somewhere else: its heading too, where both have room.
 * @param {Page} page @param {Place} place @param {Place[]} trail
 */
function land(page, place, trail) {
  page.reveal(page.sections[place[0]]);
  choose(page, place, trail);
  focusCell(page, place);
  keepInView(() => {
    page.sections[place[0]].scrollIntoView({ block: "nearest" });
    page.cellAt(place).scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}

/** Makes a cell the tab stop of its table, and gives it the focus.  @param {Page} page @param {Place} place */
export function focusCell(page, place) {
  const section = page.sections[place[0]];
  const td = page.cellAt(place);
  if ("pixels" in section.dataset && !page.state.isLecturing) {
    choose(page, place);
    return find("canvas", section)?.focus({ preventScroll: true });
  }
  if (td.closest("[data-covered]")) return;
  find("td[tabindex]", page.tables[place[0]])?.removeAttribute("tabindex");
  td.tabIndex = 0;
  td.focus({ preventScroll: true });
  td.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/**
 * While numbers are covered, those that one is computed from are seen here: it is asked for from them.
 * @param {Page} page @param {Place} place @param {string} [text]  instead of name and number
 */
export function makeJump(page, place, text, number = page.engine.text(...place)) {
  const name = `${page.nameOf(place)} = ${number}`;
  return button(text ?? name, () => followTo(page, place), { tabindex: -1, "data-at": place, "aria-label": name });
}
