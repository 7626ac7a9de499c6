// A series: its first column as a curve over the rows.
// @ts-check
import { draw, make, need } from "../face/dom.js";
import { say } from "../writing/language.js";

const WIDE = 560;
const HIGH = 160;

/** @param {import("../face/page.js").Page} page */
export function startCurves(page) {
  const { engine, sections } = page;
  for (const { k, rows, columns, rowLabels, columnLabels } of page.steps) {
    if (!("series" in sections[k].dataset) || rows < 3) continue;
    const path = draw("path");
    const top = draw("text", { y: 12 });
    const from = draw("text", { y: HIGH + 16 }, rowLabels[0]);
    const to = draw("text", { x: WIDE, y: HIGH + 16, "text-anchor": "end" }, rowLabels[rows - 1]);
    const svg = draw(
      "svg",
      { viewBox: `-2 0 ${WIDE + 4} ${HIGH + 22}`, width: WIDE, role: "img" },
      path,
      top,
      from,
      to,
    );
    need(".matrix", sections[k]).before(make("figure.curve", {}, svg));
    page.addView(k, () => {
      path.setAttribute("d", curvePath([...engine.numbers(k)].filter((_, at) => at % columns === 0)));
      top.textContent = `${columnLabels[0]} ${engine.text(k, 0, 0)} → ${engine.text(k, rows - 1, 0)}`;
      svg.setAttribute("aria-label", top.textContent.replace("→", say("to")));
    });
  }
}

/**
 * From the first number at the left to the last at the right, 0 at the bottom.
 * @param {number[]} numbers
 */
export function curvePath(numbers) {
  const most = Math.max(...numbers.filter(isFinite));
  const point = (/** @type {number} */ x, /** @type {number} */ at) =>
    `${((at / (numbers.length - 1)) * WIDE).toFixed(1)} ${(HIGH - (x / most) * (HIGH - 20)).toFixed(1)}`;
  return "M" + numbers.map(point).join("L");
}
