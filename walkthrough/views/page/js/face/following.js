// What stands beside tables and follows their numbers: notes on a breakdown, rows that count nothing, trees of hypotheses.
import { findAll, write } from "./dom.js";

/** @param {Page} page */
export function startBroken({ engine, sections }) {
  const notes = sections.flatMap((section, k) => findAll(".broken", section).map((note) => ({ note, k })));
  engine.changing.subscribe(() => {
    for (const { note, k } of notes) note.hidden = engine.numbers(k).every((x) => x === x && x !== Infinity);
  });
}

/** @param {Page} page */
export function startIdle(page) {
  const { engine, sections, tables, views } = page;
  sections.forEach(({ dataset }, k) => {
    if (!dataset.weights) return;
    const weights = engine.find(dataset.weights);
    views[weights].push(() =>
      [...tables[k].tBodies[0].rows].forEach((line, row) =>
        line.toggleAttribute("data-idle", engine.number(weights, row, Number(dataset.column)) === 0),
      ),
    );
  });
}

/** Keeps the numbers as the tables have them.  @param {Page} page */
export function followTree(page) {
  for (const said of findAll(".tree [data-of]", page.main)) {
    const k = page.engine.find(said.dataset.of ?? "");
    if (k >= 0) page.addView(k, () => write(said, page.textAt(...page.placeIn(k, said))));
  }
}
