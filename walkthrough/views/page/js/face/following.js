// What stands beside tables and follows their numbers: notes on a breakdown, rows that count nothing, trees of hypotheses.
import { findAll, write } from "./dom.js";

/** @param {Page} page */
export function startBroken({ engine, sections, views }) {
  const isWhole = (/** @type {number} */ k) => engine.numbers(k).every((x) => x === x && x !== Infinity);
  sections.forEach((section, k) => {
    for (const note of findAll(".broken", section)) views.add(section, [k], () => (note.hidden = isWhole(k)), true);
  });
}

/** @param {Page} page */
export function startIdle(page) {
  const { engine, sections, tables, views } = page;
  sections.forEach(({ dataset }, k) => {
    if (!dataset.weights) return;
    const weights = engine.find(dataset.weights);
    const paint = () =>
      [...tables[k].tBodies[0].rows].forEach((line, row) =>
        line.toggleAttribute("data-idle", engine.number(weights, row, Number(dataset.column)) === 0),
      );
    views.add(sections[k], [weights], paint, true);
  });
}

/** Keeps the numbers as the tables have them.  @param {Page} page */
export function followTree(page) {
  for (const said of findAll(".tree [data-of]", page.main)) {
    const k = page.engine.find(said.dataset.of ?? "");
    const paint = () => write(said, page.textAt(...page.placeIn(k, said)));
    if (k >= 0) page.views.add(said, [k], paint, true);
  }
}
