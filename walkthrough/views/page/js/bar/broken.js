// What is said of a calculation that breaks down is there as long as it does.
// @ts-check
import { findAll } from "../face/dom.js";

/** @param {import("../face/page.js").Page} page */
export function startBroken({ engine, sections }) {
  const notes = sections.flatMap((section, k) => findAll(".broken", section).map((note) => ({ note, k })));
  engine.changing.add(() => {
    for (const { note, k } of notes) note.hidden = engine.numbers(k).every((x) => x === x && x !== Infinity);
  });
}
