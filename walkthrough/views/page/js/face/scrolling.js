// Scrolling to things, clear of the bar and of the panel; and signs of what there is to scroll to.
import { find, findAll } from "./dom.js";

/** Counts what wants to scroll: the last one does. */
let turn = 0;
let hasScrolled = false;

/** Whether nobody but this module has scrolled since it did last. */
export const isKeptInView = () => !hasScrolled;

const SCROLLING = /^(Arrow|Page|Home|End|Tab| )/;

/**
 * Scrolls for a few frames: sections that have not been on the screen before take their size only then.
 * @param {() => void} scroll
 */
export function keepInView(scroll) {
  const mine = ++turn;
  let frames = 20;
  hasScrolled = false;
  const again = () => {
    if (mine !== turn) return;
    scroll();
    if (frames--) requestAnimationFrame(again);
  };
  again();
}

/** Whoever scrolls or types is not scrolled any more; a key that leads somewhere is heard here before it does. */
export function letScroll() {
  const stop = (/** @type {Event} */ event) => {
    turn++;
    if (event instanceof KeyboardEvent ? SCROLLING.test(event.key) : event.type !== "pointerdown") hasScrolled = true;
  };
  const options = { passive: true, capture: true };
  for (const type of ["wheel", "touchmove", "pointerdown", "keydown"]) addEventListener(type, stop, options);
}

/** The least height that the panel takes beside the title, in pixels. */
const LEAST_BESIDE = 110;

/**
 * Where the panel lies over the page, it keeps clear of what it is about, and what has the focus is scrolled clear of
 * both. On the first screen it lies beside the title, while there is room.
 * @param {Page} page @param {Element} [td]
 */
export function fit({ bar, panel, root }, td) {
  if (getComputedStyle(panel).position === "static") return;
  const edge = bar.getBoundingClientRect();
  const top = edge.top > 0 ? 0 : edge.bottom;
  const room = (find("header")?.getBoundingClientRect().bottom ?? 0) - top;
  panel.classList.toggle("beside", room >= LEAST_BESIDE);
  panel.style.setProperty("--beside", `${room}px`);
  const high = panel.offsetWidth === root.clientWidth ? panel.offsetHeight : 0; // else it has a column of its own
  const box = high && td ? td.getBoundingClientRect() : null;
  if (!box) panel.classList.remove("up");
  else if (box.bottom > innerHeight - high && box.top < innerHeight) panel.classList.add("up");
  else if (box.top < top + high && box.bottom > 0) panel.classList.remove("up");
  const isUp = panel.classList.contains("up");
  panel.style.top = isUp ? `${top}px` : "";
  const film = find("[id='-film']");
  const held = film && getComputedStyle(film).position === "sticky" ? film.offsetHeight : 0;
  root.style.scrollPaddingTop = `${bar.offsetHeight + held + 12 + (isUp ? high : 0)}px`;
  root.style.scrollPaddingBottom = isUp || !high ? "" : `${high + 12}px`;
}

const SCROLLED = ".matrix, .pixels, figure, .sentence, .strips, .chips";

/** @param {HTMLElement} box */
function mark(box) {
  const { scrollLeft, scrollWidth, clientWidth } = box;
  const hidden = [scrollLeft > 1 && "left", scrollLeft + clientWidth < scrollWidth - 1 && "right"].filter(Boolean);
  if (hidden.length) box.dataset.more = hidden.join(" ");
  else delete box.dataset.more;
}

/** @param {Page} page */
export function startMore(page) {
  let isWaiting = false;
  const soon = () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      for (const box of [page.panel, ...page.views.seen]) findAll(SCROLLED, box).forEach(mark);
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
  page.views.seeing.subscribe(all);
  page.views.painted.subscribe(soon);
  page.state.subscribe(["chosen"], soon);
}
