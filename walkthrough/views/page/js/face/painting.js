// Painting: what is on the screen in the next frame, the rest soon.
import { runAgain } from "../bar/changes.js";
import { darkest, shadeOf } from "../pictures/heat.js";
import { find, make, need, rewrite, write } from "./dom.js";

/** Keeps the tables of a page as the engine's numbers are. */
export class Painter {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    /** @type {Set<number>} steps that may have other numbers */
    this.waiting = new Set();
    /** @type {Set<number>} steps whose heat map nobody has seen */
    this.plain = new Set(page.sections.keys());
    const watcher = new IntersectionObserver((entries) => this.#watch(entries), { rootMargin: "600px" });
    for (const section of page.sections) watcher.observe(section);
    addEventListener("beforeprint", () => [...this.plain].forEach((k) => this.#shade(k)));
    for (const type of ["beforeprint", "afterprint"])
      addEventListener(type, () => {
        page.isOnPaper = type === "beforeprint"; // where all numbers stand
        if (page.state.isAsking) for (const k of page.steps.keys()) this.#paint(k);
      });
    page.engine.changing.subscribe((changed) => {
      for (const k of changed) this.waiting.add(k);
      requestAnimationFrame(() => this.#paintSeen());
      setTimeout(() => this.#paintRest(), 30);
    });
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #watch(entries) {
    const { seen, seeing, stepOfTable } = this.page;
    for (const { target, isIntersecting } of entries) {
      const k = stepOfTable.get(need("table", target)) ?? -1;
      if (isIntersecting) seen.add(k);
      else seen.delete(k);
      if (isIntersecting && this.plain.has(k)) this.#shade(k);
    }
    if (this.waiting.size) requestAnimationFrame(() => this.#paintSeen());
    seeing.emit();
  }

  #paintSeen() {
    for (const k of this.page.seen) if (this.waiting.delete(k)) this.#paint(k);
    this.page.painted.emit();
  }

  #paintRest() {
    const until = performance.now() + 12;
    for (const k of this.waiting) {
      this.waiting.delete(k);
      this.#paint(k);
      if (performance.now() > until) break;
    }
    if (this.waiting.size) setTimeout(() => this.#paintRest());
  }

  /** @param {number} k */
  #paint(k) {
    const { page } = this;
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
    this.#shade(k);
    const isStale = engine.isStale(k);
    const sample = page.sampleOf(k);
    section.toggleAttribute("data-stale", isStale);
    find(".stale", section)?.remove();
    if (isStale) need(".formula", section).after(make("p.stale", {}, ...runAgain(page)));
    if (sample) write(sample, page.lineAt(...page.placeIn(k, sample)));
    for (const view of page.views[k]) view();
  }

  /** The shades of a heat map, as classes: p9 the largest, n9 the most negative.  @param {number} k */
  #shade(k) {
    this.plain.delete(k);
    const { page } = this;
    const numbers = page.engine.numbers(k);
    const largest = darkest(page.sections[k].dataset.shade, numbers);
    if (!largest) return;
    page.cellsOf(k).forEach((td, at) => {
      const name = shadeOf(numbers[at] / largest);
      if (td.className !== name) td.className = name;
    });
  }
}
