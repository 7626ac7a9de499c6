// The map of another pass: the same boxes hold its steps, or others where it has other steps.
// @ts-check
import { inPass, shownPass } from "../face/clock.js";
import { find, findAll, make, write } from "../face/dom.js";
import { MOST_CELLS } from "../pictures/heat.js";
import { writeWords } from "./words.js";

/** @typedef {import("../face/page.js").Page} Page */
/** @typedef {{ nodes: ChildNode[], style: string, most: number, small: number, at: number }} ModelMap  at: the pass that it has now */

/** What names steps in a map. */
const NAMING = ["data-heat", "data-from", "data-to", "data-rows", "href"];
/** How wide a digit is, in em. */
export const DIGIT = 0.6;
/** Rows or columns of a matrix with digits, and the side of the smallest matrix, in em. */
const [MOST_WITH_DIGITS, LEAST] = [12, 1.4];

/**
 * A function that makes the map that of the pass that is shown.
 * @param {Page} page
 */
export function makeTurning(page) {
  const { engine, map, state } = page;
  const { passes } = engine.model;
  const shownIn = (/** @type {HTMLElement} */ { style, dataset }, /** @type {ParentNode} */ held) => ({
    nodes: [...held.childNodes],
    style: style.cssText,
    most: Number(dataset.most),
    small: Number(dataset.small),
    at: passes.findIndex(({ name }) => name === dataset.pass),
  });
  /** @type {Map<string, ModelMap>} the maps, by the pass that they are made for */
  const maps = new Map([[map.dataset.pass ?? "", shownIn(map, map)]]);
  for (const one of document.querySelectorAll("template")) maps.set(one.dataset.pass ?? "", shownIn(one, one.content));

  return () => {
    const pass = shownPass(page);
    const shown = maps.get(pass.map);
    if (!shown) return;
    if (shown.nodes[0].parentNode !== map) {
      map.replaceChildren(...shown.nodes);
      map.style.cssText = shown.style;
    }
    map.dataset.pass = pass.name;
    const rename = (/** @type {string} */ path) => inPass(page, path, shown.at, state.pass) || path;
    for (const element of findAll(NAMING.map((name) => `[${name}]`).join(), map))
      for (const name of NAMING) {
        const named = element.getAttribute(name)?.split(" ");
        const renamed = named?.map((one) => (one[0] === "#" ? "#" + rename(one.slice(1)) : rename(one)));
        if (renamed) element.setAttribute(name, renamed.join(" "));
      }
    shown.at = state.pass;
    for (const svg of findAll("svg[data-heat]", map)) fitBox(page, svg, shown);
    writeWords(page);
    const caption = find(".outcome > p", map);
    if (caption) write(caption, pass.title);
  };
}

/**
 * The box of a matrix is as large as its shape needs; its digits are there where they can be read.
 * @param {Page} page @param {HTMLElement} svg @param {ModelMap} shown
 */
function fitBox({ engine, map, state, steps }, svg, { most, small }) {
  const link = svg.parentElement;
  const { k, rows, columns, size, symbol, isGiven } = steps[engine.find(svg.dataset.heat ?? "")];
  const [high, wide] = [rows, columns].map((count) => Math.ceil(count / Math.ceil(count / MOST_CELLS)));
  const hasDigits = size <= most && Math.max(rows, columns) <= MOST_WITH_DIGITS;
  const texts = hasDigits
    ? Array.from({ length: size }, (_, at) => engine.text(k, Math.floor(at / columns), at % columns))
    : [];
  const type = parseFloat(map.style.getPropertyValue("--s"));
  const side = Math.max(small / type, LEAST / Math.max(high, wide));
  const row = hasDigits ? parseFloat(map.style.getPropertyValue("--row")) : side;
  const longest = Math.max(...texts.map(({ length }) => length));
  const style = { "--w": hasDigits ? longest * DIGIT + DIGIT : side, "--n": wide, "--h": high * row };
  for (const [name, value] of Object.entries(style)) link?.style.setProperty(name, value.toFixed(2));
  svg.removeAttribute("viewBox");
  svg.toggleAttribute("data-quiz", state.isAsking && !isGiven);
  find("pre", link ?? svg)?.remove();
  if (hasDigits) svg.after(make("pre"));
  const [base, ...index] = symbol.split("_");
  const name = find("b", link ?? svg);
  name?.replaceChildren(base, ...(index.length ? [make("sub", {}, index.join("_"))] : []));
}
