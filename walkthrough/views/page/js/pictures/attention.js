// Attention: the weights of all heads as heat maps in a row, and the sentence once; a word in it shows where it looks.
// @ts-check
import { MOVES } from "../interaction/keys.js";
import { draw, isCommand, make, need } from "../face/dom.js";
import { group, within } from "../face/page.js";
import { paintHeat } from "../map/map.js";
import { partTitle } from "../map/rail.js";
import { escapeLabel } from "../writing/text.js";
import { say } from "../writing/language.js";

/** @typedef {import("../face/page.js").Page} Page */
/** @typedef {import("../engine/model.js").Step} Step */
/** @typedef {{ row: number, column: number, x: number, head: number, path: string, text: string }} Weight  one of a word */

const [SMALLEST, LARGEST] = [8, 22];
const [GAP, LETTER] = [14, 8];
/** Smaller weights have no arc; of the largest so many carry their number. */
const [LEAST_WEIGHT, NUMBERED] = [0.01, 3];
const WIDEST_STROKE = 12;
const ARC_HEIGHT = 130;
const COLOURS = 6;

/** @param {Page} page */
export function startAttention(page) {
  const { steps, sections } = page;
  const drawable = steps.filter(({ k, size }) => "heads" in sections[k].dataset && size >= 4 && size <= 1600);
  for (const heads of group(drawable, ({ k }) => sections[k].dataset.heads)) {
    const name = sections[heads[0].k].dataset.heads?.replace(/\.[^.]+$/, "");
    const figure = make(
      "figure.attention",
      { "data-attention": name },
      makeMaps(page, heads),
      makeSentence(page, heads),
    );
    const last = sections[heads[heads.length - 1].k];
    let home = last.parentElement ?? page.main;
    while (heads.some(({ k }) => !home.contains(sections[k]))) home = home.parentElement ?? page.main;
    if (heads.length > 1) home.firstElementChild?.after(figure);
    else need(".matrix", last).after(figure);
  }
}

/**
 * The heat maps side by side, in as many rows as they need; each row begins with the words of the matrix's rows.
 * @param {Page} page @param {Step[]} heads
 */
function makeMaps(page, heads) {
  const { rows, columns, rowLabels } = heads[0];
  const labels = rowLabels.map(escapeLabel);
  const side = Math.max(...labels.map((label) => label.length)) * LETTER + 12;
  const fitting = Math.floor(((page.main.clientWidth || 700) - 64 - side) / heads.length - GAP) / columns;
  const cell = Math.floor(within(fitting, LARGEST + 1)) || SMALLEST;
  const size = Math.max(cell, SMALLEST);
  const maps = heads.map(({ k, path, columns, rows }, at) => {
    const [wide, high] = [columns * size, rows * size];
    const svg = draw("svg", { "data-heat": path, preserveAspectRatio: "none", width: wide, height: high });
    page.addView(k, () => paintHeat(page, k, svg));
    const part = partTitle(page.sections[k].closest(".part"));
    const name = make(`span.h${at % COLOURS}`, {}, (heads.length > 1 && part) || page.titleOf(k));
    return make("a", { href: "#" + path, style: `height:${high + 24}px` }, svg, name);
  });
  const words = () =>
    make("ul", { style: `line-height:${size}px;width:${side}px` }, ...labels.map((label) => make("li", {}, label)));
  const box = make("div.heads");
  const arrange = () => {
    const most = Math.max(1, Math.floor((box.clientWidth - side) / (columns * size + GAP)));
    const lines = group(maps.keys(), (at) => Math.floor(at / most));
    if (box.childElementCount === lines.length && box.childElementCount) return;
    box.replaceChildren(...lines.map((line) => make("div", {}, words(), ...line.map((at) => maps[at]))));
  };
  arrange();
  new ResizeObserver(arrange).observe(box);
  return box;
}

/**
 * The words, and the arcs of the one that is pointed at or has the focus: queries above keys where these are others.
 * @param {Page} page @param {Step[]} heads
 */
