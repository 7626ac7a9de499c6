// The state of a page beside its numbers, in one place: who shows some of it listens.
import { Listeners } from "../engine/listeners.js";

export class PageState {
  /** @type {Place | null} the number that the panel is about, until another is pointed at */
  chosen = null;
  /** @type {Place | null} */
  pointed = null;
  /** @type {Place | null} the number that the bar says in place of what comes out */
  pinned = null;
  /** @type {Place[]} the numbers that the chosen one was followed from */
  trail = [];
  /** The place of the pass that is shown. */
  pass = 0;
  /** The path that the address names. */
  address = "";
  /** The current step, by its number; −1 while there is none. */
  atHand = -1;
  /** The step that an address has led to, until somebody scrolls or chooses; else −1. */
  landed = -1;
  /** Whether one step fills the window. */
  isLecturing = false;
  /** Whether calculated numbers are covered, and asked for. */
  isAsking = false;
  /** Whether they are asked for one after the other. */
  isPractising = false;
  /** Whether the verdicts on printed numbers are shown. */
  showsPrints = false;
  /** What the bar has to say; empty where nothing is. */
  notice = "";
  /** @type {Listeners<Set<string>>} told the names of what has changed */
  changing = new Listeners();

  /** @param {Partial<PageState>} news */
  change(news) {
    Object.assign(this, news);
    this.changing.emit(new Set(Object.keys(news)));
  }

  /** Calls back whenever one of these changes.  @param {string[]} names @param {() => void} act */
  subscribe(names, act) {
    this.changing.subscribe((changed) => {
      if (names.some((name) => changed.has(name))) act();
    });
  }
}
