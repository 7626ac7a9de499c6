// Buttons that lead to a number.
// @ts-check
import { button } from "../face/dom.js";
import { followTo } from "./choosing.js";

/**
 * @param {import("../face/page.js").Page} page @param {import("../face/page.js").Place} place @param {string} [text]
 */
export function makeJump(page, place, text) {
  const name = `${page.nameOf(place)} = ${page.textAt(...place)}`;
  return button(text ?? name, () => followTo(page, place), { tabindex: -1, "data-at": place, "aria-label": name });
}
