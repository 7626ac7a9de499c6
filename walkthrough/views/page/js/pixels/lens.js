// A lens over a matrix of pixels: the cell below the pointer and two on each side, with labels and digits.
import { make } from "../face/dom.js";
import { escapeLabel } from "../writing/text.js";

const NEIGHBOURS = 2;
/** From the lens to what it shows, in pixels. */
const LENS_GAP = 16;

/** So many cells around one, and no more than there are.  @param {number} at @param {number} count */
const around = (at, count) =>
  Array.from({ length: 2 * NEIGHBOURS + 1 }, (_, far) => at - NEIGHBOURS + far).filter(
    (one) => one >= 0 && one < count,
  );

/** @param {Page} page @param {Place} place */
function makeCells({ engine, steps }, [k, row, column]) {
  const { path, rows, columns, rowLabels, columnLabels } = steps[k];
  const across = around(column, columns);
  const head = make("tr", {}, make("td"), ...across.map((at) => make("th", {}, escapeLabel(columnLabels[at]))));
  const lines = around(row, rows).map((at) => {
    const cells = across.map((to) => {
      const about = { "data-of": path, "data-c": `${at},${to}`, "data-lit": at === row && to === column ? "" : false };
      return make("td", about, engine.text(k, at, to));
    });
    return make("tr", {}, make("th", {}, escapeLabel(rowLabels[at])), ...cells);
  });
  return make("table", {}, head, ...lines);
}

/** What shows a cell beside a point of the window; nothing for no cell.  @param {Page} page */
export function makeLens(page) {
  const box = make("div.lens", { "aria-hidden": "true", hidden: "" });
  document.body.append(box);
  return (/** @type {Place | null} */ place, x = 0, y = 0) => {
    box.hidden = !place;
    if (!place) return;
    box.replaceChildren(makeCells(page, place));
    const beside = (/** @type {number} */ at, /** @type {number} */ size, /** @type {number} */ room) =>
      `${Math.max(0, at + LENS_GAP + size > room ? at - LENS_GAP - size : at + LENS_GAP)}px`;
    box.style.left = beside(x, box.offsetWidth, innerWidth);
    box.style.top = beside(y, box.offsetHeight, innerHeight);
  };
}
