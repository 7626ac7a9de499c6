// Rows that count nothing are grey: their weight, a number of another step, is 0.
// @ts-check

/** @param {import("../face/page.js").Page} page */
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
