// The engine of this page at once, and what it offers to programs; its face after the first frame.
// @ts-check
import { makeApi } from "./engine/api.js";
import { Engine } from "./engine/engine.js";
import { startFace } from "./face/face.js";
import { speak } from "./writing/language.js";

const data = JSON.parse(document.getElementById("data")?.textContent ?? "");
speak(data.language);
const engine = new Engine(data);
Object.assign(window, { walkthrough: makeApi(engine) });

let isShown = false;

/** Shows the face if it is not there yet: the user, a program or the address needs it, or the first frame has come. */
function showFace(/** @type {unknown} */ event) {
  if (isShown) return;
  isShown = true;
  startFace(engine);
  // This event has come too early for the listeners of the face.
  if (event instanceof Event && event.type === "beforeprint") dispatchEvent(new Event("beforeprint"));
}
for (const type of ["pointerdown", "pointerover", "click", "keydown", "focusin", "beforeprint", "hashchange"])
  addEventListener(type, showFace, { capture: true, once: true });
engine.changing.add(showFace);
if (location.hash) showFace(null);
addEventListener("load", () => {
  requestAnimationFrame(() => setTimeout(showFace));
  setTimeout(showFace, 500); // a page that nobody sees has no frames
});
