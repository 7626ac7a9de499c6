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
    const watcher = new IntersectionObserver((entries) => this.#watch(entries), { rootMargin: "300px" });
    for (const section of page.sections) watcher.observe(section);
    addEventListener("beforeprint", () => [...this.plain].forEach((k) => this.#shade(k)));
    for (const type of ["beforeprint", "afterprint"])
      addEventListener(type, () => {
        page.isOnPaper = type === "beforeprint"; // where all numbers stand
        if (page.state.isAsking) this.#paintAll(page.steps.keys());
      });
    page.engine.changing.subscribe((changed) => {
      for (const k of changed) this.waiting.add(k);
      requestAnimationFrame(() => this.#paintSeen());
      setTimeout(() => this.#paintRest(), 30);
    });
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #watch(entries) {
    const { engine, seen, seeing } = this.page;
    for (const { target, isIntersecting } of entries) {
      const k = engine.find(target.id);
      if (isIntersecting) seen.add(k);
      else seen.delete(k);
      if (isIntersecting && this.plain.has(k)) this.#shade(k);
    }
    if (this.waiting.size) requestAnimationFrame(() => this.#paintSeen());
    seeing.emit();
  }

  #paintSeen() {
    this.#paintAll([...this.page.seen].filter((k) => this.waiting.has(k)));
    this.page.painted.emit();
  }

  #paintRest() {
    this.#paintAll(this.waiting, performance.now() + 12);
    if (this.waiting.size) setTimeout(() => this.#paintRest());
  }

  /** Steps, and once each what else is shown of their numbers.  @param {Iterable<number>} steps */
  #paintAll(steps, until = Infinity) {
    /** @type {Set<() => void>} */
    const views = new Set();
    for (const k of steps) {
      this.waiting.delete(k);
      this.#paint(k);
      for (const view of this.page.views[k]) views.add(view);
      if (performance.now() > until) break;
    }
    for (const view of views) view();
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
