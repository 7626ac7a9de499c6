// Buttons that lead to a number.
// @ts-check
import { button } from "../face/dom.js";
import { followTo } from "./choosing.js";

/**
 * While numbers are covered, those that one is computed from are seen here: it is asked for from them.
 * @param {import("../face/page.js").Page} page @param {import("../face/page.js").Place} place @param {string} [text]  instead of name and number
 */
export function makeJump(page, place, text, number = page.engine.text(...place)) {
  const name = `${page.nameOf(place)} = ${number}`;
  return button(text ?? name, () => followTo(page, place), { tabindex: -1, "data-at": place, "aria-label": name });
}
