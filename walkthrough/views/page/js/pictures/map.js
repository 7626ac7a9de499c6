// The map: the current step is highlighted.
// @ts-check
import { find, findAll, need } from "../face/dom.js";

/** @typedef {import("../face/page.js").Page} Page */

/** Whether one element comes before another. */
export const isBefore = (/** @type {Node} */ one, /** @type {Node} */ other) =>
  Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);

/** @param {Page} page */
export function startMap(page) {
  const { state } = page;
  const map = need("nav");
  /** @type {Map<string, HTMLElement>} the links of steps and parts, by path */
  const links = new Map();
  for (const link of findAll("a[href]", map).reverse()) links.set((link.getAttribute("href") ?? "").slice(1), link);

  function light() {
    const k = stepAtHand(page);
    if (k < 0 || k === state.atHand) return;
    state.change({ atHand: k });
    const link = linkOf(links, page.steps[k].path);
    find("[aria-current]", map)?.removeAttribute("aria-current");
    if (!link) return;
    link.setAttribute("aria-current", "step");
    const box = link.getBoundingClientRect();
    if (map.scrollHeight > map.clientHeight && (box.top < 40 || box.bottom > innerHeight - 40))
      map.scrollTop += box.top - innerHeight / 2;
  }

  addEventListener("scroll", () => requestAnimationFrame(light), { passive: true });
  state.follow(["chosen"], () => requestAnimationFrame(light));
  page.seeing.add(() => requestAnimationFrame(light));
}

/**
 * The chosen number's step while it is on the screen, else the last one that begins in its upper third.
 * @param {Page} page
 */
function stepAtHand({ sections, seen, state }) {
  let at = -1;
  for (const k of seen) {
    const { top, bottom } = sections[k].getBoundingClientRect();
    if (k === state.chosen?.[0] && top < innerHeight && bottom > 60) return k;
    if (top < innerHeight / 3 && bottom > 60 && (at < 0 || isBefore(sections[at], sections[k]))) at = k;
  }
  return at;
}

/**
 * The link to a step, or to the innermost part around it that has one.
 * @template T
 * @param {Map<string, T>} links @param {string} path
 */
export function linkOf(links, path) {
  const words = path.split(".");
  while (words.length && !links.has(words.join("."))) words.pop();
  return links.get(words.join("."));
}
