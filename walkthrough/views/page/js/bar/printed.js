// Printed numbers: which of them are not exact, behind a switch that is off at first.
import { find, findAll, input, make } from "../face/dom.js";
import { say } from "../writing/language.js";

/** The switch, where somebody has printed numbers.  @param {Page} page */
export function makePrintedSwitch(page) {
  if (!("prints" in document.body.dataset)) return [];
  const box = input({ type: "checkbox", onchange: () => show() });
  const notes = page.sections.flatMap((section, k) => findAll(".verdicts li", section).map((note) => ({ note, k })));

  /** The verdicts stand on the cells; each is described by a hidden copy of its note, which may be folded away. */
  function show() {
    notes.forEach(({ note, k }, at) => {
      const td = page.cellAt(page.placeIn(k, note));
      const id = `-note-${at}`;
      find(`[id=${id}]`)?.remove();
      delete td.dataset.v;
      td.removeAttribute("aria-describedby");
      if (!box.checked) return;
      td.dataset.v = note.parentElement?.dataset.kind;
      td.setAttribute("aria-describedby", id);
      page.sections[k].append(make("span", { id, hidden: "" }, note.textContent ?? ""));
    });
    page.state.change({ showsPrints: box.checked });
  }
  return [make("label", {}, box, " " + say("printed_numbers"))];
}

/** What is said of a printed number, while that is asked for.  @param {Page} page @param {Place} place */
export function printOf({ engine, sections, state }, [k, row, column]) {
  const isShown = state.showsPrints && !engine.model.words?.isChanged;
  return (isShown && find(`.verdicts li[data-c="${row},${column}"]`, sections[k])?.dataset.says) || "";
}
