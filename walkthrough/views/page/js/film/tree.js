// The tree of a beam search: its numbers are those of the tables.
// @ts-check
import { findAll, write } from "../face/dom.js";

/** Keeps the numbers as the tables have them.  @param {import("../face/page.js").Page} page */
export function followTree(page) {
  for (const said of findAll(".tree [data-of]", page.main)) {
    const { of = "", c = "" } = said.dataset;
    const k = page.engine.find(of);
    const [row, column] = c.split(",").map(Number);
    if (k >= 0) page.addView(k, () => write(said, page.textAt(k, row, column)));
  }
}
