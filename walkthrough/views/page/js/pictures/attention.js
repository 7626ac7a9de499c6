// Attention: the words of the rows left, those of the columns right, a line for each weight. Heads are side by side.
// @ts-check
import { draw, find, make, need } from "../face/dom.js";
import { group } from "../face/page.js";

/** @typedef {import("../face/page.js").Page} Page */

const LINE_HEIGHT = 20;
const MOST_LETTERS = 12;

/** @param {Page} page */
export function startAttention(page) {
  const { steps, sections } = page;
  const drawable = steps.filter(({ k, size }) => "words" in sections[k].dataset && size >= 4 && size <= 1600);
  for (const heads of group(drawable, ({ path }) => path.replace(/\.\d+(?=\.[^.\d]+$)/, ""))) {
    const figure = make("figure.heads");
    const last = sections[heads[heads.length - 1].k];
    for (const { k, path } of heads) {
      const part = sections[k].closest(".part")?.firstElementChild?.textContent?.split(" · ").pop();
      figure.append(make("a", { href: "#" + path }, make("span", {}, part || page.titleOf(k)), drawLines(page, k)));
    }
    let home = last.parentElement ?? page.main;
    while (heads.some(({ k }) => !home.contains(sections[k]))) home = home.parentElement ?? page.main;
    if (heads.length > 1) home.firstElementChild?.after(figure);
    else need(".matrix", last).after(figure);
  }
}

/** @param {Page} page @param {number} k */
function drawLines(page, k) {
  const { rowLabels: rows, columnLabels: columns } = page.steps[k];
  const short = (/** @type {string} */ word) =>
    word.length > MOST_LETTERS ? word.slice(0, MOST_LETTERS - 1) + "…" : word;
  const side = Math.max(...[...rows, ...columns].map((word) => short(word).length)) * 7.5 + 8;
  const wide = 2 * side + 90;
  const y = (/** @type {number} */ at) => at * LINE_HEIGHT + LINE_HEIGHT / 2 + 2;
  const line = (/** @type {number} */ i, /** @type {number} */ j) =>
    draw("line", { x1: side, y1: y(i), x2: wide - side, y2: y(j) });
  const lines = rows.flatMap((_, i) => columns.map((_, j) => line(i, j)));
  const left = rows.map((word, i) => draw("text", { x: side - 6, y: y(i) + 4, "text-anchor": "end" }, short(word)));
  const right = columns.map((word, j) => draw("text", { x: wide - side + 6, y: y(j) + 4 }, short(word)));
  left.forEach((word, i) => {
    word.addEventListener("pointerenter", () =>
      lines.forEach((one, at) => one.classList.toggle("off", Math.floor(at / columns.length) !== i)),
    );
    word.addEventListener("pointerleave", () => lines.forEach((one) => one.classList.remove("off")));
  });
  page.addView(k, () =>
    page.engine.numbers(k).forEach((x, at) => {
      lines[at].style.strokeOpacity = String(x > 0 ? x : 0);
      lines[at].style.strokeWidth = String(1 + 4 * x);
    }),
  );
  const size = `0 0 ${wide} ${Math.max(rows.length, columns.length) * LINE_HEIGHT + 4}`;
  const about = { viewBox: size, width: wide, role: "img", "aria-label": `${page.titleOf(k)} as lines` };
  return draw("svg", about, ...lines, ...left, ...right);
}
