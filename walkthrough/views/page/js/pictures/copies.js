// What the page shows a second time: the outcome on the first screen.
// @ts-check
import { findAll } from "../face/dom.js";

/** @typedef {import("../face/page.js").Page} Page */

/** @param {Page} page */
export function startCopies(page) {
  const { engine, copied } = page;
  for (const copy of findAll("[data-of]")) {
    const k = engine.find(copy.dataset.of ?? "");
    const place = page.placeIn(k, copy);
    copied.add(k);
    page.addView(k, () => {
      const text = engine.text(...place);
      const { was } = page.cellAt(place).dataset;
      if (copy.textContent !== text) copy.textContent = text;
      copy.toggleAttribute("data-halted", engine.isHalted(k));
      if (was && was !== text) copy.dataset.was = was;
      else delete copy.dataset.was;
    });
  }
}
