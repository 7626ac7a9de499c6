// The map of the model: its heat maps follow the numbers, light up with what changes, and can be pointed at.
import { choose } from "../interaction/choosing.js";
import { goTo } from "../face/address.js";
import { consume, draw, find, findAll, make, rewrite } from "../face/dom.js";
import { samePlace, within } from "../face/page.js";
import { escapeLabel } from "../writing/text.js";
import { blockMeans, shadePaths } from "../pictures/heat.js";
import { makeTurning } from "./turning.js";

/** How wide a digit is, in em. */
const DIGIT = 0.6;
const LIKELIEST = 5;
/** How long it takes until all changed boxes are lit, in milliseconds. */
const LIGHTING = 1000;

/** @param {Page} page */
export function startMap(page) {
  const { engine, map, state, steps } = page;
  /** @type {Map<number, HTMLElement>} the heat maps, by step */
  const heats = new Map();
  const turn = makeTurning(page);

  function collect() {
    heats.clear();
    for (const svg of findAll("svg", map)) {
      const k = engine.find(svg.dataset.heat ?? "");
      if (k >= 0) heats.set(k, svg);
    }
  }
  /** @type {ReturnType<typeof setTimeout>[]} */
  let lighting = [];

  /** @param {Set<number>} old */
  function paint(old) {
    for (const [k, svg] of heats) if (old.has(k)) paintHeat(page, k, svg);
    paintLikeliest(page);
    light();
  }

  /** Boxes with other numbers than at first are marked, in the order of the calculation. */
  function light() {
    lighting.forEach(clearTimeout);
    const changed = [...heats].filter(([k, svg]) => {
      const isChanged = engine.changed(k).includes(true);
      if (!isChanged) delete svg.dataset.changed;
      return isChanged && !("changed" in svg.dataset);
    });
    const pause = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : LIGHTING / changed.length;
    lighting = changed.map(([, svg], at) => setTimeout(() => (svg.dataset.changed = ""), at * pause));
  }

  /** The words of the row and the column that are pointed at are above the matrix.  @param {Place | null} place */
  function name(place) {
    for (const box of findAll("[data-cell]", map)) delete box.dataset.cell;
    if (!place) return;
    const { rowLabels, columnLabels } = steps[place[0]];
    const labels = [rowLabels[place[1]], columnLabels[place[2]]].map(escapeLabel);
    heats.get(place[0])?.parentElement?.setAttribute("data-cell", labels.join(", "));
  }

  function showLit() {
    for (const svg of findAll("[data-lit]", map)) delete svg.dataset.lit;
    name(state.pointed);
    const place = state.pointed ?? state.chosen;
    if (place) for (const k of [place[0], ...steps[place[0]].inputs]) heats.get(k)?.setAttribute("data-lit", "");
  }

  collect();
  state.subscribe(["pass"], () => {
    turn();
    collect();
    paint(new Set(heats.keys()));
    showLit();
  });
  page.views.add(map, [...steps.keys()], paint, true);

  const placeAt = (/** @type {PointerEvent | MouseEvent} */ event) => {
    const svg = event.target instanceof Element ? event.target.closest("svg") : null;
    const k = svg ? engine.find(svg.dataset.heat ?? "") : -1;
    return svg && k >= 0 ? cellUnder(steps[k], svg, event) : null;
  };
  map.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch") return;
    const place = placeAt(event);
    if (!samePlace(place, state.pointed)) state.change({ pointed: place });
  });
  map.addEventListener("pointerleave", () => state.change({ pointed: null }));
  map.addEventListener("click", (event) => {
    const place = event.detail ? placeAt(event) : null; // not by a key
    if (!place || event.ctrlKey || event.metaKey || event.shiftKey) return;
    consume(event);
    goTo(page, steps[place[0]].path);
    choose(page, place, []);
  });
  state.subscribe(["chosen", "pointed"], showLit);
}

/**
 * The cell below a pointer; of a matrix too large for its cells to be drawn, the first of the block.
 * @param {Step} step @param {Element} svg @param {MouseEvent} event
 * @returns {Place}
 */
export function cellUnder({ k, rows, columns }, svg, { clientX, clientY }) {
  const { left, top, width, height } = svg.getBoundingClientRect();
  const at = (/** @type {number} */ share, /** @type {number} */ count) => within(Math.floor(share * count), count);
  return [k, at((clientY - top) / height, rows), at((clientX - left) / width, columns)];
}

/**
 * Draws a step into an element whose box is divided evenly; digits that stand there follow.
 * @param {Page} page @param {number} k @param {HTMLElement | SVGElement} svg
 */
export function paintHeat({ engine, steps, sections }, k, svg) {
  const { rows, columns } = steps[k];
  const means = blockMeans(engine.numbers(k), rows, columns);
  const kind = sections[k].dataset.shade;
  svg.hasAttribute("viewBox") || svg.setAttribute("viewBox", `0 0 ${means.columns} ${means.rows}`);
  svg.toggleAttribute("data-stale", engine.isStale(k));
  const old = new Map(findAll("path", svg).map((path) => [path.getAttribute("class"), path]));
  for (const [name, d] of shadePaths(means.numbers, means.rows, means.columns, kind)) {
    const path = old.get(name);
    if (!path) svg.prepend(draw("path", { class: name, d }));
    else if (path.getAttribute("d") !== d) path.setAttribute("d", d);
    old.delete(name);
  }
  old.forEach((path) => path.remove());
  const digits = find("pre", svg.parentElement ?? svg);
  if (!digits) return;
  const lines = [...Array(rows).keys()].map((i) => [...Array(columns).keys()].map((j) => engine.text(k, i, j)));
  const room = Math.round(parseFloat(svg.parentElement?.style.getPropertyValue("--w") ?? "") / DIGIT) - 1;
  const longest = Math.max(room, ...lines.flat().map(({ length }) => length));
  rewrite(digits, lines.map((line) => line.map((one) => one.padStart(longest)).join("\t")).join("\n"));
  digits.style.setProperty("--k", String((room + 1) / (longest + 1)));
}

/** The largest probabilities of the last row, with their words.  @param {Page} page */
function paintLikeliest(page) {
  const { engine, map } = page;
  const list = find(".likeliest", map);
  const k = engine.find(list?.dataset.from ?? "");
  if (!list || k < 0) return;
  list.toggleAttribute("data-stale", engine.isStale(k));
  list.replaceChildren(...makeLikeliest(page, k));
}

/**
 * The likeliest words of the last row of some probabilities, as bars.
 * @param {Page} page @param {number} k
 */
export function makeLikeliest({ engine, steps }, k) {
  const { path, rows, columns, columnLabels } = steps[k];
  const numbers = [...engine.numbers(k)].slice((rows - 1) * columns);
  const order = [...numbers.keys()]
    .filter((at) => isFinite(numbers[at]))
    .sort((one, other) => numbers[other] - numbers[one]);
  return order.slice(0, LIKELIEST).map((at) => {
    const copy = { "data-of": path, "data-c": `${rows - 1},${at}` };
    const wide = `width:${((100 * numbers[at]) / numbers[order[0]]).toFixed(1)}%`;
    const label = escapeLabel(columnLabels[at]);
    const word = make("b", { "data-word": label }, label);
    const number = make("span", copy, engine.text(k, rows - 1, at));
    return make("li", {}, word, make("i", { "data-bar": "", ...copy, style: wide }), number);
  });
}
