// The engine of this page, and what it offers to programs.
const engine = makeEngine(JSON.parse(document.getElementById("data").textContent));
window.walkthrough = makeApi(engine);

// The face is made once the first frame is on the screen, or as soon as somebody, a program or the address needs it.
let isMade = false;
function need(event) {
  if (isMade) return;
  isMade = true;
  makeFace();
  // This event may have come too early for the listeners of the face, which are on the window too.
  if (event?.type === "beforeprint") dispatchEvent(new Event("beforeprint"));
}
for (const type of ["pointerdown", "pointerover", "click", "keydown", "focusin", "beforeprint", "hashchange"])
  addEventListener(type, need, { capture: true, once: true });
engine.listen(need);
if (location.hash) need();
addEventListener("load", () => {
  requestAnimationFrame(() => setTimeout(need));
  setTimeout(need, 500); // a page that nobody sees has no frames
});
