// On paper one line says what has been changed.
import { escapeText } from "../writing/text.js";
import { find, make } from "./dom.js";
import { say } from "../writing/language.js";

/** @param {Page} page */
export function startPaper({ engine, main }) {
  /** @type {HTMLElement | undefined} */
  let noted;
  addEventListener("beforeprint", () => {
    noted?.remove();
    const { mode, decimals, isAsked } = engine.mode();
    const items = engine.changes();
    const words = items.length ? [say("changed", { items: items.map(escapeText).join("; ") })] : [];
    if (engine.model.format) words.push(say("in_format", { format: mode }));
    else if (mode === "by hand") words.push(isAsked ? say("by_hand_decimals", { decimals }) : say("by_hand") + ".");
    if (!words.length) return;
    noted = make("p", {}, words.join(" "));
    const title = find("h1");
    if (title) title.after(noted);
    else main.prepend(noted);
  });
  addEventListener("afterprint", () => noted?.remove());
}
