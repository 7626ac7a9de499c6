// A box that scrolls sideways says where there is more.
// @ts-check
import { findAll } from "./dom.js";

const SCROLLED = ".matrix, .pixels, figure, .sentence, .strips, .chips";

/** @param {HTMLElement} box */
function mark(box) {
  const { scrollLeft, scrollWidth, clientWidth } = box;
  const hidden = [];
  if (scrollLeft > 1) hidden.push("left");
  if (scrollLeft + clientWidth < scrollWidth - 1) hidden.push("right");
  if (hidden.length) box.dataset.more = hidden.join(" ");
  else delete box.dataset.more;
}

/** @param {import("./page.js").Page} page */
export function startMore(page) {
  let isWaiting = false;
  const soon = () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      for (const box of [page.panel, ...[...page.seen].map((k) => page.sections[k])])
        findAll(SCROLLED, box).forEach(mark);
    });
  };
  // What stands between the steps is as wide after an edit as before.
  const all = () => {
    findAll(".part > figure, .part > figure .sentence, #\\-film :is(figure, .chips, .likeliest)").forEach(mark);
    soon();
  };
  document.addEventListener(
    "scroll",
    ({ target }) => target instanceof HTMLElement && target.matches(SCROLLED) && mark(target),
    { capture: true, passive: true },
  );
  addEventListener("resize", all, { passive: true });
  page.seeing.add(all);
  page.painted.add(soon);
  page.state.follow(["chosen"], soon);
}
