// Edits taken back, and made again.
// @ts-check
import { consume, isField, sign } from "../face/dom.js";
import { say } from "../writing/language.js";

/** @param {import("../face/page.js").Page} page */
export function makeUndo({ engine }) {
  const undo = sign("↶", () => engine.undo(), say("undo"));
  const redo = sign("↷", () => engine.redo(), say("redo"));
  function show() {
    undo.toggleAttribute("disabled", !engine.history.past.length);
    redo.toggleAttribute("disabled", !engine.history.future.length);
  }
  addEventListener("keydown", (event) => {
    const isMeant = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "z";
    if (!isMeant || isField(event.target)) return;
    consume(event);
    if (event.shiftKey) engine.redo();
    else engine.undo();
  });
  engine.changing.add(show);
  show();
  return [undo, redo];
}
