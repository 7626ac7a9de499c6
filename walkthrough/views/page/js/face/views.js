// What is shown of numbers: painted in the next frame near the screen; else once it comes there, or after a while.
import { Listeners } from "../engine/listeners.js";

/**
 * Where numbers of steps are shown; old: those of its steps that it has not been painted with; isPainted: it ever was.
 * @typedef {{ element: Element, paint: (old: Set<number>) => void, old: Set<number>, isPainted: boolean }} View
 */

/** How long that while without a change is, and how long it is painted at a time then, in milliseconds. */
const [QUIET, SLICE] = [1000, 12];

export class Views {
  /** @type {Map<number, View[]>} */
  #ofStep = new Map();
  /** @type {Set<View>} those that have to be painted */
  #old = new Set();
  /** @type {Set<Element>} what is on the screen, or near it */
  seen = new Set();
  /** @type {Listeners<void>} told when this is other */
  seeing = new Listeners();
  /** @type {Listeners<void>} told when what is on the screen has new numbers */
  painted = new Listeners();
  #timer = 0;
  #watcher = new IntersectionObserver((entries) => this.#see(entries), { rootMargin: "300px" });

  /** @param {Engine} engine */
  constructor(engine) {
    engine.changing.subscribe((changed) => {
      this.age(changed);
      requestAnimationFrame(() => {
        this.paint((view) => this.seen.has(view.element));
        this.painted.emit();
      });
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#paintRest(), QUIET);
    });
    addEventListener("beforeprint", () => this.paint());
  }

  /**
   * Keeps an element as the numbers of some steps are; isPainted: as it is already.
   * @param {Element} element @param {number[]} steps @param {View["paint"]} paint
   */
  add(element, steps, paint, isPainted = false) {
    const view = { element, paint, old: new Set(isPainted ? [] : steps), isPainted };
    for (const k of steps) this.#ofStep.set(k, [...(this.#ofStep.get(k) ?? []), view]);
    if (!isPainted) this.#old.add(view);
    this.#watcher.observe(element);
  }

  /** What shows these steps is to be painted again.  @param {Iterable<number>} steps */
  age(steps) {
    for (const k of steps)
      for (const view of this.#ofStep.get(k) ?? []) {
        view.old.add(k);
        this.#old.add(view);
      }
  }

  /** What has never been painted shows no numbers that are others now. */
  #paintRest() {
    const until = performance.now() + SLICE;
    this.paint(({ isPainted }) => isPainted && performance.now() < until);
    if (performance.now() >= until) this.#timer = setTimeout(() => this.#paintRest());
  }

  /** Paints what is old, on the screen or not.  @param {(view: View) => boolean} isMeant */
  paint(isMeant = () => true) {
    for (const view of this.#old) {
      if (!isMeant(view)) continue;
      this.#old.delete(view);
      view.paint(view.old);
      view.old.clear();
      view.isPainted = true;
    }
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #see(entries) {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) this.seen.add(target);
      else this.seen.delete(target);
    }
    this.paint((view) => this.seen.has(view.element));
    this.seeing.emit();
  }
}
