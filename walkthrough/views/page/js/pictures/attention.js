// Attention: the weights of all heads as heat maps in a row, and the sentence once; a word in it shows where it looks.
import { MOVES } from "../interaction/keys.js";
import { draw, findAll, isCommand, make, need, rewrite } from "../face/dom.js";
import { group, within } from "../face/page.js";
import { paintHeat } from "../map/map.js";
import { partTitle } from "../map/rail.js";
import { copyOf } from "./copies.js";
import { escapeLabel } from "../writing/text.js";
import { say } from "../writing/language.js";

/** @typedef {{ column: number, x: number, head: number, text: string, about: Record<string, string> }} Weight  one of a word */

const [SMALLEST, LARGEST] = [8, 22];
const [GAP, LETTER] = [14, 8];
/** Smaller weights have no arc; so many of the largest of a word are written below it. */
const [LEAST_WEIGHT, NUMBERED] = [0.01, 2];
const LINE = 15;
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
      ...(heads.length > 1 ? [makeMaps(page, heads)] : []), // the table of one head is shaded itself
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
    page.views.add(svg, [k], () => paintHeat(page, k, svg));
    const part = partTitle(page.sections[k].closest(".part"));
    const name = make(`span.h${at % COLOURS}`, {}, part || page.titleOf(k));
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
  page.engine.relabelling.subscribe(() =>
    findAll("li", box).forEach((one, at) => rewrite(one, escapeLabel(rowLabels[at % rows]))),
  );
  arrange();
  new ResizeObserver(() => requestAnimationFrame(arrange)).observe(box);
  return box;
}

/**
 * The words, and the arcs of the one that is pointed at or has the focus: queries above keys where these are others.
 * @param {Page} page @param {Step[]} heads
 */
function makeSentence(page, heads) {
  const { rowLabels, columnLabels } = heads[0];
  const isOne = String(rowLabels) === String(columnLabels);
  const style = `min-width:${page.engine.text(heads[0].k, 0, 0).length + 2}ch`; // its numbers have room below it
  const word = (/** @type {string} */ label, more = {}) => make("span", { style, ...more }, escapeLabel(label));
  const queries = rowLabels.map((label, at) => word(label, { role: "button", tabindex: at ? -1 : 0 }));
  const keys = isOne ? queries : columnLabels.map((label) => word(label));
  const arcs = draw("svg", { height: ARC_HEIGHT, "aria-hidden": "true" });
  const numbers = draw("svg", { height: NUMBERED * LINE + 4, "aria-hidden": "true" });
  const lines = [make("div", {}, ...queries), ...(isOne ? [] : [make("div", {}, ...keys)])];
  const box = make("div.sentence", {}, ...(isOne ? [arcs, lines[0]] : [lines[0], arcs, lines[1]]), numbers);
  let [held, pointed] = [-1, -1];
  page.engine.relabelling.subscribe(() => {
    queries.forEach((one, at) => rewrite(one, escapeLabel(rowLabels[at])));
    keys.forEach((one, at) => rewrite(one, escapeLabel(columnLabels[at])));
  });

  /** The word that has the focus, or is pointed at, is another. */
  function show(now = { held, pointed }) {
    ({ held, pointed } = now);
    const row = [pointed, held, queries.length - 1].find((at) => at >= 0) ?? 0; // the last word has the next one to find
    queries.forEach((one, at) => one.toggleAttribute("data-lit", at === row));
    const weights = weightsOf(page, heads, row);
    arcs.replaceChildren(...weights.map((weight) => drawArc(weight, queries[row], keys, isOne)));
    numbers.replaceChildren(...writeWeights(weights, keys));
  }

  queries.forEach((one, at) => {
    one.addEventListener("pointerenter", () => show({ held, pointed: at }));
    one.addEventListener("pointerleave", () => show({ held, pointed: -1 }));
    one.addEventListener("focus", () => show({ held: at, pointed }));
    one.addEventListener("blur", () => show({ held: -1, pointed }));
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
  const steps = heads.map(({ k }) => k);
  page.views.add(box, steps, () => show());
  return make("div", {}, box, make("p", {}, say("point_at_word")));
}

/**
 * Where a word looks: the weights of its row in all heads that are not next to nothing.
 * @param {Page} page @param {Step[]} heads @param {number} row
 * @returns {Weight[]}
 */
function weightsOf(page, heads, row) {
  return heads.flatMap(({ k, columns }, head) =>
    [...page.engine.numbers(k)]
      .slice(row * columns, (row + 1) * columns)
      .map((x, column) => {
        const about = { ...copyOf(page, [k, row, column]), class: `h${head % COLOURS}` };
        return { column, x, head, text: page.engine.text(k, row, column), about };
      })
      .filter(({ x }) => x >= LEAST_WEIGHT),
  );
}

const middle = (/** @type {HTMLElement} */ word) => word.offsetLeft + word.offsetWidth / 2;

/** @param {Weight} weight @param {HTMLElement} query @param {HTMLElement[]} keys @param {boolean} isOne  one line */
function drawArc(weight, query, keys, isOne) {
  const d = (isOne ? arcAbove : arcBetween)(middle(query), middle(keys[weight.column]), weight.head);
  return draw("path", { d, ...weight.about, "stroke-width": (WIDEST_STROKE * weight.x).toFixed(2) });
}

/**
 * The largest weights of each word in digits, in the colour of their head, below the word.
 * @param {Weight[]} weights @param {HTMLElement[]} keys
 */
function writeWeights(weights, keys) {
  return group(weights, ({ column }) => column).flatMap((some) => {
    const largest = [...some].sort((one, other) => other.x - one.x).slice(0, NUMBERED);
    return largest.map((weight, line) => {
      const at = { x: middle(keys[weight.column]), y: (line + 1) * LINE };
      return draw("text", { ...at, ...weight.about }, weight.text);
    });
  });
}

/** @param {number} from @param {number} to @param {number} head */
export function arcAbove(from, to, head) {
  const wide = from === to ? 60 + 44 * head : 0; // loops of heads lie around one another
  const far = Math.min(115, 36 + Math.abs(to - from) * 0.35 + head * (wide ? 24 : 14));
  const low = ARC_HEIGHT - 2;
  const top = low - far;
  return `M${from} ${low}C${from - wide} ${top} ${to + wide} ${top} ${to} ${low}`;
}

/** @param {number} from @param {number} to @param {number} head */
export function arcBetween(from, to, head) {
  const bend = ARC_HEIGHT * (0.3 + 0.08 * head);
  return `M${from} 0C${from} ${bend} ${to} ${ARC_HEIGHT - bend} ${to} ${ARC_HEIGHT}`;
}
