// Painting: the tables are as the engine's numbers are.
import { runAgain } from "../bar/changes.js";
import { darkest, shadeOf } from "../pictures/heat.js";
import { find, make, need, rewrite, write } from "./dom.js";

/** @param {Page} page */
export function startPainting(page) {
  const { sections, state, steps, views } = page;
  sections.forEach((section, k) => {
    views.add(section, [k], () => paintStep(page, k), true);
    views.add(section, [k], () => shade(page, k));
  });
  for (const type of ["beforeprint", "afterprint"])
    addEventListener(type, () => {
      page.isOnPaper = type === "beforeprint"; // where all numbers stand
      if (!state.isAsking) return;
      views.age(steps.keys());
      views.paint();
    });
}

/** @param {Page} page @param {number} k */
function paintStep(page, k) {
  const { engine } = page;
  const section = page.sections[k];
  const changed = engine.changed(k);
  page.cellsOf(k).forEach((td, at) => {
    const place = page.placeAt(k, at);
    const isCovered = page.isCovered(place);
    if (changed[at] && !isCovered) td.dataset.was = engine.firstText(...place);
    else delete td.dataset.was;
    td.toggleAttribute("data-quiz", isCovered);
    if (!td.firstElementChild) rewrite(td, isCovered ? "" : engine.text(...place));
  });
  const isStale = engine.isStale(k);
  const sample = find(".worked", section);
  section.toggleAttribute("data-stale", isStale);
  find(".stale", section)?.remove();
  if (isStale) need(".formula", section).after(make("p.stale", {}, ...runAgain(page)));
  if (sample) write(sample, page.lineAt(...page.placeIn(k, sample)));
}

/** The shades of a heat map, as classes: p9 the largest, n9 the most negative.  @param {Page} page @param {number} k */
function shade(page, k) {
  const numbers = page.engine.numbers(k);
  const largest = darkest(page.sections[k].dataset.shade, numbers);
  if (!largest) return;
  page.cellsOf(k).forEach((td, at) => {
    const name = shadeOf(numbers[at] / largest);
    if (td.className !== name) td.className = name;
  });
}
