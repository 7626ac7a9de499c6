// A large matrix as pixels, with a lens; its table is there for whoever wants it.
import { choose, close } from "../interaction/choosing.js";
import { edit } from "../interaction/editing.js";
import { MOVES } from "../interaction/keys.js";
import { button, consume, find, isCommand, make, need } from "../face/dom.js";
import { samePlace, within } from "../face/page.js";
import { cellUnder } from "../map/map.js";
import { darkest, MOST_CELLS } from "../pictures/heat.js";
import { say } from "../writing/language.js";
import { makeLens } from "./lens.js";

/** The sides of a cell, and what the rows of a matrix should not exceed, in pixels. */
const [LEAST_SIDE, USUAL_SIDE, LARGEST_SIDE] = [2, 4, 12];
const MOST_HIGH = 640;

/** How large square cells are in a room so wide.  @param {number} rows @param {number} columns @param {number} room */
export function sideOf(rows, columns, room) {
  const fitting = Math.floor(Math.min(room / columns, MOST_HIGH / rows, LARGEST_SIDE));
  return Math.max(fitting, columns * USUAL_SIDE <= room ? USUAL_SIDE : LEAST_SIDE);
}

/** @param {Page} page */
export function startPixels(page) {
  const large = page.steps.filter(({ rows, columns }) => Math.max(rows, columns) > MOST_CELLS);
  if (!large.length) return;
  const showLens = makeLens(page);
  const room = page.main.clientWidth - 64 || 700; // once: whoever asks after a change has the page laid out
  const repaint = large.map(({ k }) => makePixels(page, k, room, showLens));
  const all = () => repaint.forEach((paint) => paint());
  new MutationObserver(all).observe(page.root, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
}

/**
 * Puts the pixels of a step before its table, and returns what paints them.
 * @param {Page} page @param {number} k @param {number} room  how wide the steps are @param {ReturnType<typeof makeLens>} showLens
 */
function makePixels(page, k, room, showLens) {
  const { engine, sections, state, steps } = page;
  const { rows, columns, path } = steps[k];
  const section = sections[k];
  const side = sideOf(rows, columns, room);
  const label = `${page.titleOf(k)}, ${rows}×${columns}`;
  const canvas = /** @type {HTMLCanvasElement} */ (
    make("canvas", { "data-heat": path, width: columns, height: rows, tabindex: 0, role: "img", "aria-label": label })
  );
  Object.assign(canvas.style, { width: `${columns * side}px`, height: `${rows * side}px` });
  const mark = make("i", { hidden: "", style: `width:${side}px;height:${side}px` });
  const swap = button(say("as_table"), () => show(!("pixels" in section.dataset)));

  /** @param {boolean} isPixels */
  function show(isPixels) {
    section.toggleAttribute("data-pixels", isPixels);
    swap.textContent = isPixels ? say("as_table") : say("as_pixels");
  }
  const paint = () => paintPixels(page, k, canvas);
  const centre = (/** @type {Place} */ [, row, column]) => {
    const { left, top } = canvas.getBoundingClientRect();
    return /** @type {const} */ ([left + (column + 0.5) * side, top + (row + 0.5) * side]);
  };
  const under = (/** @type {MouseEvent} */ event) => cellUnder(steps[k], canvas, event);

  canvas.addEventListener("pointermove", (event) => {
    const place = under(event);
    if (event.pointerType === "touch") return;
    showLens(place, event.clientX, event.clientY);
    if (!samePlace(place, state.pointed)) state.change({ pointed: place });
  });
  canvas.addEventListener("pointerleave", () => {
    showLens(null);
    state.change({ pointed: null });
  });
  canvas.addEventListener("click", (event) => {
    choose(page, under(event), []);
    showLens(under(event), event.clientX, event.clientY);
  });
  canvas.addEventListener("blur", () => showLens(null));
  canvas.addEventListener("keydown", (event) => {
    const place = state.chosen?.[0] === k ? state.chosen : null;
    const move = MOVES.get(event.key);
    if (isCommand(event)) return;
    if (move) {
      const [, row, column] = place ?? [k, 0, 0];
      /** @type {Place} */
      const next = place ? [k, within(row + move[0], rows), within(column + move[1], columns)] : [k, 0, 0];
      choose(page, next, []);
      showLens(next, ...centre(next));
    } else if (event.key === "Enter" && place && steps[k].isEditable) {
      showLens(null);
      show(false);
      edit(page, place);
    } else if (event.key === "Enter" && place) find(".reads button", page.panel)?.focus();
    else if (event.key === "Escape" && place) close(page);
    else return;
    consume(event);
  });
  state.subscribe(["chosen"], () => {
    const place = state.chosen?.[0] === k ? state.chosen : null;
    mark.hidden = !place;
    if (place) Object.assign(mark.style, { top: `${place[1] * side}px`, left: `${place[2] * side}px` });
  });
  need(".matrix", section).before(make("div.pixels", {}, make("div", {}, canvas, mark)), swap);
  show(true);
  page.views.add(canvas, [k], paint, true);
  paint();
  return paint;
}

/**
 * Each number as one pixel of the canvas, which the style enlarges.
 * @param {Page} page @param {number} k @param {HTMLCanvasElement} canvas
 */
function paintPixels({ engine, sections, steps }, k, canvas) {
  const context = canvas.getContext("2d");
  if (!context) return;
  const numbers = engine.numbers(k);
  const largest = darkest(sections[k].dataset.shade, numbers) || Infinity;
  const [positive, negative] = ["--pos", "--neg"].map((name) => colourOf(canvas, name));
  const image = context.createImageData(steps[k].columns, steps[k].rows);
  numbers.forEach((x, at) => {
    const share = isFinite(x) ? Math.min(1, Math.abs(x) / largest) : 0;
    image.data.set([...(x < 0 ? negative : positive), Math.round(255 * share)], 4 * at);
  });
  context.putImageData(image, 0, 0);
}

/** The three numbers of a colour of the style, as it is now.  @param {HTMLElement} element @param {string} name */
function colourOf(element, name) {
  element.style.color = `var(${name})`;
  return (getComputedStyle(element).color.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
}
