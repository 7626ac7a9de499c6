// Painting: what is on the screen in the next frame, the rest soon.
import { runAgain } from "../bar/changes.js";
import { darkest, shadeOf } from "../pictures/heat.js";
import { find, make, need, rewrite, write } from "./dom.js";

/** Keeps the tables as the engine's numbers are.  @param {Page} page */
export function startPainting(page) {
  const { engine, painted, sections, seen, seeing, state, views } = page;
  /** @type {Set<number>} steps that may have other numbers */
  const waiting = new Set();
  /** @type {Set<number>} steps whose heat map nobody has seen */
  const plain = new Set(sections.keys());

  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const k = engine.find(target.id);
        if (isIntersecting) seen.add(k);
        else seen.delete(k);
        if (isIntersecting && plain.delete(k)) shade(page, k);
      }
      if (waiting.size) requestAnimationFrame(paintSeen);
      seeing.emit();
    },
    { rootMargin: "300px" },
  );
  for (const section of sections) watcher.observe(section);

  function paintSeen() {
    paintAll([...seen].filter((k) => waiting.has(k)));
    painted.emit();
  }

  function paintRest() {
    paintAll(waiting, performance.now() + 12);
    if (waiting.size) setTimeout(paintRest);
  }

  /** Steps, and once each what else is shown of their numbers.  @param {Iterable<number>} steps */
  function paintAll(steps, until = Infinity) {
    /** @type {Set<() => void>} */
    const following = new Set();
    for (const k of steps) {
      waiting.delete(k);
      plain.delete(k);
      paintStep(page, k);
      for (const view of views[k]) following.add(view);
      if (performance.now() > until) break;
    }
    for (const view of following) view();
  }

  addEventListener("beforeprint", () => plain.forEach((k) => shade(page, k)));
  for (const type of ["beforeprint", "afterprint"])
    addEventListener(type, () => {
      page.isOnPaper = type === "beforeprint"; // where all numbers stand
      if (state.isAsking) paintAll(sections.keys());
    });
  engine.changing.subscribe((changed) => {
    for (const k of changed) waiting.add(k);
    requestAnimationFrame(paintSeen);
    setTimeout(paintRest, 30);
  });
}

/** @param {Page} page @param {number} k */
function paintStep(page, k) {
  const { engine } = page;
  const changed = new Set(engine.changed(k));
  const section = page.sections[k];
  page.cellsOf(k).forEach((td, at) => {
    const place = page.placeAt(k, at);
    const isCovered = page.isCovered(place);
    const text = isCovered ? "" : engine.text(...place);
    if (changed.has(at) && !isCovered) td.dataset.was ??= td.textContent || engine.firstText(...place);
    else delete td.dataset.was;
    td.toggleAttribute("data-quiz", isCovered);
    if (!td.firstElementChild) rewrite(td, text);
  });
  shade(page, k);
  const isStale = engine.isStale(k);
  const sample = page.sampleOf(k);
  section.toggleAttribute("data-stale", isStale);
  find(".stale", section)?.remove();
  if (isStale) need(".formula", section).after(make("p.stale", {}, ...runAgain(page)));
  if (sample) write(sample, page.lineAt(...page.placeIn(k, sample)));
}

/** The shades of a heat map, as classes: p9 the largest, n9 the most negative.  @param {Page} page @param {number} k */
function shade(page, k) {
  const numbers = page.engine.numbers(k);
  const largest = darkest(page.sections[k].dataset.shade, numbers);
  if (!largest) return;
  page.cellsOf(k).forEach((td, at) => {
    const name = shadeOf(numbers[at] / largest);
    if (td.className !== name) td.className = name;
  });
}