function makeSentence(page, heads) {
  const { rowLabels, columnLabels } = heads[0];
  const isOne = String(rowLabels) === String(columnLabels);
  const word = (/** @type {string} */ label) => make("span", {}, escapeLabel(label));
  const queries = rowLabels.map(word);
  const keys = isOne ? queries : columnLabels.map(word);
  const arcs = draw("svg", { width: 0, height: ARC_HEIGHT, "aria-hidden": "true" });
  const said = make("p");
  queries.forEach((one, at) => {
    one.tabIndex = at ? -1 : 0;
    one.setAttribute("role", "button");
  });
  const lines = [make("div", {}, ...queries), ...(isOne ? [] : [make("div", {}, ...keys)])];
  const box = make("div.sentence", {}, ...(isOne ? [arcs, lines[0]] : [lines[0], arcs, lines[1]]));
  let [held, pointed] = [-1, -1];

  const hold = (/** @type {number} */ at) => {
    held = at;
    show();
  };
  const point = (/** @type {number} */ at) => {
    pointed = at;
    show();
  };
  function show() {
    const row = pointed >= 0 ? pointed : held;
    queries.forEach((one, at) => one.toggleAttribute("data-lit", at === row));
    arcs.replaceChildren(...(row >= 0 ? drawArcs(weightsOf(page, heads, row), queries[row], keys, isOne) : []));
    // Whoever asks for a width has the page laid out: not for no arcs, at every edit.
    if (row >= 0) arcs.setAttribute("width", String(Math.max(...lines.map((line) => line.scrollWidth))));
    said.textContent = row < 0 ? say("point_at_word") : "";
  }

  queries.forEach((one, at) => {
    one.addEventListener("pointerenter", () => point(at));
    one.addEventListener("pointerleave", () => point(-1));
    one.addEventListener("focus", () => hold(at));
    one.addEventListener("blur", () => hold(-1));
    one.addEventListener("click", () => one.focus());
    one.addEventListener("keydown", (event) => {
      const move = MOVES.get(event.key);
      if (!move || isCommand(event)) return;
      event.preventDefault();
      const next = queries[within(at + move[0] + move[1], queries.length)];
      one.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  });
  for (const { k } of heads) page.addView(k, show);
  return make("div", {}, box, said);
}

/**
 * Where a word looks: the weights of its row in all heads that are not next to nothing.
 * @param {Page} page @param {Step[]} heads @param {number} row
 * @returns {Weight[]}
 */
function weightsOf({ engine }, heads, row) {
  return heads.flatMap(({ k, path, columns }, head) =>
    [...engine.numbers(k)]
      .slice(row * columns, (row + 1) * columns)
      .map((x, column) => ({ row, column, x, head, path, text: engine.text(k, row, column) }))
      .filter(({ x }) => x >= LEAST_WEIGHT),
  );
}

/**
 * @param {Weight[]} weights @param {HTMLElement} query @param {HTMLElement[]} keys @param {boolean} isOne  one line of words
 */
function drawArcs(weights, query, keys, isOne) {
  const middle = (/** @type {HTMLElement} */ word) => word.offsetLeft + word.offsetWidth / 2;
  const numbered = new Set([...weights].sort((one, other) => other.x - one.x).slice(0, NUMBERED));
  const from = middle(query);
  /** @type {SVGElement[]} */
  const numbers = []; // above all arcs
  const paths = weights.map((weight) => {
    const to = middle(keys[weight.column]);
    const arc = isOne ? arcAbove(from, to, weight.head) : arcBetween(from, to, weight.head);
    const about = {
      "data-of": weight.path,
      "data-c": `${weight.row},${weight.column}`,
      class: `h${weight.head % COLOURS}`,
    };
    const path = draw("path", { d: arc.d, ...about, "stroke-width": (WIDEST_STROKE * weight.x).toFixed(2) });
    if (numbered.has(weight)) numbers.push(draw("text", { x: arc.x, y: arc.y, class: about.class }, weight.text));
    return path;
  });
  return [...paths, ...numbers];
}

/** @param {number} from @param {number} to @param {number} head */
export function arcAbove(from, to, head) {
  const far = Math.min(115, 36 + Math.abs(to - from) * 0.35 + head * 14);
  const wide = from === to ? 22 + 5 * head : 0; // a word that looks at itself
  const low = ARC_HEIGHT - 2;
  const top = low - far;
  return {
    d: `M${from} ${low}C${from - wide} ${top} ${to + wide} ${top} ${to} ${low}`,
    x: (from + to) / 2,
    y: low - 0.75 * far - 8,
  };
}

/** @param {number} from @param {number} to @param {number} head */
export function arcBetween(from, to, head) {
  const bend = ARC_HEIGHT * (0.3 + 0.08 * head);
  const d = `M${from} 0C${from} ${bend} ${to} ${ARC_HEIGHT - bend} ${to} ${ARC_HEIGHT}`;
  return { d, x: from + (to - from) * 0.7, y: ARC_HEIGHT * 0.68 - 12 * head };
}
