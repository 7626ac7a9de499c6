// What the page shows a second time: the outcome on the first screen, and verdicts for screen readers.
// @ts-check
import { find, findAll, make } from "../face/dom.js";

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

/**
 * A number that has a verdict is described by a hidden copy of its note, which may be folded away; in the same order.
 * @param {Page} page
 */
export function describeVerdicts({ sections }) {
  for (const section of sections.filter((one) => find(".verdicts", one)))
    for (const list of findAll("ul[data-v]", section)) {
      const cells = findAll(`td[data-v=${list.dataset.v}]`, section);
      [...list.children].forEach((note, at) => {
        const id = `-${list.dataset.v}${at}-${section.id}`;
        section.append(make("span", { id, hidden: "" }, note.textContent ?? ""));
        cells[at].setAttribute("aria-describedby", id);
      });
    }
}
